#include "hdf5_reader.hpp"

#include "packed_chunk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace carom::detail {
namespace {

Error unreadable(const std::string& path, const FileKind& kind, const std::string& what)
{
    return {
        .code = ErrorCode::FileUnreadable, .where = path, .message = what, .hint = kind.give, .excerpt = {}};
}

/// Data that lie in the file itself; packed ones have filters.
bool is_plain(hid_t list, bool packed)
{
    const H5D_layout_t layout = H5Pget_layout(list);
    if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT) return false;
    return H5Pget_external_count(list) == 0 && (packed || H5Pget_nfilters(list) == 0);
}

H5Z_filter_t filter_at(hid_t list, unsigned place)
{
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    return H5Pget_filter2(list, place, &flags, &values, nullptr, 0, nullptr, &config);
}

/// Larger chunks than those that we write, by a factor; before memory is taken for one.
constexpr hsize_t max_chunk_entries = hsize_t{1} << 20U;

/// Chunks of 32-bit numbers behind shuffle and deflate, and nothing else, of a size that we would write.
bool has_packed_chunks(hid_t list, hid_t type, int rank, std::array<hsize_t, 2>& chunk)
{
    if (H5Pget_layout(list) != H5D_CHUNKED || H5Pget_nfilters(list) != 2 ||
        filter_at(list, 0) != H5Z_FILTER_SHUFFLE || filter_at(list, 1) != H5Z_FILTER_DEFLATE)
        return false;
    if (H5Tequal(type, H5T_IEEE_F32LE) <= 0 && H5Tequal(type, H5T_STD_I32LE) <= 0) return false;
    if (rank < 1 || H5Pget_chunk(list, rank, chunk.data()) != rank) return false;
    return chunk[0] > 0 && chunk[1] > 0 && chunk[1] <= max_chunk_entries &&
           chunk[0] <= max_chunk_entries / chunk[1];
}

std::string without_padding(std::string text)
{
    const auto end = text.find_last_not_of('\0');
    text.resize(end == std::string::npos ? 0 : end + 1);
    return text;
}

}  // namespace

Expected<Hdf5Reader> Hdf5Reader::open(const std::string& path, const FileKind& kind)
{
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    if (!std::filesystem::exists(status)) return unreadable(path, kind, "there is no such file");
    if (!std::filesystem::is_regular_file(status))
        return unreadable(path, kind, "this is not a file but a folder or device");
    const std::uintmax_t bytes = std::filesystem::file_size(path, problem);
    if (problem || !std::ifstream(path)) return unreadable(path, kind, "the file may not be read");

    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
    H5Pset_file_locking(access.id(), true, true);
    Hdf5Reader reader(Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose), path, bytes,
                      kind);
    if (!reader.file_) return reader.malformed("this is not an HDF5 file, or it is damaged");
    return reader;
}

Error Hdf5Reader::malformed(const std::string& what) const
{
    return {
        .code = ErrorCode::FileMalformed, .where = name_, .message = what, .hint = kind_.page, .excerpt = {}};
}

bool Hdf5Reader::has(const std::string& path) const
{
    // HDF5 wants every folder of the path to exist before it looks for the last name
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        if (H5Lexists(file_.id(), path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
    }
    return path == "/" || H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT) > 0;
}

Expected<void> Hdf5Reader::check_links(const std::string& path) const
{
    if (path == "/") return {};
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        if (H5Lexists(file_.id(), part.c_str(), H5P_DEFAULT) <= 0) return malformed(part + " is missing");
        H5L_info_t info{};
        if (H5Lget_info(file_.id(), part.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
            return malformed(part + " is a link to another place, which is not followed");
        }
        if (slash == std::string::npos) return {};
    }
}

Expected<Hdf5Reader::Dataset> Hdf5Reader::dataset(const std::string& path, H5T_class_t kind, int rank) const
{
    if (const auto links = check_links(path); !links) return links.error();
    Dataset result{.handle = Handle(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose), .type = {}};
    if (!result.handle) return malformed(path + " is not a dataset");

    // the type, the rank, and how the values are kept
    result.type = Handle(H5Dget_type(result.handle.id()), H5Tclose);
    const Handle space(H5Dget_space(result.handle.id()), H5Sclose);
    const Handle list(H5Dget_create_plist(result.handle.id()), H5Pclose);
    if (!result.type || !space || !list) return malformed(path + " is damaged");
    std::array<hsize_t, 2> chunk{1, 1};
    result.packed = has_packed_chunks(list.id(), result.type.id(), rank, chunk);
    result.chunk_rows = chunk[0];
    result.chunk_columns = chunk[1];
    if (!is_plain(list.id(), result.packed)) {
        return malformed(
            path +
            " has a compression that carom does not write, or is stored in another file, which is not read");
    }
    if (H5Tget_class(result.type.id()) != kind) return malformed(path + " has entries of another type");
    result.rank = H5Sget_simple_extent_ndims(space.id());
    if (result.rank != rank || H5Sis_simple(space.id()) <= 0) return malformed(path + " has another rank");
    std::array<hsize_t, 2> size{1, 1};
    if (rank > 0 && H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) < 0) {
        return malformed(path + " is damaged");
    }
    result.rows = size[0];
    result.columns = size[1];

    // the size, before memory is taken; divisions, because products may overflow
    const hsize_t entry =
        std::max<hsize_t>(H5Tget_size(result.type.id()), kind == H5T_STRING ? 1 : sizeof(double));
    // a stream of deflate is at most 1032 times as long as its code
    constexpr hsize_t deflated = hsize_t{2} * 1032;
    const hsize_t room = result.packed ? H5Dget_storage_size(result.handle.id()) * deflated : bytes_;
    if (H5Tget_size(result.type.id()) == 0 ||
        (result.packed && H5Dget_storage_size(result.handle.id()) > bytes_) ||
        (result.columns > 0 && result.rows > room / entry / result.columns)) {
        return malformed(path + " claims to be larger than the file");
    }
    return result;
}

Expected<hsize_t> Hdf5Reader::rows_in(const std::string& path, hsize_t rows, const RowRange& range) const
{
    if (range.count == RowRange::all && range.first == 0) return rows;
    if (range.first > rows || range.count > rows - range.first)
        return malformed(path + " has fewer rows than it should");
    return hsize_t{range.count};
}

Expected<void> Hdf5Reader::read_rows(const std::string& path, const Dataset& data, hid_t type,
                                     const RowRange& range, void* values) const
{
    const auto rows = rows_in(path, data.rows, range);
    if (!rows) return rows.error();
    if (*rows == 0 || data.columns == 0) return {};
    const std::array<hsize_t, 2> first{range.first, 0}, count{*rows, data.columns};
    const Handle from(H5Dget_space(data.handle.id()), H5Sclose),
        to(H5Screate_simple(data.rank, count.data(), nullptr), H5Sclose);
    if (!from || !to ||
        H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(data.handle.id(), type, to.id(), from.id(), H5P_DEFAULT, values) < 0) {
        return malformed(path + " could not be read");
    }
    return {};
}

/// The chunks are unpacked here: HDF5 would take as much memory as a damaged one says.
template <class Number>
Expected<void> Hdf5Reader::read_packed(const std::string& path, const Dataset& data, const RowRange& range,
                                       Number* values) const
{
    const auto rows = rows_in(path, data.rows, range);
    if (!rows) return rows.error();
    if (*rows == 0 || data.columns == 0) return {};
    const bool real = H5Tget_class(data.type.id()) == H5T_FLOAT;
    std::vector<std::uint32_t> words(data.chunk_rows * data.chunk_columns);
    std::vector<unsigned char> bytes;
    const hsize_t end = range.first + *rows;
    for (hsize_t top = range.first / data.chunk_rows * data.chunk_rows; top < end; top += data.chunk_rows) {
        for (hsize_t left = 0; left < data.columns; left += data.chunk_columns) {
            const std::array<hsize_t, 2> first{top, left};
            hsize_t size = 0;
            std::uint32_t mask = 0;
            bool good = H5Dget_chunk_storage_size(data.handle.id(), first.data(), &size) >= 0 && size > 0 &&
                        size <= bytes_;
            if (good) {
                bytes.resize(size);
                good = H5Dread_chunk(data.handle.id(), H5P_DEFAULT, first.data(), &mask, bytes.data()) >= 0 &&
                       mask == 0 && unpack_chunk(bytes, words);
            }
            if (!good) return malformed(path + " could not be read");
            const hsize_t width = std::min(data.chunk_columns, data.columns - left);
            for (hsize_t row = std::max(top, range.first); row < std::min(top + data.chunk_rows, end);
                 ++row) {
                const std::uint32_t* from = words.data() + (row - top) * data.chunk_columns;
                Number* const to = values + (row - range.first) * data.columns + left;
                for (hsize_t k = 0; k < width; ++k)
                    to[k] = real ? static_cast<Number>(std::bit_cast<float>(from[k]))
                                 : static_cast<Number>(static_cast<std::int32_t>(from[k]));
            }
        }
    }
    return {};
}

Expected<void> Hdf5Reader::open_parts()
{
    const auto parts = integer_attribute("/", "files");
    if (!parts || integer_attribute("/", "part")) return {};  // all is in this file, or it is a part itself
    const auto run = text_attribute("/", "run");
    if (!run) return run.error();
    if (*parts < 1 || *parts > 1'000'000)
        return malformed("the number of its parts is not one that carom writes");
    std::vector<Hdf5Reader> opened;
    for (std::int64_t k = 0; k < *parts; ++k) {
        auto part = open(name_of_part(name_, static_cast<std::uint64_t>(k)), kind_);
        if (!part) {
            Error error = part.error();
            error.message += "; it is a part of " + name_;
            return error;
        }
        const auto of_run = part->text_attribute("/", "run");
        const auto number = part->integer_attribute("/", "part"),
                   of_parts = part->integer_attribute("/", "files");
        if (!of_run || !number || !of_parts || *of_run != *run || *number != k || *of_parts != *parts)
            return part->malformed("this is not the part that belongs to " + name_);
        opened.push_back(std::move(*part));
    }
    parts_ = std::move(opened);
    return {};
}

bool Hdf5Reader::is_virtual(const std::string& path) const
{
    if (parts_.empty() || !has(path) || !check_links(path)) return false;
    const Handle dataset(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle list(dataset ? H5Dget_create_plist(dataset.id()) : -1, H5Pclose);
    return list && H5Pget_layout(list.id()) == H5D_VIRTUAL;
}

/// Of a virtual dataset, after the checks of every piece: the parts have all of its rows.
Expected<Hdf5Reader::Pieces> Hdf5Reader::pieces(const std::string& path, Entry entry, int rank) const
{
    const Handle dataset(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(dataset ? H5Dget_space(dataset.id()) : -1, H5Sclose);
    std::array<hsize_t, 2> size{0, 1};
    if (!space || H5Sget_simple_extent_ndims(space.id()) != rank ||
        H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) < 0)
        return malformed(path + " has another rank");
    const auto spread = text_attribute(path, "spread");
    if (!spread) return spread.error();
    if (*spread != "rows" && (*spread != "columns" || rank != 2))
        return malformed(path + " is spread in a way that carom does not write");
    const Pieces result{*spread == "rows" ? Spread::Rows : Spread::Columns, size[0], rank == 2 ? size[1] : 1};
    if (result.columns > std::numeric_limits<int>::max()) return malformed(path + " is damaged");
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        const bool by_rows = result.spread == Spread::Rows;
        const hsize_t width = by_rows ? result.columns
                                      : first_column(result.columns, k + 1, parts_.size()) -
                                            first_column(result.columns, k, parts_.size());
        const auto there = parts_[k].rows_of(
            {.path = path, .width = rank == 1 ? -1 : static_cast<int>(width), .entry = entry});
        if (!there) return there.error();
        if (*there < (by_rows ? rows_of_part(result.rows, k, parts_.size()) : result.rows))
            return parts_[k].malformed(path + " has fewer rows than it should");
    }
    return result;
}

/// Rows of a virtual dataset: make(rows, columns) takes memory for them, read(part, range, columns) gives
/// those of a part.
template <class Values, class Make, class Read>
Expected<Values> Hdf5Reader::read_whole(const std::string& path, Entry entry, int rank, const RowRange& range,
                                        Make make, Read read) const
{
    const auto data = pieces(path, entry, rank);
    if (!data) return data.error();
    const auto rows = rows_in(path, data->rows, range);
    if (!rows) return rows.error();
    Values values = make(*rows, data->columns);
    const std::uint64_t parts = parts_.size(), first = range.first;
    const bool by_rows = data->spread == Spread::Rows;
    for (std::uint64_t k = 0; k < parts; ++k) {
        const std::uint64_t begin = by_rows ? rows_of_part(first, k, parts) : first,
                            end = by_rows ? rows_of_part(first + *rows, k, parts) : first + *rows;
        const std::uint64_t left = by_rows ? 0 : first_column(data->columns, k, parts);
        const std::uint64_t width =
            (by_rows ? data->columns : first_column(data->columns, k + 1, parts)) - left;
        if (width == 0) continue;  // such rows take no room, there may be any number of them
        const auto numbers = read(parts_[k], RowRange{.first = begin, .count = end - begin}, width);
        if (!numbers) return numbers.error();
        for (std::uint64_t row = begin; row < end; ++row) {
            const std::uint64_t whole = by_rows ? row_in_whole(row, k, parts) : row;
            std::copy_n(numbers->data() + (row - begin) * width, width,
                        values.data() + (whole - first) * data->columns + left);
        }
    }
    return values;
}

bool Hdf5Reader::is_packed(const std::string& path) const
{
    if (is_virtual(path)) return parts_.front().is_packed(path);
    for (const int rank : {1, 2}) {
        for (const H5T_class_t kind : {H5T_FLOAT, H5T_INTEGER}) {
            if (const auto data = dataset(path, kind, rank)) return data->packed;
        }
    }
    return false;
}

Expected<Eigen::VectorXd> Hdf5Reader::column(const std::string& path, const RowRange& range) const
{
    if (is_virtual(path)) {
        return read_whole<Eigen::VectorXd>(
            path, Entry::Real, 1, range,
            [](hsize_t rows, hsize_t) { return Eigen::VectorXd(static_cast<Eigen::Index>(rows)); },
            [&](const Hdf5Reader& part, const RowRange& of, hsize_t) { return part.column(path, of); });
    }
    const auto data = dataset(path, H5T_FLOAT, 1);
    if (!data) return data.error();
    const auto rows = rows_in(path, data->rows, range);
    if (!rows) return rows.error();
    Eigen::VectorXd values(static_cast<Eigen::Index>(*rows));
    if (auto read = data->packed ? read_packed(path, *data, range, values.data())
                                 : read_rows(path, *data, H5T_NATIVE_DOUBLE, range, values.data());
        !read)
        return read.error();
    return values;
}

Expected<std::vector<std::int64_t>> Hdf5Reader::integers(const std::string& path, const RowRange& range) const
{
    if (is_virtual(path)) {
        return read_whole<std::vector<std::int64_t>>(
            path, Entry::Integer, 1, range,
            [](hsize_t rows, hsize_t) { return std::vector<std::int64_t>(rows); },
            [&](const Hdf5Reader& part, const RowRange& of, hsize_t) { return part.integers(path, of); });
    }
    const auto data = dataset(path, H5T_INTEGER, 1);
    if (!data) return data.error();
    const auto rows = rows_in(path, data->rows, range);
    if (!rows) return rows.error();
    std::vector<std::int64_t> values(*rows);
    if (auto read = data->packed ? read_packed(path, *data, range, values.data())
                                 : read_rows(path, *data, H5T_NATIVE_INT64, range, values.data());
        !read)
        return read.error();
    return values;
}

Expected<Hdf5Reader::Table> Hdf5Reader::table(const std::string& path, Eigen::Index columns,
                                              const RowRange& range) const
{
    if (is_virtual(path)) {
        auto values = read_whole<Table>(
            path, Entry::Real, 2, range,
            [](hsize_t rows, hsize_t width) {
                return Table(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(width));
            },
            [&](const Hdf5Reader& part, const RowRange& of, hsize_t width) {
                return part.table(path, static_cast<Eigen::Index>(width), of);
            });
        if (values && values->cols() != columns) return malformed(path + " has another number of columns");
        return values;
    }
    const auto data = dataset(path, H5T_FLOAT, 2);
    if (!data) return data.error();
    if (data->columns != static_cast<hsize_t>(columns)) {
        return malformed(path + " has " + std::to_string(data->columns) + " columns instead of " +
                         std::to_string(columns));
    }
    const auto rows = rows_in(path, data->rows, range);
    if (!rows) return rows.error();
    Table values(static_cast<Eigen::Index>(*rows), columns);
    if (auto read = data->packed ? read_packed(path, *data, range, values.data())
                                 : read_rows(path, *data, H5T_NATIVE_DOUBLE, range, values.data());
        !read)
        return read.error();
    return values;
}

Expected<std::uint64_t> Hdf5Reader::rows_of(const Growing& growing) const
{
    if (is_virtual(growing.path)) {
        const auto data = pieces(growing.path, growing.entry, growing.width < 0 ? 1 : 2);
        if (!data) return data.error();
        if (growing.width >= 0 && data->columns != static_cast<hsize_t>(growing.width))
            return malformed(growing.path + " has another number of columns");
        return std::uint64_t{data->rows};
    }
    const auto data = dataset(growing.path, growing.entry == Entry::Real ? H5T_FLOAT : H5T_INTEGER,
                              growing.width < 0 ? 1 : 2);
    if (!data) return data.error();
    if (growing.width >= 0 && data->columns != static_cast<hsize_t>(growing.width))
        return malformed(growing.path + " has another number of columns");
    return std::uint64_t{data->rows};
}

Expected<std::vector<std::string>> Hdf5Reader::read_texts(const std::string& path, int rank) const
{
    const auto data = dataset(path, H5T_STRING, rank);
    if (!data) return data.error();
    if (H5Tis_variable_str(data->type.id()) != 0) return malformed(path + " is not text of fixed length");
    const std::size_t length = H5Tget_size(data->type.id());
    std::string padded(length * data->rows, '\0');
    if (!padded.empty() &&
        H5Dread(data->handle.id(), data->type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) < 0) {
        return malformed(path + " could not be read");
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < data->rows; ++i) {
        texts.push_back(without_padding(padded.substr(i * length, length)));
    }
    return texts;
}

Expected<std::string> Hdf5Reader::text(const std::string& path) const
{
    auto texts = read_texts(path, 0);
    if (!texts) return texts.error();
    return std::move(texts->front());
}

Expected<std::vector<std::string>> Hdf5Reader::texts(const std::string& path) const
{
    return read_texts(path, 1);
}

Expected<Handle> Hdf5Reader::attribute(const std::string& path, const std::string& name,
                                       H5T_class_t kind) const
{
    if (const auto links = check_links(path); !links) return links.error();
    const std::string shown = "attribute " + name + " of " + path;
    const Handle object(H5Oopen(file_.id(), path.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object || H5Aexists(object.id(), name.c_str()) <= 0) return malformed(shown + " is missing");
    Handle result(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
    const Handle type(result ? H5Aget_type(result.id()) : -1, H5Tclose);
    const Handle space(result ? H5Aget_space(result.id()) : -1, H5Sclose);
    if (!type || !space || H5Tget_class(type.id()) != kind || H5Sget_simple_extent_npoints(space.id()) != 1) {
        return malformed(shown + " has another type");
    }
    return result;
}

Expected<std::string> Hdf5Reader::text_attribute(const std::string& path, const std::string& name) const
{
    const auto found = attribute(path, name, H5T_STRING);
    if (!found) return found.error();
    const Handle type(H5Aget_type(found->id()), H5Tclose);
    const Error damaged = malformed("attribute " + name + " of " + path + " could not be read");

    // HDF5 1.10 does not end when it reads damaged text of variable length
    if (H5Tis_variable_str(type.id()) != 0)
        return malformed("attribute " + name + " is not text of fixed length");
    const std::size_t length = H5Tget_size(type.id());
    if (length == 0 || length > bytes_) return damaged;
    std::string text(length, '\0');
    if (H5Aread(found->id(), type.id(), text.data()) < 0) return damaged;
    return without_padding(std::move(text));
}

Expected<double> Hdf5Reader::real_attribute(const std::string& path, const std::string& name) const
{
    const auto found = attribute(path, name, H5T_FLOAT);
    if (!found) return found.error();
    double value = 0;
    if (H5Aread(found->id(), H5T_NATIVE_DOUBLE, &value) < 0)
        return malformed("attribute " + name + " is damaged");
    return value;
}

Expected<std::int64_t> Hdf5Reader::integer_attribute(const std::string& path, const std::string& name) const
{
    const auto found = attribute(path, name, H5T_INTEGER);
    if (!found) return found.error();
    std::int64_t value = 0;
    if (H5Aread(found->id(), H5T_NATIVE_INT64, &value) < 0)
        return malformed("attribute " + name + " is damaged");
    return value;
}

}  // namespace carom::detail
