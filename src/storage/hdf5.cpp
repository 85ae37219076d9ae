#include "hdf5.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace carom::detail {
namespace {

/// HDF5 keeps its tables in static memory: one thread at a time, for all files of the process.
std::recursive_mutex& hdf5_mutex()
{
    static std::recursive_mutex mutex;
    return mutex;
}

/// The 1.10 layout: its metadata carry checksums, so that damage is seen, and a file that lost its writer
/// says so.
Handle access_list()
{
    Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(list.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_fclose_degree(list.id(), H5F_CLOSE_STRONG);
    H5Pset_file_locking(list.id(), true, true);
    return list;
}

/// How to make a group or a dataset: without time stamps, so that the same run gives the same bytes.
/// (HDF5 1.10 insists on the stamps of the root.)
Handle creation_list(hid_t kind)
{
    Handle list(H5Pcreate(kind), H5Pclose);
    H5Pset_obj_track_times(list.id(), false);
    return list;
}

Handle text_type(std::size_t length)
{
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), length);
    H5Tset_cset(type.id(), H5T_CSET_UTF8);
    H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
    return type;
}

hid_t file_type(Entry entry, bool packed = false)
{
    if (packed) return entry == Entry::Real ? H5T_IEEE_F32LE : H5T_STD_I32LE;
    return entry == Entry::Real ? H5T_IEEE_F64LE : H5T_STD_I64LE;
}

/// The place of a piece in a virtual dataset, and in its part.
struct Piece {
    std::array<hsize_t, 2> first, stride, count, block;
    std::array<hsize_t, 2> source_first, source_size;
};

/// The pieces of a part: its columns, or its full stripes and the last one.
std::vector<Piece> pieces_of(const Growing& growing, std::uint64_t rows, std::uint64_t part,
                             std::uint64_t parts)
{
    const auto width = static_cast<hsize_t>(growing.width < 0 ? 1 : growing.width);
    std::vector<Piece> pieces;
    if (growing.spread == Spread::Columns) {
        const hsize_t left = first_column(width, part, parts),
                      columns = first_column(width, part + 1, parts) - left;
        const std::array<hsize_t, 2> size{rows, columns};
        if (rows > 0 && columns > 0) pieces.push_back({{0, left}, size, {1, 1}, size, {0, 0}, size});
        return pieces;
    }
    const hsize_t mine = rows_of_part(rows, part, parts);
    const hsize_t full = mine / stripe_rows, rest = mine % stripe_rows;
    const std::array<hsize_t, 2> size{mine, width};
    if (full > 0) {
        pieces.push_back({{stripe_rows * part, 0},
                          {stripe_rows * parts, width},
                          {full, 1},
                          {stripe_rows, width},
                          {0, 0},
                          size});
    }
    if (rest > 0) {
        const hsize_t done = full * stripe_rows;
        pieces.push_back(
            {{row_in_whole(done, part, parts), 0}, {rest, width}, {1, 1}, {rest, width}, {done, 0}, size});
    }
    return pieces;
}

/// Tells HDF5 where a piece is.
bool map_piece(hid_t list, hid_t whole, int rank, const Piece& piece, const std::string& file,
               const std::string& path)
{
    const Handle source(H5Screate_simple(rank, piece.source_size.data(), nullptr), H5Sclose);
    const std::array<hsize_t, 2> block{piece.count[0] * piece.block[0], piece.block[1]};
    return H5Sselect_hyperslab(source.id(), H5S_SELECT_SET, piece.source_first.data(), nullptr, block.data(),
                               nullptr) >= 0 &&
           H5Sselect_hyperslab(whole, H5S_SELECT_SET, piece.first.data(), piece.stride.data(),
                               piece.count.data(), piece.block.data()) >= 0 &&
           H5Pset_virtual(list, whole, file.c_str(), path.c_str(), source.id()) >= 0;
}

/// Writes doubles, or the integers that they stand for.
bool write_values(hid_t dataset, Entry entry, hid_t memory_space, hid_t file_space,
                  std::span<const double> values)
{
    if (entry == Entry::Real) {
        return H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, values.data()) >=
               0;
    }
    std::vector<std::int64_t> integers;
    integers.reserve(values.size());
    for (const double value : values) {
        integers.push_back(std::llround(value));
    }
    return H5Dwrite(dataset, H5T_NATIVE_INT64, memory_space, file_space, H5P_DEFAULT, integers.data()) >= 0;
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(hdf5_mutex())
{
    // every handle is closed where it was opened: HDF5's own clean-up at exit would only trip over what a
    // full disk or a damaged file has left in it
    static const herr_t no_clean_up_at_exit = H5dont_atexit();
    (void)no_clean_up_at_exit;
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session()
{
    H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

Handle& Handle::operator=(Handle&& other) noexcept
{
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
}

bool Handle::close() noexcept
{
    if (id_ < 0) return true;
    const bool closed = close_(id_) >= 0;
    id_ = -1;
    return closed;
}

ChunkShape chunk_shape(const Growing& growing) noexcept
{
    // about 32 KiB lie together, one row at least; packed, 64 KiB, and long rows are cut
    constexpr std::uint64_t plain_entries = 4096, packed_entries = 16384;
    const auto width = static_cast<std::uint64_t>(std::max(growing.width, 1));
    const std::uint64_t fitting =
        std::max<std::uint64_t>(1, (growing.packed() ? packed_entries : plain_entries) / width);
    return {.rows = growing.packed() ? fitting
                                     : std::min(fitting, static_cast<std::uint64_t>(growing.chunk_rows)),
            .columns = growing.packed() ? std::min(width, packed_entries) : width};
}

Expected<Hdf5Writer> Hdf5Writer::create(const std::string& path)
{
    const Handle access = access_list();
    Hdf5Writer writer(Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose),
                      path);
    if (!writer.file_) return writer.failure("the file could not be made");
    return writer;
}

Expected<Hdf5Writer> Hdf5Writer::open(const std::string& path)
{
    const Handle access = access_list();
    Hdf5Writer writer(Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose), path);
    if (!writer.file_) return writer.failure("the file could not be opened for writing");
    return writer;
}

Error Hdf5Writer::failure(const std::string& what) const
{
    return {.code = ErrorCode::FileUnwritable,
            .where = name_,
            .message = what,
            .hint = "check whether the disk is full and the folder is writable",
            .excerpt = {}};
}

Expected<void> Hdf5Writer::add_group(const std::string& path)
{
    const Handle list = creation_list(H5P_GROUP_CREATE);
    const Handle group(H5Gcreate2(file_.id(), path.c_str(), H5P_DEFAULT, list.id(), H5P_DEFAULT), H5Gclose);
    if (!group) return failure("group " + path + " could not be made");
    return {};
}

Expected<void> Hdf5Writer::add_growing(const Growing& growing)
{
    // a column of no width may grow in both directions, because HDF5 wants chunks that are not empty
    const int rank = growing.width < 0 ? 1 : 2;
    const auto width = static_cast<hsize_t>(std::max(growing.width, 0));
    const std::array<hsize_t, 2> size{0, width};
    const std::array<hsize_t, 2> largest{H5S_UNLIMITED, width > 0 ? width : H5S_UNLIMITED};
    const Handle space(H5Screate_simple(rank, size.data(), largest.data()), H5Sclose);

    const ChunkShape shape = chunk_shape(growing);
    const std::array<hsize_t, 2> chunk{shape.rows, shape.columns};
    const Handle list = creation_list(H5P_DATASET_CREATE);
    H5Pset_chunk(list.id(), rank, chunk.data());
    if (growing.packed()) {
        H5Pset_shuffle(list.id());
        H5Pset_deflate(list.id(), 1);
    }

    const hid_t type = file_type(growing.entry, growing.packed());
    const Handle dataset(
        H5Dcreate2(file_.id(), growing.path.c_str(), type, space.id(), H5P_DEFAULT, list.id(), H5P_DEFAULT),
        H5Dclose);
    if (!dataset) return failure("dataset " + growing.path + " could not be made");
    return {};
}

Expected<std::uint64_t> Hdf5Writer::rows_of(const std::string& path)
{
    const Handle dataset(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(dataset ? H5Dget_space(dataset.id()) : -1, H5Sclose);
    std::array<hsize_t, 2> size{};
    if (!space || H5Sget_simple_extent_ndims(space.id()) > 2 ||
        H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) < 1) {
        return failure("dataset " + path + " could not be opened");
    }
    return std::uint64_t{size[0]};
}

Expected<void> Hdf5Writer::append(const Growing& growing, std::uint64_t rows, std::span<const double> values)
{
    const auto begin = rows_of(growing.path);
    if (!begin) return begin.error();
    if (rows == 0) return {};
    Handle dataset(H5Dopen2(file_.id(), growing.path.c_str(), H5P_DEFAULT), H5Dclose);

    // make room, then write the new rows
    const int rank = growing.width < 0 ? 1 : 2;
    const std::array<hsize_t, 2> block{rows, static_cast<hsize_t>(std::max(growing.width, 0))};
    const std::array<hsize_t, 2> size{*begin + rows, block[1]};
    const std::array<hsize_t, 2> offset{*begin, 0};
    bool good = H5Dset_extent(dataset.id(), size.data()) >= 0;
    const Handle memory(H5Screate_simple(rank, block.data(), nullptr), H5Sclose);
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    good = good && H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, offset.data(), nullptr, block.data(),
                                       nullptr) >= 0;
    if (good && !values.empty())
        good = write_values(dataset.id(), growing.entry, memory.id(), space.id(), values);
    if (!dataset.close() || !good) return failure("dataset " + growing.path + " could not be written");
    return {};
}

Expected<void> Hdf5Writer::append_packed(const Growing& growing, std::uint64_t rows,
                                         std::span<const PackedChunk> chunks)
{
    Handle dataset(H5Dopen2(file_.id(), growing.path.c_str(), H5P_DEFAULT), H5Dclose);
    const std::array<hsize_t, 2> size{rows, static_cast<hsize_t>(std::max(growing.width, 0))};
    bool good = dataset && H5Dset_extent(dataset.id(), size.data()) >= 0;
    for (const PackedChunk& chunk : chunks) {
        const std::array<hsize_t, 2> first{chunk.row, chunk.column};
        good = good && H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, first.data(), chunk.bytes.size(),
                                      chunk.bytes.data()) >= 0;
    }
    if (!dataset.close() || !good) return failure("dataset " + growing.path + " could not be written");
    return {};
}

Expected<void> Hdf5Writer::cut(const Growing& growing, std::uint64_t rows)
{
    Handle dataset(H5Dopen2(file_.id(), growing.path.c_str(), H5P_DEFAULT), H5Dclose);
    const std::array<hsize_t, 2> size{rows, static_cast<hsize_t>(std::max(growing.width, 0))};
    const bool good = dataset && H5Dset_extent(dataset.id(), size.data()) >= 0;
    if (!dataset.close() || !good) return failure("dataset " + growing.path + " could not be cut");
    return {};
}

Expected<void> Hdf5Writer::put_virtual(const Growing& growing, std::uint64_t rows, int parts,
                                       const std::string& name)
{
    if (auto removed = remove(growing.path); !removed) return removed;
    const int rank = growing.width < 0 ? 1 : 2;
    const std::array<hsize_t, 2> size{rows, static_cast<hsize_t>(std::max(growing.width, 0))};
    const Handle space(H5Screate_simple(rank, size.data(), nullptr), H5Sclose);
    const Handle whole(H5Scopy(space.id()), H5Sclose);
    const Handle list = creation_list(H5P_DATASET_CREATE);
    bool good = H5Pset_layout(list.id(), H5D_VIRTUAL) >= 0;
    const double no_number = std::nan("");
    const std::int64_t no_integer = -1;
    if (growing.entry == Entry::Real)
        H5Pset_fill_value(list.id(), H5T_NATIVE_DOUBLE, &no_number);
    else
        H5Pset_fill_value(list.id(), H5T_NATIVE_INT64, &no_integer);
    for (int part = 0; part < parts; ++part) {
        const auto k = static_cast<std::uint64_t>(part);
        for (const Piece& piece : pieces_of(growing, rows, k, static_cast<std::uint64_t>(parts)))
            good = good && map_piece(list.id(), whole.id(), rank, piece, name_of_part(name, k), growing.path);
    }
    Handle dataset(good ? H5Dcreate2(file_.id(), growing.path.c_str(),
                                     file_type(growing.entry, growing.packed()), space.id(), H5P_DEFAULT,
                                     list.id(), H5P_DEFAULT)
                        : -1,
                   H5Dclose);
    if (!dataset.close() || !good) return failure("dataset " + growing.path + " could not be written");
    return set_attribute(growing.path, "spread", growing.spread == Spread::Columns ? "columns" : "rows");
}

Expected<void> Hdf5Writer::remove(const std::string& path)
{
    if (H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT) > 0 &&
        H5Ldelete(file_.id(), path.c_str(), H5P_DEFAULT) < 0) {
        return failure(path + " could not be taken out");
    }
    return {};
}

Expected<void> Hdf5Writer::put(const std::string& path, std::span<const double> values, Entry entry)
{
    const hsize_t size = values.size();
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const bool there = H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT) > 0;
    const Handle list = creation_list(H5P_DATASET_CREATE);
    Handle dataset(there ? H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT)
                         : H5Dcreate2(file_.id(), path.c_str(), file_type(entry), space.id(), H5P_DEFAULT,
                                      list.id(), H5P_DEFAULT),
                   H5Dclose);
    bool good = static_cast<bool>(dataset);
    if (good && size > 0) good = write_values(dataset.id(), entry, space.id(), H5S_ALL, values);
    if (!dataset.close() || !good) return failure("dataset " + path + " could not be written");
    return {};
}

Expected<void> Hdf5Writer::write_texts(const std::string& path, std::span<const std::string> texts,
                                       hid_t space)
{
    // all entries are as long as the longest
    std::size_t length = 1;
    for (const std::string& text : texts) {
        length = std::max(length, text.size());
    }
    std::string padded(length * texts.size(), '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::copy(texts[i].begin(), texts[i].end(), padded.begin() + static_cast<std::ptrdiff_t>(i * length));
    }

    const Handle type = text_type(length);
    const Handle list = creation_list(H5P_DATASET_CREATE);
    Handle dataset(
        H5Dcreate2(file_.id(), path.c_str(), type.id(), space, H5P_DEFAULT, list.id(), H5P_DEFAULT),
        H5Dclose);
    bool good = static_cast<bool>(dataset);
    if (good && !texts.empty()) {
        good = H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) >= 0;
    }
    if (!dataset.close() || !good) return failure("text " + path + " could not be written");
    return {};
}

Expected<void> Hdf5Writer::add_text(const std::string& path, std::string_view text)
{
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const std::string copy(text);
    return write_texts(path, {&copy, 1}, space.id());
}

Expected<void> Hdf5Writer::add_texts(const std::string& path, std::span<const std::string> texts)
{
    const hsize_t size = texts.size();
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    return write_texts(path, texts, space.id());
}

Expected<void> Hdf5Writer::write_attribute(const std::string& path, const std::string& name, hid_t type,
                                           const void* value)
{
    const Handle object(H5Oopen(file_.id(), path.c_str(), H5P_DEFAULT), H5Oclose);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const bool there = object && H5Aexists(object.id(), name.c_str()) > 0;
    Handle attribute(there
                         ? H5Aopen(object.id(), name.c_str(), H5P_DEFAULT)
                         : H5Acreate2(object.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                     H5Aclose);
    const bool good = attribute && H5Awrite(attribute.id(), type, value) >= 0;
    if (!attribute.close() || !good)
        return failure("attribute " + name + " of " + path + " could not be written");
    return {};
}

Expected<void> Hdf5Writer::set_attribute(const std::string& path, const std::string& name,
                                         std::string_view text)
{
    // an attribute cannot change its length: an older one goes first
    const Handle object(H5Oopen(file_.id(), path.c_str(), H5P_DEFAULT), H5Oclose);
    if (object && H5Aexists(object.id(), name.c_str()) > 0) H5Adelete(object.id(), name.c_str());
    const std::string copy = text.empty() ? std::string(1, '\0') : std::string(text);
    const Handle type = text_type(copy.size());
    return write_attribute(path, name, type.id(), copy.data());
}

Expected<void> Hdf5Writer::set_attribute(const std::string& path, const std::string& name, double value)
{
    return write_attribute(path, name, H5T_NATIVE_DOUBLE, &value);
}

Expected<void> Hdf5Writer::set_attribute(const std::string& path, const std::string& name, std::int64_t value)
{
    return write_attribute(path, name, H5T_NATIVE_INT64, &value);
}

Expected<void> Hdf5Writer::close()
{
    if (!file_.close()) return failure("the file could not be closed");
    return {};
}

}  // namespace carom::detail
