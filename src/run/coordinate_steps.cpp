#include "analytic/series_step.hpp"
#include "contact_drive.hpp"
#include "end_of_run.hpp"
#include "first_slip.hpp"
#include "group_watch.hpp"
#include "impact_delays.hpp"
#include "impact_watch.hpp"
#include "jumping_obstacles.hpp"
#include "one_step.hpp"
#include "path_watch.hpp"
#include "phase_error.hpp"
#include "punctual_run.hpp"
#include "reversing_slip.hpp"
#include "run_loop.hpp"
#include "run_parts.hpp"
#include "run_watch.hpp"
#include "time_resolution.hpp"
#include "unresolved_motion.hpp"
#include "until.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

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
                    const RunPlan& plan, const RunSoFar& run, const State& start)
        : model_(model),
          settings_(settings),
          step_settings_(settings),
          solver_(solver),
          plan_(plan),
          grid_(run.progress.start_s, time_step_s(settings), plan.duration_s),
          scratch_(model),
          watch_(model, run.state, run.progress.steps > 0 ? time_step_s(settings) : 0.0),
          jumps_(model),
          activation_gap_m_(activation_gap_m(settings)),
          start_(run.progress.steps == 0 ? run.state : start)
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
        groups_.emplace(model_,
                        GroupRules{.tolerance = plan_.energy_tolerance, .keeps_energy = keeps_energy()},
                        remedy_beside_steps(settings_));
        groups_->begin(run.state, progress);
        if (progress.reaches.empty()) progress.reaches = reaches_at_start(model_, run.state, scratch_.work);
        if (progress.delays.empty()) progress.delays.resize(static_cast<std::size_t>(model_.contacts()));
        if (progress.drives.empty()) progress.drives = drives_of(model_);
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
        scratch_.until_starts_at_zero = scratch_.until != nullptr && run.progress.steps == 0 &&
                                        is_zero_at_start(*scratch_.until, run.state, scratch_.work);
        return step(model_, step_settings_, solver_, run.state, scratch_);
    }

    void settle(const State& before, RunSoFar& run, StepReport& report) override
    {
        State& state = run.state;
        if (!report.until) state.t_s = grid_.time_after(run.progress.steps + 1);
        if (std::holds_alternative<SeriesSettings>(settings_) ||
            !crosses_until(plan_.until, before, state, run.progress.steps == 0, scratch_.work))
            return;
        const StepAgain again = [&](double h_s, State& after) {
            after = before;
            return step(model_, with_time_step(step_settings_, h_s), solver_, after, scratch_);
        };
        shorten_to(*plan_.until.formula, again, before, state, report, scratch_.work);
        const bool moves =
            state.u.size() > 0 && state.u.cwiseAbs().maxCoeff() > 1e-9 * run.progress.rest.fastest;
        look_at_end_by_delay(before, state, run.progress.certifier);
        const bool first = run.progress.steps == 0;
        if (!moves || (!first && !scratch_.events.empty())) return;
        judge_located_step({.number = run.progress.steps + 1,
                            .length_s = state.t_s - before.t_s,
                            .end_s = state.t_s,
                            .off = off_by_halves(model_, settings_, solver_, before, state),
                            .strikes = first && strikes_within(before)},
                           run.progress.certifier);
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
        if (!paths_) return;
        if (groups_->follows()) groups_->after_step(before, run.state, report, scratch_, run.progress);
        const auto kinetic_J = [&](int contact) {
            return groups_->kinetic_J(contact, run.progress, certifier.sums().watch.kinetic_J);
        };
        if (!scratch_.events.empty())
            look_at_impacts(model_, settings_, before, report, kinetic_J, scratch_, certifier);
        paths_->after_step(before, run.state, activation_gap_m_, scratch_, run.progress);
        note_gaps(run.state, scratch_.gap_m, run.progress);
        note_dissipation(scratch_.contacts, report, run.progress.slip);
        if (!scratch_.events.empty())
            note_impacts(model_, before, report.h_s, plan_.duration_s, scratch_, run.progress);
        jumps_.after_step(before, run.state, activation_gap_m_, scratch_, certifier);
        // each group by itself, which is more than the whole can ask
        if (!groups_->follows()) look_at_smooth_motion(before, run);
        look_for_near_misses({model_, groups_->groups(), activation_gap_m_}, before, scratch_, run);
        if (run.progress.steps == 1)
            look_at_first_slip(first_step(before, report), before.u.cwiseAbs().maxCoeff(), certifier);
    }

    void show(StepView& view) override
    {
        view.contacts = scratch_.contacts;
        view.laws = scratch_.equal.folded() ? scratch_.equal.laws() : scratch_.problem.laws;
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

    [[nodiscard]] EventPlaces name_events(std::span<Event>) const override { return event_places(model_); }

    [[nodiscard]] std::vector<Finding> findings_of_end(const RunSoFar& run, bool stopped) override
    {
        auto findings = carom::findings_of_end(model_, settings_, run, stopped, scratch_);
        look_at_slip_work(run, time_step_s(settings_), plan_.energy_tolerance, findings);
        if (groups_ && groups_->follows()) groups_->look_at_end(run, time_step_s(settings_), findings);
        if (!stopped) look_again_punctually(run, findings);
        return findings;
    }

private:
    /// (LE-23), (LE-25), where nothing else costs the certificate.
    void look_again_punctually(const RunSoFar& run, std::vector<Finding>& findings) const
    {
        const auto scheme = scheme_of(settings_);
        if (!scheme || run.progress.reaches.empty() || is_uncertified(run, findings)) return;
        MotionGroups groups = motion_groups(model_);
        std::vector<ContactScale> scales = contact_scales(groups, run, scheme->small_m);
        std::vector<double> run_scales_J;
        double phase_rad = run.progress.phase.sum_rad;
        for (const GroupSums& sums : run.progress.groups) {
            run_scales_J.push_back(sums.energy.run_scale_J);
            phase_rad = std::max(phase_rad, sums.phase_rad);
        }
        const CoordinateOrder order{.model = model_,
                                    .settings = settings_,
                                    .solver = solver_,
                                    .plan = plan_,
                                    .scheme = *scheme,
                                    .start = start_,
                                    .groups = std::move(groups),
                                    .scales = std::move(scales),
                                    .run_scales_J = std::move(run_scales_J),
                                    .phase_rad = phase_rad};
        look_at_punctual_run(order, run, findings);
        if (!is_uncertified(run, findings)) look_at_phases(order, run, findings);
    }

    /// Of oscillations that it does not resolve (LE-24); with theta > 1/2 they lose it, which (LE-7) sees.
    [[nodiscard]] bool keeps_energy() const
    {
        const auto* theta = std::get_if<MoreauJeanSettings>(&settings_);
        return theta != nullptr && theta->theta == 0.5;
    }

    /// (LE-24), (LE-25) of all coordinates.
    void look_at_smooth_motion(const State& before, RunSoFar& run)
    {
        const State& after = run.state;
        Certifier& certifier = run.progress.certifier;
        const EnergyWatch& energies = certifier.sums().watch;
        if (model_.contacts() > 0)
            note_phase(before.u, after.u, scratch_.events.empty(), scratch_.A,
                       {energies.kinetic_J, energies.run_scale_J}, run.progress.phase);
        if (!keeps_energy() || !unresolved_.after_step(before.u, after.u, scratch_.events.empty(),
                                                       run.progress.rest.fastest, plan_.energy_tolerance))
            return;
        const double alternating_J =
            model_.kinetic_energy({view(after.q), view(unresolved_.alternating()), after.t_s}, scratch_.work);
        unresolved_.judge(alternating_J, energies.run_scale_J, plan_.energy_tolerance, after.t_s,
                          after.t_s - before.t_s, certifier);
    }

    /// (LE-15): an impact of the last step that is seen late fulfils `until`.
    void look_at_end_by_delay(const State& before, const State& after, Certifier& certifier)
    {
        for (const Event& event : scratch_.events) {
            if (event.kind != EventKind::Impact || !(event.velocity_before_m_s < 0)) continue;
            const double gap_m = model_.gap_m(event.contact, point_of(before), scratch_.work);
            const double since_s =
                std::clamp(-gap_m / event.velocity_before_m_s, 0.0, after.t_s - before.t_s);
            if (!ends_by_delay(*plan_.until.formula, before, after, since_s, scratch_.work)) continue;
            certifier.add_finding(end_by_delay(name_of_contact(event.contact), after.t_s));
        }
    }

    /// A contact that was open when the step began collides in it.
    [[nodiscard]] bool strikes_within(const State& before)
    {
        return std::ranges::any_of(scratch_.events, [&](const Event& event) {
            return event.kind == EventKind::Impact &&
                   model_.gap_m(event.contact, point_of(before), scratch_.work) > activation_gap_m_;
        });
    }

    [[nodiscard]] TakenStep first_step(const State& before, const StepReport& report) const
    {
        return {.report = report,
                .contacts = scratch_.contacts,
                .events = scratch_.events,
                .number = 1,
                .began_s = before.t_s,
                .ended_s = before.t_s + report.h_s,
                .tolerance = solver_.tolerance,
                .names = *this};
    }

    const Model& model_;
    const IntegratorSettings& settings_;
    IntegratorSettings step_settings_;  ///< the last step may be shorter
    const SolverSettings& solver_;
    const RunPlan& plan_;
    StepGrid grid_;
    Scratch scratch_;
    RunWatch watch_;
    std::optional<PathWatch> paths_;
    std::optional<GroupWatch> groups_;
    UnresolvedMotion unresolved_;
    JumpingObstacles jumps_;
    double activation_gap_m_;
    State start_;  ///< of the run
};

}  // namespace

std::unique_ptr<Steps> coordinate_steps(const Model& model, const IntegratorSettings& settings,
                                        const SolverSettings& solver, const RunPlan& plan,
                                        const RunSoFar& run, const State& start)
{
    return std::make_unique<CoordinateSteps>(model, settings, solver, plan, run, start);
}

}  // namespace carom
