#include "system/lagrangian/constraint_friction.hpp"

#include "core/dense.hpp"
#include "expression/workspace.hpp"
#include "system/lagrangian/constraint_geometry.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace carom {
namespace {

/// A row of a constraint as a vector over all coordinates that forces change.
Eigen::VectorXd row_at(const Model& model, const State& state, int constraint, int row)
{
    Workspace work;
    const ConstraintGeometry& geometry = model.constraint(constraint);
    const auto support = geometry.support();
    const auto rows = static_cast<std::size_t>(geometry.size());
    std::vector<double> H(rows * support.size()), b(rows);
    model.constraint_rows(constraint, point_of(state), H, b, work);
    Eigen::VectorXd result = Eigen::VectorXd::Zero(model.coordinates());
    for (std::size_t p = 0; p < support.size(); ++p) {
        if (model.is_driven(support[p])) continue;
        result[support[p]] = H[static_cast<std::size_t>(row) * support.size() + p];
    }
    return result;
}

bool is_length(const Coordinate& coordinate)
{
    static constexpr std::array<std::string_view, 5> no_lengths = {"rad", "deg", "\u00b0", "1", ""};
    return std::ranges::find(no_lengths, coordinate.unit) == no_lengths.end();
}

int pressing_constraint(const Model& model, int constraint)
{
    const auto limits = static_cast<int>(model.system().constraints[constraint].limits.size());
    for (int l = 0; l < limits; ++l) {
        if (model.pressed_by(constraint, l) >= 0) return model.pressed_by(constraint, l);
    }
    throw InternalError("friction of a constraint without a normal reaction");
}

}  // namespace

double coulomb_coupling_at(const Model& model, const State& state, int constraint)
{
    // all firm rows, the pressing one among them
    const int pressing = model.first_part(pressing_constraint(model, constraint));
    std::vector<Eigen::VectorXd> firm;
    Eigen::Index normal = 0;
    for (int i = model.contacts(); i < model.interactions(); ++i) {
        if (model.part(i).limit >= 0) continue;
        if (i == pressing) normal = static_cast<Eigen::Index>(firm.size());
        firm.push_back(row_at(model, state, model.part(i).constraint, model.part(i).row));
    }
    Eigen::MatrixXd N(static_cast<Eigen::Index>(firm.size()), model.coordinates());
    for (std::size_t f = 0; f < firm.size(); ++f) {
        N.row(static_cast<Eigen::Index>(f)) = firm[f];
    }
    const Eigen::VectorXd alpha = row_at(model, state, constraint, model.constraint(constraint).positions());

    // k = -(W_NN^-1 W_NT) of the pressing row
    Workspace work;
    MassMatrix A(model.mass_pattern());
    Eigen::VectorXd c(model.coordinates());
    model.kinetic_terms(point_of(state), A, view(c), work);
    const Eigen::LLT<Eigen::MatrixXd> metric(A.dense());
    const Eigen::MatrixXd W = N * metric.solve(Eigen::MatrixXd(N.transpose()));
    const Eigen::VectorXd W_T = N * metric.solve(alpha);
    return -LeastSquares(W).solve(W_T)[normal];
}

Eigen::MatrixXd normal_force_metric(const Model& model, int normal, KnownRows N, int rubbing, KnownRows T)
{
    const auto support = model.constraint(normal).support(), others = model.constraint(rubbing).support();

    // of two lengths only whose difference counts, in all rows of both, the first
    const auto sum_of = [&](const auto& add) {
        double sum = 0;
        for (const auto& row : N)
            sum += std::pow(add(row, support), 2);
        for (const auto& row : T)
            sum += std::pow(add(row, others), 2);
        return sum;
    };
    const auto entry = [](std::span<const double> row, std::span<const int> named, int coordinate) {
        const auto place = std::ranges::lower_bound(named, coordinate);
        return place == named.end() || *place != coordinate
                   ? 0.0
                   : row[static_cast<std::size_t>(place - named.begin())];
    };
    const auto are_opposite = [&](int i, int j) {
        const double together = sum_of(
            [&](const auto& row, const auto& named) { return entry(row, named, i) + entry(row, named, j); });
        const double size = sum_of([&](const auto& row, const auto& named) { return entry(row, named, j); });
        return together <= 1e-24 * size;
    };
    std::vector<std::size_t> lengths;
    std::vector<std::size_t> paired;
    for (std::size_t p = 0; p < support.size(); ++p) {
        if (!is_length(model.system().coordinates[static_cast<std::size_t>(support[p])])) continue;
        const auto other = std::ranges::find_if(lengths, [&](std::size_t o) {
            return std::ranges::find(paired, o) == paired.end() && are_opposite(support[p], support[o]);
        });
        (other == lengths.end() ? lengths : paired).push_back(other == lengths.end() ? p : *other);
    }

    const auto positions = static_cast<Eigen::Index>(N.size());
    Eigen::MatrixXd F = Eigen::MatrixXd::Zero(positions, positions);
    for (Eigen::Index a = 0; a < positions; ++a) {
        for (Eigen::Index b = 0; b < positions; ++b) {
            for (const std::size_t p : lengths)
                F(a, b) += N[static_cast<std::size_t>(a)][p] * N[static_cast<std::size_t>(b)][p];
        }
    }
    if (!(F.trace() > 0)) F.setIdentity();
    return F;
}

Eigen::MatrixXd normal_force_metric(const Model& model, const Point& at, int normal, int rubbing,
                                    Workspace& work)
{
    const auto rows_of = [&](int constraint, std::vector<double>& H) {
        const ConstraintGeometry& geometry = model.constraint(constraint);
        const std::size_t length = geometry.support().size();
        std::vector<double> b(static_cast<std::size_t>(geometry.size()));
        H.resize(b.size() * length);
        model.constraint_rows(constraint, at, H, b, work);
        std::vector<std::span<const double>> rows;
        for (std::size_t r = 0; r < b.size(); ++r)
            rows.emplace_back(H.data() + r * length, length);
        return rows;
    };
    std::vector<double> of_normal, of_rubbing;
    const auto N = rows_of(normal, of_normal), T = rows_of(rubbing, of_rubbing);
    return normal_force_metric(
        model, normal, KnownRows(N).first(static_cast<std::size_t>(model.constraint(normal).positions())),
        rubbing, KnownRows(T).last(static_cast<std::size_t>(model.constraint(rubbing).velocities())));
}

Limited coulomb_interval(double mu, double R_N0, double k)
{
    const double turn = R_N0 < 0 ? -mu * k : mu * k;
    const double largest = mu * std::abs(R_N0);
    return {.low = -largest / (1 + turn), .high = largest / (1 - turn), .rubs = true};
}

}  // namespace carom
