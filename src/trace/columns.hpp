#pragma once

#include "carom/trace/recording.hpp"
#include "storage/hdf5_reader.hpp"

namespace carom::detail {

/// The growing datasets of a recording: rows wait in memory until both files that carry the run in turn have
/// them.
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

    /// What the file lacks.
    Expected<void> append_to(Hdf5Writer& file) const;

    /// The file now has every row. The other one has those of the commit before: older ones are forgotten.
    void committed();

    /// Begins after so many rows of a file; true when it has more of them. Errors: FileMalformed when it has
    /// fewer, or the column is not what it should be.
    Expected<bool> continue_from(const Hdf5Reader& file, std::size_t column, std::uint64_t rows);

    /// The file that is continued has no such column.
    void leave_out(std::size_t column) { columns_[column].left_out = true; }

    /// Cuts the file to the rows of continue_from.
    Expected<void> cut(Hdf5Writer& file) const;

    [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }

    /// Rows that no file has taken over: all of them where nothing was committed.
    [[nodiscard]] Eigen::VectorXd column(std::size_t column) const;
    [[nodiscard]] RowMatrix table(std::size_t column) const;

    /// Bytes that wait since the last commit.
    [[nodiscard]] std::size_t waiting_bytes() const noexcept { return waiting_entries_ * sizeof(double); }

private:
    struct Column {
        Growing growing;
        std::vector<double> values;  ///< rows first_row .. rows
        std::uint64_t first_row = 0, committed_rows = 0, rows = 0;
        bool left_out = false;

        [[nodiscard]] std::size_t entries_per_row() const noexcept
        {
            return growing.width < 0 ? 1 : static_cast<std::size_t>(growing.width);
        }
    };
    std::vector<Column> columns_;
    std::size_t waiting_entries_ = 0;
};

}  // namespace carom::detail
