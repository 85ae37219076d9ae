// the matrices below are members of one object on the heap, never on the stack
#define EIGEN_STACK_ALLOCATION_LIMIT 0

#include "solver/polish.hpp"

#include "solver/flat_problem.hpp"
#include "solver/one_contact.hpp"

#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <limits>

namespace carom {
namespace {

constexpr int max_steps = 12;

/// Matrices with room for the largest problem inside them: changing sizes allocates nothing.
constexpr int max_rows = 3 * Polisher::max_interactions;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, max_rows, max_rows>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_rows, 1>;

/// The local velocity with the shifts of restitution, which the equations of a status ask to vanish.
std::array<double, 3> shifted_velocity(const OneStepProblem& problem, int c, const Vector& U)
{
    const int first = problem.offsets[c], d = problem.offsets[c + 1] - first;
    std::array<double, 3> result{};
    for (int i = 0; i < d; ++i) {
        result[i] = U[first + i];
    }
    result[0] += restitution(problem.laws[c]) * std::min(problem.U_minus[first], 0.0);
    if (const auto* coulomb = std::get_if<Coulomb>(&problem.laws[c])) {
        for (int i = 1; i < d; ++i) {
            result[i] += coulomb->tangential_restitution * problem.U_minus[first + i];
        }
    }
    return result;
}

/// What the exact local solve says about a contact, the others held.
ContactStatus local_status(const OneStepProblem& problem, int c, const std::array<double, 3>& U,
                           std::span<const double> P, std::array<double, 3>& local_P)
{
    const auto d = static_cast<std::size_t>(problem.offsets[c + 1] - problem.offsets[c]);
    const auto W = problem.W.diagonal(c);
    const auto P_c = problem.part(P, c);
    std::array<double, 3> b = U;
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
            b[i] -= W[i * d + j] * P_c[j];
        }
    }
    const Law& law = problem.laws[c];
    if (std::holds_alternative<Bilateral>(law)) return ContactStatus::Stick;
    if (std::holds_alternative<Unilateral>(law))
        return b[0] >= 0 ? ContactStatus::Open : ContactStatus::Stick;
    return solve_one_contact(std::get<Coulomb>(law), W, std::span(b).first(d), std::span(local_P).first(d));
}

/// Friction at its bound where D1 is an ellipse, disc included:  P_T - P_N c + P_N E U_T / g = 0 with
/// E the squared half-axes and g = sqrt(U_T.E U_T).
struct SmoothBound {
    Eigen::Matrix2d E = Eigen::Matrix2d::Zero();
    Eigen::Vector2d centre = Eigen::Vector2d::Zero();

    SmoothBound(const FrictionShape& shape, double mu)
    {
        if (const auto* ellipse = std::get_if<FrictionEllipse>(&shape)) {
            const Eigen::Rotation2Dd R(ellipse->angle_rad);
            const Eigen::Vector2d axes(mu * ellipse->half_axes[0], mu * ellipse->half_axes[1]);
            E = R.toRotationMatrix() * axes.cwiseAbs2().asDiagonal() * R.toRotationMatrix().transpose();
            centre = mu * Eigen::Vector2d(ellipse->centre[0], ellipse->centre[1]);
        } else {
            E.diagonal().setConstant(mu * mu);
        }
    }
};

/// The corner or edge of the polygon that a percussion lies on, as two equations
/// normal.(P_T - P_N v) = 0 and either edge.(P_T - P_N v) = 0 (corner) or edge.U_T = 0 (edge).
struct PolygonBound {
    Eigen::Vector2d v, edge, normal;
    bool corner = true;

    PolygonBound(const FrictionPolygon& polygon, double mu, const Eigen::Vector2d& x)
    {
        const auto& vertices = *polygon.vertices;
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            const auto& a = vertices[i];
            const auto& b = vertices[(i + 1) % vertices.size()];
            const Eigen::Vector2d from = mu * Eigen::Vector2d(a[0], a[1]);
            const Eigen::Vector2d along = mu * Eigen::Vector2d(b[0], b[1]) - from;
            const double part = std::clamp(along.dot(x - from) / along.squaredNorm(), 0.0, 1.0);
            const double distance = (x - from - part * along).norm();
            if (!(distance < best)) continue;
            best = distance;
            corner = part < 1e-9 || part > 1 - 1e-9;
            v = part > 0.5 && corner ? from + along : from;
            edge = along;
            normal = Eigen::Vector2d(along.y(), -along.x());
        }
    }
};

}  // namespace

struct Polisher::Newton {
    void load(const OneStepProblem& problem);
    [[nodiscard]] bool step(const OneStepProblem& problem, std::span<double> P);
    [[nodiscard]] bool slide(const OneStepProblem& problem, int c, const Eigen::Vector2d& P_t, double P_n,
                             const Eigen::Vector2d& U_t, double rho);

    void solve_island(const OneStepProblem& problem, std::span<const int> members);

    Matrix W_, J_, J_island_;
    Vector U_, F_, dP_, F_island_, dP_island_;
    std::vector<double> trial_;
    Islands islands_;
    std::vector<int> rows_;  ///< of an island
    Eigen::CompleteOrthogonalDecomposition<Matrix> factor_;
};

Polisher::Polisher() = default;
Polisher::~Polisher() = default;
Polisher::Polisher(Polisher&&) noexcept = default;
Polisher& Polisher::operator=(Polisher&&) noexcept = default;

void Polisher::Newton::load(const OneStepProblem& problem)
{
    const int n = problem.size();
    islands_.find(problem);
    W_.setZero(n, n);
    for (int c = 0; c < problem.interactions(); ++c) {
        for (const auto& entry : problem.W.row(c)) {
            const auto block = problem.W.block(c, entry);
            const int rows = problem.W.dimension(c), columns = problem.W.dimension(entry.column);
            for (int i = 0; i < rows; ++i) {
                for (int j = 0; j < columns; ++j) {
                    W_(problem.offsets[c] + i, problem.offsets[entry.column] + j) =
                        block[static_cast<std::size_t>(i * columns + j)];
                }
            }
        }
    }
    J_.resize(n, n);
    U_.resize(n);
    F_.resize(n);
    dP_.resize(n);
}

/// Sliding on a disc (SO-35): |P_T| = mu P_N, and the velocity has no part across P_T. Against the direction
/// of the velocity, which turns by 1/|U_T|, this is as good where a contact next to others that rush past
/// hardly moves.
bool Polisher::Newton::slide(const OneStepProblem& problem, int c, const Eigen::Vector2d& P_t, double P_n,
                             const Eigen::Vector2d& U_t, double rho)
{
    const int at = problem.offsets[c];
    const double mu = std::get<Coulomb>(problem.laws[c]).friction, size = P_t.norm();
    if (!(size > 0)) return false;
    const Eigen::Vector2d along = P_t / size, across(-along.y(), along.x());
    F_[at + 1] = size - mu * P_n;
    J_(at + 1, at) = -mu;
    J_.block<1, 2>(at + 1, at + 1) = along.transpose();
    F_[at + 2] = rho * across.dot(U_t);
    J_.row(at + 2) = rho * across.transpose() * W_.middleRows<2>(at + 1);
    J_.block<1, 2>(at + 2, at + 1) -= rho * along.dot(U_t) / size * across.transpose();
    return true;
}

bool Polisher::Newton::step(const OneStepProblem& problem, std::span<double> P)
{
    const int n = problem.size();
    const Eigen::Map<Eigen::VectorXd> P_all(P.data(), n);
    U_.noalias() = W_ * P_all;
    for (int i = 0; i < n; ++i) {
        U_[i] += problem.U_free[i];
    }
    J_.setZero();
    for (int c = 0; c < problem.interactions(); ++c) {
        const int at = problem.offsets[c], d = problem.offsets[c + 1] - at;
        const auto U = shifted_velocity(problem, c, U_);
        std::array<double, 3> local{};
        const ContactStatus status = local_status(problem, c, U, P, local);
        const double rho = W_(at, at) > 0 ? 1 / W_(at, at) : 1.0;  // velocities in the units of percussions
        if (status == ContactStatus::None) return false;

        // open: P = 0
        if (status == ContactStatus::Open) {
            for (int i = 0; i < d; ++i) {
                F_[at + i] = P[at + i];
                J_(at + i, at + i) = 1;
            }
            continue;
        }
        // the normal velocity vanishes, and the tangential one of a contact that sticks
        const int velocities = status == ContactStatus::Stick ? d : 1;
        for (int i = 0; i < velocities; ++i) {
            F_[at + i] = rho * U[i];
            J_.row(at + i) = rho * W_.row(at + i);
        }
        if (velocities == d) continue;

        // sliding: friction at its bound
        const Coulomb& law = std::get<Coulomb>(problem.laws[c]);
        if (const auto* interval = std::get_if<FrictionInterval>(&law.shape)) {
            const double edge = law.friction * (local[1] > 0 ? interval->high : interval->low);
            F_[at + 1] = P[at + 1] - edge * P[at];
            J_(at + 1, at + 1) = 1;
            J_(at + 1, at) = -edge;
            continue;
        }
        if (std::holds_alternative<FrictionRough>(law.shape)) return false;
        const Eigen::Vector2d P_t(P[at + 1], P[at + 2]), U_t(U[1], U[2]);
        if (const auto* polygon = std::get_if<FrictionPolygon>(&law.shape); polygon != nullptr) {
            const PolygonBound bound(*polygon, law.friction, Eigen::Vector2d(local[1], local[2]) / local[0]);
            const Eigen::Vector2d off = P_t - P[at] * bound.v;
            const double size = bound.edge.norm();
            F_[at + 1] = bound.normal.dot(off) / size;
            J_(at + 1, at) = -bound.normal.dot(bound.v) / size;
            J_.block<1, 2>(at + 1, at + 1) = bound.normal.transpose() / size;
            if (bound.corner) {
                F_[at + 2] = bound.edge.dot(off) / size;
                J_(at + 2, at) = -bound.edge.dot(bound.v) / size;
                J_.block<1, 2>(at + 2, at + 1) = bound.edge.transpose() / size;
            } else {
                F_[at + 2] = rho * bound.edge.dot(U_t) / size;
                J_.row(at + 2) = rho / size * bound.edge.transpose() * W_.middleRows<2>(at + 1);
            }
            continue;
        }
        if (std::holds_alternative<FrictionDisc>(law.shape) && law.friction > 0) {
            if (!slide(problem, c, P_t.norm() > 0 ? P_t : Eigen::Vector2d(local[1], local[2]), P[at], U_t,
                       rho))
                return false;
            continue;
        }
        const SmoothBound bound(law.shape, law.friction);
        const Eigen::Vector2d EU = bound.E * U_t;
        const double g = std::sqrt(U_t.dot(EU));
        if (law.friction > 0 && !(g > 0)) return false;
        const Eigen::Vector2d direction =
            law.friction > 0 ? Eigen::Vector2d(EU / g) : Eigen::Vector2d::Zero();
        F_.segment<2>(at + 1) = P_t - P[at] * bound.centre + P[at] * direction;
        if (law.friction > 0) {
            const Eigen::Matrix2d turn = P[at] / g * (bound.E - direction * direction.transpose());
            J_.middleRows<2>(at + 1) = turn * W_.middleRows<2>(at + 1);
        }
        J_.block<2, 2>(at + 1, at + 1) += Eigen::Matrix2d::Identity();
        J_.block<2, 1>(at + 1, at) += direction - bound.centre;
    }
    if (islands_.count() == 1) {
        factor_.compute(J_);
        dP_ = factor_.solve(F_);
    } else {
        for (int k = 0; k < islands_.count(); ++k) {
            solve_island(problem, islands_.members(k));
        }
    }
    if (!dP_.allFinite()) return false;
    for (int i = 0; i < n; ++i) {
        P[i] -= dP_[i];
    }
    return true;
}

/// dP of the members of an island, which know nothing of the others.
void Polisher::Newton::solve_island(const OneStepProblem& problem, std::span<const int> members)
{
    rows_.clear();
    for (const int c : members) {
        for (int row = problem.offsets[c]; row < problem.offsets[c + 1]; ++row) {
            rows_.push_back(row);
        }
    }
    const auto n = static_cast<Eigen::Index>(rows_.size());
    J_island_.resize(n, n);
    F_island_.resize(n);
    for (Eigen::Index j = 0; j < n; ++j) {
        F_island_[j] = F_[rows_[static_cast<std::size_t>(j)]];
        for (Eigen::Index i = 0; i < n; ++i) {
            J_island_(i, j) = J_(rows_[static_cast<std::size_t>(i)], rows_[static_cast<std::size_t>(j)]);
        }
    }
    factor_.compute(J_island_);
    dP_island_ = factor_.solve(F_island_);
    for (Eigen::Index i = 0; i < n; ++i) {
        dP_[rows_[static_cast<std::size_t>(i)]] = dP_island_[i];
    }
}

void Polisher::polish(const OneStepProblem& problem, std::span<double> P, ResidualScratch& scratch)
{
    if (problem.interactions() > max_interactions) return;
    if (!newton_) newton_ = std::make_unique<Newton>();
    newton_->load(problem);
    std::vector<double>& trial = newton_->trial_;
    trial.reserve(static_cast<std::size_t>(max_rows));
    trial.assign(P.begin(), P.end());
    double best = solved_to(residual(problem, P, scratch));
    double last = best;
    for (int step = 0; step < max_steps && best > std::numeric_limits<double>::epsilon(); ++step) {
        if (!newton_->step(problem, trial)) return;
        for (int c = 0; c < problem.interactions(); ++c) {
            project_on_set(problem.laws[c], problem.part(std::span<double>(trial), c));
        }
        const Residual now = residual(problem, trial, scratch);
        if (!now.finite) return;
        if (solved_to(now) < best) {
            best = solved_to(now);
            std::copy(trial.begin(), trial.end(), P.begin());
        }
        if (step > 2 && solved_to(now) > 0.5 * last) return;
        last = solved_to(now);
    }
}

}  // namespace carom
