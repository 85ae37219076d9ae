#include "constraint_pressure.hpp"

#include "core/dense.hpp"
#include "step_parts.hpp"
#include "system/lagrangian/constraint_friction.hpp"
#include "system/lagrangian/constraint_geometry.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carom {
namespace {

constexpr int max_passes = 200;

/// Limits count as settled when they change by this part of themselves.
constexpr double settled = 1e-12;

/// Coefficients this near to the bound of convexity count as beyond it.
constexpr double convex_margin = 1e-9;

/// Firm rows F and the rows T that they press: P_F = N - G P_T, with the generalised normal reactions
/// N = -W_FF^-1 (U_F + what the others do) and G = W_FF^-1 W_FT. N is free of P_T: the rows of T, made
/// orthogonal to those of F in the kinetic metric, are Ballard's tangential forms.
class NormalReactions {
public:
    NormalReactions(const Model& model, const Scratch& s)
    {
        const OneStepProblem& problem = s.problem;
        place_.assign(static_cast<std::size_t>(problem.size()), -1);
        presses_ = std::vector<char>(static_cast<std::size_t>(problem.size()), 0);
        for (int k = 0; k < problem.interactions(); ++k) {
            const int i = s.rows.contacts[k];
            if (model.is_contact(i) || s.released[k]) continue;
            if (model.part(i).limit < 0) {
                place_[problem.offsets[k]] = static_cast<int>(firm_.size());
                firm_.push_back(problem.offsets[k]);
            } else if (is_pressed(model, i)) {
                for (int row = problem.offsets[k]; row < problem.offsets[k + 1]; ++row) {
                    place_[row] = static_cast<int>(rubbing_.size());
                    presses_[row] = 1;
                    rubbing_.push_back(row);
                }
            }
        }
        if (rubbing_.empty()) return;
        const auto rows = static_cast<Eigen::Index>(firm_.size());
        W_FF_.setZero(rows, rows);
        W_FT_.setZero(rows, static_cast<Eigen::Index>(rubbing_.size()));
        scatter(problem);
        if (rows > 1) {
            factor_.compute(W_FF_);
            G_ = factor_.solve(W_FT_);
        } else {
            G_ = W_FT_;
            for (double& entry : G_.reshaped()) {
                entry = divided(entry);
            }
        }
    }

    [[nodiscard]] bool any() const noexcept { return !rubbing_.empty(); }

    static bool is_pressed(const Model& model, int interaction)
    {
        const ConstraintPart& part = model.part(interaction);
        const auto limits = static_cast<int>(model.system().constraints[part.constraint].limits.size());
        for (int l = 0; l < limits; ++l) {
            if (part.dimension > 1 && l != part.limit) continue;
            if (model.pressed_by(part.constraint, l) >= 0) return true;
        }
        return false;
    }

    /// N for percussions P of the others.
    void update(const OneStepProblem& problem, std::span<const double> P)
    {
        N_.resize(static_cast<Eigen::Index>(firm_.size()));
        others_.assign(P.begin(), P.end());
        for (std::size_t row = 0; row < others_.size(); ++row) {
            if (place_[row] >= 0) others_[row] = 0;
        }
        velocity_.resize(others_.size());
        local_velocity(problem, others_, velocity_);
        for (std::size_t f = 0; f < firm_.size(); ++f) {
            N_[static_cast<Eigen::Index>(f)] = velocity_[firm_[f]];
        }
        if (firm_.size() > 1) N_ = -factor_.solve(N_);
        if (firm_.size() == 1) N_[0] = -divided(N_[0]);
    }

    /// Generalised normal reaction of a firm row.
    [[nodiscard]] double normal(int row) const { return N_[place_[row]]; }

    /// The part of N that a tangential row changes of the reaction as it is: P_F = N + k P_T.
    [[nodiscard]] double k(int firm_row, int tangential_row) const
    {
        return -G_(place_[firm_row], place_[tangential_row]);
    }

    /// N of a firm row with what other tangential rows do to it.
    [[nodiscard]] double normal_with_others(int firm_row, int tangential_row, std::span<const double> P) const
    {
        double N = normal(firm_row);
        for (const int row : rubbing_) {
            if (row != tangential_row) N += k(firm_row, row) * P[row];
        }
        return N;
    }

private:
    /// Of a single firm row: by W_FF, or nothing where it has none.
    [[nodiscard]] double divided(double x) const { return W_FF_(0, 0) != 0 ? x / W_FF_(0, 0) : 0.0; }

    void scatter(const OneStepProblem& problem)
    {
        for (int c = 0; c < problem.interactions(); ++c) {
            const int row = problem.offsets[c];
            if (place_[row] < 0 || presses_[row]) continue;
            for (const auto& entry : problem.W.row(c)) {
                const int first = problem.offsets[entry.column];
                const auto block = problem.W.block(c, entry);
                for (int j = 0; j < problem.W.dimension(entry.column); ++j) {
                    if (place_[first + j] < 0) continue;
                    auto& target = presses_[first + j] ? W_FT_ : W_FF_;
                    target(place_[row], place_[first + j]) = block[static_cast<std::size_t>(j)];
                }
            }
        }
    }

    std::vector<int> place_;     ///< row -> its place among firm or rubbing rows, -1: neither
    std::vector<char> presses_;  ///< per row: it rubs
    std::vector<int> firm_, rubbing_;
    Eigen::MatrixXd W_FF_, W_FT_, G_;
    LeastSquares factor_;
    Eigen::VectorXd N_;
    std::vector<double> others_, velocity_;
};

/// Limits from the reactions that press them.
class Pressing {
public:
    Pressing(const Model& model, const ConstraintSolve& step, Scratch& s)
        : model_(model), step_(step), s_(s), reactions_(model, s)
    {
    }

    [[nodiscard]] bool any() const noexcept { return reactions_.any(); }
    [[nodiscard]] const std::string& not_convex() const noexcept { return not_convex_; }

    /// Sets the laws for the present percussions; returns the largest relative change of a limit.
    double set_laws()
    {
        reactions_.update(s_.problem, s_.P);
        double change = 0;
        for (int c = 0; c < s_.problem.interactions(); ++c) {
            const int i = s_.rows.contacts[c];
            if (model_.is_contact(i) || s_.released[c] || model_.part(i).limit < 0) continue;
            if (!NormalReactions::is_pressed(model_, i)) continue;
            Law law = constraint_law(model_, i, step_.at, step_.h_s, s_.work);
            add_pressures(c, i, law);
            change = std::max(change, change_of(s_.problem.laws[c], law));
            s_.problem.laws[c] = std::move(law);
        }
        return change;
    }

private:
    void add_pressures(int c, int i, Law& law)
    {
        const ConstraintPart& part = model_.part(i);
        const auto& limits = model_.system().constraints[part.constraint].limits;
        for (int l = 0; l < static_cast<int>(limits.size()); ++l) {
            const int normal = model_.pressed_by(part.constraint, l);
            if (normal < 0 || (part.dimension > 1 && l != part.limit)) continue;
            const ReactionLimit& limit = limits[static_cast<std::size_t>(l)];
            const double kappa = limit.size.value(step_.at, s_.work);
            if (auto* several = std::get_if<NonFirm>(&law)) {
                several->size += kappa * magnitude(normal, part.constraint);
                continue;
            }
            auto& interval = std::get<Limited>(law);
            const Limited more = limit.real_world
                                     ? real_world(c, normal, kappa, part.constraint)
                                     : interval_of(*limit.set, kappa * magnitude(normal, part.constraint));
            interval.low += more.low;
            interval.high += more.high;
        }
    }

    /// First row of the problem of a constraint's held positions; -1 where it does not act.
    [[nodiscard]] int row_of(int interaction) const
    {
        const int k = s_.rows.index_of[interaction];
        return k < 0 || s_.released[k] ? -1 : s_.problem.offsets[k];
    }

    /// |R_N|: the generalised normal percussion of the held positions of a constraint, as a force (CO-12).
    [[nodiscard]] double magnitude(int normal, int rubbing)
    {
        const Eigen::MatrixXd& metric = metric_of(normal, rubbing);
        const int first = model_.first_part(normal);
        if (metric.size() == 1 && model_.part(first).held) {  // one row: no vectors
            const int row = row_of(first);
            const double P = row >= 0 ? reactions_.normal(row) : 0.0;
            return std::sqrt(std::max(0.0, P * (metric(0, 0) * P)));
        }
        Eigen::VectorXd P = Eigen::VectorXd::Zero(model_.constraint(normal).positions());
        for (int i = model_.first_part(normal); i < model_.first_part(normal + 1); ++i) {
            const int row = row_of(i);
            if (row >= 0 && model_.part(i).held) P[model_.part(i).row] = reactions_.normal(row);
        }
        return std::sqrt(std::max(0.0, P.dot(metric * P)));
    }

    Limited real_world(int c, int normal, double kappa, int constraint)
    {
        const int tangential = s_.problem.offsets[c];
        const int row = row_of(model_.first_part(normal));
        if (row < 0) return {.low = 0, .high = 0};
        const double k = reactions_.k(row, tangential);
        const double mu = kappa * std::sqrt(metric_of(normal, constraint)(0, 0));
        if (!(mu * std::abs(k) < 1 - convex_margin)) {
            not_convex_ = fmt::format(
                "Coulomb's law on the actual reactions gives {} a set of tangential reactions that is "
                "not convex, mu |k| = {:.6g} >= 1: the motion may have no continuation or several, or lock "
                "(B02, examples 13 and 14); kind = \"friction\" is well posed",
                model_.system().constraints[constraint].name, mu * std::abs(k));
            return {.low = 0, .high = 0};
        }
        return coulomb_interval(mu, reactions_.normal_with_others(row, tangential, s_.P), k);
    }

    /// How reactions of one constraint are measured that press another one: the same in all passes of a step.
    const Eigen::MatrixXd& metric_of(int normal, int rubbing)
    {
        for (const KnownMetric& known : metrics_) {
            if (known.normal == normal && known.rubbing == rubbing) return known.F;
        }
        // rows of the step: of held positions one part each, of velocities the rows of the first summand
        std::vector<std::span<const double>> N, T;
        for (int i = model_.first_part(normal); i < model_.first_part(normal + 1); ++i) {
            if (model_.part(i).held) N.push_back(s_.rows.row(s_.rows.index_of[i], 0));
        }
        for (int i = model_.first_part(rubbing); i < model_.first_part(rubbing + 1) && T.empty(); ++i) {
            const int k = s_.rows.index_of[i];
            for (int r = 0; r < s_.rows.dimension(k) && model_.part(i).limit >= 0; ++r)
                T.push_back(s_.rows.row(k, r));
        }
        metrics_.push_back({normal, rubbing, normal_force_metric(model_, normal, N, rubbing, T)});
        return metrics_.back().F;
    }

    static double change_of(const Law& before, const Law& after)
    {
        const auto ends = [](const Law& law) -> std::array<double, 2> {
            if (const auto* limited = std::get_if<Limited>(&law)) return {limited->low, limited->high};
            const auto* several = std::get_if<NonFirm>(&law);
            return several != nullptr ? std::array<double, 2>{-several->size, several->size}
                                      : std::array<double, 2>{};
        };
        const auto a = ends(before), b = ends(after);
        double change = 0, size = 0;
        for (std::size_t k = 0; k < 2; ++k) {
            if (!std::isfinite(b[k])) continue;
            change = std::max(change, std::abs(b[k] - a[k]));
            size = std::max(size, std::abs(b[k]));
        }
        return size > 0 ? change / size : change;
    }

    const Model& model_;
    const ConstraintSolve& step_;
    Scratch& s_;
    NormalReactions reactions_;
    struct KnownMetric {
        int normal, rubbing;
        Eigen::MatrixXd F;
    };
    std::vector<KnownMetric> metrics_;
    std::string not_convex_;
};

}  // namespace

void solve_once(const SolverSettings& solver, Scratch& s, StepReport& report)
{
    report.solve = solve_selected(s.problem, solver, s.P, s.solver);
    report.status = report.solve.status == SolveStatus::NotFinite   ? StepStatus::NotFinite
                    : report.solve.status == SolveStatus::Converged ? StepStatus::Solved
                                                                    : StepStatus::NotSolved;
}

Limited interval_of(const ConvexSet& set, double size)
{
    const double up = 1, down = -1;
    const double high = set.support(std::span(&up, 1)), low = -set.support(std::span(&down, 1));
    const auto scaled = [&](double end) { return std::isinf(end) ? end : size * end; };
    return {.low = scaled(low), .high = scaled(high)};
}

void solve_with_pressures(const Model& model, const ConstraintSolve& step, const SolverSettings& solver,
                          Scratch& s, StepReport& report)
{
    Pressing pressing(model, step, s);
    if (!pressing.any()) {
        solve_once(solver, s, report);
        return;
    }
    double change = 0;
    for (int pass = 0; pass < max_passes; ++pass) {
        change = pressing.set_laws();
        if (!pressing.not_convex().empty()) {
            report.status = StepStatus::Undetermined;
            report.findings.push_back(
                {.code = "coulomb_not_convex", .time_s = step.state.t_s, .message = pressing.not_convex()});
            return;
        }
        if (pass > 0 && change <= settled) return;
        solve_once(solver, s, report);
        if (report.status != StepStatus::Solved) return;
    }
    report.status = StepStatus::NotSolved;
    report.findings.push_back(
        {.code = "friction_not_settled",
         .time_s = step.state.t_s,
         .message = fmt::format("friction of constraints and the normal reactions behind it still change by "
                                "a fraction of {:.2g} after {} passes: take a shorter step",
                                change, max_passes)});
}

}  // namespace carom
