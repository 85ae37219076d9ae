#include "run_loop.hpp"

#include "run_parts.hpp"

namespace carom {
namespace {

class RunLoop {
public:
    RunLoop(Steps& steps, const RunOrder& order, RunSoFar& run)
        : steps_(steps), order_(order), run_(run), progress_(run.progress), certifier_(progress_.certifier)
    {
    }

    RunReport go()
    {
        begin();
        while (result_.end == RunEnd::Duration && !failed_ && !steps_.is_over(run_)) {
            before_ = run_.state;
            StepReport report = steps_.take(run_);
            // somebody stopped the solve: the step has not been taken
            if (report.status == StepStatus::NotSolved && order_.solver.is_stopped()) {
                run_.state = before_;
                result_.end = RunEnd::Listener;
                break;
            }
            if (fails(report.status, report.findings)) break;
            settle(report);
            tell(report);
        }
        return judge();
    }

private:
    void begin()
    {
        certifier_.set_energy_tolerance(order_.plan.energy_tolerance);
        std::vector<Finding> why;
        const StepStatus status = steps_.begin(run_, why);
        // a formula that is zero where the run begins has yet to come back: what is thrown from the floor
        // lands there
        const auto& until = order_.plan.until.formula;
        if (progress_.steps == 0 && until && until->value(point_of(run_.state), work_) > 0)
            progress_.end = RunEnd::Formula;
        result_.end = progress_.end.value_or(RunEnd::Duration);
        static_cast<void>(fails(status, why));
    }

    /// Whether a step did not come about, which ends the run.
    bool fails(StepStatus status, const std::vector<Finding>& why)
    {
        const auto end = end_of_failed(status);
        if (!end) return false;
        for (const Finding& finding : why) {
            certifier_.add_finding(finding);
        }
        if (why.empty()) certifier_.add_finding(std::string(name_of(*end)), run_.state.t_s, explain(*end));
        result_.end = *end;
        failed_ = true;
        return true;
    }

    /// The step becomes part of the run, its certificate, and what theory asks of it.
    void settle(StepReport& report)
    {
        steps_.settle(before_, run_, report);
        ++progress_.steps;
        for (Event& event : steps_.events()) {
            event.step = progress_.steps;
        }
        TakenStep taken = steps_.taken(report);
        taken.events = steps_.events();
        taken.number = progress_.steps;
        taken.began_s = before_.t_s;
        taken.ended_s = run_.state.t_s;
        taken.tolerance = order_.solver.tolerance;
        account(taken, certifier_);
        progress_.rest.after_step(steps_.velocities(run_));
        steps_.watch(before_, report, run_);
    }

    /// For everybody who listens.
    void tell(const StepReport& report)
    {
        // whether it was the last is known before anyone keeps it: a run taken up here must not go further
        const RunPlan& plan = order_.plan;
        progress_.end = end_by_plan(plan, report, progress_.rest, point_of(run_.state), work_);
        const std::span<const Event> happened = steps_.events();
        const auto kept = plan.keep_events ? happened : std::span<const Event>();
        run_.events.insert(run_.events.end(), kept.begin(), kept.end());
        bool wanted = true;
        if (order_.listener) {
            StepView view{.model = order_.model,
                          .step = progress_.steps,
                          .before = before_,
                          .after = run_.state,
                          .report = report,
                          .progress = progress_,
                          .events = kept,
                          .smooth = happened.empty()};
            view.source = &steps_;
            steps_.show(view);
            wanted = order_.listener(view);
        }
        result_.end = progress_.end.value_or(wanted ? RunEnd::Duration : RunEnd::Listener);
    }

    /// A run that goes on has another end: what the end tells belongs to the report alone.
    RunReport judge()
    {
        result_.events = run_.events;
        EventPlaces places = steps_.name_events(result_.events);
        result_.event_names = std::move(places.names);
        result_.event_contacts = places.contacts;
        Certifier at_end = certifier_;
        for (const Finding& finding : steps_.findings_of_end(run_, result_.end == RunEnd::Listener)) {
            at_end.add_finding(finding);
        }
        judge_run(at_end, failed_, result_);
        return std::move(result_);
    }

    Steps& steps_;
    const RunOrder& order_;
    RunSoFar& run_;
    RunProgress& progress_;
    Certifier& certifier_;
    State before_;
    Workspace work_;
    RunReport result_;
    bool failed_ = false;
};

}  // namespace

RunReport run_to_end(Steps& steps, const RunOrder& order, RunSoFar& run)
{
    return RunLoop(steps, order, run).go();
}

}  // namespace carom
