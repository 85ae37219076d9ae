#include "carom/model/constraint_friction.hpp"

#include <algorithm>
#include <cmath>

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

Limited coulomb_interval(double mu, double R_N0, double k)
{
    const double turn = R_N0 < 0 ? -mu * k : mu * k;
    const double most = mu * std::abs(R_N0);
    return {.low = -most / (1 + turn), .high = most / (1 - turn), .rubs = true};
}

}  // namespace carom
