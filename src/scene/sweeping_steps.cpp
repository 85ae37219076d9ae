#include "scene/sweeping_steps.hpp"

#include "sweeping/sweep.hpp"

#include <fmt/format.h>

namespace carom {
namespace {

/// Steps of a sweeping process. A step and the jump of the set at its end are one: the right limit counts.
class SweepSteps final : public Steps {
public:
    SweepSteps(const Model& model, const SweepingPlan& plan, const RunSoFar& run, double duration_s)
        : model_(model),
          plan_(plan),
          problem_{.set = *plan.set, .metric = plan.metric, .F = plan.F, .jumps_s = plan.jumps_s},
          sweep_(problem_, plan.settings, plan.lambda_s.value_or(0), run.progress.start_s,
                 run.progress.start_s + duration_s, run.state.q)
    {
    }

    StepStatus begin(RunSoFar& run, std::vector<Finding>& why) override
    {
        if (run.progress.sweep) {
            sweep_.take_up(run.state.t_s, run.state.q, *run.progress.sweep);
            return StepStatus::Solved;
        }
        if (sweep_.jump_is_due() && !sweep_.jump()) return failure(why);
        run.state.q = sweep_.u();
        run.progress.sweep = sweep_.progress();
        run.progress.sweep->pushed = 0;  // nothing touches before the first step
        return StepStatus::Solved;
    }

    [[nodiscard]] bool is_over(const RunSoFar&) const override { return sweep_.is_over(); }

    StepReport take(RunSoFar& run) override
    {
        StepReport report;
        const int missed_before = sweep_.report().at_smallest_step;
        bool good = sweep_.step();
        if (good && sweep_.jump_is_due()) good = sweep_.jump();
        report.max_penetration_m = sweep_.report().largest_outside;
        if (!good) {
            report.status = failure(report.findings);
            return report;
        }
        report.h_s = sweep_.report().t_s - run.state.t_s;
        u_ = (sweep_.u() - run.state.q) / report.h_s;  // h > 0: steps have a length
        if (!u_.allFinite()) {
            sweep_.stop(SweepEnd::NotFinite);
            report.status = failure(report.findings);
            report.findings.back().time_s = run.state.t_s;
        } else if (sweep_.report().at_smallest_step > missed_before) {
            report.status = StepStatus::NotSolved;
            report.findings.push_back(missed(run));
        }
        return report;
    }

    void settle(const State&, RunSoFar& run, StepReport&) override
    {
        run.state.t_s = sweep_.report().t_s;
        run.state.q = sweep_.u();
        run.state.u = u_;
        const bool pushed_before = run.progress.sweep->pushed != 0;
        run.progress.sweep = sweep_.progress();
        const bool pushes = run.progress.sweep->pushed != 0;
        events_.clear();
        if (pushes == pushed_before) return;
        events_.push_back(
            {.time_s = run.state.t_s, .kind = pushes ? EventKind::ContactMade : EventKind::ContactLost});
    }

    [[nodiscard]] std::string name_of_interaction(int) const override { return {}; }
    [[nodiscard]] std::string name_of_contact(int) const override { return {}; }
    [[nodiscard]] std::span<const ContactStep> contacts() const override { return {}; }
    std::span<Event> events() override { return events_; }
    const Eigen::VectorXd& velocities(const RunSoFar& run) override { return run.state.u; }
    void watch(const State&, const StepReport&, RunSoFar&) override {}
    void show(StepView&) override {}
    std::optional<StepProblem> problem() override { return std::nullopt; }

    [[nodiscard]] EventPlaces name_events(std::span<Event>) const override { return event_places(model_); }

    [[nodiscard]] std::vector<Finding> findings_of_end(const RunSoFar&, bool) override { return {}; }

private:
    /// Why the sweep could not go on.
    StepStatus failure(std::vector<Finding>& why) const
    {
        const SweepReport& report = sweep_.report();
        const auto tell = [&](StepStatus status, const char* code, std::string message) {
            why.push_back({.code = code, .time_s = report.t_s, .message = std::move(message), .count = 1});
            return status;
        };
        switch (report.end) {
        case SweepEnd::NotConverged:
            return tell(StepStatus::NoNearestPoint, "no_nearest_point",
                        "the nearest point of the set was not found");
        case SweepEnd::NoSet:
            return tell(StepStatus::Undetermined, "no_set",
                        report.error ? report.error->where + ": " + report.error->message
                                     : "there is no set");
        case SweepEnd::NotFinite:
        case SweepEnd::Finished:
        case SweepEnd::Listener: break;
        }
        return tell(StepStatus::NotFinite, "not_finite",
                    "a position, a velocity or the drift became infinite or NaN");
    }

    [[nodiscard]] Finding missed(const RunSoFar& run) const
    {
        return {.code = "unsolved_step",
                .time_s = sweep_.report().t_s,
                .message = fmt::format(
                    "step {}: the error is more than tolerance_per_s = {:g} allows, and the "
                    "step cannot be made smaller than {:g} s",
                    run.progress.steps + 1, plan_.settings.tolerance_per_s, plan_.settings.smallest_step_s),
                .count = 1,
                .uncertifies = true};
    }

    const Model& model_;
    const SweepingPlan& plan_;
    SweepingProblem problem_;
    SweepInSteps sweep_;
    Eigen::VectorXd u_;
    std::vector<Event> events_;
};

}  // namespace

std::unique_ptr<Steps> detail::sweep_steps(const Model& model, const SweepingPlan& sweeping,
                                           const RunSoFar& run, double duration_s)
{
    return std::make_unique<SweepSteps>(model, sweeping, run, duration_s);
}

RunReport sweep(const Model& model, const SweepingPlan& sweeping, const RunPlan& plan, RunSoFar& run,
                const StepListener& listener)
{
    const SolverSettings none;  // there is no one-step problem
    const auto steps = detail::sweep_steps(model, sweeping, run, plan.duration_s);
    return run_to_end(*steps, {model, none, plan, listener}, run);
}

}  // namespace carom
