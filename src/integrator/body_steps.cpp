#include "carom/integrator/body_run.hpp"

#include "body_parts.hpp"
#include "run_loop.hpp"
#include "run_parts.hpp"

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
/// third coordinate is one.
void count_turns(const State& before, State& now)
{
    constexpr double turn = 2 * std::numbers::pi;
    for (Eigen::Index i = 2; i < now.q.size(); i += 3) {
        now.q[i] += turn * std::round((before.q[i] - now.q[i]) / turn);
    }
}

/// Of an interaction of the last step: contacts first, then the parts of joints.
std::string name_of_interaction(const BodyModel& model, const BodyScratch& scratch, int k)
{
    const auto contacts = static_cast<int>(scratch.contacts.size());
    if (k >= contacts) {
        const int joint = scratch.joints[static_cast<std::size_t>(k - contacts)].joint;
        return model.setup().joints[static_cast<std::size_t>(joint)].name;
    }
    const BodyContact& contact = scratch.contacts[static_cast<std::size_t>(k)];
    const auto& bodies = model.setup().bodies;
    return bodies[static_cast<std::size_t>(contact.first)].name + "-" +
           bodies[static_cast<std::size_t>(contact.second)].name;
}

/// Steps of bodies; the run sees them as coordinates.
class BodySteps final : public Steps {
public:
    BodySteps(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
              const StepGrid& grid, BodyState& state)
        : model_(model),
          settings_(settings),
          solver_(solver),
          grid_(grid),
          state_(state),
          shown_{model, state, {}, {}}
    {
    }

    StepStatus begin(RunSoFar& run, std::vector<Finding>&) override
    {
        if (run.progress.steps > 0) return StepStatus::Solved;
        if (const auto overlap = detail::overlap_at_start(model_, settings_, state_))
            run.progress.certifier.add_finding(*overlap);
        detail::find_touching(model_, settings_.activation_gap_m, state_);
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
        if (model_.is_flat()) count_turns(before, run.state);
    }

    [[nodiscard]] TakenStep taken(const StepReport& report) const override
    {
        const auto name = [this](int k) { return name_of_interaction(model_, scratch_, k); };
        return {.report = report,
                .contacts = scratch_.statuses.steps,
                .name_of_interaction = name,
                .name_of_contact = name};
    }

    std::span<Event> events() override { return scratch_.events; }

    const Eigen::VectorXd& velocities(const RunSoFar&) override
    {
        velocities_of(state_, velocities_);
        return velocities_;
    }

    void watch(const State&, const StepReport&, RunSoFar&) override {}

    void show(StepView& view) override
    {
        shown_.contacts = scratch_.contacts;
        shown_.reactions = scratch_.reactions;
        view.bodies = &shown_;
        view.smooth = false;
    }

    std::optional<StepProblem> problem() override
    {
        if (scratch_.problem.interactions() == 0) return std::nullopt;
        detail::assemble_whole(model_, scratch_);
        return StepProblem{scratch_.problem, scratch_.P};
    }

    [[nodiscard]] std::vector<std::string> name_events(std::span<Event> events) const override
    {
        std::vector<std::string> names;
        for (const Body& body : model_.setup().bodies) {
            names.push_back(body.name);
        }
        return number_contacts(names, events);
    }

    [[nodiscard]] std::vector<Finding> findings_of_end(const RunSoFar&, bool) override { return {}; }

private:
    const BodyModel& model_;
    const MoreauSettings& settings_;
    const SolverSettings& solver_;
    StepGrid grid_;
    BodyState& state_;
    BodyScratch scratch_;
    Eigen::VectorXd velocities_;
    BodyStep shown_;
};

}  // namespace

RunReport go_on(const BodyModel& bodies, const Model& coordinates, const MoreauSettings& settings,
                const SolverSettings& solver, const RunPlan& plan, BodyState& state, RunSoFar& run,
                const StepListener& listener)
{
    BodySteps steps(bodies, settings, solver, {run.progress.start_s, settings.time_step_s, plan.duration_s},
                    state);
    return run_to_end(steps, {coordinates, solver, plan, listener}, run);
}

}  // namespace carom
