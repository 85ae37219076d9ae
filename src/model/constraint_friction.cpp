#include "carom/model/constraint_friction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace carom {
namespace {

/// A row of a constraint as a vector over all coordinates.
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
        result[support[p]] = H[static_cast<std::size_t>(row) * support.size() + p];
    }
    return result;
}

/// All rows of a constraint over all coordinates.
Eigen::MatrixXd rows_at(const Model& model, const Point& at, int constraint, Workspace& work)
{
    const ConstraintGeometry& geometry = model.constraint(constraint);
    const auto support = geometry.support();
    const auto rows = static_cast<std::size_t>(geometry.size());
    std::vector<double> H(rows * support.size()), b(rows);
    model.constraint_rows(constraint, at, H, b, work);
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(geometry.size(), model.coordinates());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t p = 0; p < support.size(); ++p) {
            result(static_cast<Eigen::Index>(row), support[p]) = H[row * support.size() + p];
        }
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
    throw InternalError("friction of a constraint that nothing presses");
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
    return -W.completeOrthogonalDecomposition().solve(W_T)[normal];
}

Eigen::MatrixXd normal_force_metric(const Model& model, const Point& at, int normal, int rubbing,
                                    Workspace& work)
{
    const Eigen::Index positions = model.constraint(normal).positions();
    const Eigen::MatrixXd N = rows_at(model, at, normal, work).topRows(positions);
    const Eigen::MatrixXd T =
        rows_at(model, at, rubbing, work).bottomRows(model.constraint(rubbing).velocities());
    Eigen::MatrixXd both(N.rows() + T.rows(), N.cols());
    both << N, T;

    // lengths that phi depends on; of two that only their difference counts of, the first
    std::vector<int> lengths;
    std::vector<char> paired(static_cast<std::size_t>(model.coordinates()), 0);
    for (const int i : model.constraint(normal).support()) {
        if (!is_length(model.system().coordinates[static_cast<std::size_t>(i)])) continue;
        const auto other = std::ranges::find_if(lengths, [&](int j) {
            return paired[static_cast<std::size_t>(j)] == 0 &&
                   (both.col(i) + both.col(j)).norm() <= 1e-12 * both.col(j).norm();
        });
        if (other == lengths.end())
            lengths.push_back(i);
        else
            paired[static_cast<std::size_t>(*other)] = 1;
    }
    const Eigen::MatrixXd G = N(Eigen::all, lengths);
    if (!(G.squaredNorm() > 0)) return Eigen::MatrixXd::Identity(positions, positions);
    return G * G.transpose();
}

Limited coulomb_interval(double mu, double R_N0, double k)
{
    const double turn = R_N0 < 0 ? -mu * k : mu * k;
    const double most = mu * std::abs(R_N0);
    return {.low = -most / (1 + turn), .high = most / (1 - turn), .rubs = true};
}

}  // namespace carom
