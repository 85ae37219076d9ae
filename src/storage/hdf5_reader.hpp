#pragma once

#include "hdf5.hpp"

#include <Eigen/Dense>

#include <limits>

namespace carom::detail {

/// What users are told about a file that is not what it should be.
struct FileKind {
    const char* give;  ///< hint when there is nothing to read
    const char* page;  ///< hint when the content is wrong
};
inline constexpr FileKind recording_file{
    .give = "give the path of a recording, as `carom run -o` wrote it",
    .page = "docs/reference/recording.md says what a recording holds",
};

/// Rows of a dataset that are read: all unless told otherwise.
struct RowRange {
    hsize_t first = 0;
    hsize_t count = all;
    static constexpr hsize_t all = std::numeric_limits<hsize_t>::max();
};

/// Reads an HDF5 file that may have been made by anyone. Before memory is taken, sizes are held against the
/// size of the file: what we write is not smaller on disk than in memory, packed numbers (Growing::bits) by
/// no more than deflate can. Refused with FileMalformed: links that are not plain (soft, external), data kept
/// in other files (external, virtual), filters other than those of packed numbers, other types and ranks.
///
/// A recording of several parts (spread.hpp) is read from its parts, whose names follow from its own and
/// which are checked as it is; what HDF5 would make of the virtual datasets is never asked.
class Hdf5Reader {
public:
    using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

    /// Errors: FileUnreadable when there is no such file, it is a folder or may not be read; FileMalformed
    /// when it is not HDF5.
    [[nodiscard]] static Expected<Hdf5Reader> open(const std::string& path,
                                                   const FileKind& kind = recording_file);

    /// Opens the parts over which the file says that it is spread; without this what they hold is refused.
    /// Errors: those of open for a part; FileMalformed where it is one of another recording.
    Expected<void> open_parts();
    [[nodiscard]] const std::vector<Hdf5Reader>& parts() const noexcept { return parts_; }

    /// Something has this path.
    [[nodiscard]] bool has(const std::string& path) const;

    /// Rank 1, numbers; with a range only these rows.
    [[nodiscard]] Expected<Eigen::VectorXd> column(const std::string& path, const RowRange& range = {}) const;
    [[nodiscard]] Expected<std::vector<std::int64_t>> integers(const std::string& path,
                                                               const RowRange& range = {}) const;

    /// Rank 2, numbers, so many columns.
    [[nodiscard]] Expected<Table> table(const std::string& path, Eigen::Index columns,
                                        const RowRange& range = {}) const;

    /// The numbers at this path are packed (Growing::bits); false when nothing is there.
    [[nodiscard]] bool is_packed(const std::string& path) const;

    /// Rows of a dataset that grows, after all checks.
    [[nodiscard]] Expected<std::uint64_t> rows_of(const Growing& growing) const;

    /// Text of fixed length: one, or a list.
    [[nodiscard]] Expected<std::string> text(const std::string& path) const;
    [[nodiscard]] Expected<std::vector<std::string>> texts(const std::string& path) const;

    [[nodiscard]] Expected<std::string> text_attribute(const std::string& path,
                                                       const std::string& name) const;
    [[nodiscard]] Expected<double> real_attribute(const std::string& path, const std::string& name) const;
    [[nodiscard]] Expected<std::int64_t> integer_attribute(const std::string& path,
                                                           const std::string& name) const;

    /// The error that says what is wrong with this file.
    [[nodiscard]] Error malformed(const std::string& what) const;

private:
    /// A dataset that passed the checks, and its extent.
    struct Dataset {
        Handle handle, type;
        int rank = 0;
        hsize_t rows = 1, columns = 1;
        bool packed = false;
        hsize_t chunk_rows = 1, chunk_columns = 1;  ///< of packed ones
    };

    Hdf5Reader(Handle file, std::string name, std::uint64_t bytes, const FileKind& kind)
        : file_(std::move(file)), name_(std::move(name)), bytes_(bytes), kind_(kind)
    {
    }
    /// A dataset whose rows are in the parts, all of them.
    struct Pieces {
        Spread spread = Spread::No;
        hsize_t rows = 0, columns = 1;
    };

    [[nodiscard]] Expected<void> check_links(const std::string& path) const;
    [[nodiscard]] bool is_virtual(const std::string& path) const;
    [[nodiscard]] Expected<Pieces> pieces(const std::string& path, Entry entry, int rank) const;
    template <class Values, class Make, class Read>
    [[nodiscard]] Expected<Values> read_whole(const std::string& path, Entry entry, int rank,
                                              const RowRange& range, Make make, Read read) const;
    /// The rows that a range means; FileMalformed when the dataset has fewer.
    [[nodiscard]] Expected<hsize_t> rows_in(const std::string& path, hsize_t rows,
                                            const RowRange& range) const;
    [[nodiscard]] Expected<Dataset> dataset(const std::string& path, H5T_class_t kind, int rank) const;
    [[nodiscard]] Expected<void> read_rows(const std::string& path, const Dataset& data, hid_t type,
                                           const RowRange& range, void* values) const;
    template <class Number>
    [[nodiscard]] Expected<void> read_packed(const std::string& path, const Dataset& data,
                                             const RowRange& range, Number* values) const;
    [[nodiscard]] Expected<std::vector<std::string>> read_texts(const std::string& path, int rank) const;
    [[nodiscard]] Expected<Handle> attribute(const std::string& path, const std::string& name,
                                             H5T_class_t kind) const;

    Handle file_;
    std::string name_;
    std::uint64_t bytes_;  ///< size of the file
    FileKind kind_;
    std::vector<Hdf5Reader> parts_;
};

}  // namespace carom::detail
