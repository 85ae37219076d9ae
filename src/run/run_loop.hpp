#pragma once

#include "account.hpp"
#include "carom/run/run.hpp"
#include "expression/workspace.hpp"
#include "run/step_view.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// Whatever takes the steps of a run: a scheme in coordinates, power series, bodies, a sweeping process. The
/// loop knows no more of it; all calls are made once per step.
class Steps : public ProblemSource, public StepNames {
public:
    /// Before the first step of a call: what the start alone tells. `Solved`, or why there is nothing to
    /// begin with.
    [[nodiscard]] virtual StepStatus begin(RunSoFar& run, std::vector<Finding>& why) = 0;

    /// Whether the duration is over.
    [[nodiscard]] virtual bool is_over(const RunSoFar& run) const = 0;

    /// Takes the step after progress.steps. Until it is settled nothing but run.state may have changed.
    [[nodiscard]] virtual StepReport take(RunSoFar& run) = 0;

    /// The step counts: run.state becomes the state at its end. A step that `until` ends may become shorter.
    virtual void settle(const State& before, RunSoFar& run, StepReport& report) = 0;

    /// Of the step that was settled last.
    [[nodiscard]] virtual std::span<const ContactStep> contacts() const = 0;
    [[nodiscard]] virtual std::span<Event> events() = 0;

    /// Velocities that are zero at rest.
    [[nodiscard]] virtual const Eigen::VectorXd& velocities(const RunSoFar& run) = 0;

    /// What theory asks beside the step itself; its certificate and rest are known.
    virtual void watch(const State& before, const StepReport& report, RunSoFar& run) = 0;

    /// Adds what listeners may see of this kind of step.
    virtual void show(StepView& view) = 0;

    /// Of whom events speak, by Event::contact; bodies are numbered here.
    [[nodiscard]] virtual EventPlaces name_events(std::span<Event> events) const = 0;

    /// Of the state that is left. `stopped`: by a listener.
    [[nodiscard]] virtual std::vector<Finding> findings_of_end(const RunSoFar& run, bool stopped) = 0;
};

/// What a run is asked for beside its steps.
struct RunOrder {
    const Model& model;  ///< coordinates of the state, for formulas and listeners
    const SolverSettings& solver;
    const RunPlan& plan;
    const StepListener& listener;
};

/// The one loop for all kinds of steps. What it is given must live as long as it does.
class RunLoop {
public:
    RunLoop(Steps& steps, const RunOrder& order, RunSoFar& run);

    /// Before the first step of a call: what the start alone tells.
    void begin();

    /// Takes a step. False: none was taken, the run has ended.
    bool step();

    /// Why the run has ended; nothing while it goes on.
    [[nodiscard]] std::optional<RunEnd> end() const;

    /// The last step, valid until the next one.
    [[nodiscard]] StepView last_step();

    /// What a run that ends here says: it may go on.
    [[nodiscard]] RunReport report();

private:
    bool fails(StepStatus status, const std::vector<Finding>& why);
    void settle();
    void tell();

    Steps& steps_;
    RunOrder order_;
    RunSoFar& run_;
    State before_;
    StepReport report_;
    Workspace work_;
    RunEnd end_ = RunEnd::Duration;
    bool failed_ = false;
};

/// Goes on with a run to its end.
[[nodiscard]] RunReport run_to_end(Steps& steps, const RunOrder& order, RunSoFar& run);

/// Steps of a system: of bodies where it has any. What they are given must live as long as they do. `start`:
/// where the run began, which one that goes on does not know; without coordinates where nobody does.
[[nodiscard]] std::unique_ptr<Steps> steps_of(const Model& model, const IntegratorSettings& settings,
                                              const SolverSettings& solver, const RunPlan& plan,
                                              const RunSoFar& run, const State& start = {});
[[nodiscard]] std::unique_ptr<Steps> coordinate_steps(const Model& model, const IntegratorSettings& settings,
                                                      const SolverSettings& solver, const RunPlan& plan,
                                                      const RunSoFar& run, const State& start);
[[nodiscard]] std::unique_ptr<Steps> body_steps(const Model& model, const IntegratorSettings& settings,
                                                const SolverSettings& solver, const RunPlan& plan,
                                                const RunSoFar& run, const State& start);

}  // namespace carom
