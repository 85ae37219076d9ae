#include "drivers.hpp"
#include "instant_watch.hpp"
#include "stepping/scratch.hpp"

#include "carom/onestep/problem.hpp"
#include "carom/solver/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace carom::reference {
namespace {

enum Coordinates { X, Y, Phi };

constexpr int runs = 60;            // with random steps; the statement asks for 40 or more
constexpr unsigned long seed = 15;  // of the steps

/// A plane body with a round tip on a rough floor; q = (x_G, y_G, phi).
class RoundTippedBody {
public:
    explicit RoundTippedBody(const Task& task)
        : model_(model_of({.coordinates = {"x", "y", "phi"},
                           .kinetic = "m*(x'^2 + y'^2 + rho^2*phi'^2)/2",
                           .potential = "m*g*y",
                           .contacts = {{.name = "floor",
                                         .gap = "y - d*cos(phi) - r",
                                         .friction = "coefficient",
                                         .sliding = {"x' + phi'*(d*cos(phi) + r)"}}}},
                          task, {{"coefficient", task.number("gamma")}})),
          law_{.shape = FrictionInterval{}, .friction = task.number("gamma")}
    {
        const double phi0 = task.number("phi0"), omega0 = task.number("omega0");
        const double d = task.number("d"), r = task.number("r");
        const Eigen::Vector3d q(0, d * std::cos(phi0) + r, phi0);
        // in contact, with the slip velocity s0
        const Eigen::Vector3d u(task.number("s0") - omega0 * q[Y], -d * std::sin(phi0) * omega0, omega0);
        start_ = make_state(model_, q, u);
    }

    [[nodiscard]] const Model& model() const noexcept { return model_; }
    [[nodiscard]] const State& start() const noexcept { return start_; }

    /// Velocity of the tip along the floor.
    [[nodiscard]] double slip_m_s(const State& state)
    {
        model_.contact_rows(0, point_of(state), H_, b_, work_);
        return H_[3] * state.u[X] + H_[4] * state.u[Y] + H_[5] * state.u[Phi] + b_[1];
    }

    void step(const MoreauSettings& settings, State& state, Scratch& scratch) const
    {
        const StepReport report = moreau_step(model_, settings, {}, state, scratch);
        if (report.status != StepStatus::Solved) throw DriverFailure("a step was not solved");
    }

    /// The Delassus operator of the last step, whose contact was closed.
    [[nodiscard]] static Eigen::Matrix2d delassus(const Scratch& scratch)
    {
        if (scratch.contacts.empty()) throw DriverFailure("the contact is open");
        const auto W = scratch.problem.W.diagonal(0);
        return Eigen::Matrix2d{{W[0], W[1]}, {W[2], W[3]}};
    }

    /// W_NN - gamma W_NT: positive as long as sliding to the right goes on in one way only.
    [[nodiscard]] double margin(const Scratch& scratch) const
    {
        const Eigen::Matrix2d W = delassus(scratch);
        return W(0, 0) - law_.friction * W(0, 1);
    }

private:
    Model model_;
    Coulomb law_;
    State start_;
    std::vector<double> H_ = std::vector<double>(6), b_ = std::vector<double>(2);
    Workspace work_;
};

/// Sliding up to the catastrophe, with steps that get shorter as it comes near. The gap counts as closed
/// wherever it is small: on a flat floor it does not matter for anything else.
class Approach {
public:
    Approach(RoundTippedBody& body, InstantWatch& watch)
        : body_(body), watch_(watch), state_(body.start()), scratch_(body.model())
    {
    }

    [[nodiscard]] const State& state() const noexcept { return state_; }

    /// Goes on until the margin of unique sliding is below a value.
    void until_margin(double margin)
    {
        for (int n = 0; margin_ > margin; ++n) {
            if (n > 1'000'000) throw DriverFailure("the catastrophe is not reached");
            const double before = margin_, h_s = next_s_;
            const State last = state_;
            body_.step({.time_step_s = h_s, .activation_gap_m = 1e-3}, state_, scratch_);
            if (state_.slides[0] == 0) throw DriverFailure("the body does not slide on");
            watch_.see(last, state_);
            // so short that the margin falls by a thousandth in a step
            margin_ = body_.margin(scratch_);
            const double fall = (before - margin_) / h_s;
            next_s_ = fall > 0 && std::isfinite(fall) ? std::min(step_s, 1e-3 * margin_ / fall) : step_s;
        }
    }

    /// What sudden sticking from a slip velocity does: its normal percussion, and the change of omega.
    [[nodiscard]] Eigen::Vector2d sudden_sticking(double slip_m_s)
    {
        const Eigen::Vector2d U(0, slip_m_s);
        const OneStepProblem firm =
            value_of(make_problem(body_.delassus(scratch_), U, U, {Bilateral{}, Bilateral{}}));
        Eigen::VectorXd P = Eigen::VectorXd::Zero(2), jump = Eigen::VectorXd::Zero(3);
        if (solve(firm, {.tolerance = 1e-12}, view(P)).status != SolveStatus::Converged) {
            throw DriverFailure("the sticking percussion was not found");
        }
        apply_percussions(body_.model(), scratch_.rows, view(P), scratch_.A, view(jump));
        return {P[0], jump[Phi]};
    }

private:
    static constexpr double step_s = 1e-5;

    RoundTippedBody& body_;
    InstantWatch& watch_;
    State state_;
    Scratch scratch_;
    double next_s_ = step_s, margin_ = std::numeric_limits<double>::infinity();
};

/// What is left at the catastrophe, where the margin is zero: limits of (t, phi, omega, slip velocity), which
/// fall by a constant part from decade to decade of the margin.
Eigen::Vector4d limits(RoundTippedBody& body, Approach& approach)
{
    std::vector<Eigen::Array4d> decades;
    for (const double margin : {1e-5, 1e-6, 1e-7}) {
        approach.until_margin(margin);
        const State& now = approach.state();
        decades.emplace_back(now.t_s, now.q[Phi], now.u[Phi], body.slip_m_s(now));
    }
    const Eigen::Array4d first = decades[1] - decades[0], second = decades[2] - decades[1];
    return decades[2] - second * second / (second - first);
}

/// How a run with one step ended.
struct Outcome {
    bool sticks = false;  ///< in the step in which the slip velocity falls most
    double final_slip_m_s = 0;
};

/// Moreau's scheme to the letter: no correction of the configuration.
Outcome outcome(RoundTippedBody& body, double h_s, double end_s)
{
    const MoreauSettings settings{.time_step_s = h_s, .force_passes = 1, .correction = false};
    State state = body.start();
    Scratch scratch(body.model());
    Outcome result;
    double greatest_drop = 0, before = body.slip_m_s(state);
    while (state.t_s < end_s) {
        body.step(settings, state, scratch);
        const double now = body.slip_m_s(state);
        if (before - now > greatest_drop) {
            greatest_drop = before - now;
            result.sticks = state.closed[0] != 0 && state.slides[0] == 0;
        }
        before = result.final_slip_m_s = now;
    }
    return result;
}

/// `step_rule` is a formula of RND, a random number from 0 to 1.
std::vector<Outcome> random_runs(RoundTippedBody& body, const std::string& step_rule, double end_s)
{
    std::mt19937_64 random(seed);
    std::vector<Outcome> result;
    for (int k = 0; k < runs; ++k) {
        const double part = static_cast<double>(random() >> 11) * 0x1p-53;
        result.push_back(outcome(body, number_in(step_rule, {{"RND", part}}), end_s));
    }
    return result;
}

void give_outcomes(const std::vector<Outcome>& outcomes, Answers& answers)
{
    answers.give("final_slip_range *", Means::TimeStepping, [&] {
        const auto [smallest, largest] =
            std::minmax_element(outcomes.begin(), outcomes.end(), [](const Outcome& a, const Outcome& b) {
                return a.final_slip_m_s < b.final_slip_m_s;
            });
        return Json({smallest->final_slip_m_s, largest->final_slip_m_s});
    });
    answers.give("fraction_of_maximal_catastrophes", Means::TimeStepping, [&] {
        const auto sticking = std::count_if(outcomes.begin(), outcomes.end(),
                                            [](const Outcome& outcome) { return outcome.sticks; });
        return Json(static_cast<double>(sticking) / static_cast<double>(outcomes.size()));
    });
}

}  // namespace

/// M88-CAT: a body with a round tip slides into a frictional catastrophe (Moreau 1988, example 15.3). By
/// moreau_step: with short steps up to it, and with random ones through it.
void drive_catastrophe(const Task& task, Answers& answers)
{
    RoundTippedBody body(task);
    InstantWatch watch;
    for (const char* pattern : {"slip_velocity(t=#)", "phi(t=#)", "omega(t=#)"}) {
        watch.wait_for(answers.asked(pattern));
    }
    Approach approach(body, watch);
    const Eigen::Vector4d critical = limits(body, approach);
    const auto at = [&](const Pieces& p) -> const State& { return watch.at(number_in(p[0])); };
    answers.give("slip_velocity(t=#)", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(body.slip_m_s(at(p))); });
    answers.give("phi(t=#)", Means::TimeStepping, [&](const Pieces& p) { return Json(at(p).q[Phi]); });
    answers.give("omega(t=#)", Means::TimeStepping, [&](const Pieces& p) { return Json(at(p).u[Phi]); });
    answers.give("t_catastrophe", Means::Exact, [&] { return Json(critical[0]); });
    answers.give("phi_critical", Means::Exact, [&] { return Json(critical[1]); });
    answers.give("omega_critical", Means::Exact, [&] { return Json(critical[2]); });
    answers.give("slip_velocity_just_before (limit)", Means::Exact, [&] { return Json(critical[3]); });

    const Eigen::Vector2d maximal = approach.sudden_sticking(critical[3]);
    answers.give("max_percussion_normal", Means::Exact, [&] { return Json(maximal[0]); });
    answers.give("omega_after_maximal_catastrophe", Means::Exact,
                 [&] { return Json(critical[2] + maximal[1]); });
    give_outcomes(random_runs(body, task.text("h"), task.number("Tend")), answers);
}

}  // namespace carom::reference
