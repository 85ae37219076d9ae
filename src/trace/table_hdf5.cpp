#include "carom/trace/table.hpp"
#include "storage/hdf5_reader.hpp"

#include <algorithm>
#include <filesystem>

namespace carom {
namespace {

using detail::Hdf5Reader;
using detail::Hdf5Session;
using detail::Hdf5Writer;

constexpr const char* names_path = "/columns";

/// HDF5 takes a slash for a folder.
std::string path_of(const std::string& name)
{
    std::string path = name;
    std::ranges::replace(path, '/', '_');
    return "/table/" + path;
}

Expected<void> write_column(const TableColumn& column, Hdf5Writer& file)
{
    if (column.kind == CellKind::Number) return file.put(path_of(column.name), column.numbers);
    return file.add_texts(path_of(column.name), column.texts);
}

Expected<void> write_all(const std::string& path, const ResultTable& table)
{
    auto file = Hdf5Writer::create(path);
    if (!file) return file.error();
    std::vector<std::string> names, kinds;
    for (const TableColumn& column : table.columns) {
        names.push_back(column.name);
        kinds.emplace_back(column.kind == CellKind::Number ? "number" : "text");
    }
    if (auto done = file->add_texts(names_path, names); !done) return done;
    if (auto done = file->add_texts("/kinds", kinds); !done) return done;
    if (auto done = file->add_group("/table"); !done) return done;
    for (const TableColumn& column : table.columns) {
        if (auto done = write_column(column, *file); !done) return done;
    }
    return file->close();
}

}  // namespace

Expected<void> write_table_hdf5(const std::string& path, const ResultTable& table)
{
    const Hdf5Session session;
    const std::string next = path + ".next";
    if (auto written = write_all(next, table); !written) return written;
    std::error_code problem;
    std::filesystem::rename(next, path, problem);
    if (!problem) return {};
    return Error{.code = ErrorCode::FileUnwritable,
                 .where = path,
                 .message = "the table could not be moved into place",
                 .hint = "check the permissions of the folder; the rows are in " + next,
                 .excerpt = {}};
}

Expected<ResultTable> read_table_hdf5(const std::string& path)
{
    const Hdf5Session session;
    auto file = Hdf5Reader::open(path);
    if (!file) return file.error();
    const auto names = file->texts(names_path), kinds = file->texts("/kinds");
    if (!names) return names.error();
    if (!kinds) return kinds.error();
    if (names->size() != kinds->size()) return file->malformed("names and kinds of columns do not fit");

    ResultTable table;
    for (std::size_t i = 0; i < names->size(); ++i) {
        TableColumn column{.name = (*names)[i]};
        if ((*kinds)[i] == "number") {
            const auto numbers = file->column(path_of(column.name));
            if (!numbers) return numbers.error();
            column.numbers.assign(numbers->begin(), numbers->end());
        } else {
            auto texts = file->texts(path_of(column.name));
            if (!texts) return texts.error();
            column.kind = CellKind::Text;
            column.texts = std::move(*texts);
        }
        const std::size_t rows =
            column.kind == CellKind::Number ? column.numbers.size() : column.texts.size();
        if (i > 0 && rows != table.rows()) return file->malformed("columns differ in length");
        table.columns.push_back(std::move(column));
    }
    return table;
}

}  // namespace carom
