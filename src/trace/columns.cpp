#include "columns.hpp"

namespace carom::detail {

std::size_t Columns::add(Growing growing)
{
    columns_.push_back({.growing = std::move(growing), .values = {}});
    return columns_.size() - 1;
}

void Columns::push(std::size_t column, std::span<const double> row)
{
    Column& to = columns_[column];
    if (to.left_out) return;
    if (row.size() != to.entries_per_row())
        throw InternalError("a row of " + to.growing.path + " has another width");
    to.values.insert(to.values.end(), row.begin(), row.end());
    ++to.rows;
    waiting_entries_ += row.size();
}

Eigen::VectorXd Columns::column(std::size_t column) const
{
    const auto& values = columns_[column].values;
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

RowMatrix Columns::table(std::size_t column) const
{
    const Column& from = columns_[column];
    const auto rows = static_cast<Eigen::Index>(from.rows - from.first_row);
    return Eigen::Map<const RowMatrix>(from.values.data(), rows,
                                       static_cast<Eigen::Index>(from.entries_per_row()));
}

void Columns::push_all(std::size_t column, const RowMatrix& rows)
{
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        push(column, {rows.row(i).data(), static_cast<std::size_t>(rows.cols())});
    }
}

void Columns::push_all(std::size_t column, const Eigen::VectorXd& values)
{
    for (const double value : values) {
        push(column, value);
    }
}

Expected<void> Columns::create_in(Hdf5Writer& file) const
{
    for (const Column& column : columns_) {
        if (auto added = file.add_growing(column.growing); !added) return added;
    }
    return {};
}

Expected<void> Columns::append_to(Hdf5Writer& file) const
{
    for (const Column& column : columns_) {
        if (column.left_out) continue;
        const auto there = file.rows_of(column.growing.path);
        if (!there) return there.error();
        if (*there < column.first_row || *there > column.rows) {
            throw InternalError("the file of a recording lost rows of " + column.growing.path);
        }
        const std::span<const double> values(column.values);
        const auto missing = values.subspan((*there - column.first_row) * column.entries_per_row());
        if (auto done = file.append(column.growing, column.rows - *there, missing); !done) return done;
    }
    return {};
}

void Columns::committed()
{
    for (Column& column : columns_) {
        const auto old_entries = (column.committed_rows - column.first_row) * column.entries_per_row();
        column.values.erase(column.values.begin(),
                            column.values.begin() + static_cast<std::ptrdiff_t>(old_entries));
        column.first_row = column.committed_rows;
        column.committed_rows = column.rows;
    }
    waiting_entries_ = 0;
}

Expected<bool> Columns::continue_from(const Hdf5Reader& file, std::size_t column, std::uint64_t rows)
{
    Column& here = columns_[column];
    if (here.left_out) return false;
    const auto there = file.rows_of(here.growing);
    if (!there) return there.error();
    if (*there < rows) return file.malformed(here.growing.path + " ends before the checkpoint");
    here.first_row = here.committed_rows = here.rows = rows;
    return *there > rows;
}

Expected<void> Columns::cut(Hdf5Writer& file) const
{
    for (const Column& column : columns_) {
        if (column.left_out) continue;
        if (auto done = file.cut(column.growing, column.rows); !done) return done;
    }
    return {};
}

}  // namespace carom::detail
