#include "carom/run/body_run.hpp"

#include "run_loop.hpp"
#include "run_parts.hpp"
#include "stepping/body_formulas.hpp"
#include "stepping/body_parts.hpp"

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

/// Of an interaction of the last step: contacts first, then the parts of joints.
std::string name_of(const BodyModel& model, const BodyScratch& scratch, int k)
{
    const auto contacts = static_cast<int>(scratch.contacts.size());
    if (k >= contacts + static_cast<int>(scratch.joints.size()))
        return scratch.formulas->name_of_interaction(k);
    if (k >= contacts) {
        const JointPart& part = scratch.joints[static_cast<std::size_t>(k - contacts)];
        if (part.actor >= 0) return model.name_of_actor(part.actor);
        return model.setup().joints[static_cast<std::size_t>(part.joint)].name;
    }
    const BodyContact& contact = scratch.contacts[static_cast<std::size_t>(k)];
    const auto& bodies = model.setup().bodies;
    return bodies[static_cast<std::size_t>(contact.first)].name + "-" +
           bodies[static_cast<std::size_t>(contact.second)].name;
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

/// Steps of bodies; the run sees them as coordinates.
class BodySteps final : public Steps {
public:
    BodySteps(const BodyModel& model, const Model& coordinates, const MoreauSettings& settings,
              const SolverSettings& solver, const StepGrid& grid, const RunSoFar& run, BodyState& state)
        : model_(model),
          coordinates_(coordinates),
          of_formulas_(coordinates),
          settings_(settings),
          solver_(solver),
          grid_(grid),
          state_(state),
          shown_{model, state, {}, {}},
          watch_(model, state, run.progress.steps > 0 ? settings.time_step_s : 0.0)
    {
        take_coordinates(model, run.state, state);
        if (model.setup().with_formulas)
            scratch_.formulas =
                std::make_shared<detail::BodyFormulas>(model, coordinates, run.state, of_formulas_);
    }

    StepStatus begin(RunSoFar& run, std::vector<Finding>&) override
    {
        if (run.progress.steps > 0) return StepStatus::Solved;
        if (const auto overlap = detail::overlap_at_start(model_, settings_, state_))
            run.progress.certifier.add_finding(*overlap);
        detail::find_touching(model_, settings_.activation_gap_m, state_);
        watch_.at_start(state_, run.progress.certifier);
        return StepStatus::Solved;
    }

    [[nodiscard]] bool is_over(const RunSoFar& run) const override
    {
        return run.progress.steps >= grid_.steps();
    }

    StepReport take(RunSoFar& run) override
    {
        MoreauSettings settings = settings_;
        settings.time_step_s = grid_.length(run.progress.steps + 1);
        return body_step(model_, settings, solver_, state_, scratch_);
    }

    void settle(const State& before, RunSoFar& run, StepReport&) override
    {
        state_.t_s = grid_.time_after(run.progress.steps + 1);
        run.state = coordinate_state(model_, state_);
        if (model_.is_flat()) count_turns(run.state.q.size() - model_.setup().coordinates, before, run.state);
        if (scratch_.formulas) take_statuses(scratch_.formulas->memory(), run.state);
    }

    [[nodiscard]] std::string name_of_interaction(int k) const override
    {
        return name_of(model_, scratch_, k);
    }
    [[nodiscard]] std::string name_of_contact(int c) const override { return name_of_interaction(c); }
    [[nodiscard]] std::span<const ContactStep> contacts() const override { return scratch_.statuses.steps; }
    std::span<Event> events() override { return scratch_.events; }

    const Eigen::VectorXd& velocities(const RunSoFar&) override
    {
        velocities_of(state_, velocities_);
        return velocities_;
    }

    void watch(const State&, const StepReport&, RunSoFar& run) override
    {
        watch_.after_step(state_, scratch_, run.progress.certifier);
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
        view.smooth = false;
        if (!scratch_.formulas) return;
        view.contacts = of_formulas_.contacts;
        view.laws = scratch_.formulas->laws();
        view.gap_m = of_formulas_.gap_m;
        view.reaction_J = of_formulas_.reaction_J;
    }

    std::optional<StepProblem> problem() override
    {
        if (scratch_.problem.interactions() == 0) return std::nullopt;
        detail::assemble_whole(model_, scratch_);
        return StepProblem{scratch_.problem, scratch_.P};
    }

    [[nodiscard]] EventPlaces name_events(std::span<Event> events) const override
    {
        std::vector<std::string> names;
        for (const Body& body : model_.setup().bodies) {
            names.push_back(body.name);
        }
        return number_contacts(names, event_places(model_, coordinates_), events);
    }

    [[nodiscard]] std::vector<Finding> findings_of_end(const RunSoFar&, bool) override { return {}; }

private:
    const BodyModel& model_;
    const Model& coordinates_;
    Scratch of_formulas_;  ///< contacts and constraints of formulas, as a step in coordinates has them
    const MoreauSettings& settings_;
    const SolverSettings& solver_;
    StepGrid grid_;
    BodyState& state_;
    BodyScratch scratch_;
    Eigen::VectorXd velocities_;
    BodyStep shown_;
    detail::JointWatch watch_;
};

}  // namespace

EventPlaces event_places(const BodyModel& bodies, const Model& coordinates)
{
    const EventPlaces of_formulas = event_places(coordinates.system());
    const auto split = of_formulas.names.begin() + static_cast<std::ptrdiff_t>(of_formulas.contacts);
    EventPlaces places{.names = {of_formulas.names.begin(), split},
                       .contacts = of_formulas.contacts + static_cast<std::size_t>(bodies.stops)};
    for (int actor = 0; actor < static_cast<int>(bodies.actors.size()); ++actor) {
        if (actor == bodies.stops) places.names.insert(places.names.end(), split, of_formulas.names.end());
        places.names.push_back(bodies.name_of_actor(actor));
    }
    if (bodies.stops == static_cast<int>(bodies.actors.size()))
        places.names.insert(places.names.end(), split, of_formulas.names.end());
    return places;
}

std::unique_ptr<Steps> body_steps(const BodyModel& bodies, const Model& coordinates,
                                  const MoreauSettings& settings, const SolverSettings& solver,
                                  const RunPlan& plan, BodyState& state, const RunSoFar& run)
{
    const StepGrid grid(run.progress.start_s, settings.time_step_s, plan.duration_s);
    return std::make_unique<BodySteps>(bodies, coordinates, settings, solver, grid, run, state);
}

RunReport resume_run(const BodyModel& bodies, const Model& coordinates, const MoreauSettings& settings,
                     const SolverSettings& solver, const RunPlan& plan, BodyState& state, RunSoFar& run,
                     const StepListener& listener)
{
    const auto steps = body_steps(bodies, coordinates, settings, solver, plan, state, run);
    return run_to_end(*steps, {coordinates, solver, plan, listener}, run);
}

}  // namespace carom
