#pragma once

#include "carom/trace/recording.hpp"
#include "storage/hdf5_reader.hpp"
#include "storage/packed_chunk.hpp"

#include <deque>

namespace carom::detail {

/// Significant bits of packed numbers: places and coordinates to 6e-8 of their size; velocities, percussions,
/// normals and gaps to 1.5e-5; what only colours a picture to 1e-3.
inline constexpr int place_bits = 24, rate_bits = 16, sign_bits = 10;

/// The growing datasets of a recording: rows wait in memory until both files that carry the run in turn have
/// them.
///
/// Two threads may share the work. One pushes rows and, between two commits, hands them over; the other
/// appends to the file and forgets what both files have. The two never touch the same memory.
///
/// A recording may have parts (storage/spread.hpp). Columns that are spread over them are then kept piece by
/// piece, and the recording itself has virtual datasets. Only pieces that this rank writes are kept.
class Columns {
public:
    /// How many parts a recording has, and which of its files a rank among several writes.
    struct Parts {
        int count = 0;  ///< 0: all is in one file
        int rank = 0, ranks = 1;
        std::string name = {};  ///< of the recording, without its folder

        /// `part`: -1 for the recording itself, which the first rank writes.
        [[nodiscard]] bool has(int part) const noexcept
        {
            return part < 0 ? rank == 0 : part % ranks == rank;
        }
    };
    Columns() = default;
    explicit Columns(Parts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] const Parts& parts() const noexcept { return parts_; }

    /// Number of the new column.
    std::size_t add(Growing growing);

    void push(std::size_t column, std::span<const double> row);
    void push(std::size_t column, double value) { push(column, {&value, 1}); }

    /// All rows of a table, or of a column of numbers.
    void push_all(std::size_t column, const RowMatrix& rows);
    void push_all(std::size_t column, const Eigen::VectorXd& values);

    /// The datasets, still empty, into a new file; their groups must be there. Here and below `part` says
    /// which file it is, -1: the recording itself.
    Expected<void> create_in(Hdf5Writer& file, int part = -1) const;

    /// What was pushed so far is for the next append_to.
    void hand_over();

    /// What the file lacks of the rows that were handed over.
    Expected<void> append_to(Hdf5Writer& file, int part = -1);

    /// The file now has every row of append_to. The other one has those of the commit before: older ones are
    /// forgotten.
    void committed(int part = -1);

    /// Begins after so many rows of a file; true when it has more of them. Errors: FileMalformed when it has
    /// fewer, or the column is not what it should be.
    Expected<bool> continue_from(const Hdf5Reader& file, std::size_t column, std::uint64_t rows);

    /// The file that is continued has no such column.
    void leave_out(std::size_t column);

    /// Cuts the file to the rows of continue_from.
    Expected<void> cut(Hdf5Writer& file, int part = -1) const;

    [[nodiscard]] std::size_t size() const noexcept { return wholes_.size(); }

    /// Groups of the datasets of a part.
    [[nodiscard]] std::vector<std::string> groups_of_part() const;

    /// Rows that were not handed over: all of them where nothing is committed.
    [[nodiscard]] Eigen::VectorXd column(std::size_t column) const;
    [[nodiscard]] RowMatrix table(std::size_t column) const;

    /// Bytes that wait to be handed over.
    [[nodiscard]] std::size_t waiting_bytes() const noexcept { return waiting_entries_ * sizeof(double); }

private:
    /// A column as its users see it.
    struct Whole {
        Growing growing;
        std::size_t first = 0;          ///< of its pieces in `columns_`: one, or one per part
        std::uint64_t pushed_rows = 0;  ///< since the beginning of the recording
        std::uint64_t rows = 0;         ///< those that were handed over
        bool left_out = false;
    };

    /// What one file has of it.
    struct Column {
        Growing growing;
        int part = -1;
        std::vector<double> pushed;  ///< by the thread that pushes
        std::vector<double> handed;  ///< from it to the other
        std::vector<double> values;  ///< rows first_row .. rows; packed ones begin with a chunk
        std::uint64_t pushed_rows = 0, handed_rows = 0;
        std::uint64_t first_row = 0, committed_rows = 0, rows = 0;
        bool left_out = false;

        /// Full chunks of a packed column, row by row of chunks from first_row on.
        std::deque<std::vector<unsigned char>> chunks;

        [[nodiscard]] std::size_t entries_per_row() const noexcept
        {
            return growing.width < 0 ? 1 : static_cast<std::size_t>(growing.width);
        }
    };

    [[nodiscard]] bool is_spread(const Whole& whole) const noexcept
    {
        return parts_.count > 0 && whole.growing.spread != Spread::No;
    }
    Expected<void> put_wholes(Hdf5Writer& file) const;
    void push_piece(std::size_t piece, std::span<const double> row);
    Expected<void> continue_piece(const Hdf5Reader& file, Column& here, std::uint64_t rows);
    static void take_handed(Column& column);
    Expected<void> append_packed(Column& column, std::uint64_t there, Hdf5Writer& file);
    [[nodiscard]] std::vector<unsigned char> packed(const Column& column, std::uint64_t row,
                                                    std::uint64_t left);

    Parts parts_;
    std::vector<Whole> wholes_;
    std::vector<Column> columns_;
    std::size_t waiting_entries_ = 0;
    ChunkPacker packer_;
    std::vector<std::uint32_t> words_;
};

}  // namespace carom::detail
