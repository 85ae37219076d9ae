#include "carom/onestep/problem.hpp"

#include "carom/core/expected.hpp"

#include <algorithm>

namespace carom {

void BlockSparse::begin(std::span<const int> offsets)
{
    offsets_.assign(offsets.begin(), offsets.end());
    row_begin_.clear();
    entries_.clear();
    values_.clear();
}

std::span<double> BlockSparse::append(int row, int column)
{
    while (static_cast<int>(row_begin_.size()) <= row) {
        row_begin_.push_back(entries_.size());
    }
    const auto size = static_cast<std::size_t>(dimension(row)) * static_cast<std::size_t>(dimension(column));
    entries_.push_back({column, values_.size()});
    values_.resize(values_.size() + size, 0.0);
    return {values_.data() + entries_.back().value, size};
}

void BlockSparse::finish()
{
    while (row_begin_.size() < offsets_.size()) {
        row_begin_.push_back(entries_.size());
    }
}

std::span<const double> BlockSparse::diagonal(int block) const
{
    const auto entries = row(block);
    if (entries.size() == 1 && entries[0].column == block) return this->block(block, entries[0]);
    const auto found = std::lower_bound(entries.begin(), entries.end(), block,
                                        [](const Entry& entry, int column) { return entry.column < column; });
    if (found == entries.end() || found->column != block) throw InternalError("W has no diagonal block");
    return this->block(block, *found);
}

void BlockSparse::multiply(std::span<const double> x, std::span<double> out) const noexcept
{
    std::fill(out.begin(), out.end(), 0.0);
    for (int i = 0; i < blocks(); ++i) {
        add_row_product(i, x, out.subspan(offsets_[i], dimension(i)));
    }
}

void BlockSparse::add_row_product(int block, std::span<const double> x, std::span<double> out) const noexcept
{
    const int rows = dimension(block);
    for (const Entry& entry : row(block)) {
        const int columns = dimension(entry.column);
        const double* a = values_.data() + entry.value;
        const double* x_j = x.data() + offsets_[entry.column];
        if (rows == 3 && columns == 3) {  // contacts with friction in space, in the same order of sums
            for (int r = 0; r < 3; ++r, a += 3) {
                out[r] += 0.0 + a[0] * x_j[0] + a[1] * x_j[1] + a[2] * x_j[2];
            }
            continue;
        }
        for (int r = 0; r < rows; ++r) {
            double sum = 0;
            for (int c = 0; c < columns; ++c) {
                sum += a[r * columns + c] * x_j[c];
            }
            out[r] += sum;
        }
    }
}

}  // namespace carom
