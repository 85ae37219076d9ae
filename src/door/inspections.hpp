#pragma once

#include "carom/door/inspect.hpp"

namespace carom::detail {

/// Of a scene of that kind.
[[nodiscard]] SceneInspection inspect_coordinates(const Scene& scene);
[[nodiscard]] BodyInspection inspect_bodies(const Scene& scene);

}  // namespace carom::detail
