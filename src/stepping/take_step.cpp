#include "mechanical_system.hpp"
#include "step_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Percussions that miss the tolerance may create so much of the kinetic energy.
constexpr double max_created = 0.01;

/// Forces and percussions in turn, until forces are as good as the scheme asks for. False where the step
/// fails.
bool solve_with_forces(MechanicalSystem& system, const SolverSettings& solver, StepReport& report)
{
    report.status = StepStatus::Solved;
    system.drift(report);
    int selected = 0;
    while (has_advanced(report.status)) {
        report.status = StepStatus::Solved;
        system.solve(solver, report);

        // what was selected in one pass solves the next one as it is
        selected = std::max(selected, report.solve.selection.selected);
        report.solve.selection.selected = selected;
        if (!has_advanced(report.status) || !system.drift_again(report)) break;
    }
    return has_advanced(report.status);
}

/// Part of the kinetic energy that percussions made which are not solved well; 0 for good ones.
double created_part(MechanicalSystem& system, const StepReport& report)
{
    if (report.solve.status != SolveStatus::NotSolved) return 0;
    const double kinetic_J = system.free_kinetic_J();
    return kinetic_J > 0 ? system.created_J() / kinetic_J : 0;
}

/// A solver that was asked for and gave percussions that miss the tolerance and drive the system apart is
/// replaced by `auto`; where that does the same the step is not taken: false.
bool replace_bad_percussions(MechanicalSystem& system, double start_s, const SolverSettings& solver,
                             StepReport& report)
{
    const double part = created_part(system, report);
    if (!(part > max_created)) return true;
    const auto name = name_of(solver.kind);
    if (solver.kind != SolverKind::Auto) {
        SolverSettings other = solver;
        other.kind = SolverKind::Auto;
        if (!solve_with_forces(system, other, report)) return false;
        if (!(created_part(system, report) > max_created)) {
            report.findings.push_back({.code = "solver_replaced",
                                       .time_s = start_s,
                                       .message = fmt::format("{} gave percussions that create {:.2g} of the "
                                                              "kinetic energy: auto replaced it in this step",
                                                              name, part)});
            return true;
        }
    }
    report.status = StepStatus::Undetermined;
    report.findings.push_back(
        {.code = "unsolved_step",
         .time_s = start_s,
         .message = fmt::format("the percussions that {} found create {:.2g} of the kinetic energy, and no "
                                "others were found: the step was not taken",
                                name, part),
         .uncertifies = true});
    return false;
}

/// Energies at both ends, and what the correction did to those of the end (LE-2).
void add_correction(const Energies& start, const Energies& advanced, const Energies& end, EnergyLines& lines)
{
    lines.kinetic_J = end.kinetic_J - start.kinetic_J;
    lines.potential_J = end.potential_J - start.potential_J;
    lines.correction_J += end.kinetic_J - advanced.kinetic_J;
    lines.correction_J += end.potential_J - advanced.potential_J;
}

void fail(StepStatus status, StepReport& report)
{
    report = failed(status, report.h_s);
}

}  // namespace

void take_step(MechanicalSystem& system, double start_s, const SolverSettings& solver, StepReport& report)
{
    // predict: half a step with the old velocity (MS-1)
    if (!system.predict()) return fail(StepStatus::MetricSingular, report);

    // detect: contacts that this step can close (MS-1), (BO-9)
    system.detect();

    // strike: an impact map changes the velocities where open contacts close (IM-1)
    if (!system.strike(report)) return fail(StepStatus::LawOutOfRange, report);

    // free velocity, then U = W P + U_free, -(U + s) in N_C(P) (MS-2), (MS-3), (MJ-2)
    if (!solve_with_forces(system, solver, report) ||
        !replace_bad_percussions(system, start_s, solver, report)) {
        report = failed(std::move(report));
        return;
    }
    if (report.status == StepStatus::NotSolved && solver.is_stopped()) return;
    if (report.solve.selection.several > 0) {
        for (const OtherMotion& other : system.other_motions())
            add_other_motion(other, start_s, system.names_of(other), report);
    }

    // advance: places at the end by the velocities that percussions left (MS-4)
    if (!system.advance()) return fail(StepStatus::NotFinite, report);

    // account: every joule gets a line (LE-2)
    const Energies start = system.energies_at_start(), advanced = system.energies_at_end();
    system.account(start, advanced, report);

    // correct: what overlaps and does not separate is moved apart (MS-5)
    report.at_end = system.correct(report) ? system.energies_at_end() : advanced;
    if (!std::isfinite(report.at_end.kinetic_J + report.at_end.potential_J))
        return fail(StepStatus::NotFinite, report);
    add_correction(start, advanced, report.at_end, report.energy);

    // watch: what theory says about the step, statuses, events; and commit
    system.watch(report);
    system.commit(report);
}

}  // namespace carom
