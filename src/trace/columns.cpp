#include "columns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom::detail {
namespace {

/// The last row not above this one with which a chunk of the column begins.
std::uint64_t chunk_before(const Growing& growing, std::uint64_t row)
{
    const std::uint64_t rows = chunk_shape(growing).rows;
    return growing.packed() ? row / rows * rows : row;
}

}  // namespace

std::size_t Columns::add(Growing growing)
{
    wholes_.push_back({.growing = growing, .first = columns_.size()});
    if (!is_spread(wholes_.back())) {
        columns_.push_back(
            {.growing = std::move(growing), .pushed = {}, .handed = {}, .values = {}, .chunks = {}});
        return wholes_.size() - 1;
    }
    const auto count = static_cast<std::uint64_t>(parts_.count);
    for (std::uint64_t k = 0; k < count; ++k) {
        Growing piece = growing;
        if (growing.spread == Spread::Columns) {
            const auto width = static_cast<std::uint64_t>(growing.width);
            piece.width = static_cast<int>(first_column(width, k + 1, count) - first_column(width, k, count));
        }
        columns_.push_back({.growing = std::move(piece),
                            .part = static_cast<int>(k),
                            .pushed = {},
                            .handed = {},
                            .values = {},
                            .chunks = {}});
    }
    return wholes_.size() - 1;
}

void Columns::push(std::size_t column, std::span<const double> row)
{
    Whole& whole = wholes_[column];
    if (whole.left_out) return;
    const std::uint64_t number = whole.pushed_rows++;
    waiting_entries_ += row.size();
    const auto count = static_cast<std::uint64_t>(parts_.count);
    if (!is_spread(whole)) return push_piece(whole.first, row);
    if (whole.growing.spread == Spread::Rows)
        return push_piece(whole.first + part_of_row(number, count), row);
    for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t left = first_column(row.size(), k, count);
        push_piece(whole.first + k, row.subspan(left, first_column(row.size(), k + 1, count) - left));
    }
}

void Columns::push_piece(std::size_t piece, std::span<const double> row)
{
    Column& to = columns_[piece];
    if (row.size() != to.entries_per_row())
        throw InternalError("a row of " + to.growing.path + " has another width");
    if (!parts_.has(to.part)) return;
    to.pushed.insert(to.pushed.end(), row.begin(), row.end());
    ++to.pushed_rows;
}

void Columns::leave_out(std::size_t column)
{
    Whole& whole = wholes_[column];
    whole.left_out = true;
    for (std::size_t k = 0; k < (is_spread(whole) ? static_cast<std::size_t>(parts_.count) : 1); ++k)
        columns_[whole.first + k].left_out = true;
}

std::vector<std::string> Columns::groups_of_part() const
{
    std::vector<std::string> groups;
    for (const Whole& whole : wholes_) {
        const std::string& path = whole.growing.path;
        for (std::size_t slash = path.find('/', 1); is_spread(whole) && slash != std::string::npos;
             slash = path.find('/', slash + 1)) {
            const std::string group = path.substr(0, slash);
            if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
        }
    }
    return groups;
}

Eigen::VectorXd Columns::column(std::size_t column) const
{
    const auto& values = columns_[wholes_[column].first].pushed;
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

RowMatrix Columns::table(std::size_t column) const
{
    const Column& from = columns_[wholes_[column].first];
    return Eigen::Map<const RowMatrix>(from.pushed.data(), static_cast<Eigen::Index>(from.pushed_rows),
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

Expected<void> Columns::create_in(Hdf5Writer& file, int part) const
{
    for (const Column& column : columns_) {
        if (column.part != part) continue;
        if (auto added = file.add_growing(column.growing); !added) return added;
    }
    return {};
}

void Columns::hand_over()
{
    for (Column& column : columns_) {
        column.pushed.swap(column.handed);
        column.pushed.clear();
        column.handed_rows = std::exchange(column.pushed_rows, 0);
    }
    // of a recording with parts, which is written before the next row is pushed
    for (Whole& whole : wholes_) {
        if (is_spread(whole)) whole.rows = whole.pushed_rows;
    }
    waiting_entries_ = 0;
}

void Columns::take_handed(Column& column)
{
    column.values.insert(column.values.end(), column.handed.begin(), column.handed.end());
    column.handed.clear();
    column.rows += std::exchange(column.handed_rows, 0);
}

/// What the recording itself shows of its parts.
Expected<void> Columns::put_wholes(Hdf5Writer& file) const
{
    for (const Whole& whole : wholes_) {
        if (whole.left_out || !is_spread(whole)) continue;
        auto put = file.put_virtual(whole.growing, whole.rows, parts_.count, parts_.name);
        if (!put) return put;
    }
    return {};
}

Expected<void> Columns::append_to(Hdf5Writer& file, int part)
{
    if (part < 0) {
        if (auto put = put_wholes(file); !put) return put;
    }
    for (Column& column : columns_) {
        if (column.part != part || column.left_out) continue;
        take_handed(column);
        const auto there = file.rows_of(column.growing.path);
        if (!there) return there.error();
        if (*there < column.first_row || *there > column.rows) {
            throw InternalError("the file of a recording lost rows of " + column.growing.path);
        }
        if (column.growing.packed()) {
            if (auto done = append_packed(column, *there, file); !done) return done;
            continue;
        }
        const std::span<const double> values(column.values);
        const auto missing = values.subspan((*there - column.first_row) * column.entries_per_row());
        if (auto done = file.append(column.growing, column.rows - *there, missing); !done) return done;
    }
    return {};
}

/// Every chunk with rows that the file lacks, as a whole. Both files get the same full chunks: they are
/// packed once.
Expected<void> Columns::append_packed(Column& column, std::uint64_t there, Hdf5Writer& file)
{
    if (there == column.rows || column.entries_per_row() == 0) {
        return there == column.rows ? Expected<void>{} : file.append(column.growing, column.rows - there, {});
    }
    const ChunkShape shape = chunk_shape(column.growing);
    const std::uint64_t width = column.entries_per_row(),
                        across = (width + shape.columns - 1) / shape.columns;
    std::vector<std::vector<unsigned char>> unfinished;
    std::vector<PackedChunk> chunks;
    const auto chunk_at = [&](std::uint64_t row, std::uint64_t k) -> const std::vector<unsigned char>& {
        const std::size_t number = (row - column.first_row) / shape.rows * across + k;
        if (number < column.chunks.size()) return column.chunks[number];
        const bool full = row + shape.rows <= column.rows && number == column.chunks.size();
        auto bytes = packed(column, row, k * shape.columns);
        return full ? column.chunks.emplace_back(std::move(bytes))
                    : unfinished.emplace_back(std::move(bytes));
    };
    const std::uint64_t last = chunk_before(column.growing, column.rows - 1);
    unfinished.reserve(across);  // of the last rows: their addresses stay
    for (std::uint64_t row = column.first_row; row <= last; row += shape.rows) {
        for (std::uint64_t k = 0; k < across; ++k) {
            const std::vector<unsigned char>& bytes = chunk_at(row, k);
            if (row + shape.rows > there)
                chunks.push_back({.row = row, .column = k * shape.columns, .bytes = bytes});
        }
    }
    return file.append_packed(column.growing, column.rows, chunks);
}

/// A chunk that begins with this entry; zeros beyond the last row and column.
std::vector<unsigned char> Columns::packed(const Column& column, std::uint64_t row, std::uint64_t left)
{
    const ChunkShape shape = chunk_shape(column.growing);
    const std::uint64_t width = column.entries_per_row();
    const std::uint64_t rows = std::min(shape.rows, column.rows - row),
                        columns = std::min(shape.columns, width - left);
    words_.assign(shape.rows * shape.columns, 0);
    const bool real = column.growing.entry == Entry::Real;
    for (std::uint64_t i = 0; i < rows; ++i) {
        const double* from = column.values.data() + (row - column.first_row + i) * width + left;
        std::uint32_t* to = words_.data() + i * shape.columns;
        for (std::uint64_t k = 0; k < columns; ++k)
            to[k] = real ? rounded_float(from[k], column.growing.bits)
                         : static_cast<std::uint32_t>(std::lround(from[k]));
    }
    return packer_.pack(words_);
}

void Columns::committed(int part)
{
    for (Column& column : columns_) {
        if (column.part != part) continue;
        const std::uint64_t first = chunk_before(column.growing, column.committed_rows);
        const auto old_entries = (first - column.first_row) * column.entries_per_row();
        column.values.erase(column.values.begin(),
                            column.values.begin() + static_cast<std::ptrdiff_t>(old_entries));
        if (column.growing.packed()) {
            const ChunkShape shape = chunk_shape(column.growing);
            const std::uint64_t across = (column.entries_per_row() + shape.columns - 1) / shape.columns;
            const auto gone =
                std::min<std::size_t>((first - column.first_row) / shape.rows * across, column.chunks.size());
            column.chunks.erase(column.chunks.begin(),
                                column.chunks.begin() + static_cast<std::ptrdiff_t>(gone));
        }
        column.first_row = first;
        column.committed_rows = column.rows;
    }
}

Expected<bool> Columns::continue_from(const Hdf5Reader& file, std::size_t column, std::uint64_t rows)
{
    Whole& whole = wholes_[column];
    if (whole.left_out) return false;
    const auto there = file.rows_of(whole.growing);
    if (!there) return there.error();
    if (*there < rows) return file.malformed(whole.growing.path + " ends before the checkpoint");
    if (whole.growing.packed() != file.is_packed(whole.growing.path))
        return file.malformed(whole.growing.path + " is packed, or not, against what the head says");
    whole.pushed_rows = whole.rows = rows;
    if (!is_spread(whole)) {
        if (auto begun = continue_piece(file, columns_[whole.first], rows); !begun) return begun.error();
        return *there > rows;
    }
    const auto count = static_cast<std::uint64_t>(parts_.count);
    for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t mine = whole.growing.spread == Spread::Rows ? rows_of_part(rows, k, count) : rows;
        auto begun = continue_piece(file.parts()[k], columns_[whole.first + k], mine);
        if (!begun) return begun.error();
    }
    return *there > rows;
}

/// The rows of the chunk in which a piece goes on.
Expected<void> Columns::continue_piece(const Hdf5Reader& file, Column& here, std::uint64_t rows)
{
    here.committed_rows = here.rows = rows;
    here.first_row = chunk_before(here.growing, rows);
    if (!parts_.has(here.part)) return {};

    // a chunk that is not full is written again, with what it has
    const RowRange begun{.first = here.first_row, .count = rows - here.first_row};
    if (here.first_row == rows || here.entries_per_row() == 0) return {};
    const auto keep = [&](const auto& numbers) { here.values.assign(numbers.begin(), numbers.end()); };
    if (here.growing.entry == Entry::Integer) {
        const auto numbers = file.integers(here.growing.path, begun);
        if (!numbers) return numbers.error();
        keep(*numbers);
    } else if (here.growing.width < 0) {
        const auto numbers = file.column(here.growing.path, begun);
        if (!numbers) return numbers.error();
        keep(*numbers);
    } else {
        const auto table = file.table(here.growing.path, here.growing.width, begun);
        if (!table) return table.error();
        here.values.assign(table->data(), table->data() + table->size());
    }
    return {};
}

Expected<void> Columns::cut(Hdf5Writer& file, int part) const
{
    if (part < 0) {
        if (auto put = put_wholes(file); !put) return put;
    }
    for (const Column& column : columns_) {
        if (column.part != part || column.left_out) continue;
        if (auto done = file.cut(column.growing, column.rows); !done) return done;
    }
    return {};
}

}  // namespace carom::detail
