#pragma once

#include "carom/geometry/shape.hpp"

#include <array>

namespace carom::detail {

/// Normal and two tangents, as tangents() makes them.
using Axes = std::array<Vec3, 3>;

/// The tangents of four normals at once, bit for bit those of tangents().
void set_tangents(const std::array<Axes*, 4>& axes) noexcept;

}  // namespace carom::detail
