#pragma once

#include "carom/core/expected.hpp"
#include "spread.hpp"

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom::detail {

/// A small owner layer over the C interface of HDF5: handles close themselves, failures become `Error`, and
/// the library's own printing is off. This file writes; hdf5_reader.hpp reads what may come from others.

/// While one lives, the calling thread has HDF5 for itself (the library is not safe for threads) and HDF5
/// does not print. Every public function of the module that touches a file holds one.
class Hdf5Session {
public:
    Hdf5Session();
    ~Hdf5Session();
    Hdf5Session(const Hdf5Session&) = delete;
    Hdf5Session& operator=(const Hdf5Session&) = delete;

private:
    std::unique_lock<std::recursive_mutex> lock_;
    H5E_auto2_t print_ = nullptr;
    void* print_data_ = nullptr;
};

/// An HDF5 identifier with the function that closes it; negative when opening failed.
class Handle {
public:
    using Close = herr_t (*)(hid_t);

    Handle() = default;
    Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
    Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
    Handle& operator=(Handle&& other) noexcept;
    ~Handle() { static_cast<void>(close()); }

    explicit operator bool() const noexcept { return id_ >= 0; }
    [[nodiscard]] hid_t id() const noexcept { return id_; }

    /// False when HDF5 could not close it, for example because the disk is full.
    bool close() noexcept;

private:
    hid_t id_ = -1;
    Close close_ = nullptr;
};

/// What the entries of a column are.
enum class Entry { Real, Integer };

/// A dataset that grows by rows: rank 1 when `width` is negative, else rank 2 with so many columns.
struct Growing {
    std::string path;
    int width = -1;
    Entry entry = Entry::Real;
    int chunk_rows = 1024;  ///< rows that lie together in the file; fewer where rows are long
    int bits = 0;           ///< 0: entries of 64 bits, as they are. Else packed, 32 bits each: real numbers
                            ///< rounded to so many significant bits (<= 24), integers as they are
    Spread spread = Spread::No;  ///< in a recording of several parts; by columns only where width >= 0

    [[nodiscard]] bool packed() const noexcept { return bits > 0; }
};

/// Rows and columns of what lies together.
struct ChunkShape {
    std::uint64_t rows = 1, columns = 1;
};
[[nodiscard]] ChunkShape chunk_shape(const Growing& growing) noexcept;

/// A chunk of a packed dataset, by ChunkPacker; the entry with which it begins.
struct PackedChunk {
    std::uint64_t row = 0, column = 0;
    std::span<const unsigned char> bytes;
};

/// A file that is being written. Every failure is FileUnwritable and names the file.
class Hdf5Writer {
public:
    [[nodiscard]] static Expected<Hdf5Writer> create(const std::string& path);
    [[nodiscard]] static Expected<Hdf5Writer> open(const std::string& path);

    Expected<void> add_group(const std::string& path);
    Expected<void> add_growing(const Growing& growing);

    /// Rows that a growing dataset has.
    Expected<std::uint64_t> rows_of(const std::string& path);

    /// Appends so many rows; integers are given as doubles of integer value.
    Expected<void> append(const Growing& growing, std::uint64_t rows, std::span<const double> values);

    /// The same for a packed dataset, which has so many rows afterwards: all chunks with new rows, whole;
    /// what lies beyond the last row is zero.
    Expected<void> append_packed(const Growing& growing, std::uint64_t rows,
                                 std::span<const PackedChunk> chunks);

    /// Keeps the first rows only.
    Expected<void> cut(const Growing& growing, std::uint64_t rows);

    /// A virtual dataset that shows the first rows of one that is spread over so many parts of the file of
    /// that name; an older one is replaced. What is missing in the parts shows as NaN or -1.
    Expected<void> put_virtual(const Growing& growing, std::uint64_t rows, int parts,
                               const std::string& name);

    /// Takes something out; what is not there is no error.
    Expected<void> remove(const std::string& path);

    /// A dataset of fixed length, made when it is not there yet.
    Expected<void> put(const std::string& path, std::span<const double> values, Entry entry = Entry::Real);

    /// Text of fixed length, padded with zeros: one, or a list.
    Expected<void> add_text(const std::string& path, std::string_view text);
    Expected<void> add_texts(const std::string& path, std::span<const std::string> texts);

    /// Attributes of the object at `path` ("/" is the root); an older value is replaced. Text has
    /// fixed length: HDF5 1.10 can be sent into an endless loop by damaged text of variable length.
    Expected<void> set_attribute(const std::string& path, const std::string& name, std::string_view text);
    Expected<void> set_attribute(const std::string& path, const std::string& name, double value);
    Expected<void> set_attribute(const std::string& path, const std::string& name, std::int64_t value);

    /// Everything is in the file afterwards; without it the destructor closes and failures go unheard.
    Expected<void> close();

private:
    Hdf5Writer(Handle file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}
    [[nodiscard]] Error failure(const std::string& what) const;
    Expected<void> write_attribute(const std::string& path, const std::string& name, hid_t type,
                                   const void* value);
    Expected<void> write_texts(const std::string& path, std::span<const std::string> texts, hid_t space);

    Handle file_;
    std::string name_;
};

}  // namespace carom::detail
