#include "study/table_file.hpp"

#include "core/write_file.hpp"
#include "table_rows.hpp"
#include "trace/write_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

namespace carom {
namespace {

namespace fs = std::filesystem;
using detail::TableRows;

Error unwritable(const std::string& path, std::string message, std::string hint)
{
    return {.code = ErrorCode::FileUnwritable,
            .where = path,
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

/// Runs of a table that can be kept.
struct Kept {
    long runs = 0;
    std::size_t rows = 0;
};

/// The whole runs of this part of this study that the table begins with.
Expected<Kept> look_at(const CsvText& text, const Study& study, const Shard& shard, const std::string& path)
{
    const auto other = [&](std::string message) {
        return unwritable(path, std::move(message), "give another name after -o, or remove this file");
    };
    const TableRows rows(text);
    if (!rows.is_study()) return other("the file exists and is not the table of a study");
    const ResultTable& columns = study.columns();
    const bool same_columns = std::ranges::equal(text.names, columns.columns, {}, {}, &TableColumn::name);
    Kept kept;
    while (kept.rows < text.rows.size()) {
        if (!same_columns || rows.study(kept.rows) != study.id())
            return other(
                "the file holds the table of another study: another scene, version or other options");
        const long run = kept.runs * shard.parts + shard.part;
        if (rows.run(kept.rows) != run) {
            return other(fmt::format("the file holds another part of the study: run {} where {} is expected",
                                     text.rows[kept.rows][0], run));
        }
        const auto end = rows.end_of_run(kept.rows);
        if (!end) break;
        kept.rows = *end;
        ++kept.runs;
    }
    if (!same_columns) return other("the file holds the table of another study");
    return kept;
}

/// A file that holds nothing but the beginning of a line of names was killed before its first run.
bool is_torn_header(const std::string& path, const std::string& header)
{
    std::error_code problem;
    if (fs::file_size(path, problem) >= header.size() || problem) return false;
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return header.starts_with(text.str());
}

}  // namespace

bool is_hdf5_path(const std::string& path)
{
    return path.ends_with(".h5") || path.ends_with(".hdf5");
}

TableFile::TableFile(std::string path, ResultTable columns)
    : path_(std::move(path)),
      journal_(is_hdf5_path(path_) ? path_ + ".part.csv" : path_),
      table_(std::move(columns))
{
}

Expected<TableFile> TableFile::open(const std::string& path, const Study& study, const Shard& shard)
{
    TableFile file(path, study.columns());
    if (path.empty()) return file;
    if (!is_hdf5_path(path) && !path.ends_with(".csv")) {
        return unwritable(path, "the ending says neither CSV nor HDF5", "end the name in .csv or .h5");
    }

    // nobody else writes from here on
    auto lock = WriteLock::take(path);
    if (!lock) return lock.error();
    file.lock_ = std::make_shared<WriteLock>(std::move(*lock));

    // what is there: rows as they came, or a result that was put in place
    std::error_code problem;
    const bool has_journal = fs::exists(file.journal_, problem);
    const std::string& source = has_journal ? file.journal_ : file.path_;
    if (const auto status = fs::status(source, problem); fs::exists(status) && !fs::is_regular_file(status))
        return unwritable(source, "this is not a plain file", "give another name after -o");
    if (!fs::exists(source, problem) || is_torn_header(source, csv_header(file.table_))) {
        if (auto begun = file.begin(std::nullopt); !begun) return begun.error();
        return file;
    }
    const auto text = has_journal ? read_csv(source) : detail::read_table_text(source);
    if (!text) return text.error();
    const auto kept = look_at(*text, study, shard, source);
    if (!kept) return kept.error();
    for (std::size_t i = 0; i < kept->rows; ++i) {
        if (!add_text_row(text->rows[i], file.table_))
            return unwritable(source, fmt::format("row {} is damaged", i + 1), "remove this file");
    }
    file.done_ = kept->runs;
    const auto bytes = kept->rows > 0 ? text->ends[kept->rows - 1] : text->header_end;
    if (auto begun = file.begin(has_journal ? std::optional(bytes) : std::nullopt); !begun)
        return begun.error();
    return file;
}

/// Goes on behind the bytes that are kept, or begins anew with the rows in memory.
Expected<void> TableFile::begin(std::optional<std::uint64_t> keep_bytes)
{
    std::error_code problem;
    errno = 0;
    if (keep_bytes) fs::resize_file(journal_, *keep_bytes, problem);
    out_.open(journal_, keep_bytes ? std::ios::binary | std::ios::app : std::ios::binary | std::ios::trunc);
    if (!keep_bytes) {
        out_ << csv_header(table_);
        for (std::size_t i = 0; i < table_.rows(); ++i)
            out_ << csv_line(table_.row(i));
    }
    out_.flush();
    if (out_ && !problem) return {};
    return unwritable_file(journal_, problem ? problem.value() : errno);
}

bool TableFile::add(std::span<const Row> rows)
{
    std::string lines;
    for (const Row& row : rows) {
        table_.add(row);
        lines += csv_line(row);
    }
    ++done_;
    if (path_.empty()) return true;
    // one write for all rows of a run: what a kill tears off is seen by the next that opens the file
    errno = 0;
    out_.write(lines.data(), static_cast<std::streamsize>(lines.size()));
    out_.flush();
    if (!out_ && reason_ == 0) reason_ = errno;
    return static_cast<bool>(out_);
}

Expected<void> TableFile::finish()
{
    if (path_.empty()) return {};
    out_.close();
    if (!out_) return unwritable_file(journal_, reason_);
    if (journal_ == path_) return {};
    if (auto written = write_table_hdf5(path_, table_); !written) return written;
    std::error_code problem;
    fs::remove(journal_, problem);
    return {};
}

}  // namespace carom
