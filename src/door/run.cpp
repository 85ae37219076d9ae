#include "carom/door/run.hpp"

#include "core/messages.hpp"
#include "run_events.hpp"
#include "scene/scene_bodies.hpp"
#include "task.hpp"

#include <chrono>

namespace carom {
namespace detail {
namespace {

/// Ends the recording and hands out the columns. What cannot be written makes the run a failed one: it is not
/// what was asked for.
void finish_files(Task& task, const RunReport& report, Run& run)
{
    const auto fail = [&](const Error& error) {
        run.not_written.push_back(error);
        run.status = RunStatus::Failed;
        run.findings.push_back(
            {.code = "not_recorded", .time_s = run.at_end.t_s, .message = error.message, .count = 1});
    };
    if (task.recorder) {
        if (auto finished = task.recorder->finish(report); !finished) return fail(finished.error());
    }
    run.recording = task.recording;
    auto kept = task.problems.finish();
    run.problems = task.problems.counts();
    if (!kept) return fail(kept.error());
    if (!task.columns) return;
    if (task.recording.empty()) {
        run.record = task.recorder->recording();
        return;
    }
    auto read = read_recording(task.recording);
    if (!read) return fail(read.error());
    run.record = std::move(*read);
}

}  // namespace

std::optional<BodiesToRecord> to_record(const Scene& scene)
{
    if (!scene.bodies) return std::nullopt;
    const SceneBodies& bodies = *scene.bodies;
    return BodiesToRecord{*scene.model.bodies(), scene.start, bodies.probes, bodies.colours};
}

/// What the ranks of a run compare after a step.
std::uint64_t digest_of_state(const State& state)
{
    const auto digest = [](const auto& list, std::uint64_t before) {
        return digest_of(std::as_bytes(std::span(list.data(), static_cast<std::size_t>(list.size()))),
                         before);
    };
    return digest(state.u, digest(state.q, 0));
}

bool records_here(const RecordSettings& settings) noexcept
{
    const Messages* ranks = Ranks::all();
    return ranks == nullptr || ranks->rank() == 0 || settings.parts > 0;
}

Run carry_out(Task& task)
{
    // run, with everybody listening
    const auto stopped = [&] { return task.stop != nullptr && task.stop->load(std::memory_order_relaxed); };
    const auto listener = [&](const StepView& step) {
        task.snapshots.after_step(step);
        task.problems.after_step(step);
        const bool wanted = !task.listener || task.listener(StepRecord(step));
        const bool recorded = !task.recorder || (*task.recorder)(step);
        const bool continues = recorded && wanted && !stopped();
        if (Ranks::all() == nullptr) return continues;
        return all_continue(continues, digest_of_state(step.after), step.step);
    };
    SolverSettings solver = task.scene.solver;
    // ranks stop together, between steps
    if (task.stop != nullptr && Ranks::all() == nullptr) solver.stop = task.stop;
    const long steps_before = task.so_far.progress.steps;
    const auto begin = std::chrono::steady_clock::now();
    RunReport report = resume_run(task.scene, solver, task.so_far, listener);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    task.snapshots.at_end(task.scene.model, task.so_far.state);

    // what it left behind
    Workspace work;
    Run run{.status = report.status,
            .end = report.end,
            .certificate = report.certificate,
            .findings = report.findings,
            .events = named_events(report),
            .at_end = task.so_far.state,
            .probes = probe_values(task.scene.model, point_of(task.so_far.state), work),
            .snapshots = std::move(task.snapshots).taken(),
            .record = {},
            .problems = {},
            .sensitivity = {},
            // the flag counts if it ended the run, not if it came too late
            .stopped = stopped() && report.end == RunEnd::Listener,
            .wall_s = passed.count(),
            .steps_now = task.so_far.progress.steps - steps_before,
            .recording = {},
            .not_written = {},
            .note = {}};
    finish_files(task, report, run);
    return run;
}

}  // namespace detail

Expected<Run, Errors> run(const Scene& scene, const RunOptions& options)
{
    auto snapshots = detail::Snapshots::at(options.at_s, scene);
    if (!snapshots) return snapshots.error();

    // derivatives first: what they refuse ends the run before anything is written
    std::optional<Sensitivities> sensitivity;
    if (!options.sensitivity.by.empty()) {
        auto found = sensitivities(scene, options.sensitivity);
        if (!found) return found.error();
        sensitivity = std::move(*found);
    }
    const bool records = detail::records_here(scene.record), first = detail::records_here({});
    detail::Task task{.scene = scene,
                      .so_far = start_run(scene.model, scene.start),
                      .snapshots = std::move(*snapshots),
                      .recording = records ? options.recording : std::string(),
                      .problems =
                          detail::KeptProblems(first ? options.problems : KeepProblems{}, scene.title),
                      .listener = options.listener,
                      .stop = options.stop,
                      .columns = options.columns};

    // without a file the recorder keeps the columns in memory
    Expected<void> ready;
    if (!task.recording.empty() || options.columns) {
        const double duration_s = scene.plan.duration_s, h_s = time_step_s(scene.integrator);
        const auto bodies = detail::to_record(scene);
        auto recorder =
            task.recording.empty()
                ? Recorder::in_memory(scene.model, scene.title, scene.text, scene.record, scene.start,
                                      duration_s, h_s, options.at_s, bodies)
                : Recorder::create(task.recording, scene.model, scene.title, scene.text, scene.record,
                                   scene.start, duration_s, h_s, {}, options.at_s, bodies);
        if (recorder)
            task.recorder.emplace(std::move(*recorder));
        else
            ready = recorder.error();
    }
    if (ready) ready = task.problems.begin();
    if (auto all = all_done(ready); !all) return Errors{all.error()};
    Run result = detail::carry_out(task);
    result.sensitivity = std::move(sensitivity);
    return result;
}

std::vector<double> probe_values(const Model& model, const Point& at, Workspace& work)
{
    std::vector<double> values;
    for (const Probe& probe : model.system().probes)
        values.push_back(probe.value.value(at, work));
    return values;
}

std::vector<std::pair<std::string_view, double>> lines_of(const EnergyLines& energy)
{
    return {{"kinetic_J", energy.kinetic_J},
            {"potential_J", energy.potential_J},
            {"given_forces_J", energy.given_forces_J},
            {"prescribed_motions_J", energy.prescribed_motions_J},
            {"impact_J", energy.impact_J},
            {"friction_J", energy.friction_J},
            {"non_firm_J", energy.non_firm_J},
            {"joint_J", energy.joint_J},
            {"correction_J", energy.correction_J},
            {"scheme_J", energy.scheme_J}};
}

}  // namespace carom
