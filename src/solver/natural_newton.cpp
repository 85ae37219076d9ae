#include "solver/natural_newton.hpp"

#include "core/dense.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace carom {
namespace {

constexpr int max_steps = 25;

/// Error of velocities, as a part of theirs, that is no sign of percussions without bounds.
constexpr double small_velocity = 1e-6;

using Block = std::array<double, max_components>;

bool is_rough(const Law& law)
{
    const auto* coulomb = std::get_if<Coulomb>(&law);
    return coulomb != nullptr && std::holds_alternative<FrictionRough>(coulomb->shape);
}

/// F_c of one interaction.
Block natural_map(const Law& law, std::span<const double> P, std::span<const double> U_minus,
                  std::span<const double> U, double rho)
{
    const std::size_t d = P.size();
    Block s{}, F{};
    velocity_shift(law, U_minus, U, std::span(s).first(d));
    for (std::size_t k = 0; k < d; ++k) {
        F[k] = P[k] - rho * (U[k] + s[k]);
    }
    project_on_set(law, std::span(F).first(d));
    for (std::size_t k = 0; k < d; ++k) {
        F[k] = P[k] - F[k];
    }
    return F;
}

}  // namespace

struct NaturalNewton::Memory {
    Eigen::MatrixXd W, J;
    Eigen::VectorXd U, F, dP;
    std::vector<double> trial;

    void load(const OneStepProblem& problem);
    [[nodiscard]] bool step(const OneStepProblem& problem, std::span<double> P);
    void add_block(const OneStepProblem& problem, int c, std::span<const double> P);
};

NaturalNewton::NaturalNewton() = default;
NaturalNewton::~NaturalNewton() = default;
NaturalNewton::NaturalNewton(NaturalNewton&&) noexcept = default;
NaturalNewton& NaturalNewton::operator=(NaturalNewton&&) noexcept = default;

void NaturalNewton::Memory::load(const OneStepProblem& problem)
{
    const int n = problem.size();
    W.setZero(n, n);
    for (int c = 0; c < problem.interactions(); ++c) {
        for (const auto& entry : problem.W.row(c)) {
            const auto block = problem.W.block(c, entry);
            const int rows = problem.W.dimension(c), columns = problem.W.dimension(entry.column);
            for (int k = 0; k < rows * columns; ++k) {
                W(problem.offsets[c] + k / columns, problem.offsets[entry.column] + k % columns) =
                    block[static_cast<std::size_t>(k)];
            }
        }
    }
    J.resize(n, n);
    F.resize(n);
}

/// F and J in the rows of interaction c.
void NaturalNewton::Memory::add_block(const OneStepProblem& problem, int c, std::span<const double> P)
{
    const Law& law = problem.laws[c];
    const int at = problem.offsets[c], d = problem.offsets[c + 1] - at;
    const auto size = static_cast<std::size_t>(d);
    const auto P_c = problem.part(P, c);
    const auto U_c = problem.part(std::span<const double>(U.data(), static_cast<std::size_t>(U.size())), c);
    const auto U_minus = problem.part(std::span<const double>(problem.U_minus), c);
    const double trace = W.diagonal().segment(at, d).sum();
    const double rho = trace > 0 ? d / trace : 1.0;
    const Block here = natural_map(law, P_c, U_minus, U_c, rho);
    F.segment(at, d) = Eigen::Map<const Eigen::VectorXd>(here.data(), d);

    // one component: either U + s = 0, or P is at a bound
    if (d == 1) {
        Block s{};
        velocity_shift(law, U_minus, U_c, std::span(s).first(1));
        double nearest = P_c[0] - rho * (U_c[0] + s[0]);
        const double before = nearest;
        project_on_set(law, {&nearest, 1});
        if (nearest == before)
            J.row(at) = rho * W.row(at);
        else
            J(at, at) = 1;
        return;
    }

    // several: differences of the map, small against what it maps
    double scale = std::numeric_limits<double>::min();
    for (std::size_t k = 0; k < size; ++k) {
        scale = std::max({scale, std::abs(P_c[k]), rho * std::abs(U_c[k])});
    }
    const double step = 1e-7 * scale;
    for (std::size_t k = 0; k < size; ++k) {
        Block moved{};
        std::copy(P_c.begin(), P_c.end(), moved.begin());
        moved[k] += step;
        const Block by_P = natural_map(law, std::span(moved).first(size), U_minus, U_c, rho);
        std::copy(U_c.begin(), U_c.end(), moved.begin());
        moved[k] += step / rho;
        const Block by_U = natural_map(law, P_c, U_minus, std::span(moved).first(size), rho);
        for (int i = 0; i < d; ++i) {
            const auto row = static_cast<std::size_t>(i);
            J(at + i, at + static_cast<int>(k)) += (by_P[row] - here[row]) / step;
            J.row(at + i) += rho * (by_U[row] - here[row]) / step * W.row(at + static_cast<int>(k));
        }
    }
}

bool NaturalNewton::Memory::step(const OneStepProblem& problem, std::span<double> P)
{
    Eigen::Map<Eigen::VectorXd> P_all(P.data(), problem.size());
    U = W * P_all + Eigen::Map<const Eigen::VectorXd>(problem.U_free.data(), problem.size());
    J.setZero();
    for (int c = 0; c < problem.interactions(); ++c) {
        add_block(problem, c, P);
    }
    // least squares of least length: redundant constraints leave J singular
    dP = LeastSquares(J).solve(F);
    if (!dP.allFinite()) return false;
    P_all -= dP;
    return true;
}

void NaturalNewton::polish(const OneStepProblem& problem, std::span<double> P, ResidualScratch& scratch)
{
    const bool rough = std::any_of(problem.laws.begin(), problem.laws.end(), is_rough);
    if (problem.size() > max_rows || rough) return;
    if (!memory_) memory_ = std::make_unique<Memory>();
    memory_->load(problem);
    std::vector<double>& trial = memory_->trial;
    trial.assign(P.begin(), P.end());
    const Residual start = residual(problem, P, scratch);
    double best = start.unit_free, best_velocity = start.velocity;
    double last = best;
    for (int step = 0; step < max_steps && best > 4 * std::numeric_limits<double>::epsilon(); ++step) {
        if (!memory_->step(problem, trial)) return;
        for (int c = 0; c < problem.interactions(); ++c) {
            project_on_set(problem.laws[c], problem.part(std::span<double>(trial), c));
        }
        const Residual now = residual(problem, trial, scratch);
        if (!now.finite) return;
        // a step along what W hardly sees makes percussions so large that any error is small beside them
        const bool honest = now.velocity <= std::max(best_velocity, small_velocity);
        if (now.unit_free < best && honest) {
            best = now.unit_free;
            best_velocity = now.velocity;
            std::copy(trial.begin(), trial.end(), P.begin());
        }
        if (step > 4 && now.unit_free > 0.5 * last) return;
        last = now.unit_free;
    }
}

}  // namespace carom
