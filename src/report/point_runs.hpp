#pragma once

#include "carom/scene/scene.hpp"
#include "carom/trace/page.hpp"

#include <atomic>
#include <functional>

namespace carom {

/// Runs the scenes of the points of a page, one after the other, for the reader to open: of all points, or,
/// where that would be more than a page should hold, of one in so many, which the note says. A point without
/// a scene, and one whose run cannot begin, has no run. It ends
/// when `stop` becomes true.
[[nodiscard]] PointRuns runs_of_points(long points,
                                       const std::function<Expected<Scene, Errors>(long)>& scene_of,
                                       const std::atomic<bool>* stop = nullptr);

}  // namespace carom
