#include "carom/scene/sweeping_scene.hpp"

namespace carom {
namespace {

/// Turns the steps of a sweep into those of a run that recorders and pictures know.
class SweepRun {
public:
    SweepRun(const Model& model, const SweepingPlan& sweeping, const RunPlan& plan, RunSoFar& run,
             const StepListener& listener)
        : model_(model), sweeping_(sweeping), plan_(plan), run_(run), listener_(listener), scratch_(model)
    {
    }

    RunReport go()
    {
        const SweepingProblem problem{.set = *sweeping_.set,
                                      .metric = sweeping_.metric,
                                      .F = sweeping_.F,
                                      .jumps_s = sweeping_.jumps_s};
        const double begin_s = run_.state.t_s, end_s = begin_s + plan_.duration_s;
        run_.progress.start_s = begin_s;
        Eigen::VectorXd u = run_.state.q;
        const auto listen = [&](const SweepStep& step) { return after(step); };
        const auto done =
            sweeping_.lambda_s
                ? yosida(problem, *sweeping_.lambda_s, sweeping_.settings, begin_s, end_s, u, listen)
                : catching_up(problem, sweeping_.settings, begin_s, end_s, u, listen);
        if (!done) throw InternalError("a checked sweep was refused: " + done.error().message);
        if (pending_ && done->end == SweepEnd::Finished) tell();
        if (!too_fast_) return report_of(*done);
        SweepReport stopped = *done;
        stopped.end = SweepEnd::NotFinite;
        stopped.t_s = run_.state.t_s;
        return report_of(stopped);
    }

private:
    /// A step waits until it is known whether the set jumps at its end: the right limit is what counts.
    bool after(const SweepStep& step)
    {
        if (step.is_jump && step.t_s == run_.progress.start_s) {
            run_.state.q = step.u;
            return true;
        }
        if (step.is_jump) {
            after_.q = step.u;
            return true;
        }
        if (pending_ && !tell()) return false;
        after_ = run_.state;
        after_.t_s = step.t_s;
        after_.q = step.u;
        pending_ = true;
        return true;
    }

    /// The step that waited, for everybody who listens.
    bool tell()
    {
        pending_ = false;
        const State before = run_.state;
        const double h_s = after_.t_s - before.t_s;
        after_.u = (after_.q - before.q) / h_s;  // h > 0: steps have a length
        too_fast_ = !after_.u.allFinite();
        if (too_fast_) return false;
        run_.state = after_;
        ++run_.progress.steps;
        StepReport report;
        report.h_s = h_s;
        run_.progress.certifier.add_step(after_.t_s, {}, true, 0, {}, {});
        run_.progress.rest.after_step(after_.u);
        run_.progress.end = end_of_plan();
        const StepView view{model_, run_.progress.steps, before, run_.state, report, scratch_, run_.progress};
        const bool go_on = !listener_ || listener_(view);
        if (run_.progress.end) return false;
        return go_on;
    }

    std::optional<RunEnd> end_of_plan()
    {
        if (plan_.until.rest && run_.progress.rest.at_rest()) return RunEnd::Rest;
        if (!plan_.until.formula) return std::nullopt;
        const Point at{{run_.state.q.data(), static_cast<std::size_t>(run_.state.q.size())},
                       {run_.state.u.data(), static_cast<std::size_t>(run_.state.u.size())},
                       run_.state.t_s};
        return plan_.until.formula->value(at, work_) >= 0 ? std::optional(RunEnd::Formula) : std::nullopt;
    }

    [[nodiscard]] RunReport report_of(const SweepReport& sweep) const
    {
        RunReport report;
        report.certificate = run_.progress.certifier.certificate();
        report.certificate.max_penetration_m = sweep.largest_outside;
        report.certificate.unsolved_steps = sweep.at_smallest_step;
        const bool met = sweep.at_smallest_step == 0;
        report.status = met ? RunStatus::Certified : RunStatus::Uncertified;
        const auto fail = [&](RunEnd end, const char* code, std::string message) {
            report.status = RunStatus::Failed;
            report.end = end;
            report.findings.push_back({code, sweep.t_s, std::move(message), 1});
        };
        switch (sweep.end) {
        case SweepEnd::Finished: report.end = run_.progress.end.value_or(RunEnd::Duration); break;
        case SweepEnd::Listener: report.end = run_.progress.end.value_or(RunEnd::Listener); break;
        case SweepEnd::NotConverged:
            fail(RunEnd::UnsolvedStep, "no_nearest_point", "the nearest point of the set was not found");
            break;
        case SweepEnd::NotFinite:
            fail(RunEnd::NotFinite, "not_finite",
                 "a place, a velocity or the drift became infinite or not a number");
            break;
        case SweepEnd::NoSet:
            fail(RunEnd::Undetermined, "no_set",
                 sweep.error ? sweep.error->where + ": " + sweep.error->message : "there is no set");
            break;
        }
        return report;
    }

    const Model& model_;
    const SweepingPlan& sweeping_;
    const RunPlan& plan_;
    RunSoFar& run_;
    const StepListener& listener_;
    Scratch scratch_;
    Workspace work_;
    State after_;
    bool pending_ = false;
    bool too_fast_ = false;  ///< the velocity of a step is no number
};

}  // namespace

RunReport sweep(const Model& model, const SweepingPlan& sweeping, const RunPlan& plan, RunSoFar& run,
                const StepListener& listener)
{
    return SweepRun(model, sweeping, plan, run, listener).go();
}

}  // namespace carom
