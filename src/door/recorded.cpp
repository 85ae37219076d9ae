#include "carom/door/run.hpp"

#include "run_events.hpp"
#include "task.hpp"
#include "trace/checkpoint.hpp"
#include "trace/recorded_status.hpp"
#include "trace/save_recording.hpp"

#include <algorithm>
#include <numeric>

namespace carom {
namespace {

/// The last frame: a checkpoint may be older.
State last_frame(const Recording& record)
{
    State state = record.checkpoint->state;
    const Eigen::Index frames = record.frames();
    if (frames == 0) return state;
    state.t_s = record.time_s[frames - 1];
    if (record.q.rows() == frames) state.q = record.q.row(frames - 1);
    if (record.u.rows() == frames) state.u = record.u.row(frames - 1);
    return state;
}

/// In the order asked for. The file has those that were passed, in the order of time, without their probes.
std::vector<Snapshot> snapshots_of(const RecordedSnapshots& recorded)
{
    std::vector<std::size_t> by_time(recorded.asked_s.size());
    std::iota(by_time.begin(), by_time.end(), std::size_t{0});
    std::ranges::stable_sort(by_time, {}, [&](std::size_t i) { return recorded.asked_s[i]; });
    std::vector<Snapshot> snapshots(by_time.size());
    for (std::size_t k = 0; k < by_time.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        Snapshot& snapshot = snapshots[by_time[k]];
        snapshot.time_s = recorded.asked_s[by_time[k]];
        if (row >= recorded.time_s.size()) continue;
        snapshot.reached = true;
        snapshot.q = recorded.q.row(row);
        snapshot.u = recorded.u.row(row);
    }
    return snapshots;
}

}  // namespace

Expected<RecordedRun, Errors> open_recorded(const std::string& recording)
{
    auto record = read_recording(recording);
    if (!record) return Errors{record.error()};

    RunReport told;
    told.events = record->events;
    told.event_names = record->event_names;
    // a run that was killed has not told how many of the places are contacts
    told.event_contacts = record->report ? record->report->event_contacts
                          : record->bodies.names.empty() && !record->checkpoint->progress.sweep
                              ? record->contacts.size()
                              : record->event_names.size();

    RecordedRun result{.run = {}, .status = status_of(*record)};
    Run& run = result.run;
    run.certificate = certificate_of(*record);
    run.findings = findings_of(*record);
    run.events = detail::named_events(told);
    run.at_end = last_frame(*record);
    // forces of bodies stand after the formulas: means between frames, which are no part of a state
    const std::size_t forces = record->checkpoint->bodies ? record->checkpoint->bodies->force_N.size() : 0;
    for (std::size_t i = 0; i + forces < record->probes.size(); ++i) {
        const Eigen::VectorXd& values = record->probes[i].values;
        if (values.size() > 0) run.probes.push_back(values[values.size() - 1]);
    }
    run.snapshots = snapshots_of(record->snapshots);
    if (record->report) {
        run.status = record->report->status;
        run.end = record->report->end;
        run.stopped = !is_finished(*record);
    }
    run.recording = recording;
    run.record = std::move(*record);
    return result;
}

Expected<void, Errors> save(const Run& run, const Scene& scene, const std::string& path)
{
    if (run.record.frames() == 0) {
        return Errors{{.code = ErrorCode::NotAllowedHere,
                       .where = path,
                       .message = "the run has no columns that could be written",
                       .hint = "run it with columns, or with a recording",
                       .excerpt = {}}};
    }
    auto saved = save_recording(path, run.record, scene.model, detail::to_record(scene));
    if (!saved) return Errors{saved.error()};
    return {};
}

}  // namespace carom
