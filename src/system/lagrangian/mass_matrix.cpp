#include "system/lagrangian/mass_matrix.hpp"

#include "carom/core/expected.hpp"

#include <Eigen/OrderingMethods>

#include <algorithm>
#include <numeric>

namespace carom {
namespace {

constexpr std::size_t largest_dense_island = 12;  ///< up to it a sparse factor costs more than it saves

/// Representative of the group that i belongs to; paths are shortened on the way.
int group_of(std::vector<int>& parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/// Numbers the groups that the pairs connect, by their first coordinate.
std::vector<int> connected_groups(int n, std::span<const std::pair<int, int>> pairs)
{
    std::vector<int> parent(n);
    std::iota(parent.begin(), parent.end(), 0);
    for (const auto& [i, j] : pairs) {
        const int a = group_of(parent, i), b = group_of(parent, j);
        parent[std::max(a, b)] = std::min(a, b);
    }
    std::vector<int> number(n, -1), group(n);
    int next = 0;
    for (int i = 0; i < n; ++i) {
        int& found = number[group_of(parent, i)];
        if (found < 0) found = next++;
        group[i] = found;
    }
    return group;
}

}  // namespace

MassPattern::MassPattern(int coordinates, std::span<const std::pair<int, int>> pairs)
    : place_(coordinates), coordinate_(coordinates), island_(connected_groups(coordinates, pairs))
{
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < coordinates; ++i) {
        entries.emplace_back(i, i, 1.0);
    }
    for (const auto& [i, j] : pairs) {
        entries.emplace_back(std::min(i, j), std::max(i, j), 1.0);
    }
    Eigen::SparseMatrix<double> upper(coordinates, coordinates);
    upper.setFromTriplets(entries.begin(), entries.end());

    // elimination order
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
    Eigen::AMDOrdering<int>()(upper.selfadjointView<Eigen::Upper>(), order);
    for (int k = 0; k < coordinates; ++k) {
        coordinate_[k] = order.indices()[k];
        place_[coordinate_[k]] = k;
    }

    // the same pattern in that order
    for (auto& entry : entries) {
        const int a = place_[entry.row()], b = place_[entry.col()];
        entry = {std::min(a, b), std::max(a, b), 0.0};
    }
    upper_.resize(coordinates, coordinates);
    upper_.setFromTriplets(entries.begin(), entries.end());
    upper_.makeCompressed();

    for (int column = 0; column < coordinates; ++column) {
        for (Eigen::SparseMatrix<double>::InnerIterator it(upper_, column); it; ++it) {
            entries_.emplace_back(coordinate_[it.row()], coordinate_[column]);
        }
    }
    number_islands();
}

void MassPattern::number_islands()
{
    islands_of_.resize(island_.empty() ? 0 : *std::max_element(island_.begin(), island_.end()) + 1);
    for (const int coordinate : coordinate_) {
        islands_of_[island_[coordinate]].members.push_back(coordinate);
    }
    for (Island& island : islands_of_) {
        const std::size_t size = island.members.size();
        if (size > largest_dense_island) {
            all_small_ = false;
            continue;
        }
        for (std::size_t row = 0; row < size; ++row) {
            for (std::size_t column = 0; column <= row; ++column) {
                island.slots.push_back(find_slot(island.members[row], island.members[column]));
            }
        }
        island.factor = dense_size_;
        dense_size_ += island.slots.size();
    }
}

int MassPattern::slot(int i, int j) const
{
    const int found = find_slot(i, j);
    if (found < 0) throw InternalError("entry outside the pattern of the kinetic matrix");
    return found;
}

/// -1 outside the pattern.
int MassPattern::find_slot(int i, int j) const
{
    const int row = std::min(place_[i], place_[j]), column = std::max(place_[i], place_[j]);
    const int* inner = upper_.innerIndexPtr();
    const int* begin = inner + upper_.outerIndexPtr()[column];
    const int* end = inner + upper_.outerIndexPtr()[column + 1];
    const int* found = std::lower_bound(begin, end, row);
    return found == end || *found != row ? -1 : static_cast<int>(found - inner);
}

MassMatrix::MassMatrix(const MassPattern& pattern)
    : pattern_(&pattern),
      upper_(pattern.upper()),
      dense_(pattern.dense_size_),
      work_(static_cast<std::size_t>(pattern.coordinates()))
{
    if (!pattern.all_small_) factor_.analyse(upper_);
}

std::span<double> MassMatrix::values() noexcept
{
    return {upper_.valuePtr(), static_cast<std::size_t>(upper_.nonZeros())};
}

bool MassMatrix::factorise()
{
    for (const Island& island : pattern_->islands_of_) {
        if (!island.slots.empty() && !factorise_dense(island)) return false;
    }
    return pattern_->all_small_ || factor_.factorise(upper_);
}

/// Row by row: G = L D before its entries are divided by D, which stands on the diagonal.
bool MassMatrix::factorise_dense(const Island& island) noexcept
{
    double* const L = dense_.data() + island.factor;
    const double* const values = upper_.valuePtr();
    const std::size_t size = island.members.size();
    double* row = L;
    const int* slot = island.slots.data();
    if (size == 2) {  // the loops below, written out
        const double G = slot[1] < 0 ? 0.0 : values[slot[1]];
        L[0] = values[slot[0]];
        L[1] = G / L[0];
        L[2] = values[slot[2]] - G * L[1];
        return L[0] > 0 && L[2] > 0;
    }
    for (std::size_t r = 0; r < size; row += ++r) {
        const double* other = L;
        for (std::size_t c = 0; c < r; other += ++c, ++slot) {
            double G = *slot < 0 ? 0.0 : values[*slot];
            for (std::size_t k = 0; k < c; ++k) {
                G -= row[k] * other[k];
            }
            row[c] = G;
        }
        double D = values[*slot++];
        const double* diagonal = L;
        for (std::size_t k = 0; k < r; diagonal += ++k + 1) {
            const double G = row[k];
            row[k] = G / *diagonal;
            D -= G * row[k];
        }
        row[r] = D;
        if (!(D > 0)) return false;
    }
    return true;
}

void MassMatrix::multiply(std::span<const double> u, std::span<double> out) const noexcept
{
    std::fill(out.begin(), out.end(), 0.0);
    const double* value = upper_.valuePtr();
    for (const auto& [i, j] : pattern_->entries_) {
        out[i] += *value * u[j];
        if (i != j) out[j] += *value * u[i];
        ++value;
    }
}

double MassMatrix::squared_norm(std::span<const double> u) const noexcept
{
    double sum = 0;
    const double* value = upper_.valuePtr();
    for (const auto& [i, j] : pattern_->entries_) {
        const double twice = i == j ? *value : *value + *value;
        sum += twice * u[i] * u[j];
        ++value;
    }
    return sum;
}

void MassMatrix::solve(std::span<double> x) noexcept
{
    for (const Island& island : pattern_->islands_of_) {
        solve_island(island, x);
    }
}

void MassMatrix::solve_on(std::span<const int> islands, std::span<double> x) noexcept
{
    for (const int island : islands) {
        solve_island(pattern_->islands_of_[island], x);
    }
}

inline void MassMatrix::solve_island(const Island& island, std::span<double> x) noexcept
{
    if (island.members.size() == 1 && !island.slots.empty()) {
        x[island.members.front()] /= dense_[island.factor];
    } else if (!island.slots.empty()) {
        solve_dense(island, x);
    } else {
        solve_sparse(island, x);
    }
}

void MassMatrix::solve_dense(const Island& island, std::span<double> x) noexcept
{
    const int* const member = island.members.data();
    const auto size = island.members.size();
    const double* const L = dense_.data() + island.factor;
    const double* row = L;
    if (size == 2) {  // the loops below, written out
        double &first = x[member[0]], &second = x[member[1]];
        const double last = (second - L[1] * first) / L[2];
        first = first / L[0] - L[1] * last;
        second = last;
        return;
    }
    for (std::size_t r = 0; r < size; row += ++r) {
        double value = x[member[r]];
        for (std::size_t c = 0; c < r; ++c) {
            value -= row[c] * work_[c];
        }
        work_[r] = value;
    }
    for (std::size_t r = 0, diagonal = 0; r < size; ++r, diagonal += r + 1) {
        work_[r] /= L[diagonal];
    }
    for (std::size_t r = size; r-- > 0;) {
        row -= r + 1;
        const double value = work_[r];
        for (std::size_t c = 0; c < r; ++c) {
            work_[c] -= row[c] * value;
        }
        x[member[r]] = value;
    }
}

/// L D L^T x = b on one island: the columns of its places name only places of the same island.
void MassMatrix::solve_sparse(const Island& island, std::span<double> x) noexcept
{
    const int* begin = factor_.lower().outerIndexPtr();
    const int* row = factor_.lower().innerIndexPtr();
    const double* L = factor_.lower().valuePtr();
    for (const int coordinate : island.members) {
        work_[pattern_->place_[coordinate]] = x[coordinate];
    }
    for (const int coordinate : island.members) {
        const int k = pattern_->place_[coordinate];
        for (int p = begin[k]; p < begin[k + 1]; ++p) {
            work_[row[p]] -= L[p] * work_[k];
        }
    }
    for (std::size_t i = island.members.size(); i-- > 0;) {
        const int k = pattern_->place_[island.members[i]];
        double value = work_[k] / factor_.diagonal()[k];
        for (int p = begin[k]; p < begin[k + 1]; ++p) {
            value -= L[p] * work_[row[p]];
        }
        work_[k] = value;
    }
    for (const int coordinate : island.members) {
        x[coordinate] = work_[pattern_->place_[coordinate]];
    }
}

Eigen::MatrixXd MassMatrix::dense() const
{
    const int n = pattern_->coordinates();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    const double* value = upper_.valuePtr();
    for (const auto& [i, j] : pattern_->entries_) {
        A(i, j) = A(j, i) = *value++;
    }
    return A;
}

}  // namespace carom
