#include "run/body_run.hpp"

#include "body_watch.hpp"
#include "end_of_run.hpp"
#include "punctual_bodies.hpp"
#include "reversing_slip.hpp"
#include "run_loop.hpp"
#include "run_parts.hpp"
#include "stepping/body_formulas.hpp"
#include "stepping/body_parts.hpp"
#include "unresolved_motion.hpp"
#include "until.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace carom {
namespace {

/// Velocities of centres and spins in one list, for the watch that tells rest.
void velocities_of(const BodyState& state, Eigen::VectorXd& u)
{
    u.resize(6 * state.bodies());
    for (int i = 0; i < state.bodies(); ++i) {
        u.segment<3>(6 * i) = state.v[i];
        u.segment<3>(6 * i + 3) = state.W[i];
    }
}

/// Angles of the plane count turns: of all that mean the same place, those next to where they were. Every
/// third of the first `count` coordinates is one.
void count_turns(Eigen::Index count, const State& before, State& now)
{
    constexpr double turn = 2 * std::numbers::pi;
    for (Eigen::Index i = 2; i < count; i += 3) {
        now.q[i] += turn * std::round((before.q[i] - now.q[i]) / turn);
    }
}

/// What the state of bodies has of the coordinates: those beside the bodies, and in the plane angles, which
/// go on counting turns.
void take_coordinates(const BodyModel& bodies, const State& shown, BodyState& state)
{
    const int others = bodies.setup().coordinates;
    state.q.assign(shown.q.end() - others, shown.q.end());
    state.u.assign(shown.u.end() - others, shown.u.end());
    if (!bodies.is_flat()) return;
    state.angles.assign(state.x.size(), 0.0);
    Eigen::Index at = 2;
    for (int i = 0; i < bodies.bodies(); ++i) {
        if (bodies.setup().bodies[static_cast<std::size_t>(i)].motion == BodyMotion::Fixed) continue;
        if (at < shown.q.size()) state.angles[static_cast<std::size_t>(i)] = shown.q[at];
        at += 3;
    }
}

/// What formulas keep of their contacts and constraints.
void take_statuses(const State& from, State& to)
{
    to.percussion_Ns = from.percussion_Ns;
    to.closed = from.closed;
    to.slides = from.slides;
    to.constraint_status = from.constraint_status;
}

/// What the schemes of bodies have in common; those of Moreau's.
MoreauSettings midpoint_of(const IntegratorSettings& settings)
{
    if (const auto* jean = std::get_if<MoreauJeanSettings>(&settings)) return midpoint_settings(*jean);
    return std::get<MoreauSettings>(settings);
}

/// Steps of bodies; the run sees them as coordinates.
class BodySteps final : public Steps {
public:
    BodySteps(const Model& coordinates, const IntegratorSettings& scheme, const SolverSettings& solver,
              const RunPlan& plan, const RunSoFar& run, BodyState& state, const State& start)
        : model_(*coordinates.bodies()),
          coordinates_(coordinates),
          of_formulas_(coordinates),
          scheme_(scheme),
          settings_(midpoint_of(scheme)),
          solver_(solver),
          plan_(plan),
          grid_(run.progress.start_s, settings_.time_step_s, plan.duration_s),
          state_(state),
          shown_{model_, state, {}, {}},
          joints_(model_, state, run.progress.steps > 0 ? settings_.time_step_s : 0.0),
          watch_(model_, settings_, plan),
          start_(run.progress.steps == 0 ? run.state : start)
    {
        take_coordinates(model_, run.state, state);
        if (model_.setup().with_formulas)
            scratch_.formulas =
                std::make_shared<detail::BodyFormulas>(model_, coordinates, run.state, of_formulas_);
    }

    StepStatus begin(RunSoFar& run, std::vector<Finding>&) override
    {
        if (run.progress.reaches.empty()) {
            run.progress.reaches = reaches_at_start(coordinates_, run.state, of_formulas_.work);
            run.progress.reaches.emplace_back();  // how far bodies move
        }
        run.progress.delays.resize(static_cast<std::size_t>(coordinates_.contacts()));
        watch_.begin(state_, run);
        velocities_of(state_, last_velocities_);
        if (run.progress.steps > 0) return StepStatus::Solved;
        if (const auto overlap = detail::overlap_at_start(model_, settings_, state_))
            run.progress.certifier.add_finding(*overlap);
        detail::find_touching(model_, settings_.activation_gap_m, state_);
        joints_.at_start(state_, run.progress.certifier);
        return StepStatus::Solved;
    }

    [[nodiscard]] bool is_over(const RunSoFar& run) const override
    {
        return run.progress.steps >= grid_.steps();
    }

    StepReport take(RunSoFar& run) override
    {
        if (plan_.until.formula) {
            began_ = state_;
            if (scratch_.formulas) formulas_began_ = scratch_.formulas->memory();
        }
        return step(grid_.length(run.progress.steps + 1), settings_.time_step_s, state_, scratch_);
    }

    void settle(const State& before, RunSoFar& run, StepReport& report) override
    {
        state_.t_s = grid_.time_after(run.progress.steps + 1);
        show_state(before, run.state);
        if (plan_.until.formula && crosses_until(plan_.until, before, run.state, of_formulas_.work))
            end_within(before, run, report);
    }

    [[nodiscard]] std::string name_of_interaction(int k) const override
    {
        return detail::name_of_interaction(model_, scratch_, k);
    }
    [[nodiscard]] std::string name_of_contact(int c) const override { return name_of_interaction(c); }
    [[nodiscard]] std::span<const ContactStep> contacts() const override { return scratch_.statuses.steps; }
    std::span<Event> events() override { return scratch_.events; }

    const Eigen::VectorXd& velocities(const RunSoFar&) override
    {
        velocities_of(state_, velocities_);
        return velocities_;
    }

    void watch(const State& before, const StepReport& report, RunSoFar& run) override
    {
        joints_.after_step(state_, scratch_, run.progress.certifier);
        const TakenStep step{.report = report,
                             .contacts = scratch_.statuses.steps,
                             .events = scratch_.events,
                             .number = run.progress.steps,
                             .began_s = before.t_s,
                             .ended_s = run.state.t_s,
                             .tolerance = solver_.tolerance,
                             .names = *this};
        watch_.after_step(step, before, state_, scratch_, run.progress);
        look_for_oscillations(report, run);
        note_dissipation(scratch_.statuses.steps, report, run.progress.slip);
        if (scratch_.formulas) note_gaps(run.state, of_formulas_.gap_m, run.progress);
    }

    void show(StepView& view) override
    {
        shown_.contacts = scratch_.contacts;
        shown_.reactions = scratch_.reactions;
        shown_.potential = scratch_.potential;
        shown_.given = scratch_.given;
        shown_.constrained = scratch_.constrained;
        shown_.half_way_m = scratch_.mid.x;
        shown_.spin_Nms = scratch_.spin_Nms;
        shown_.problem = &scratch_.problem;
        shown_.P = scratch_.P;
        shown_.other_U = scratch_.joint_U_plus;
        view.bodies = &shown_;
        if (!scratch_.formulas) return;
        view.contacts = of_formulas_.contacts;
        view.laws = scratch_.formulas->laws();
        view.gap_m = of_formulas_.gap_m;
        view.reaction_J = of_formulas_.reaction_J;
    }

    std::optional<StepProblem> problem() override
    {
        if (scratch_.problem.interactions() == 0) return std::nullopt;
        if (scratch_.problem.is_assembled())
            detail::assemble_whole(model_, scratch_);
        else
            detail::complete_factors(scratch_);
        return StepProblem{scratch_.problem, scratch_.P};
    }

    [[nodiscard]] EventPlaces name_events(std::span<Event> events) const override
    {
        std::vector<std::string> names;
        for (const Body& body : model_.setup().bodies) {
            names.push_back(body.name);
        }
        return number_contacts(names, event_places(coordinates_), events);
    }

    [[nodiscard]] std::vector<Finding> findings_of_end(const RunSoFar& run, bool stopped) override
    {
        std::vector<Finding> findings = watch_.at_end(state_, run, stopped, scratch_);
        const auto costs = [](const Finding& finding) { return finding.uncertifies; };
        const auto known = run.progress.certifier.findings_at_end();
        if (std::ranges::none_of(
                known, [](const auto& one) { return one.code == "step_too_long" && one.uncertifies; }))
            look_at_slip_work(run.progress.slip, settings_.time_step_s, run.state.t_s, plan_.energy_tolerance,
                              run.progress.certifier.sums().watch.run_scale_J, findings);
        if (!stopped && std::ranges::none_of(known, costs) && std::ranges::none_of(findings, costs))
            look_again_punctually(run, findings);
        if (coordinates_.contacts() == 0) return findings;
        for (Finding& finding : carom::findings_of_end(coordinates_, settings_, run, stopped, of_formulas_))
            findings.push_back(std::move(finding));
        return findings;
    }

private:
    /// (LE-23), where nothing else costs the certificate.
    void look_again_punctually(const RunSoFar& run, std::vector<Finding>& findings) const
    {
        if (!watch_.times_impacts() || run.progress.reaches.empty()) return;
        detail::look_at_punctual_bodies(
            {.model = model_,
             .settings = settings_,
             .plan = plan_,
             .grid = grid_,
             .step = [this](const BodyModel& model, double h_s, BodyState& state,
                            BodyScratch& scratch) { return step_of(model, h_s, h_s, state, scratch); },
             .start = start_,
             .end = state_,
             .recent_J = run.progress.certifier.sums().watch.kinetic_J,
             .groups = detail::struck_groups(model_, run, settings_.correction),
             .moved_m = run.progress.reaches.back().largest_gap_m},
            run, findings);
    }

    /// (LE-24); with theta > 1/2 such an oscillation loses its energy, which (LE-7) sees.
    void look_for_oscillations(const StepReport& report, RunSoFar& run)
    {
        const auto* theta = std::get_if<MoreauJeanSettings>(&scheme_);
        if (theta == nullptr || theta->theta != 0.5) return;
        velocities_of(state_, new_velocities_);
        const bool may_count =
            unresolved_.after_step(last_velocities_, new_velocities_, scratch_.events.empty(),
                                   run.progress.rest.fastest, plan_.energy_tolerance);
        std::swap(last_velocities_, new_velocities_);
        if (!may_count) return;
        const Eigen::VectorXd& u = unresolved_.alternating();
        double alternating_J = 0;
        for (int i = 0; i < model_.bodies(); ++i) {
            const auto k = static_cast<std::size_t>(i);
            if (model_.inverse_mass[k] == 0) continue;
            const Vec3 v = u.segment<3>(6 * i), W = u.segment<3>(6 * i + 3);
            alternating_J += (model_.mass[k] * v.squaredNorm() + W.dot(model_.inertia[k] * W)) / 2;
        }
        judge_alternating(alternating_J, plan_.energy_tolerance, run.state.t_s, report.h_s,
                          run.progress.certifier);
    }

    /// One step of the scheme, h_s long, after one of the length last_s.
    StepReport step(double h_s, double last_s, BodyState& state, BodyScratch& scratch) const
    {
        return step_of(model_, h_s, last_s, state, scratch);
    }

    /// The same of these bodies, or of some of them.
    StepReport step_of(const BodyModel& model, double h_s, double last_s, BodyState& state,
                       BodyScratch& scratch) const
    {
        scratch.part_of_step = h_s / last_s;
        if (const auto* jean = std::get_if<MoreauJeanSettings>(&scheme_)) {
            MoreauJeanSettings settings = *jean;
            settings.time_step_s = h_s;
            return moreau_jean_body_step(model, settings, solver_, state, scratch);
        }
        MoreauSettings settings = settings_;
        settings.time_step_s = h_s;
        return body_step(model, settings, solver_, state, scratch);
    }

    /// The bodies as coordinates, after a step from `before`.
    void show_state(const State& before, State& shown) const
    {
        shown = coordinate_state(model_, state_);
        if (model_.is_flat()) count_turns(shown.q.size() - model_.setup().coordinates, before, shown);
        if (scratch_.formulas) take_statuses(scratch_.formulas->memory(), shown);
    }

    /// The step ends where `until` says (MS-11).
    void end_within(const State& before, RunSoFar& run, StepReport& report)
    {
        const StepAgain again = [&](double h_s, State& after) {
            state_ = began_;
            if (scratch_.formulas) scratch_.formulas->recall(formulas_began_);
            StepReport tried = step(h_s, settings_.time_step_s, state_, scratch_);
            show_state(before, after);
            return tried;
        };
        shorten_to(*plan_.until.formula, again, before, run.state, report, of_formulas_.work);
        state_.t_s = run.state.t_s;
        look_at_end_by_delay(before, run);
        const bool first = run.progress.steps == 0;
        if (!first && !scratch_.events.empty()) return;
        const double length_s = run.state.t_s - before.t_s;
        judge_located_step({.number = run.progress.steps + 1,
                            .length_s = length_s,
                            .end_s = run.state.t_s,
                            .off = off_by_halves(length_s),
                            .strikes = first && strikes_within()},
                           run.progress.certifier);
    }

    /// (LE-15): an impact of the last step that is seen late fulfils `until`.
    void look_at_end_by_delay(const State& before, RunSoFar& run)
    {
        const double h_s = run.state.t_s - before.t_s;
        const auto before_middle_s = detail::first_closed_before_middle_s(scratch_, 0);
        if (!before_middle_s) return;
        const double since_s = std::clamp(h_s / 2 - *before_middle_s, 0.0, h_s);
        if (ends_by_delay(*plan_.until.formula, before, run.state, since_s, of_formulas_.work))
            run.progress.certifier.add_finding(end_by_delay("bodies", run.state.t_s));
    }

    /// Bodies that were apart when the step began collide in it.
    [[nodiscard]] bool strikes_within() const
    {
        return std::ranges::any_of(scratch_.events, [&](const Event& event) {
            return event.kind == EventKind::Impact && event.first >= 0 &&
                   !detail::have_touched(began_, event.first, event.second);
        });
    }

    /// How far the located step is from two of half its length (MS-11), as a part of the velocities; 0 where
    /// something happens in them, which is of first order.
    [[nodiscard]] double off_by_halves(double h_s) const
    {
        BodyState half = began_;
        BodyScratch scratch;
        Scratch of_formulas(coordinates_);
        if (scratch_.formulas)
            scratch.formulas =
                std::make_shared<detail::BodyFormulas>(model_, coordinates_, formulas_began_, of_formulas);
        for (int k = 0; k < 2; ++k) {
            const StepReport report = step(h_s / 2, k == 0 ? settings_.time_step_s : h_s / 2, half, scratch);
            if (end_of_failed(report.status) || !scratch.events.empty()) return 0;
        }
        double off2 = 0, before2 = 0, after2 = 0;
        for (int i = 0; i < model_.bodies(); ++i) {
            const auto k = static_cast<std::size_t>(i);
            const auto square = [&](const Vec3& v, const Vec3& W) {
                return model_.mass[k] * v.squaredNorm() + W.dot(model_.inertia[k] * W);
            };
            off2 += square(half.v[k] - state_.v[k], half.W[k] - state_.W[k]);
            before2 += square(began_.v[k], began_.W[k]);
            after2 += square(state_.v[k], state_.W[k]);
        }
        const double size2 = std::max(before2, after2);
        return off2 <= 1e-18 * size2 ? 0 : std::sqrt(off2 / size2);
    }

    const BodyModel& model_;
    const Model& coordinates_;
    Scratch of_formulas_;  ///< contacts and constraints of formulas, as a step in
                           ///< coordinates has them
    const IntegratorSettings scheme_;
    const MoreauSettings settings_;  ///< what all schemes have
    const SolverSettings& solver_;
    const RunPlan& plan_;
    StepGrid grid_;
    BodyState& state_;
    BodyScratch scratch_;
    Eigen::VectorXd velocities_, last_velocities_, new_velocities_;
    UnresolvedMotion unresolved_;
    BodyState began_;  ///< where the step began, and what formulas kept; where `until` may end it
    State formulas_began_;
    BodyStep shown_;
    detail::JointWatch joints_;
    detail::BodyWatch watch_;
    State start_;  ///< of the run, as coordinates
};

}  // namespace

std::unique_ptr<Steps> body_steps(const Model& model, const IntegratorSettings& settings,
                                  const SolverSettings& solver, const RunPlan& plan, BodyState& state,
                                  const RunSoFar& run, const State& start)
{
    return std::make_unique<BodySteps>(model, settings, solver, plan, run, state, start);
}

RunReport resume_run(const Model& model, const MoreauSettings& settings, const SolverSettings& solver,
                     const RunPlan& plan, BodyState& state, RunSoFar& run, const StepListener& listener)
{
    const auto steps = body_steps(model, settings, solver, plan, state, run);
    return run_to_end(*steps, {model, solver, plan, listener}, run);
}

}  // namespace carom
