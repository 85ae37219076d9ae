#pragma once

#include "stepping/scratch.hpp"

namespace carom {

/// What a step asks of constraints. Everything works on the scratch of the step.
///
/// Theory     docs/theory/constraints.md, (CO-3) mean velocity, (CO-4) projection, (CO-5) conditional, (CO-7)
///            sums, (CO-8), (CO-9) friction

/// The law of a part of a constraint in a step of length h, the sizes of its limits taken at this point. What
/// another constraint presses is added by solve_with_constraints().
[[nodiscard]] Law constraint_law(const Model& model, int interaction, const Point& at, double h_s,
                                 Workspace& work);

/// A law that allows no reaction at all.
[[nodiscard]] Law released(int dimension);

/// How a scheme of weight theta holds velocities: (1 - theta) U^- + theta U^+ = 0 (CO-3).
[[nodiscard]] constexpr double carried_part(double theta) noexcept
{
    return (1 - theta) / theta;
}

struct ConstraintSolve {
    const State& state;  ///< where the step begins
    Point at;            ///< where rows and limits were taken
    double h_s;
    double carried;  ///< carried_part() of the scheme
};

/// Solves the assembled problem: firm rows hold the mean velocity, limits follow the reactions that press
/// them, constraints let go where the contact that they wait for does not act.
void solve_with_constraints(const Model& model, const ConstraintSolve& step, const SolverSettings& solver,
                            Scratch& scratch, StepReport& report);

/// (CO-4): projects the violations of held positions, with those of contacts that stay, out of q_end, and
/// writes the velocity that firm constraints allow there into u_held.
void hold_constraints(const Model& model, double activation_gap_m, double t_s, Scratch& scratch,
                      StepReport& report);

/// The largest violation at q_end of the positions that constraints hold.
[[nodiscard]] double largest_violation(const Model& model, double t_s, Scratch& scratch);

/// Percussions of constraints into the state, what they did to the kinetic energy, constraint by constraint,
/// and the events of those that can give way: they engage, lock, slip and release at `time_s`. What those did
/// that held before and still hold goes to the line of corrections (LE-26).
void report_constraints(const Model& model, double time_s, State& state, Scratch& scratch,
                        EnergyLines& lines);

}  // namespace carom
