#include "geometry/hull_clipping.hpp"

#include "geometry/hull_axes.hpp"

#include <algorithm>
#include <limits>

namespace carom::detail {

std::vector<Corner> facing_corners(const PlacedCollider& hull, const Vec3& axis, double tolerance)
{
    const auto& faces = hull.collider->hull.faces;
    const auto& fours = hull.corners_in_fours;
    const double lowest = fours.empty() ? extremes_along(axis, hull.vertices).low : fours.lowest(axis);
    int best = -1;
    double largest = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const double alignment = axis.dot(hull.normals[f]);
        if (!(alignment < largest)) continue;
        const bool touches = std::any_of(faces[f].loop.begin(), faces[f].loop.end(), [&](int v) {
            return axis.dot(hull.vertices[v]) <= lowest + tolerance;
        });
        if (touches) {
            largest = alignment;
            best = static_cast<int>(f);
        }
    }
    std::vector<Corner> corners;
    if (best < 0) {
        for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
            corners.push_back({.point = hull.vertices[v], .tag = v});
        }
        return corners;
    }
    corners.reserve(faces[best].loop.size() + 4);  // cuts add some
    for (const int v : faces[best].loop) {
        corners.push_back({.point = hull.vertices[v], .tag = static_cast<std::uint64_t>(v)});
    }
    return corners;
}

void cut(const Vec3& normal, const Vec3& origin, double tolerance, std::uint64_t side,
         std::vector<Corner>& corners)
{
    thread_local std::vector<Corner> kept;
    kept.clear();
    const auto height = [&](const Corner& corner) { return normal.dot(corner.point - origin); };
    double to_at = corners.empty() ? 0.0 : height(corners.front());
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Corner& from = corners[i];
        const Corner& to = corners[i + 1 < corners.size() ? i + 1 : 0];
        const double from_at = to_at;
        to_at = height(to);
        if (from_at <= tolerance) kept.push_back(from);
        if ((from_at <= tolerance) != (to_at <= tolerance)) {
            // one is inside and the other out, so they differ; the tolerance may put the crossing beyond an
            // end
            const double part = std::clamp(from_at / (from_at - to_at), 0.0, 1.0);
            const std::uint64_t edge = std::min(from.tag & 0xffff, to.tag & 0xffff);
            kept.push_back({.point = from.point + part * (to.point - from.point),
                            .tag = (side + 1) << 16 | edge,
                            .sides = (from.sides & to.sides) | 1U << (side & 31)});
        }
    }
    corners.swap(kept);
}

std::vector<Corner> corners_above(const PlacedCollider& hull, int f, std::vector<Corner> corners,
                                  double tolerance)
{
    const Vec3& n = hull.normals[f];
    const std::vector<int>& loop = hull.collider->hull.faces[f].loop;
    const int sides = static_cast<int>(loop.size());
    for (int i = 0; i < sides && !corners.empty(); ++i) {
        const Vec3& from = hull.vertices[loop[i]];
        const Vec3& to = hull.vertices[loop[(i + 1) % sides]];
        // a side of a polygon in the plane ends at its two corners
        const Vec3 outward = sides == 2 ? Vec3(from - to) : Vec3((to - from).cross(n));
        cut(outward.normalized(), from, tolerance, static_cast<std::uint64_t>(i), corners);
    }
    return corners;
}

bool repeats(const Corner& corner, std::span<const Corner> earlier, double tolerance)
{
    return std::any_of(earlier.begin(), earlier.end(),
                       [&](const Corner& other) { return (other.point - corner.point).norm() <= tolerance; });
}

}  // namespace carom::detail
