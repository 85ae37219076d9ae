#include "cylinder_axes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace carom::detail {
namespace {

using Kind = CylinderAxis::Kind;
constexpr double pi = std::numbers::pi;

/// Calls `found(angle)` for every maximum of f between 0 and `to`, f given by its derivative as a function of
/// cosine and sine. Maxima closer together than an interval's part are taken as one. `worth(c0, s0, c1, s1)`:
/// whether the maximum between these two directions is asked for.
template <class Derivative, class Worth, class Found>
void maxima(double to, int parts, Derivative&& of, Worth&& worth, Found&& found)
{
    const auto derivative = [&](double angle) { return of(std::cos(angle), std::sin(angle)); };
    // where the slope changes its sign needs no more than angles turned one after the other
    const double cos_part = std::cos(to / parts), sin_part = std::sin(to / parts);
    double c = 1, s = 0, slope = of(c, s);
    for (int k = 1; k <= parts; ++k) {
        const double c_low = c, s_low = s;
        c = c_low * cos_part - s_low * sin_part;
        s = s_low * cos_part + c_low * sin_part;
        const double next = of(c, s);
        if (slope > 0 && next <= 0 && worth(c_low, s_low, c, s)) {
            // false position, halving the end that stays (Illinois); ends at rounding
            double a = to * (k - 1) / parts, b = to * k / parts, fa = derivative(a), fb = derivative(b);
            for (int i = 0; i < 100 && b - a > 1e-15 * (1 + std::abs(a)); ++i) {
                double between = (a * fb - b * fa) / (fb - fa);
                if (!(between > a && between < b) || i % 8 == 7) between = 0.5 * (a + b);
                const double f = derivative(between);
                if (f == 0) {
                    a = b = between;
                } else if (f > 0) {
                    a = between;
                    fa = f;
                    fb *= 0.5;
                } else {
                    b = between;
                    fb = f;
                    fa *= 0.5;
                }
            }
            found(0.5 * (a + b));
        }
        slope = next;
    }
}

/// The side against a vertex, or the rim where the vertex is beyond an end; nothing where the end is nearest.
std::optional<Vec3> towards(const PlacedCylinder& cylinder, const Vec3& x)
{
    const Vec3 arm = x - cylinder.centre;
    const double height = arm.dot(cylinder.axis), beyond = std::abs(height) - cylinder.half;
    const Vec3 radial = arm - height * cylinder.axis;
    const double from_axis = radial.norm(), out = from_axis - cylinder.radius;
    if (!(from_axis > 0) || (beyond > 0 && out <= 0)) return std::nullopt;
    if (beyond <= 0) return Vec3(radial / from_axis);
    return Vec3(out / from_axis * radial + (height < 0 ? -beyond : beyond) * cylinder.axis).normalized();
}

/// Faces before ends and lines before points: the later must be better, an end by the tolerance, a point by
/// more than rounding.
void take_into(CylinderAxisPair& best, const CylinderAxis& axis, double tolerance)
{
    const bool flat = axis.kind == Kind::Face || axis.kind == Kind::End;
    CylinderAxis& known = flat ? best.flat : best.other;
    const double margin = flat ? tolerance : 1e-4 * tolerance;
    const auto rank = [](Kind kind) { return std::min(static_cast<int>(kind), 3); };
    const int later = rank(axis.kind) - rank(known.kind);
    if (axis.separation > known.separation + (later > 0 ? margin : later < 0 ? -margin : 0.0)) known = axis;
}

class HullAxes {
public:
    HullAxes(const PlacedCylinder& cylinder, const PlacedCollider& a, const PlacedCollider& b,
             double tolerance)
        : cylinder_(cylinder), a_(a), b_(b), hull_(b.collider->hull), tolerance_(tolerance)
    {
    }

    CylinderAxisPair run(double far)
    {
        for (std::size_t f = 0; f < hull_.faces.size(); ++f) {
            const Vec3 n = -b_.normals[f];
            const double separation = n.dot(b_.vertices[hull_.faces[f].loop.front()]) - cylinder_.support(n);
            take({.separation = separation, .normal = n, .kind = Kind::Face, .face = static_cast<int>(f)});
        }
        for (const Vec3& n : {cylinder_.axis, Vec3(-cylinder_.axis)}) {
            take({.separation = separation(n), .normal = n, .kind = Kind::End});
        }
        if (best_.separation() > far) return best_;

        // where they are nearest or deepest two points are at most this far apart
        const Vec3 grown = Vec3::Constant(std::max(far, -best_.separation()) + tolerance_);
        low_ = a_.low - grown;
        high_ = a_.high + grown;
        for (std::size_t e = 0; e < hull_.edges.size(); ++e) {
            with_edge(static_cast<int>(e));
        }
        for (std::size_t v = 0; v < b_.vertices.size(); ++v) {
            with_vertex(static_cast<int>(v));
        }
        return best_;
    }

private:
    void take(const CylinderAxis& axis) { take_into(best_, axis, tolerance_); }

    double separation(const Vec3& n)
    {
        lowest_ = lowest_vertex(b_, n, lowest_);
        return n.dot(b_.vertices[lowest_]) - cylinder_.support(n);
    }

    [[nodiscard]] bool near(const Vec3& low, const Vec3& high) const
    {
        return (low.array() <= high_.array()).all() && (high.array() >= low_.array()).all();
    }

    void with_vertex(int v)
    {
        const Vec3& x = b_.vertices[v];
        if (!near(x, x)) return;
        const auto n = towards(cylinder_, x);
        if (!n) return;
        const double apart = separation(*n);
        if (apart < n->dot(x) - cylinder_.support(*n) - tolerance_) return;  // another vertex is nearer
        take({.separation = apart, .normal = *n, .kind = Kind::Vertex, .vertex = v});
    }

    void with_edge(int e)
    {
        const Vec3 &p = b_.vertices[hull_.edges[e][0]], &q = b_.vertices[hull_.edges[e][1]];
        if (!near(p.cwiseMin(q), p.cwiseMax(q)) || p == q) return;
        const Vec3 along = (q - p).normalized();
        const auto& [left, right] = hull_.edge_faces[e];
        const bool whole = left < 0 || right < 0;

        // normals of the edge: from that of the face on its left to that of the face on its right. Corners
        // that nearly coincide have an edge that need not lie in its faces, which are planes within a
        // tolerance.
        Vec3 first = whole ? Vec3(along.unitOrthogonal()) : b_.normals[left];
        const double tilt = along.dot(first);
        const bool tilted = std::abs(tilt) > 1e-9;
        if (tilted) first -= tilt * along;
        if (tilted && first.norm() < 0.5) return;  // its corners stand for it
        if (tilted) first.normalize();
        const bool sure = whole == hull_.faces.empty() && !tilted;
        const Vec3 second = along.cross(first);
        double last = 2 * pi;
        if (!whole) {
            last = std::atan2(second.dot(b_.normals[right]), first.dot(b_.normals[right]));
            if (last < -1e-6) last += 2 * pi;  // two sides of a triangle: half a turn
        }
        const auto found = [&](double angle, Kind kind) {
            const Vec3 n = -(std::cos(angle) * first + std::sin(angle) * second);
            const double apart = sure ? n.dot(p) - cylinder_.support(n) : separation(n);
            take({.separation = apart, .normal = n, .kind = kind, .edge = e});
        };

        // lines of the side: normal to the axis too
        const double at = std::atan2(-first.dot(cylinder_.axis), second.dot(cylinder_.axis));
        for (const double angle : {at, at + pi, at + 2 * pi}) {
            if (angle >= 0 && angle <= last) found(angle, Kind::SideLine);
        }

        // the rim: d/d angle of  -m . (p - c) - r |m across the axis| - half |m . axis|
        const Vec3 arm = p - cylinder_.centre;
        const double c1 = first.dot(cylinder_.axis), c2 = second.dot(cylinder_.axis);
        const double d1 = first.dot(arm), d2 = second.dot(arm);
        const auto derivative = [&](double c, double s) {
            const double z = c * c1 + s * c2, dz = c * c2 - s * c1;
            const double level = std::sqrt(std::max(1e-30, 1 - z * z));
            return -(c * d2 - s * d1) + cylinder_.radius * z * dz / level -
                   cylinder_.half * (z < 0 ? -dz : dz);
        };
        // between two directions the separation is at most their mean and half of what its slope makes, and a
        // rim does not count that separates less than what is known
        const int parts = whole ? 32 : 4 + static_cast<int>(8 * last / pi);
        const double steepest = std::hypot(d1, d2) + std::hypot(cylinder_.radius, cylinder_.half);
        const double smallest = best_.other.separation - tolerance_ - steepest * last / (2 * parts);
        const auto apart = [&](double c, double s) {
            const double z = c * c1 + s * c2;
            return -(c * d1 + s * d2) - cylinder_.radius * std::sqrt(std::max(0.0, 1 - z * z)) -
                   cylinder_.half * std::abs(z);
        };
        const auto worth = [&](double c_low, double s_low, double c, double s) {
            return (apart(c_low, s_low) + apart(c, s)) / 2 >= smallest;
        };
        maxima(last, parts, derivative, worth, [&](double angle) { found(angle, Kind::Rim); });
    }

    const PlacedCylinder& cylinder_;
    const PlacedCollider& a_;
    const PlacedCollider& b_;
    const Hull& hull_;
    double tolerance_;
    Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();
    int lowest_ = 0;
    CylinderAxisPair best_;
};

class CylinderAxes {
public:
    CylinderAxes(const PlacedCylinder& one, const PlacedCylinder& other, double tolerance)
        : one_(one), other_(other), tolerance_(tolerance)
    {
    }

    CylinderAxisPair run()
    {
        const Vec3 cross = one_.axis.cross(other_.axis), apart = other_.centre - one_.centre;
        const Vec3 radial = apart - apart.dot(one_.axis) * one_.axis;
        take(one_.axis, Kind::End);
        take(-one_.axis, Kind::End);
        take(other_.axis, Kind::Face);
        take(-other_.axis, Kind::Face);

        // two lines of the sides
        Vec3 lines = cross.norm() > 1e-6 ? cross : radial;
        if (lines.norm() > 0) {
            lines.normalize();
            take(lines, Kind::SideLine);
            take(-lines, Kind::SideLine);
        }
        around(one_.axis, Kind::Vertex);
        around(other_.axis, Kind::Rim);
        rims(cross.norm() > 1e-6 ? cross.normalized() : Vec3(one_.axis.unitOrthogonal()));
        return best_;
    }

private:
    [[nodiscard]] double separation(const Vec3& n) const { return -one_.support(n) - other_.support(-n); }

    void take(const Vec3& n, Kind kind)
    {
        take_into(best_, {.separation = separation(n), .normal = n, .kind = kind}, tolerance_);
    }

    /// From the points of the two that are farthest towards each other: the gradient of the separation.
    [[nodiscard]] Vec3 gradient(const Vec3& n) const { return other_.rim_point(-n) - one_.rim_point(n); }

    /// The side of one against the rim of the other: all normals across its axis.
    void around(const Vec3& axis, Kind kind)
    {
        const Vec3 first = axis.unitOrthogonal(), second = axis.cross(first);
        const auto normal = [&](double angle) {
            return Vec3(std::cos(angle) * first + std::sin(angle) * second);
        };
        maxima(
            2 * pi, 32,
            [&](double c, double s) { return gradient(c * first + s * second).dot(c * second - s * first); },
            [](double, double, double, double) { return true; },
            [&](double angle) { take(normal(angle), kind); });
    }

    /// Both rims: Newton's method on the sphere of normals, from the best so far and the best of a lattice.
    void rims(const Vec3& across)
    {
        std::vector<std::pair<double, Vec3>> starts{{best_.other.separation, best_.other.normal}};
        // the end of a cylinder is a peak of the separation unless the lowest point of the other is beyond
        // its rim: then the way up goes there
        const auto from_end = [&](const PlacedCylinder& end, const PlacedCylinder& above, const Vec3& n,
                                  double sign) {
            const Vec3 arm = above.rim_point(-n) - end.end(n);
            const Vec3 out = arm - n.dot(arm) * n;
            if (out.norm() > end.radius)
                starts.emplace_back(0, sign * (n + 0.01 * out.normalized()).normalized());
        };
        for (const double side : {1.0, -1.0}) {
            from_end(one_, other_, side * one_.axis, 1);
            from_end(other_, one_, side * other_.axis, -1);
        }
        // a line of the side is a ridge of the separation: off it to both sides
        for (const Vec3& axis : {one_.axis, other_.axis}) {
            for (const double side : {1e-3, -1e-3}) {
                starts.emplace_back(0, (best_.other.normal + side * axis).normalized());
            }
        }
        const std::size_t chosen = starts.size();
        for (const Vec3& axis : {one_.axis, other_.axis}) {
            const Vec3 third = axis.cross(across);
            for (int i = 0; i < 27; ++i) {
                if (i == 13) continue;
                const Vec3 n =
                    ((i % 3 - 1) * axis + (i / 3 % 3 - 1) * across + (i / 9 - 1) * third).normalized();
                starts.emplace_back(separation(n), n);
            }
        }
        std::stable_sort(starts.begin() + static_cast<long>(chosen), starts.end(),
                         [](const auto& x, const auto& y) { return x.first > y.first; });

        // shapes that are apart, or hardly overlap, have one maximum near the best; deep overlaps have
        // several
        const bool deep = best_.separation() < -0.01 * (one_.radius + other_.radius);
        for (std::size_t k = 0; k < chosen + (deep ? 18U : 2U); ++k) {
            take(climbed(starts[k].second), Kind::Rim);
        }
    }

    /// Curvature of the support of a cylinder: r / |n across the axis| along the tangent of the rim.
    static Mat3 curvature(const PlacedCylinder& cylinder, const Vec3& n)
    {
        const Vec3 level = n - n.dot(cylinder.axis) * cylinder.axis;
        const double size = level.norm();
        if (size < 1e-12) return Mat3::Zero();
        const Vec3 tangent = cylinder.axis.cross(level) / size;
        return cylinder.radius / size * tangent * tangent.transpose();
    }

    [[nodiscard]] Vec3 climbed(Vec3 n) const
    {
        // near the top the height no longer tells: the slope does
        const double rounding = 1e-15 * (one_.radius + one_.half + other_.radius + other_.half);
        const auto steepness = [&](const Vec3& x) { return gradient(x).cross(x).norm(); };
        double at = separation(n);
        for (int i = 0; i < 40; ++i) {
            const Vec3 g = gradient(n);
            const Vec3 slope = g - g.dot(n) * n;
            if (slope.norm() <= 1e-16 * (one_.radius + other_.radius)) break;

            // Newton's step in the plane normal to n; where that is no maximum, damped until it is one
            Vec3 t1, t2;
            tangents(n, t1, t2);
            const Mat3 C = curvature(one_, n) + curvature(other_, n);
            Eigen::Matrix2d H;
            H << t1.dot(C * t1) + at, t1.dot(C * t2), t1.dot(C * t2), t2.dot(C * t2) + at;
            const double smallest = Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(H).eigenvalues()[0];
            const double wanted = 1e-3 * (one_.radius + other_.radius);
            if (smallest < wanted) H += (wanted - smallest) * Eigen::Matrix2d::Identity();
            const Eigen::Vector2d step = H.inverse() * Eigen::Vector2d(t1.dot(slope), t2.dot(slope));

            double length = std::min(1.0, 0.5 / step.norm());
            bool better = false;
            for (int k = 0; k < 12 && !better; ++k, length *= 0.5) {
                const Vec3 next = (n + length * (step[0] * t1 + step[1] * t2)).normalized();
                const double there = separation(next);
                better = there > at || (there >= at - rounding && steepness(next) < 0.5 * slope.norm());
                if (better) {
                    n = next;
                    at = there;
                }
            }
            if (!better) break;
        }
        return n;
    }

    const PlacedCylinder& one_;
    const PlacedCylinder& other_;
    double tolerance_;
    CylinderAxisPair best_;
};

}  // namespace

CylinderAxisPair best_axes(const PlacedCylinder& cylinder, const PlacedCollider& a, const PlacedCollider& b,
                           double far, double tolerance)
{
    return HullAxes(cylinder, a, b, tolerance).run(far);
}

CylinderAxisPair best_axes(const PlacedCylinder& cylinder, const PlacedCylinder& other, double tolerance)
{
    return CylinderAxes(cylinder, other, tolerance).run();
}

}  // namespace carom::detail
