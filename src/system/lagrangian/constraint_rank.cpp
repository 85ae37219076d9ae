#include "system/lagrangian/constraint_rank.hpp"

#include "core/dense.hpp"
#include "expression/workspace.hpp"
#include "system/lagrangian/constraint_geometry.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Rows of unit length in the kinetic metric that differ from zero by less count as dependent.
constexpr double rank_tolerance = 1e-9;

/// How far the search for motions goes, against the size of the configuration.
constexpr double search_distance = 1e-4;
constexpr int search_passes = 30;

/// Larger systems are not looked at: dense decompositions would take longer than a run.
constexpr int max_rows = 400;

Eigen::VectorXd driving_forces(const Model& model, const State& state)
{
    Workspace work;
    const Point at = point_of(state);
    Eigen::VectorXd K(model.coordinates()), gradient(model.coordinates()), c(model.coordinates());
    MassMatrix A(model.mass_pattern());
    model.given_forces(at, view(K), work);
    static_cast<void>(model.potential_gradient(at, view(gradient), work));
    model.kinetic_terms(at, A, view(c), work);
    K -= gradient + c;
    for (int i = 0; i < model.coordinates(); ++i) {
        if (model.is_driven(i)) K[i] = 0;
    }
    return K;
}

/// Held positions and velocity rows of the firm constraints of a model, dense.
class ModelRows final : public FirmRows {
public:
    ModelRows(const Model& model, const State& state) : model_(model), state_(state)
    {
        for (int i = model.contacts(); i < model.interactions(); ++i) {
            const ConstraintPart& part = model.part(i);
            if (part.limit < 0 && model.only_while(part.constraint) < 0) parts_.push_back(i);
        }
    }

    [[nodiscard]] int size() const override { return static_cast<int>(parts_.size()); }
    [[nodiscard]] const std::string& name(int row) const override
    {
        return model_.system().constraints[model_.part(parts_[row]).constraint].name;
    }

    [[nodiscard]] Eigen::MatrixXd H(const Eigen::VectorXd& moved) const override
    {
        Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size(), model_.coordinates());
        const Eigen::VectorXd q = state_.q + moved, u = Eigen::VectorXd::Zero(model_.coordinates());
        const Point at{view(q), view(u), state_.t_s};
        Workspace work;
        for (int row = 0; row < size(); ++row) {
            const ConstraintPart& part = model_.part(parts_[row]);
            const ConstraintGeometry& geometry = model_.constraint(part.constraint);
            const auto support = geometry.support();
            std::vector<double> entries(support.size() * static_cast<std::size_t>(geometry.size()));
            std::vector<double> b(static_cast<std::size_t>(geometry.size()));
            model_.constraint_rows(part.constraint, at, entries, b, work);
            for (std::size_t p = 0; p < support.size(); ++p) {
                if (model_.is_driven(support[p])) continue;
                result(row, support[p]) = entries[static_cast<std::size_t>(part.row) * support.size() + p];
            }
        }
        return result;
    }

    [[nodiscard]] Eigen::VectorXd b() const override
    {
        Eigen::VectorXd result = Eigen::VectorXd::Zero(size());
        const Eigen::VectorXd u = Eigen::VectorXd::Zero(model_.coordinates());
        const Point at{view(state_.q), view(u), state_.t_s};
        Workspace work;
        for (int row = 0; row < size(); ++row) {
            const ConstraintPart& part = model_.part(parts_[row]);
            const ConstraintGeometry& geometry = model_.constraint(part.constraint);
            std::vector<double> entries(geometry.support().size() *
                                        static_cast<std::size_t>(geometry.size()));
            std::vector<double> all(static_cast<std::size_t>(geometry.size()));
            model_.constraint_rows(part.constraint, at, entries, all, work);
            result[row] = all[static_cast<std::size_t>(part.row)];
            const auto support = geometry.support();
            for (std::size_t p = 0; p < support.size(); ++p) {
                if (!model_.is_driven(support[p])) continue;
                result[row] +=
                    entries[static_cast<std::size_t>(part.row) * support.size() + p] * state_.u[support[p]];
            }
        }
        return result;
    }

    [[nodiscard]] Eigen::VectorXd phi(const Eigen::VectorXd& moved) const override
    {
        Eigen::VectorXd result = Eigen::VectorXd::Zero(size());
        const Eigen::VectorXd q = state_.q + moved, u = Eigen::VectorXd::Zero(model_.coordinates());
        const Point at{view(q), view(u), state_.t_s};
        Workspace work;
        for (int row = 0; row < size(); ++row) {
            const ConstraintPart& part = model_.part(parts_[row]);
            if (!part.held) continue;
            std::vector<double> values(
                static_cast<std::size_t>(model_.constraint(part.constraint).positions()));
            model_.constraint(part.constraint).violations(at, values, work);
            result[row] = values[static_cast<std::size_t>(part.row)];
        }
        return result;
    }

    [[nodiscard]] Eigen::MatrixXd metric() const override
    {
        Workspace work;
        MassMatrix A(model_.mass_pattern());
        Eigen::VectorXd c(model_.coordinates()), u = Eigen::VectorXd::Zero(model_.coordinates());
        model_.kinetic_terms({view(state_.q), view(u), 0}, A, view(c), work);
        return A.dense();
    }
    [[nodiscard]] Eigen::VectorXd forces() const override { return driving_forces(model_, state_); }
    [[nodiscard]] double place_size() const override { return std::max(1.0, state_.q.cwiseAbs().maxCoeff()); }

private:
    const Model& model_;
    const State& state_;
    std::vector<int> parts_;
};

/// Coordinates in which the kinetic metric at q is Euclidean: dq = L^-T x.
struct Whitened {
    Eigen::LLT<Eigen::MatrixXd> A;

    [[nodiscard]] Eigen::MatrixXd rows(const Eigen::MatrixXd& H) const
    {
        return A.matrixL().solve(H.transpose()).transpose();
    }
    [[nodiscard]] Eigen::VectorXd back(const Eigen::VectorXd& x) const { return A.matrixU().solve(x); }
};

/// Whether the positions take back a small way along the velocity `x` (whitened) that gradients allow.
bool is_blocked(const FirmRows& firm, const Whitened& metric, const Eigen::VectorXd& x)
{
    const Eigen::VectorXd direction = metric.back(x);
    const double size = direction.cwiseAbs().maxCoeff();
    if (!(size > 0)) return false;
    const double distance = search_distance * firm.place_size() / size;
    const Eigen::VectorXd there = distance * direction;
    Eigen::VectorXd q = there;
    for (int pass = 0; pass < search_passes; ++pass) {
        const Eigen::VectorXd phi = firm.phi(q);
        if (!phi.allFinite() || phi.cwiseAbs().maxCoeff() < 1e-15) break;
        q -= metric.back(LeastSquares(metric.rows(firm.H(q))).solve(phi));
    }
    const double taken_back = metric.A.matrixU().operator*(q - there).norm();
    return taken_back > 0.1 * distance * x.norm();
}

/// Constraints of the rows that a dependence has a part of.
std::vector<std::string> names_in(const FirmRows& firm, const Eigen::MatrixXd& dependences)
{
    std::vector<std::string> names;
    for (int row = 0; row < firm.size(); ++row) {
        const bool takes_part = dependences.row(row).norm() > 1e-6;
        if (takes_part && std::ranges::find(names, firm.name(row)) == names.end())
            names.push_back(firm.name(row));
    }
    return names;
}

}  // namespace

ConstraintRank diagnose_rows(const FirmRows& firm)
{
    ConstraintRank result;
    result.rows = result.rank = firm.size();
    result.unbalanced_force = firm.forces();
    const Eigen::Index n = result.unbalanced_force.size();
    if (firm.size() == 0 || firm.size() > max_rows || n > 4 * max_rows) return result;

    // rows of unit length: units of a constraint do not decide its rank
    const Whitened metric{Eigen::LLT<Eigen::MatrixXd>(firm.metric())};
    Eigen::MatrixXd rows = metric.rows(firm.H(Eigen::VectorXd::Zero(n)));
    if (metric.A.info() != Eigen::Success || !rows.allFinite()) return result;
    for (int row = 0; row < rows.rows(); ++row) {
        const double length = rows.row(row).norm();
        if (length > 0) rows.row(row) /= length;
    }
    const Svd svd(rows, Eigen::ComputeFullU | Eigen::ComputeFullV);
    result.rank = static_cast<int>(svd.rank_above(rank_tolerance));

    // forces that no reaction balances, as a covector: A times the acceleration
    const Eigen::MatrixXd free = svd.V().rightCols(rows.cols() - result.rank);
    const Eigen::VectorXd force = metric.A.matrixL().solve(result.unbalanced_force);
    const Eigen::VectorXd acceleration = free * (free.transpose() * force);
    result.unbalanced_force = metric.A.matrixL() * acceleration;
    if (result.independent()) return result;

    result.names = names_in(firm, svd.U().rightCols(rows.rows() - result.rank));
    for (int k = 0; k < free.cols() && !result.singular; ++k) {
        result.singular = is_blocked(firm, metric, free.col(k));
    }
    const bool driven = acceleration.norm() > 1e-12 * force.norm();
    result.has_solution = !(result.singular && driven && is_blocked(firm, metric, acceleration));
    return result;
}

ConstraintRank diagnose_constraints(const Model& model, const State& state)
{
    return diagnose_rows(ModelRows(model, state));
}

ConstraintConflict compare_right_hand_sides(const Model& model, const State& state)
{
    if (model.coordinates() > 4 * max_rows) return {};
    return compare_right_hand_sides(ModelRows(model, state));
}

ConstraintConflict compare_right_hand_sides(const FirmRows& firm)
{
    ConstraintConflict result;
    if (firm.size() < 2 || firm.size() > max_rows) return result;
    const Whitened metric{Eigen::LLT<Eigen::MatrixXd>(firm.metric())};
    Eigen::MatrixXd rows = metric.rows(firm.H(Eigen::VectorXd::Zero(metric.A.rows())));
    Eigen::VectorXd b = firm.b();
    if (metric.A.info() != Eigen::Success || !rows.allFinite() || !b.allFinite()) return result;
    for (int row = 0; row < rows.rows(); ++row) {
        const double length = rows.row(row).norm();
        if (length > 0) rows.row(row) /= length, b[row] /= length;
    }
    const Svd svd(rows, Eigen::ComputeFullU);
    const auto rank = static_cast<int>(svd.rank_above(rank_tolerance));
    const Eigen::MatrixXd Y = svd.U().rightCols(rows.rows() - rank);
    if (Y.cols() == 0) return result;
    const Eigen::VectorXd left = Y * (Y.transpose() * b);
    if (!(left.norm() > 1e-9 * b.norm())) return result;
    result.difference = left.norm();
    result.names = names_in(firm, left / left.norm());
    return result;
}

std::vector<OutsideLaw> starts_outside_laws(const Model& model, const State& state)
{
    std::vector<OutsideLaw> result;
    Workspace work;
    for (int j = 0; j < model.constraints(); ++j) {
        const Constraint& constraint = model.system().constraints[static_cast<std::size_t>(j)];
        if (constraint.is_firm() || model.only_while(j) >= 0) continue;
        const ConstraintGeometry& geometry = model.constraint(j);
        const auto support = geometry.support();
        const auto rows = static_cast<std::size_t>(geometry.size());
        const auto first = static_cast<std::size_t>(geometry.positions());
        std::vector<double> H(rows * support.size()), b(rows), against;
        model.constraint_rows(j, point_of(state), H, b, work);
        double largest = 0, meets = 0;
        for (std::size_t r = first; r < rows; ++r) {
            double U = b[r];
            meets += std::abs(b[r]);
            for (std::size_t p = 0; p < support.size(); ++p) {
                U += H[r * support.size() + p] * state.u[support[p]];
                meets += std::abs(H[r * support.size() + p] * state.u[support[p]]);
            }
            against.push_back(-U);
            if (std::abs(U) > std::abs(largest)) largest = U;
        }
        // velocities that are only rounding do not count
        if (!(std::abs(largest) > 1e-9 * meets)) continue;
        const bool unbounded = std::ranges::any_of(constraint.limits, [&](const ReactionLimit& limit) {
            return std::isinf(limit.set->support(std::span<const double>(against)));
        });
        if (unbounded) result.push_back({constraint.name, largest});
    }
    return result;
}

}  // namespace carom
