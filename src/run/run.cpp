#include "carom/run/run.hpp"

#include "expression/workspace.hpp"
#include "run/step_view.hpp"
#include "run_parts.hpp"
#include "stepping/rank_watch.hpp"
#include "system/bodies/body_model.hpp"
#include "system/lagrangian/constraint_rank.hpp"
#include "visit_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

double largest(const Eigen::VectorXd& u)
{
    return u.size() > 0 ? u.cwiseAbs().maxCoeff() : 0.0;
}

/// The last piece that begins at or before t, up to roundings: the right limit also where an impact at an
/// instant that is known exactly was found a rounding later.
const SeriesPiece& piece_at(std::span<const SeriesPiece> pieces, double t_s)
{
    const double reached_s = t_s + 4e-15 * std::abs(t_s);
    auto later = std::find_if(pieces.begin() + 1, pieces.end(),
                              [&](const SeriesPiece& piece) { return piece.t_s > reached_s; });
    return *(later - 1);
}

}  // namespace

Expected<void> check(const RunPlan& plan)
{
    return check_settings("RunPlan", plan);
}

Expected<void> check(const RecordSettings& settings)
{
    return check_settings("RecordSettings", settings);
}

void interpolate(const StepView& view, double t_s, Eigen::VectorXd& q, Eigen::VectorXd& u)
{
    if (!(view.after.t_s > view.before.t_s)) {  // the run ended where the step began
        q = view.after.q;
        u = view.after.u;
        return;
    }
    if (const auto pieces = view.pieces; !pieces.empty()) {
        const SeriesPiece& piece = piece_at(pieces, t_s);
        piece.at(std::clamp(t_s - piece.t_s, 0.0, piece.h_s), q, u);
        if (t_s >= view.after.t_s) u = view.after.u;
        return;
    }
    const double h = view.after.t_s - view.before.t_s;
    const double part = std::clamp((t_s - view.before.t_s) / h, 0.0, 1.0);
    if (view.smooth) {
        // the velocity has changed smoothly: as if by a constant acceleration
        u = view.before.u + part * (view.after.u - view.before.u);
        q = view.before.q + part * h * view.before.u +
            part * part * (view.after.q - view.before.q - h * view.before.u);
        return;
    }
    q = view.before.q + part * (view.after.q - view.before.q);
    u = view.after.u;
}

void RestWatch::at_start(const Eigen::VectorXd& u)
{
    fastest = largest(u);
}

void RestWatch::after_step(const Eigen::VectorXd& u)
{
    note(largest(u));
}

void RestWatch::note(double speed)
{
    fastest = std::max(fastest, speed);
    still_steps = speed <= 1e-9 * fastest ? still_steps + 1 : 0;
}

RunSoFar start_run(const Model& model, State start)
{
    Workspace work;
    RunSoFar run{.state = std::move(start), .progress = {}, .events = {}};
    const Point at = point_of(run.state);
    run.progress.start_s = run.state.t_s;
    run.progress.certifier = Certifier(
        {.kinetic_J = model.kinetic_energy(at, work), .potential_J = model.potential_energy(at, work)});
    if (model.constraints() > 0)
        tell_rank(diagnose_constraints(model, run.state), run.state.t_s, run.progress.certifier);
    return run;
}

EventPlaces event_places(const Model& model)
{
    const LagrangianSystem& system = model.system();
    const BodyModel* bodies = model.bodies();
    const int stops = bodies != nullptr ? bodies->stops : 0,
              actors = bodies != nullptr ? static_cast<int>(bodies->actors.size()) : 0;
    EventPlaces places;
    for (const Contact& contact : system.contacts)
        places.names.push_back(contact.name);
    for (int stop = 0; stop < stops; ++stop)
        places.names.push_back(bodies->name_of_actor(stop));
    if (!system.swept_by.empty()) places.names.push_back(system.swept_by);
    places.contacts = places.names.size();
    for (const Constraint& constraint : system.constraints)
        places.names.push_back(constraint.name);
    for (int actor = stops; actor < actors; ++actor)
        places.names.push_back(bodies->name_of_actor(actor));
    return places;
}

RunReport simulate(const Model& model, const IntegratorSettings& settings, const SolverSettings& solver,
                   const RunPlan& plan, State& state, const StepListener& listener)
{
    RunSoFar run = start_run(model, state);
    RunReport report = resume_run(model, settings, solver, plan, run, listener);
    state = std::move(run.state);
    return report;
}

std::optional<RunEnd> end_of_failed(StepStatus status)
{
    switch (status) {
    case StepStatus::NotFinite: return RunEnd::NotFinite;
    case StepStatus::MetricSingular: return RunEnd::MetricSingular;
    case StepStatus::LawOutOfRange: return RunEnd::LawOutOfRange;
    case StepStatus::Undetermined: return RunEnd::Undetermined;
    case StepStatus::NoNearestPoint: return RunEnd::UnsolvedStep;
    case StepStatus::Solved:
    case StepStatus::NotSolved: break;
    }
    return std::nullopt;
}

const char* explain(RunEnd end)
{
    switch (end) {
    case RunEnd::NotFinite: return "a force, gap or velocity became infinite or not a number";
    case RunEnd::MetricSingular:
        return "the kinetic matrix lost its positivity: some velocity has no kinetic energy";
    case RunEnd::LawOutOfRange:
        return "the law of a contact left its range (restitution from 0 to 1, friction not negative), or an "
               "impact map gave no velocity";
    default: return "";
    }
}

std::optional<RunEnd> end_by_plan(const RunPlan& plan, const StepReport& report, const RestWatch& rest,
                                  bool until)
{
    std::optional<RunEnd> end;
    const bool solved = report.status == StepStatus::Solved;
    if (!solved && plan.on_unsolved == OnUnsolved::Stop) end = RunEnd::UnsolvedStep;
    if (plan.until.rest && rest.at_rest()) end = RunEnd::Rest;
    if (until) end = RunEnd::Formula;
    return end;
}

void tell_unsolved(const StepReport& report, double tolerance, long step, double time_s,
                   const std::function<std::string(int)>& name, Certifier& certifier)
{
    const bool told = std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
        return finding.code == "unsolved_step" || finding.code == "no_solution";
    });
    if (report.status != StepStatus::NotSolved || told) return;
    if (report.solve.proof) {
        std::vector<std::string> names;
        for (const int k : report.solve.proof->interactions) {
            std::string one = name(k);
            if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(std::move(one));
        }
        certifier.add_finding("no_solution", time_s,
                              fmt::format("step {}: {}", step, in_words(*report.solve.proof, names)), true);
    } else if (!is_solved(report.solve.residual, tolerance)) {
        certifier.add_finding("unsolved_step", time_s,
                              fmt::format("step {}: the one-step problem is not solved: {}", step,
                                          shortfall(report.solve.residual, tolerance)),
                              true);
    }
}

bool is_uncertified(const RunSoFar& run, std::span<const Finding> at_end)
{
    const auto costs = [](const Finding& finding) { return finding.uncertifies; };
    return std::ranges::any_of(at_end, costs) ||
           std::ranges::any_of(run.progress.certifier.findings_at_end(), costs);
}

void judge_run(const Certifier& certifier, bool failed, RunReport& report)
{
    report.certificate = certifier.certificate();
    report.findings = certifier.findings_at_end();
    report.status = failed                  ? RunStatus::Failed
                    : certifier.certified() ? RunStatus::Certified
                                            : RunStatus::Uncertified;
}

std::string_view name_of(RunEnd end) noexcept
{
    switch (end) {
    case RunEnd::Duration: return "duration";
    case RunEnd::Rest: return "rest";
    case RunEnd::Formula: return "formula";
    case RunEnd::Listener: return "stopped";
    case RunEnd::UnsolvedStep: return "unsolved_step";
    case RunEnd::NotFinite: return "not_finite";
    case RunEnd::MetricSingular: return "metric_singular";
    case RunEnd::LawOutOfRange: return "law_out_of_range";
    case RunEnd::Undetermined: return "undetermined";
    }
    return "unknown";
}

std::string_view name_of(RunStatus status) noexcept
{
    switch (status) {
    case RunStatus::Certified: return "certified";
    case RunStatus::Uncertified: return "uncertified";
    case RunStatus::Failed: return "failed";
    }
    return "unknown";
}

}  // namespace carom
