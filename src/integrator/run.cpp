#include "carom/integrator/run.hpp"

#include "account.hpp"
#include "carom/model/constraint_rank.hpp"
#include "end_of_run.hpp"
#include "impact_watch.hpp"
#include "path_watch.hpp"
#include "run_parts.hpp"
#include "run_watch.hpp"
#include "time_resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// What a step that `until` ends may differ by from two of half its length, as a part of the motion (MS-11).
constexpr double most_off_by_halves = 0.1;

/// Firm constraints that depend on each other where the run begins (CO-10), (CO-11).
void look_at_constraints(const Model& model, const State& start, Certifier& certifier)
{
    const ConstraintRank found = diagnose_constraints(model, start);
    if (found.independent()) return;
    const std::string names = fmt::format("{}", fmt::join(found.names, ", "));
    if (!found.singular) {
        certifier.add_finding("constraints_redundant", start.t_s,
                              fmt::format("{} depend on each other, rank {} of {}: the motion is determined, "
                                          "how they share their reactions is not",
                                          names, found.rank, found.rows));
        return;
    }
    certifier.add_finding(
        "constraints_dependent", start.t_s,
        fmt::format("the gradients of {} depend on each other, rank {} of {}, but the positions do not: {}",
                    names, found.rank, found.rows,
                    found.has_solution ? "a motion need not exist" : "there is no solution"));
}

/// Of an interaction of the last step.
std::string name_of_interaction(const Model& model, const Scratch& scratch, int k)
{
    const int i = scratch.rows.contacts[static_cast<std::size_t>(k)];
    if (model.is_contact(i)) return model.system().contacts[static_cast<std::size_t>(i)].name;
    return model.system().constraints[static_cast<std::size_t>(model.part(i).constraint)].name;
}

double activation_gap_m(const IntegratorSettings& settings)
{
    return std::visit([](const auto& scheme) { return scheme.activation_gap_m; }, settings);
}

/// What helps beside a shorter step where the scheme makes or eats energy.
std::string remedy_beside_steps(const IntegratorSettings& settings)
{
    if (std::holds_alternative<MoreauSettings>(settings))
        return "integrator.kind = \"moreau_jean\" or \"series\"";
    if (const auto* jean = std::get_if<MoreauJeanSettings>(&settings)) {
        // theta above 1/2 damps; with 1/2 linear springs keep their energy, other forces need the step
        return jean->theta > 0.5 ? "integrator.theta = 0.5, or integrator.kind = \"series\""
                                 : "integrator.kind = \"series\"";
    }
    return {};
}

/// Whether the formula that ends a run is there.
bool is_reached(const Until& until, const Point& at, Workspace& work)
{
    return until.formula && until.formula->value(at, work) >= 0;
}

/// The until formula became >= 0 within the step of a time-stepping scheme.
bool crosses_until(const RunPlan& plan, const IntegratorSettings& settings, const State& before,
                   const State& after, Workspace& work)
{
    if (!plan.until.formula || std::holds_alternative<SeriesSettings>(settings)) return false;
    return plan.until.formula->value(point_of(after), work) >= 0 &&
           plan.until.formula->value(point_of(before), work) < 0;
}

/// A step at whose end the until formula is >= 0, and was below zero at its beginning: taken again with the
/// length after which it just is (MS-11). Every trial is a step of its own, so that the state it ends in is
/// one of the scheme; where a velocity jumps past zero the jump is the end.
void shorten_to(const Formula& until, const Model& model, const IntegratorSettings& settings,
                const SolverSettings& solver, const State& before, State& state, Scratch& scratch,
                StepReport& report)
{
    double low = 0, high = report.h_s;
    double f_low = until.value(point_of(before), scratch.work);
    double f_high = until.value(point_of(state), scratch.work);
    const double fine = 1e-13 * report.h_s + 4e-16 * std::abs(state.t_s);
    State trial = before;
    for (int pass = 0; pass < 80 && high - low > fine && f_high > 0; ++pass) {
        // false position, and every third time the middle
        const double weight = pass % 3 == 2 ? 0.5 : f_low / (f_low - f_high);
        const double length = low + std::clamp(weight, 0.01, 0.99) * (high - low);
        trial = before;
        const StepReport tried = step(model, with_time_step(settings, length), solver, trial, scratch);
        if (end_of_failed(tried.status)) break;
        const double f = until.value(point_of(trial), scratch.work);
        (f >= 0 ? high : low) = length;
        (f >= 0 ? f_high : f_low) = f;
    }
    // once more: the scratch must be that of the step that counts
    trial = before;
    StepReport last = step(model, with_time_step(settings, high), solver, trial, scratch);
    state = std::move(trial);
    state.t_s = before.t_s + high;
    report = std::move(last);
}

/// How far the located step is from two of half its length (MS-11), as a part of the motion; 0 where
/// something happens in them, which is of first order.
double off_by_halves(const Model& model, const IntegratorSettings& settings, const SolverSettings& solver,
                     const State& before, const State& after)
{
    const double h = after.t_s - before.t_s;
    Scratch scratch(model);
    State half = before;
    for (int k = 0; k < 2; ++k) {
        const StepReport report = step(model, with_time_step(settings, h / 2), solver, half, scratch);
        if (end_of_failed(report.status) || !scratch.events.empty()) return 0;
    }
    const auto size = [&](Eigen::VectorXd x) { return std::sqrt(scratch.A.squared_norm(view(x))); };
    const double speed = std::max(size(before.u), size(after.u));
    const double off = std::max(size(half.u - after.u), size(half.q - after.q) / h);
    return off <= 1e-9 * speed ? 0 : off / speed;
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
    if (!(plan.energy_tolerance > 0)) {
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "RunPlan::energy_tolerance",
                     .message = fmt::format("energy_tolerance is {}", plan.energy_tolerance),
                     .hint = "give a part of the energies that is greater than zero, for example 0.1",
                     .excerpt = {}};
    }
    if (plan.duration_s > 0 && std::isfinite(plan.duration_s)) return {};
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = "RunPlan::duration_s",
                 .message =
                     fmt::format("the duration is {} s: the run would end before it starts", plan.duration_s),
                 .hint = "give a duration greater than zero",
                 .excerpt = {}};
}

Expected<void> check(const RecordSettings& settings)
{
    if (settings.every_s >= 0 && std::isfinite(settings.every_s)) return {};
    return Error{.code = ErrorCode::SettingOutOfRange,
                 .where = "RecordSettings::every_s",
                 .message = fmt::format("every_s is {}", settings.every_s),
                 .hint = "give a time greater than zero, or leave it out",
                 .excerpt = {}};
}

void interpolate(const StepView& view, double t_s, Eigen::VectorXd& q, Eigen::VectorXd& u)
{
    if (!(view.after.t_s > view.before.t_s)) {  // the run ended where the step began
        q = view.after.q;
        u = view.after.u;
        return;
    }
    if (const auto pieces = series_pieces(view.scratch); !pieces.empty()) {
        const SeriesPiece& piece = piece_at(pieces, t_s);
        piece.at(std::clamp(t_s - piece.t_s, 0.0, piece.h_s), q, u);
        if (t_s >= view.after.t_s) u = view.after.u;
        return;
    }
    const double h = view.after.t_s - view.before.t_s;
    const double part = std::clamp((t_s - view.before.t_s) / h, 0.0, 1.0);
    if (view.bodies == nullptr && view.scratch.events.empty()) {
        // the velocity has changed smoothly: as if by a constant acceleration
        u = view.before.u + part * (view.after.u - view.before.u);
        q = view.before.q + part * h * view.before.u +
            part * part * (view.after.q - view.before.q - h * view.before.u);
        return;
    }
    q = view.before.q + part * (view.after.q - view.before.q);
    u = view.after.u;
}

void RestWatch::after_step(const Eigen::VectorXd& u)
{
    const double speed = u.size() > 0 ? u.cwiseAbs().maxCoeff() : 0.0;
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
    if (model.constraints() > 0) look_at_constraints(model, run.state, run.progress.certifier);
    return run;
}

std::vector<std::string> event_names(const LagrangianSystem& system)
{
    std::vector<std::string> names;
    for (const Contact& contact : system.contacts) {
        names.push_back(contact.name);
    }
    for (const Constraint& constraint : system.constraints) {
        names.push_back(constraint.name);
    }
    return names;
}

RunReport simulate(const Model& model, const IntegratorSettings& settings, const SolverSettings& solver,
                   const RunPlan& plan, State& state, const StepListener& listener)
{
    RunSoFar run = start_run(model, state);
    RunReport report = go_on(model, settings, solver, plan, run, listener);
    state = std::move(run.state);
    return report;
}

RunReport go_on(const Model& model, const IntegratorSettings& settings, const SolverSettings& solver,
                const RunPlan& plan, RunSoFar& run, const StepListener& listener)
{
    Scratch scratch(model);
    scratch.until = plan.until.formula ? &*plan.until.formula : nullptr;
    State& state = run.state;
    RunProgress& progress = run.progress;
    Certifier& certifier = progress.certifier;
    certifier.set_energy_tolerance(plan.energy_tolerance);
    certifier.set_other_remedy(remedy_beside_steps(settings));
    State before = state;
    IntegratorSettings step_settings = settings;
    const StepGrid grid(progress.start_s, time_step_s(settings), plan.duration_s);

    RunWatch watch(model, state, progress.steps > 0 ? time_step_s(settings) : 0.0);
    if (progress.steps == 0) watch.at_start(state, plan.duration_s, certifier);

    // a scheme sees gaps at instants only; the series integrator follows the motion itself
    std::optional<PathWatch> paths;
    if (!std::holds_alternative<SeriesSettings>(settings)) {
        paths.emplace(model);
        if (progress.reaches.empty()) progress.reaches = reaches_at_start(model, state, scratch.work);
        if (progress.steps == 0)
            look_at_time_dependence(model, state, time_step_s(settings), plan.duration_s,
                                    plan.energy_tolerance, certifier);
    }

    RunReport result;
    // a formula that is zero where the run begins has yet to come back: what is thrown from the floor lands
    // there
    if (progress.steps == 0 && plan.until.formula &&
        plan.until.formula->value(point_of(state), scratch.work) > 0) {
        progress.end = RunEnd::Formula;
    }
    result.end = progress.end.value_or(RunEnd::Duration);
    bool failed = false;
    while (progress.steps < grid.steps() && result.end == RunEnd::Duration) {
        const long n = progress.steps + 1;
        before = state;
        if (const double h = grid.length(n); h != time_step_s(step_settings))
            step_settings = with_time_step(step_settings, h);
        StepReport report = step(model, step_settings, solver, state, scratch);
        // somebody stopped the solve: the step has not been taken
        if (report.status == StepStatus::NotSolved && solver.is_stopped()) {
            state = before;
            result.end = RunEnd::Listener;
            break;
        }
        if (const auto end = end_of_failed(report.status)) {
            for (const Finding& finding : report.findings) {
                certifier.add_finding(finding);
            }
            if (report.findings.empty())
                certifier.add_finding(std::string(name_of(*end)), before.t_s, explain(*end));
            result.end = *end;
            failed = true;
            break;
        }

        progress.steps = n;
        if (!report.until) state.t_s = grid.time_after(n);
        if (crosses_until(plan, settings, before, state, scratch.work)) {
            shorten_to(*plan.until.formula, model, step_settings, solver, before, state, scratch, report);
            const bool moves =
                state.u.size() > 0 && state.u.cwiseAbs().maxCoeff() > 1e-9 * progress.rest.fastest;
            const double off =
                moves && scratch.events.empty() ? off_by_halves(model, settings, solver, before, state) : 0.0;
            if (!(off <= most_off_by_halves)) {
                certifier.add_finding(
                    "step_too_long", state.t_s,
                    fmt::format(
                        "until ends the run within step {}, and two steps of half the length end with {:.2g} "
                        "of "
                        "the velocity between them: the step is too long to find this instant; take a "
                        "shorter one",
                        n, off),
                    true);
            }
        }
        for (Event& event : scratch.events) {
            event.step = n;
        }
        account({.report = report,
                 .contacts = scratch.contacts,
                 .events = scratch.events,
                 .number = n,
                 .began_s = before.t_s,
                 .ended_s = state.t_s,
                 .tolerance = solver.tolerance,
                 .name_of_interaction = [&](int k) { return name_of_interaction(model, scratch, k); },
                 .name_of_contact =
                     [&](int c) { return model.system().contacts[static_cast<std::size_t>(c)].name; }},
                certifier);
        progress.rest.after_step(state.u);
        watch.after_step(before, state, scratch, certifier);
        if (!scratch.events.empty()) look_at_impacts(model, settings, before, report, scratch, certifier);
        if (paths) {
            paths->after_step(before, state, activation_gap_m(settings), scratch, progress);
            note_gaps(state, scratch.gap_m, progress);
        }

        // whether it was the last is known before anyone keeps it: a run taken up here must not go further
        progress.end = end_by_plan(plan, report, progress.rest, point_of(state), scratch.work);
        const std::span<const Event> events =
            plan.keep_events ? std::span<const Event>(scratch.events) : std::span<const Event>();
        run.events.insert(run.events.end(), events.begin(), events.end());
        const bool wanted = !listener || listener({.model = model,
                                                   .step = n,
                                                   .before = before,
                                                   .after = state,
                                                   .report = report,
                                                   .scratch = scratch,
                                                   .progress = progress,
                                                   .events = events});
        result.end = progress.end.value_or(wanted ? RunEnd::Duration : RunEnd::Listener);
    }

    result.events = run.events;
    result.event_names = event_names(model.system());
    Certifier at_end = certifier;
    for (const Finding& finding :
         findings_of_end(model, settings, run, result.end == RunEnd::Listener, scratch)) {
        at_end.add_finding(finding);
    }
    judge_run(at_end, failed, result);
    return result;
}

std::optional<RunEnd> end_of_failed(StepStatus status)
{
    switch (status) {
    case StepStatus::NotFinite: return RunEnd::NotFinite;
    case StepStatus::MetricSingular: return RunEnd::MetricSingular;
    case StepStatus::LawOutOfRange: return RunEnd::LawOutOfRange;
    case StepStatus::Undetermined: return RunEnd::Undetermined;
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
                                  const Point& at, Workspace& work)
{
    std::optional<RunEnd> end;
    const bool solved = report.status == StepStatus::Solved;
    if (!solved && plan.on_unsolved == OnUnsolved::Stop) end = RunEnd::UnsolvedStep;
    if (plan.until.rest && rest.at_rest()) end = RunEnd::Rest;
    if (report.until || is_reached(plan.until, at, work)) end = RunEnd::Formula;
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
