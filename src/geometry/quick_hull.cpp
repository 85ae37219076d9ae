#include "quick_hull.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

struct Triangle {
    std::array<int, 3> corners{}, neighbours{-1, -1, -1};
    Vec3 normal = Vec3::Zero();
    double offset = 0;
    std::vector<int> outside = {};  ///< points above it, each in the list of one triangle only
    int farthest = -1;
    double height = 0;  ///< of the farthest
    bool alive = true, seen = false;
};

/// A side of the rim of what a point sees, with the triangle beyond it.
struct RimSide {
    int from, to, beyond;
};

class QuickHull {
public:
    QuickHull(std::span<const Vec3> points, double tolerance) : points_(points), tolerance_(tolerance) {}

    /// False where the points span nothing, or rounding broke the surface.
    bool run()
    {
        std::array<int, 4> corners{};
        if (!first_corners(corners)) return false;
        make_tetrahedron(corners);

        // triangles are appended, so that one pass over the list meets all of them
        for (std::size_t t = 0; t < triangles_.size(); ++t) {
            if (!triangles_[t].alive || triangles_[t].outside.empty()) continue;
            if (!add_point(static_cast<int>(t))) return false;
        }
        return true;
    }

    [[nodiscard]] std::vector<HullTriangle> surface() const
    {
        std::vector<int> place(triangles_.size(), -1);
        int alive = 0;
        for (std::size_t t = 0; t < triangles_.size(); ++t) {
            if (triangles_[t].alive) place[t] = alive++;
        }
        std::vector<HullTriangle> surface;
        for (const Triangle& triangle : triangles_) {
            if (!triangle.alive) continue;
            const auto& next = triangle.neighbours;
            surface.push_back({.corners = triangle.corners,
                               .neighbours = {place[next[0]], place[next[1]], place[next[2]]},
                               .normal = triangle.normal});
        }
        return surface;
    }

private:
    template <class Measure>
    int largest(Measure measure) const
    {
        int best = 0;
        double most = -1;
        for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
            const double value = measure(points_[i]);
            if (value > most) {
                most = value;
                best = i;
            }
        }
        return best;
    }

    /// Two points far apart, one far from their line, one far from their plane.
    bool first_corners(std::array<int, 4>& corners) const
    {
        if (points_.size() < 4) return false;
        corners[0] = largest([&](const Vec3& x) { return (x - points_[0]).squaredNorm(); });
        const Vec3& a = points_[corners[0]];
        corners[1] = largest([&](const Vec3& x) { return (x - a).squaredNorm(); });
        const Vec3 line = points_[corners[1]] - a;
        if (!(line.norm() > tolerance_)) return false;
        const Vec3 along = line.normalized();
        const auto from_line = [&](const Vec3& x) { return (x - a).cross(along).norm(); };
        corners[2] = largest(from_line);
        if (!(from_line(points_[corners[2]]) > tolerance_)) return false;
        const Vec3 normal = along.cross(points_[corners[2]] - a).normalized();
        const auto from_plane = [&](const Vec3& x) { return std::abs(normal.dot(x - a)); };
        corners[3] = largest(from_plane);
        if (!(from_plane(points_[corners[3]]) > tolerance_)) return false;

        // the fourth below the first three
        if (normal.dot(points_[corners[3]] - a) > 0) std::swap(corners[1], corners[2]);
        return true;
    }

    int add_triangle(int a, int b, int c)
    {
        Triangle triangle;
        triangle.corners = {a, b, c};
        triangle.normal = (points_[b] - points_[a]).cross(points_[c] - points_[a]).normalized();
        triangle.offset = triangle.normal.dot(points_[a]);
        triangles_.push_back(std::move(triangle));
        return static_cast<int>(triangles_.size()) - 1;
    }

    [[nodiscard]] double height(const Triangle& triangle, int point) const
    {
        return triangle.normal.dot(points_[point]) - triangle.offset;
    }

    /// Gives the point to the first triangle in the list that sees it; without one it is inside.
    void hand_out(int point, std::span<const int> list)
    {
        for (const int t : list) {
            Triangle& triangle = triangles_[t];
            const double above = height(triangle, point);
            if (!(above > tolerance_)) continue;
            if (above > triangle.height) {
                triangle.height = above;
                triangle.farthest = point;
            }
            triangle.outside.push_back(point);
            return;
        }
    }

    void make_tetrahedron(const std::array<int, 4>& c)
    {
        add_triangle(c[0], c[1], c[2]);
        add_triangle(c[0], c[3], c[1]);
        add_triangle(c[1], c[3], c[2]);
        add_triangle(c[2], c[3], c[0]);
        triangles_[0].neighbours = {1, 2, 3};
        triangles_[1].neighbours = {3, 2, 0};
        triangles_[2].neighbours = {1, 3, 0};
        triangles_[3].neighbours = {2, 1, 0};
        const std::array<int, 4> all{0, 1, 2, 3};
        for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
            if (std::find(c.begin(), c.end(), i) == c.end()) hand_out(i, all);
        }
    }

    /// All triangles connected with `start` that see the point, and the rim around them.
    void find_seen(int start, int point)
    {
        seen_.assign(1, start);
        rim_.clear();
        triangles_[start].seen = true;
        for (std::size_t k = 0; k < seen_.size(); ++k) {
            const int t = seen_[k];
            for (int i = 0; i < 3; ++i) {
                const int next = triangles_[t].neighbours[i];
                if (triangles_[next].seen) continue;
                if (height(triangles_[next], point) > tolerance_) {
                    triangles_[next].seen = true;
                    seen_.push_back(next);
                }
            }
        }
        for (const int t : seen_) {
            const Triangle& triangle = triangles_[t];
            for (int i = 0; i < 3; ++i) {
                if (triangles_[triangle.neighbours[i]].seen) continue;
                rim_.push_back({triangle.corners[i], triangle.corners[(i + 1) % 3], triangle.neighbours[i]});
            }
        }
    }

    /// Replaces what the farthest point above a triangle sees by a cone from the point to the rim.
    bool add_point(int start)
    {
        const int point = triangles_[start].farthest;
        find_seen(start, point);

        // every corner of the rim begins one side and ends one; otherwise the surface is not closed
        from_.resize(points_.size(), -1);
        added_.clear();
        bool closed = true;
        for (const RimSide& side : rim_) {
            const int t = add_triangle(side.from, side.to, point);
            closed = closed && from_[side.from] < 0 && triangles_[t].normal.allFinite();
            from_[side.from] = t;
            added_.push_back(t);
            Triangle& beyond = triangles_[side.beyond];
            triangles_[t].neighbours[0] = side.beyond;
            for (int i = 0; i < 3; ++i) {
                if (beyond.corners[i] == side.to && beyond.corners[(i + 1) % 3] == side.from)
                    beyond.neighbours[i] = t;
            }
        }
        for (std::size_t k = 0; k < rim_.size() && closed; ++k) {
            const int next = from_[rim_[k].to];
            closed = next >= 0;
            if (!closed) break;
            triangles_[added_[k]].neighbours[1] = next;
            triangles_[next].neighbours[2] = added_[k];
        }
        for (const RimSide& side : rim_) {
            from_[side.from] = -1;
        }
        if (!closed) return false;

        // points above what is gone are above the cone, or inside
        for (const int t : seen_) {
            triangles_[t].alive = false;
            const std::vector<int> orphans = std::move(triangles_[t].outside);
            for (const int orphan : orphans) {
                if (orphan != point) hand_out(orphan, added_);
            }
        }
        return true;
    }

    std::span<const Vec3> points_;
    double tolerance_;
    std::vector<Triangle> triangles_;
    std::vector<int> seen_, added_, from_;
    std::vector<RimSide> rim_;
};

}  // namespace

std::optional<std::vector<HullTriangle>> quick_hull(std::span<const Vec3> points, double tolerance)
{
    QuickHull hull(points, tolerance);
    if (!hull.run()) return std::nullopt;
    return hull.surface();
}

}  // namespace carom::detail
