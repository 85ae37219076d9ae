#include "body_groups.hpp"
#include "body_watch.hpp"
#include "end_of_run.hpp"
#include "jumping_obstacles.hpp"
#include "phase_error.hpp"
#include "punctual_bodies.hpp"
#include "reversing_slip.hpp"
#include "run_loop.hpp"
#include "run_parts.hpp"
#include "stepping/body_queries.hpp"
#include "stepping/body_stepper.hpp"
#include "stepping/scratch.hpp"
#include "system/bodies/body_coordinates.hpp"
#include "time_resolution.hpp"
#include "unresolved_motion.hpp"
#include "until.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {
namespace {

/// Velocities of centres and spins in one list, for the watch that tells rest.
void velocities_of(const State& state, Eigen::VectorXd& u)
{
    u.resize(6 * state.bodies());
    for (int i = 0; i < state.bodies(); ++i) {
        u.segment<3>(6 * i) = state.v[i];
        u.segment<3>(6 * i + 3) = state.W[i];
    }
}

detail::BodyStepper::Scheme body_scheme_of(const IntegratorSettings& settings)
{
    if (const auto* jean = std::get_if<MoreauJeanSettings>(&settings)) return *jean;
    return std::get<MoreauSettings>(settings);
}

/// Steps of bodies.
class BodySteps final : public Steps {
public:
    BodySteps(const Model& coordinates, const IntegratorSettings& scheme, const SolverSettings& solver,
              const RunPlan& plan, const RunSoFar& run, const State& start)
        : model_(*coordinates.bodies()),
          coordinates_(coordinates),
          of_formulas_(coordinates),
          scheme_(body_scheme_of(scheme)),
          settings_(detail::BodyStepper::midpoint_of(scheme_)),
          solver_(solver),
          plan_(plan),
          grid_(run.progress.start_s, settings_.time_step_s, plan.duration_s),
          jumps_(coordinates),
          joints_(model_, run.state, run.progress.steps > 0 ? settings_.time_step_s : 0.0),
          groups_(coordinates, {.tolerance = plan.energy_tolerance, .keeps_energy = keeps_energy(scheme_)}),
          watch_(model_, groups_, settings_, plan),
          start_(run.progress.steps == 0 ? run.state : start)
    {
    }

    StepStatus begin(RunSoFar& run, std::vector<Finding>&) override
    {
        if (run.progress.reaches.empty()) {
            run.progress.reaches = reaches_at_start(coordinates_, run.state, of_formulas_.work);
            run.progress.reaches.emplace_back();  // how far bodies move
        }
        run.progress.delays.resize(static_cast<std::size_t>(coordinates_.contacts()));
        if (model_.bodies() <= max_bodies_in_phase && plan_.keep_events)
            run.progress.body_phases.resize(static_cast<std::size_t>(model_.bodies()));
        groups_.begin(run.state, run.progress);
        watch_.begin(run.state, run);
        velocities_of(run.state, last_velocities_);
        if (run.progress.steps > 0) return StepStatus::Solved;
        look_at_time_dependence(coordinates_, run.state, settings_.time_step_s, plan_.duration_s,
                                plan_.energy_tolerance, run.progress.certifier);
        if (const auto overlap = detail::overlap_at_start(model_, settings_, run.state))
            run.progress.certifier.add_finding(*overlap);
        detail::find_touching(model_, settings_.activation_gap_m, run.state);
        joints_.at_start(run.state, run.progress.certifier);
        return StepStatus::Solved;
    }

    [[nodiscard]] bool is_over(const RunSoFar& run) const override
    {
        return run.progress.steps >= grid_.steps();
    }

    StepReport take(RunSoFar& run) override
    {
        return stepper_.take(grid_.length(run.progress.steps + 1), settings_.time_step_s, run.state);
    }

    void settle(const State& before, RunSoFar& run, StepReport& report) override
    {
        run.state.t_s = grid_.time_after(run.progress.steps + 1);
        if (crosses_until(plan_.until, before, run.state, run.progress.steps == 0, of_formulas_.work))
            end_within(before, run, report);
    }

    [[nodiscard]] std::string name_of_interaction(int k) const override { return finished_.name_of(k); }
    [[nodiscard]] std::string name_of_contact(int c) const override { return name_of_interaction(c); }
    [[nodiscard]] std::span<const ContactStep> contacts() const override { return finished_.contact_steps(); }
    std::span<Event> events() override { return finished_.events(); }

    const Eigen::VectorXd& velocities(const RunSoFar& run) override
    {
        velocities_of(run.state, velocities_);
        return velocities_;
    }

    void watch(const State& before, const StepReport& report, RunSoFar& run) override
    {
        joints_.after_step(run.state, finished_, run.progress.certifier);
        const TakenStep step{.report = report,
                             .contacts = finished_.contact_steps(),
                             .events = finished_.events(),
                             .number = run.progress.steps,
                             .began_s = before.t_s,
                             .ended_s = run.state.t_s,
                             .tolerance = solver_.tolerance,
                             .names = *this};
        if (groups_.follows()) groups_.after_step(before, run.state, report, finished_, run.progress);
        watch_.after_step(step, before, run.state, finished_, run.progress);
        if (watch_.times_impacts())
            note_phases(model_, before, run.state, finished_.events(),
                        run.progress.certifier.sums().watch.run_scale_J, run.progress.body_phases);
        look_for_oscillations(report, run);
        note_dissipation(finished_.contact_steps(), report, run.progress.slip);
        if (!finished_.has_formulas()) return;
        note_gaps(run.state, of_formulas_.gap_m, run.progress);
        if (!of_formulas_.events.empty())
            note_impacts(coordinates_, before, report.h_s, plan_.duration_s, of_formulas_, run.progress);
        jumps_.after_step(before, run.state, settings_.activation_gap_m, of_formulas_,
                          run.progress.certifier);
    }

    void show(StepView& view) override
    {
        view.body_contacts = finished_.contacts();
        view.joint_reactions = finished_.joint_reactions();
        view.potential = finished_.potential();
        view.given = finished_.given();
        view.constrained = finished_.constrained();
        view.half_way_m = finished_.contact_places().x;
        view.spin_Nms = finished_.spin_Nms();
        view.body_problem = &finished_.problem();
        view.body_P = finished_.P();
        view.joint_U_plus = finished_.joint_U_plus();
        if (!finished_.has_formulas()) return;
        view.contacts = of_formulas_.contacts;
        view.laws = finished_.laws_of_formulas();
        view.gap_m = of_formulas_.gap_m;
        view.reaction_J = of_formulas_.reaction_J;
    }

    std::optional<StepProblem> problem() override
    {
        if (finished_.problem().interactions() == 0) return std::nullopt;
        return StepProblem{finished_.whole_problem(), finished_.P()};
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
        std::vector<Finding> findings = watch_.at_end(run.state, run, stopped, finished_);
        look_at_slip_work(run, settings_.time_step_s, plan_.energy_tolerance, findings);
        groups_.look_at_end(run, settings_.time_step_s, findings);
        if (!stopped && !is_uncertified(run, findings)) look_again_punctually(run, findings);
        if (coordinates_.contacts() == 0) return findings;
        for (Finding& finding : carom::findings_of_end(coordinates_, settings_, run, stopped, of_formulas_))
            findings.push_back(std::move(finding));
        return findings;
    }

private:
    /// (LE-23), (LE-25), where nothing else costs the certificate.
    void look_again_punctually(const RunSoFar& run, std::vector<Finding>& findings) const
    {
        if (!watch_.times_impacts() || run.progress.reaches.empty()) return;
        const detail::BodyOrder order{.model = model_,
                                      .settings = settings_,
                                      .plan = plan_,
                                      .grid = grid_,
                                      .scheme = scheme_,
                                      .solver = solver_,
                                      .start = start_,
                                      .end = run.state,
                                      .exchanged_J = run.progress.certifier.sums().watch.run_scale_J,
                                      .groups = detail::struck_groups(model_, run, settings_.correction)};
        detail::look_at_punctual_bodies(order, run, findings);
        if (!is_uncertified(run, findings)) detail::look_at_phases_of_bodies(order, run, findings);
    }

    /// Of oscillations that it does not resolve (LE-24); with theta > 1/2 they lose it, which (LE-7) sees.
    [[nodiscard]] static bool keeps_energy(const detail::BodyStepper::Scheme& scheme)
    {
        const auto* theta = std::get_if<MoreauJeanSettings>(&scheme);
        return theta != nullptr && theta->theta == 0.5;
    }

    /// (LE-24) of all bodies, where groups are not asked.
    void look_for_oscillations(const StepReport& report, RunSoFar& run)
    {
        if (!keeps_energy(scheme_) || groups_.follows()) return;
        velocities_of(run.state, new_velocities_);
        const bool may_count =
            unresolved_.after_step(last_velocities_, new_velocities_, finished_.events().empty(),
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
        Certifier& certifier = run.progress.certifier;
        unresolved_.judge(alternating_J, certifier.sums().watch.run_scale_J, plan_.energy_tolerance,
                          run.state.t_s, report.h_s, certifier);
    }

    /// The step ends where `until` says (MS-11).
    void end_within(const State& before, RunSoFar& run, StepReport& report)
    {
        const StepAgain again = [&](double h_s, State& after) {
            after = before;
            return stepper_.take(h_s, settings_.time_step_s, after);
        };
        shorten_to(*plan_.until.formula, again, before, run.state, report, of_formulas_.work);
        look_at_end_by_delay(before, run);
        const bool first = run.progress.steps == 0;
        if (!first && !finished_.events().empty()) return;
        const double length_s = run.state.t_s - before.t_s;
        judge_located_step({.number = run.progress.steps + 1,
                            .length_s = length_s,
                            .end_s = run.state.t_s,
                            .off = off_by_halves(before, run.state),
                            .strikes = first && strikes_within(before)},
                           run.progress.certifier);
    }

    /// (LE-15): an impact of the last step that is seen late fulfils `until`.
    void look_at_end_by_delay(const State& before, RunSoFar& run)
    {
        const double h_s = run.state.t_s - before.t_s;
        const auto before_middle_s = detail::first_closed_before_middle_s(finished_, 0);
        if (!before_middle_s) return;
        const double since_s = std::clamp(h_s / 2 - *before_middle_s, 0.0, h_s);
        if (ends_by_delay(*plan_.until.formula, before, run.state, since_s, of_formulas_.work))
            run.progress.certifier.add_finding(end_by_delay("bodies", run.state.t_s));
    }

    /// Bodies that were apart when the step began collide in it.
    [[nodiscard]] bool strikes_within(const State& before) const
    {
        return std::ranges::any_of(finished_.events(), [&](const Event& event) {
            return event.kind == EventKind::Impact && event.first >= 0 &&
                   !detail::have_touched(before, event.first, event.second);
        });
    }

    /// How far the located step is from two of half its length (MS-11), as a part of the velocities; 0 where
    /// something happens in them, which is of first order.
    [[nodiscard]] double off_by_halves(const State& before, const State& after) const
    {
        const double h_s = after.t_s - before.t_s;
        State half = before;
        Scratch of_formulas(coordinates_);
        detail::BodyStepper halves(model_, scheme_, solver_, {coordinates_, of_formulas});
        for (int k = 0; k < 2; ++k) {
            const StepReport report = halves.take(h_s / 2, k == 0 ? settings_.time_step_s : h_s / 2, half);
            if (end_of_failed(report.status) || !halves.finished().events().empty()) return 0;
        }
        double off2 = 0, before2 = 0, after2 = 0;
        for (int i = 0; i < model_.bodies(); ++i) {
            const auto k = static_cast<std::size_t>(i);
            const auto square = [&](const Vec3& v, const Vec3& W) {
                return model_.mass[k] * v.squaredNorm() + W.dot(model_.inertia[k] * W);
            };
            off2 += square(half.v[k] - after.v[k], half.W[k] - after.W[k]);
            before2 += square(before.v[k], before.W[k]);
            after2 += square(after.v[k], after.W[k]);
        }
        const double size2 = std::max(before2, after2);
        return off2 <= 1e-18 * size2 ? 0 : std::sqrt(off2 / size2);
    }

    const BodyModel& model_;
    const Model& coordinates_;
    Scratch of_formulas_;  ///< contacts and constraints of formulas, as a step in coordinates has them
    const detail::BodyStepper::Scheme scheme_;
    const MoreauSettings settings_;  ///< what all schemes have
    const SolverSettings& solver_;
    const RunPlan& plan_;
    StepGrid grid_;
    detail::BodyStepper stepper_{model_, scheme_, solver_, {coordinates_, of_formulas_}};
    detail::FinishedBodyStep& finished_ = stepper_.finished();  ///< the last one
    Eigen::VectorXd velocities_, last_velocities_, new_velocities_;
    UnresolvedMotion unresolved_;
    JumpingObstacles jumps_;
    detail::JointWatch joints_;
    detail::BodyGroups groups_;
    detail::BodyWatch watch_;
    State start_;  ///< of the run
};

}  // namespace

std::unique_ptr<Steps> body_steps(const Model& model, const IntegratorSettings& settings,
                                  const SolverSettings& solver, const RunPlan& plan, const RunSoFar& run,
                                  const State& start)
{
    return std::make_unique<BodySteps>(model, settings, solver, plan, run, start);
}

}  // namespace carom
