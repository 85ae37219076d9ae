#include "carom/model/mass_matrix.hpp"

#include "carom/core/error.hpp"

#include <Eigen/OrderingMethods>

#include <algorithm>
#include <numeric>

namespace carom {
namespace {

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

    members_.resize(coordinates == 0 ? 0 : *std::max_element(island_.begin(), island_.end()) + 1);
    for (int k = 0; k < coordinates; ++k) {
        members_[island_[coordinate_[k]]].push_back(k);
    }
}

int MassPattern::slot(int i, int j) const
{
    const int row = std::min(place_[i], place_[j]), column = std::max(place_[i], place_[j]);
    const int* inner = upper_.innerIndexPtr();
    const int* begin = inner + upper_.outerIndexPtr()[column];
    const int* end = inner + upper_.outerIndexPtr()[column + 1];
    const int* found = std::lower_bound(begin, end, row);
    if (found == end || *found != row) throw InternalError("entry outside the pattern of the kinetic matrix");
    return static_cast<int>(found - inner);
}

MassMatrix::MassMatrix(const MassPattern& pattern)
    : pattern_(&pattern), upper_(pattern.upper()), work_(static_cast<std::size_t>(pattern.coordinates()))
{
    factor_.analyse(upper_);
}

std::span<double> MassMatrix::values() noexcept
{
    return {upper_.valuePtr(), static_cast<std::size_t>(upper_.nonZeros())};
}

bool MassMatrix::factorise()
{
    return factor_.factorise(upper_);
}

void MassMatrix::multiply(std::span<const double> u, std::span<double> out) const noexcept
{
    std::fill(out.begin(), out.end(), 0.0);
    for (int column = 0; column < upper_.outerSize(); ++column) {
        const int j = pattern_->coordinate_at(column);
        for (Eigen::SparseMatrix<double>::InnerIterator it(upper_, column); it; ++it) {
            const int i = pattern_->coordinate_at(static_cast<int>(it.row()));
            out[i] += it.value() * u[j];
            if (i != j) out[j] += it.value() * u[i];
        }
    }
}

double MassMatrix::squared_norm(std::span<const double> u) const noexcept
{
    double sum = 0;
    for (int column = 0; column < upper_.outerSize(); ++column) {
        const double u_j = u[pattern_->coordinate_at(column)];
        for (Eigen::SparseMatrix<double>::InnerIterator it(upper_, column); it; ++it) {
            const double u_i = u[pattern_->coordinate_at(static_cast<int>(it.row()))];
            sum += (it.row() == column ? 1 : 2) * it.value() * u_i * u_j;
        }
    }
    return sum;
}

void MassMatrix::solve(std::span<double> x) noexcept
{
    for (int island = 0; island < pattern_->islands(); ++island) {
        solve_places(pattern_->members(island), x);
    }
}

void MassMatrix::solve_on(std::span<const int> islands, std::span<double> x) noexcept
{
    for (const int island : islands) {
        solve_places(pattern_->members(island), x);
    }
}

/// L D L^T x = b on one island: the columns of its places name only places of the same island.
void MassMatrix::solve_places(std::span<const int> places, std::span<double> x) noexcept
{
    const int* begin = factor_.lower().outerIndexPtr();
    const int* row = factor_.lower().innerIndexPtr();
    const double* L = factor_.lower().valuePtr();
    for (const int k : places) {
        work_[k] = x[pattern_->coordinate_at(k)];
    }
    for (const int k : places) {
        for (int p = begin[k]; p < begin[k + 1]; ++p) {
            work_[row[p]] -= L[p] * work_[k];
        }
    }
    for (std::size_t i = places.size(); i-- > 0;) {
        const int k = places[i];
        double value = work_[k] / factor_.diagonal()[k];
        for (int p = begin[k]; p < begin[k + 1]; ++p) {
            value -= L[p] * work_[row[p]];
        }
        work_[k] = value;
    }
    for (const int k : places) {
        x[pattern_->coordinate_at(k)] = work_[k];
    }
}

Eigen::MatrixXd MassMatrix::dense() const
{
    const int n = pattern_->coordinates();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (int column = 0; column < n; ++column) {
        const int j = pattern_->coordinate_at(column);
        for (Eigen::SparseMatrix<double>::InnerIterator it(upper_, column); it; ++it) {
            const int i = pattern_->coordinate_at(static_cast<int>(it.row()));
            A(i, j) = A(j, i) = it.value();
        }
    }
    return A;
}

}  // namespace carom
