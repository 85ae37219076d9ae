#include "report/point_runs.hpp"

#include "carom/door/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

constexpr double max_bytes = 100e6;

/// The run of a point as part of a page; empty: there is none.
std::string run_of(long point, const std::function<Expected<Scene, Errors>(long)>& scene_of,
                   const std::atomic<bool>* stop)
{
    const auto scene = scene_of(point);
    if (!scene) return {};
    const auto run = carom::run(*scene, {.stop = stop});
    return run && !run->stopped ? run_of_point(point, run->record) : std::string();
}

}  // namespace

PointRuns runs_of_points(long points, const std::function<Expected<Scene, Errors>(long)>& scene_of,
                         const std::atomic<bool>* stop)
{
    PointRuns runs;
    if (points == 0) return runs;
    // the first run tells how large they are
    runs.data.push_back(run_of(0, scene_of, stop));
    const double size = static_cast<double>(std::max<std::size_t>(1, runs.data.front().size()));
    const long stride = std::max(1L, std::lround(std::ceil(static_cast<double>(points) * size / max_bytes)));
    for (long point = stride; point < points && !(stop != nullptr && stop->load()); point += stride)
        runs.data.push_back(run_of(point, scene_of, stop));
    if (stride > 1)
        runs.note = fmt::format("To limit its size, this page contains the run of one point in {}.", stride);
    return runs;
}

}  // namespace carom
