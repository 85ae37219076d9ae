#include "snapshots.hpp"
#include "trace/checkpoint.hpp"

#include <fmt/format.h>

namespace carom::detail {

Snapshots::Snapshots(std::vector<double> asked_s, std::size_t passed, double time_step_s)
    : instants_(std::move(asked_s), passed), tolerance_s_(1e-9 * time_step_s)
{
    for (const double t_s : instants_.asked_s()) {
        snapshots_.push_back({.time_s = t_s, .reached = false, .q = {}, .u = {}, .probes = {}});
    }
}

Expected<Snapshots, Errors> Snapshots::at(const std::vector<double>& times_s, const Scene& scene)
{
    const double start_s = scene.start.t_s, end_s = start_s + scene.plan.duration_s;
    Snapshots result(times_s, 0, time_step_s(scene.integrator));
    Errors errors;
    for (const double t_s : times_s) {
        if (!(t_s >= start_s && t_s <= end_s + result.tolerance_s_)) {
            errors.push_back({.code = ErrorCode::SettingOutOfRange,
                              .where = "RunOptions::at_s",
                              .message = fmt::format("{} s is outside the run", t_s),
                              .hint = fmt::format("give times from {} to {} s", start_s, end_s),
                              .excerpt = {}});
        }
    }
    if (!errors.empty()) return errors;

    // the start is no part of a step
    result.instants_.pass(
        start_s, [&](std::size_t i, double) { result.take(scene.model, i, scene.start.q, scene.start.u); });
    return result;
}

Snapshots Snapshots::of(const Recording& recording, const Scene& scene)
{
    const RecordedSnapshots& recorded = recording.snapshots;
    const auto passed = static_cast<std::size_t>(recording.checkpoint->snapshots);
    Snapshots result(recorded.asked_s, passed, time_step_s(scene.integrator));
    for (std::size_t k = 0; k < passed; ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        result.take(scene.model, result.instants_.in_order(k), recorded.q.row(row), recorded.u.row(row));
    }
    return result;
}

void Snapshots::after_step(const StepView& view)
{
    instants_.pass(view.after.t_s, [&](std::size_t i, double t_s) {
        Eigen::VectorXd q, u;
        interpolate(view, t_s, q, u);
        take(view.model, i, q, u);
    });
}

void Snapshots::at_end(const Model& model, const State& end)
{
    instants_.pass(end.t_s + tolerance_s_, [&](std::size_t i, double) { take(model, i, end.q, end.u); });
}

void Snapshots::take(const Model& model, std::size_t i, const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    Snapshot& snapshot = snapshots_[i];
    snapshot.reached = true;
    snapshot.q = q;
    snapshot.u = u;
    snapshot.probes = probe_values(model, {view(snapshot.q), view(snapshot.u), snapshot.time_s}, work_);
}

}  // namespace carom::detail
