#include "body_parts.hpp"
#include "body_response.hpp"

#include <algorithm>

namespace carom::detail {
namespace {

// Newton's last digits: those that a step at rest leaves in the velocities of the next one
constexpr double nearly_exact = 1e-13;
constexpr int max_newton_steps = 8;

bool factorises(SolverKind kind)
{
    return kind == SolverKind::Admm || kind == SolverKind::ProximalNewton ||
           kind == SolverKind::InteriorPoint;
}

/// A structure that sweeps cannot hold is solved well where it stands, or where accuracy is asked for: solved
/// to a tolerance that lets it creep, it is not at rest, and every later step has to solve it anew. Coarser
/// tolerances are for what moves anyway.
SolverSettings thoroughly(SolverSettings solver, int interactions, bool structure)
{
    constexpr int affordable = 2000;
    constexpr double well = 1e-8, coarse = 1e-5;
    const bool accurate = (structure || solver.tolerance <= coarse) && interactions <= affordable;
    if (solver.kind == SolverKind::Auto && accurate) solver.tolerance = std::min(solver.tolerance, well);
    return solver;
}

/// A few steps of Newton's method beyond the tolerance, where factors are affordable. They square the error,
/// so a structure at rest has percussions that solve the next steps as well; an error of the size of the
/// tolerance would instead be taken on by the velocities, and be solved for again and again.
void go_to_roundoff(const SolverSettings& solver, BodyScratch& s, SolveReport& report)
{
    if (solver.kind != SolverKind::Auto || report.status != SolveStatus::Converged) return;
    if (!factorises(report.solver) || report.residual.unit_free <= nearly_exact) return;
    SolverSettings newton = solver;
    newton.kind = SolverKind::ProximalNewton;
    newton.tolerance = nearly_exact;
    newton.max_sweeps = max_newton_steps;
    s.P_before.assign(s.P.begin(), s.P.end());
    const SolveReport finished = solve(s.problem, newton, s.P, s.solver);
    report.iterations += finished.iterations;
    report.factorisations += finished.iterations;
    if (finished.residual.finite && solved_to(finished.residual) < solved_to(report.residual)) {
        report.residual = finished.residual;
    } else {
        s.P.assign(s.P_before.begin(), s.P_before.end());
    }
}

}  // namespace

void assemble_whole(const BodyModel& model, BodyScratch& s)
{
    // spheres have had no rows until now
    if (s.rows.size() == 0) {
        for (const BodyContact& contact : s.contacts) {
            add_contact_rows(contact, s.rows);
        }
        s.rows.set_inertia(s.inverse_inertia);
    } else if (s.problem.interactions() == 1 && !s.implicit) {
        return;  // its only block has been there since the laws were loaded
    }
    if (s.implicit) return s.response->assemble(s.rows, s.problem);
    assemble_delassus(model, s.rows, s.contacts_of, s.problem);
}

void solve_assembled(const BodyModel& model, const SolverSettings& solver, double h_s, BodyScratch& s,
                     SolveReport& report)
{
    assemble_whole(model, s);
    const int sweeps = report.iterations;
    report = solve_with_joints(thoroughly(solver, s.problem.interactions(), stands(model, s)), h_s, s);
    // what was asked for may have been reached all the same
    if (report.status == SolveStatus::NotSolved) report = solve_with_joints(solver, h_s, s);
    report.iterations += sweeps;
    go_to_roundoff(solver, s, report);
}

}  // namespace carom::detail
