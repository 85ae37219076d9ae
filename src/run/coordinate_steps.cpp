#include "analytic/series_step.hpp"
#include "end_of_run.hpp"
#include "first_slip.hpp"
#include "impact_delays.hpp"
#include "impact_watch.hpp"
#include "one_step.hpp"
#include "path_watch.hpp"
#include "run_loop.hpp"
#include "run_parts.hpp"
#include "run_watch.hpp"
#include "time_resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// What a step that `until` ends may differ by from two of half its length, as a part of the motion (MS-11).
constexpr double max_off_by_halves = 0.1;

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

/// Steps of a system in coordinates, by a time-stepping scheme or by power series.
class CoordinateSteps final : public Steps {
public:
    CoordinateSteps(const Model& model, const IntegratorSettings& settings, const SolverSettings& solver,
                    const RunPlan& plan, const RunSoFar& run)
        : model_(model),
          settings_(settings),
          step_settings_(settings),
          solver_(solver),
          plan_(plan),
          grid_(run.progress.start_s, time_step_s(settings), plan.duration_s),
          scratch_(model),
          watch_(model, run.state, run.progress.steps > 0 ? time_step_s(settings) : 0.0),
          activation_gap_m_(activation_gap_m(settings))
    {
        scratch_.until = plan.until.formula ? &*plan.until.formula : nullptr;
    }

    StepStatus begin(RunSoFar& run, std::vector<Finding>&) override
    {
        RunProgress& progress = run.progress;
        Certifier& certifier = progress.certifier;
        certifier.set_other_remedy(remedy_beside_steps(settings_));
        if (progress.steps == 0) watch_.at_start(run.state, plan_.duration_s, certifier);

        // a scheme sees gaps at instants only; the series integrator follows the motion itself
        if (std::holds_alternative<SeriesSettings>(settings_)) return StepStatus::Solved;
        paths_.emplace(model_);
        if (progress.reaches.empty()) progress.reaches = reaches_at_start(model_, run.state, scratch_.work);
        if (progress.delays.empty()) progress.delays.resize(static_cast<std::size_t>(model_.contacts()));
        if (progress.steps == 0)
            look_at_time_dependence(model_, run.state, time_step_s(settings_), plan_.duration_s,
                                    plan_.energy_tolerance, certifier);
        return StepStatus::Solved;
    }

    [[nodiscard]] bool is_over(const RunSoFar& run) const override
    {
        return run.progress.steps >= grid_.steps();
    }

    StepReport take(RunSoFar& run) override
    {
        if (const double h = grid_.length(run.progress.steps + 1); h != time_step_s(step_settings_))
            step_settings_ = with_time_step(step_settings_, h);
        return step(model_, step_settings_, solver_, run.state, scratch_);
    }

    void settle(const State& before, RunSoFar& run, StepReport& report) override
    {
        State& state = run.state;
        if (!report.until) state.t_s = grid_.time_after(run.progress.steps + 1);
        if (!crosses_until(plan_, settings_, before, state, scratch_.work)) return;
        shorten_to(*plan_.until.formula, model_, step_settings_, solver_, before, state, scratch_, report);
        const bool moves =
            state.u.size() > 0 && state.u.cwiseAbs().maxCoeff() > 1e-9 * run.progress.rest.fastest;
        const double off =
            moves && scratch_.events.empty() ? off_by_halves(model_, settings_, solver_, before, state) : 0.0;
        if (off <= max_off_by_halves) return;
        run.progress.certifier.add_finding(
            "step_too_long", state.t_s,
            fmt::format("until ends the run within step {}, and two steps of half the length end with {:.2g} "
                        "of the velocity between them: the step is too long to find this instant; take a "
                        "shorter one",
                        run.progress.steps + 1, off),
            true);
    }

    [[nodiscard]] std::string name_of_interaction(int k) const override
    {
        const int i = scratch_.rows.contacts[static_cast<std::size_t>(k)];
        if (model_.is_contact(i)) return name_of_contact(i);
        return model_.system().constraints[static_cast<std::size_t>(model_.part(i).constraint)].name;
    }
    [[nodiscard]] std::string name_of_contact(int c) const override
    {
        return model_.system().contacts[static_cast<std::size_t>(c)].name;
    }
    [[nodiscard]] std::span<const ContactStep> contacts() const override { return scratch_.contacts; }

    std::span<Event> events() override { return scratch_.events; }

    const Eigen::VectorXd& velocities(const RunSoFar& run) override { return run.state.u; }

    void watch(const State& before, const StepReport& report, RunSoFar& run) override
    {
        Certifier& certifier = run.progress.certifier;
        watch_.after_step(before, run.state, scratch_, certifier);
        if (!scratch_.events.empty()) look_at_impacts(model_, settings_, before, report, scratch_, certifier);
        if (!paths_) return;
        paths_->after_step(before, run.state, activation_gap_m_, scratch_, run.progress);
        note_gaps(run.state, scratch_.gap_m, run.progress);
        if (!scratch_.events.empty()) note_impacts(model_, before, report.h_s, scratch_, run.progress);
        if (run.progress.steps == 1) look_at_first_slip(model_, before, report, scratch_, certifier);
    }

    void show(StepView& view) override
    {
        view.contacts = scratch_.contacts;
        view.laws = scratch_.problem.laws;
        view.gap_m = scratch_.gap_m;
        view.reaction_J = scratch_.reaction_J;
        view.u_free = &scratch_.u_free;
        view.pieces = series_pieces(scratch_);
    }

    std::optional<StepProblem> problem() override
    {
        const bool none = scratch_.contacts.empty() && model_.constraints() == 0;
        if (none || !series_pieces(scratch_).empty()) return std::nullopt;
        return StepProblem{scratch_.problem, scratch_.P};
    }

    [[nodiscard]] EventPlaces name_events(std::span<Event>) const override
    {
        return event_places(model_.system());
    }

    [[nodiscard]] std::vector<Finding> findings_of_end(const RunSoFar& run, bool stopped) override
    {
        return carom::findings_of_end(model_, settings_, run, stopped, scratch_);
    }

private:
    const Model& model_;
    const IntegratorSettings& settings_;
    IntegratorSettings step_settings_;  ///< the last step may be shorter
    const SolverSettings& solver_;
    const RunPlan& plan_;
    StepGrid grid_;
    Scratch scratch_;
    RunWatch watch_;
    std::optional<PathWatch> paths_;
    double activation_gap_m_;
};

}  // namespace

std::unique_ptr<Steps> coordinate_steps(const Model& model, const IntegratorSettings& settings,
                                        const SolverSettings& solver, const RunPlan& plan,
                                        const RunSoFar& run)
{
    return std::make_unique<CoordinateSteps>(model, settings, solver, plan, run);
}

RunReport resume_run(const Model& model, const IntegratorSettings& settings, const SolverSettings& solver,
                     const RunPlan& plan, RunSoFar& run, const StepListener& listener)
{
    const auto steps = coordinate_steps(model, settings, solver, plan, run);
    return run_to_end(*steps, {model, solver, plan, listener}, run);
}

}  // namespace carom
