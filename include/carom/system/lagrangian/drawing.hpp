#pragma once

#include "carom/core/expected.hpp"
#include "carom/expression/formula.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// Kinds of drawings. A circle with three coordinates is drawn as a ball.
enum class DrawingKind {
    Point,
    Segment,
    Circle,
    Polyline,
    Trace,  ///< the path of one point so far
};

/// The name used in scenes and recordings, e.g. "polyline".
[[nodiscard]] std::string_view name_of(DrawingKind kind) noexcept;

/// An item that pictures of the motion show, given by formulas of coordinates, parameters and t. It does not
/// take part in the mechanics. x points to the right and y up; with a third coordinate z points up.
struct Drawing {
    DrawingKind kind{};
    int dimension = 2;                ///< entries per point, 2 or 3
    std::vector<Formula> points;      ///< m, point after point, `dimension` entries each
    std::optional<Formula> radius_m;  ///< of circles
    std::vector<Formula> normal;      ///< where the contact pushes, `dimension` entries; or empty
    std::vector<Formula> tangent;     ///< with a normal: the direction of t1; empty: by the rule (CF-3)
    int contact = -1;                 ///< coloured by what this contact does; -1: none
    bool closed = false;              ///< of polylines: back to the first point
    std::string colour;               ///< one of core/palette.hpp
    std::string label;                ///< written beside it

    [[nodiscard]] int point_count() const noexcept
    {
        return dimension > 0 ? static_cast<int>(points.size()) / dimension : 0;
    }
};

/// The right number of points for its kind, compatible dimensions, a contact that exists,
/// formulas without velocities. `where` names the drawing in the error.
[[nodiscard]] Expected<void> check(const Drawing& drawing, int contacts, const std::string& where);

}  // namespace carom
