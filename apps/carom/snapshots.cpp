#include "snapshots.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace carom::app {

Expected<Snapshots, Errors> Snapshots::at(const std::vector<double>& times_s, const Scene& scene)
{
    const double start_s = scene.start.t_s, end_s = start_s + scene.plan.duration_s;
    Snapshots result;
    result.tolerance_s_ = 1e-9 * scene.integrator.time_step_s;
    Errors errors;
    for (const double t_s : times_s) {
        if (!(t_s >= start_s && t_s <= end_s + result.tolerance_s_)) {
            errors.push_back({.code = ErrorCode::SettingOutOfRange,
                              .where = "--at",
                              .message = fmt::format("{} s is outside the run", t_s),
                              .hint = fmt::format("give times from {} to {} s", start_s, end_s),
                              .excerpt = {}});
        }
        result.snapshots_.push_back({.time_s = t_s, .reached = false, .q = {}, .u = {}, .probes = {}});
    }
    if (!errors.empty()) return errors;

    result.order_.resize(times_s.size());
    std::iota(result.order_.begin(), result.order_.end(), 0);
    std::ranges::stable_sort(result.order_, {}, [&](std::size_t i) { return times_s[i]; });

    // the start is no part of a step
    for (; result.next_ < times_s.size(); ++result.next_) {
        Snapshot& snapshot = result.snapshots_[result.order_[result.next_]];
        if (snapshot.time_s > start_s) break;
        snapshot.q = scene.start.q;
        snapshot.u = scene.start.u;
        result.take(scene.model, snapshot);
    }
    return result;
}

void Snapshots::after_step(const StepView& view)
{
    for (; next_ < order_.size(); ++next_) {
        Snapshot& snapshot = snapshots_[order_[next_]];
        if (snapshot.time_s > view.after.t_s) return;
        interpolate(view, snapshot.time_s, snapshot.q, snapshot.u);
        take(view.model, snapshot);
    }
}

void Snapshots::at_end(const Model& model, const State& end)
{
    for (; next_ < order_.size(); ++next_) {
        Snapshot& snapshot = snapshots_[order_[next_]];
        if (snapshot.time_s > end.t_s + tolerance_s_) return;
        snapshot.q = end.q;
        snapshot.u = end.u;
        take(model, snapshot);
    }
}

void Snapshots::take(const Model& model, Snapshot& snapshot)
{
    snapshot.reached = true;
    snapshot.probes = probe_values(model, {view(snapshot.q), view(snapshot.u), snapshot.time_s}, work_);
}

std::vector<double> probe_values(const Model& model, const Point& at, Workspace& work)
{
    std::vector<double> values;
    for (const Probe& probe : model.system().probes)
        values.push_back(probe.value.value(at, work));
    return values;
}

}  // namespace carom::app
