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
class Columns {
public:
    /// Number of the new column.
    std::size_t add(Growing growing);

    void push(std::size_t column, std::span<const double> row);
    void push(std::size_t column, double value) { push(column, {&value, 1}); }

    /// All rows of a table, or of a column of numbers.
    void push_all(std::size_t column, const RowMatrix& rows);
    void push_all(std::size_t column, const Eigen::VectorXd& values);

    /// The datasets, still empty, into a new file; their groups must be there.
    Expected<void> create_in(Hdf5Writer& file) const;

    /// What was pushed so far is for the next append_to.
    void hand_over();

    /// What the file lacks of the rows that were handed over.
    Expected<void> append_to(Hdf5Writer& file);

    /// The file now has every row of append_to. The other one has those of the commit before: older ones are
    /// forgotten.
    void committed();

    /// Begins after so many rows of a file; true when it has more of them. Errors: FileMalformed when it has
    /// fewer, or the column is not what it should be.
    Expected<bool> continue_from(const Hdf5Reader& file, std::size_t column, std::uint64_t rows);

    /// The file that is continued has no such column.
    void leave_out(std::size_t column) { columns_[column].left_out = true; }

    /// Cuts the file to the rows of continue_from.
    Expected<void> cut(Hdf5Writer& file) const;

    [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }

    /// Rows that were not handed over: all of them where nothing is committed.
    [[nodiscard]] Eigen::VectorXd column(std::size_t column) const;
    [[nodiscard]] RowMatrix table(std::size_t column) const;

    /// Bytes that wait to be handed over.
    [[nodiscard]] std::size_t waiting_bytes() const noexcept { return waiting_entries_ * sizeof(double); }

private:
    struct Column {
        Growing growing;
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

    static void take_handed(Column& column);
    Expected<void> append_packed(Column& column, std::uint64_t there, Hdf5Writer& file);
    [[nodiscard]] std::vector<unsigned char> packed(const Column& column, std::uint64_t row,
                                                    std::uint64_t left);

    std::vector<Column> columns_;
    std::size_t waiting_entries_ = 0;
    ChunkPacker packer_;
    std::vector<std::uint32_t> words_;
};

}  // namespace carom::detail
