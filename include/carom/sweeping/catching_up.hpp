#pragma once

#include "carom/sweeping/moving_set.hpp"

#include <limits>
#include <optional>

namespace carom {

/// The sweeping process  -du in N_C(t)(u),  or perturbed,  du in F(t, u) dt - N_C(t)(u):  a point that rests,
/// or follows F, inside a moving convex set and is pushed by its boundary along the normal.
///
/// Symbols    u  the point, right-continuous;  h  step, s;  lambda  time of relaxation, s
/// Theory     docs/theory/sweeping.md, (SW-2) process, (SW-3) catching-up, (SW-4) jumps, (SW-6) error of a
///            controlled run, (SW-7) regularisation
/// Papers     [M83 (7.2) to (7.4), (8.17), end of Sec. 8]
///
/// Both methods are non-expansive where F is absent: the distance of two runs with the same steps never
/// grows.

struct SweepingProblem {
    const MovingSet& set;
    Metric metric = Metric::euclidean();  ///< in which N and the nearest points are taken
    std::function<Eigen::VectorXd(double t_s, const Eigen::VectorXd& u)> F =
        {};  ///< per second; absent: zero

    /// Instants at which C jumps, increasing. A step ends there, with the set before the jump, and u jumps to
    /// the nearest point of the set after it. A jump that is not named counts as motion within a step.
    std::vector<double> jumps_s = {};
};

struct SweepingSettings {
    double time_step_s = 1e-3;  ///< > 0; the first step, if steps are controlled
    double tolerance_per_s = std::numeric_limits<double>::infinity();  ///< > 0, units of u: error per second;
                                                                       ///< infinite: all steps equal
    double smallest_step_s = 1e-9;  ///< > 0; a controlled step is not made smaller
    bool measure_distance = true;   ///< of every u to its set, by a projection of its own
};

/// How a sweep ended. Only `Finished` guarantees that u is the point at the end.
enum class SweepEnd {
    Finished,
    Listener,      ///< requested by the listener
    NotConverged,  ///< a nearest point was not found; u is the point before that step
    NotFinite,     ///< F is not finite; u is the point before that step
    NoSet,         ///< the moving set gave an error at some instant, see `error`
};

/// What is known of the points: a report that ends `Finished` used converged nearest points only.
struct SweepReport {
    SweepEnd end = SweepEnd::Finished;
    double t_s = 0;            ///< time of u
    int steps = 0;             ///< accepted, jumps not counted
    int rejected = 0;          ///< steps that were repeated smaller
    int at_smallest_step = 0;  ///< steps accepted only because they could not be made smaller
    double largest_outside =
        0;                 ///< largest distance of u to C(t) after a step or jump, in the metric, if measured
    double variation = 0;  ///< sum of |u_after - u_before| over steps and jumps, in the metric
    double error_estimate =
        0;  ///< sum of the differences between whole and halved steps (SW-6), if controlled
    std::optional<Error> error{};  ///< why there was no set
};

/// What a sweep carries from step to step besides its instant and its point: with them it continues bit for
/// bit.
struct SweepProgress {
    double h_s = 0;               ///< length that the next controlled step tries
    double steps_since_jump = 0;  ///< of equal length, since the start or the last instant of a jump
    double pushed = 0;            ///< 1: the set pushed in the last step, or where it jumped at its end
};

/// What a listener sees after every step and every jump.
struct SweepStep {
    double t_s;
    const Eigen::VectorXd& u;
    bool is_jump;
};
using SweepListener = std::function<bool(const SweepStep&)>;  ///< false: stop

/// Moreau's catching-up algorithm from (begin_s, u) to end_s (SW-3), u in place. A start outside C(begin_s)
/// is a jump at the start. Errors: SettingOutOfRange (steps, tolerance, interval, order of jumps), WrongSize
/// and NotFinite (u, metric).
[[nodiscard]] Expected<SweepReport> catching_up(const SweepingProblem& problem,
                                                const SweepingSettings& settings, double begin_s,
                                                double end_s, Eigen::VectorXd& u,
                                                const SweepListener& listener = {});

/// The regularised process  u' = F - (u - prox_C(t) u) / lambda  by implicit steps in closed form (SW-7). u
/// is outside C by `largest_outside`; it does not jump with C. Errors: as above, lambda not greater than
/// zero.
[[nodiscard]] Expected<SweepReport> yosida(const SweepingProblem& problem, double lambda_s,
                                           const SweepingSettings& settings, double begin_s, double end_s,
                                           Eigen::VectorXd& u, const SweepListener& listener = {});

}  // namespace carom
