#pragma once

#include "carom/trace/recording.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carom::detail {

/// Bodies as flat pictures show them: filled faces from the farthest to the nearest; balls are circles.

using Point2 = Eigen::Vector2d;

/// One face or ball as seen.
struct Piece {
    std::vector<Point2> corners;  ///< one: the centre of a ball
    double radius = 0;
    double depth = 0;  ///< greater is farther
    double light = 1;
    std::string_view colour;
    bool glass = false;  ///< a plane in space: what is behind it is seen
};

/// Looks from the front left, a little from above; in the plane straight at it. Empty where there are too
/// many faces for a picture.
[[nodiscard]] std::vector<Piece> pieces_at(const Recording& run, Eigen::Index frame);

/// The same for points of drawings with three coordinates.
[[nodiscard]] Point2 seen_in_space(const Vec3& point);

/// A colour of the palette made darker, "#RRGGBB".
[[nodiscard]] std::string shaded(std::string_view name, double light);

}  // namespace carom::detail
