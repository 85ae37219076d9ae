#include "surface_contact.hpp"

#include "cylinder_contact.hpp"
#include "triangle_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace carom::detail {
namespace {

constexpr double small = 1e-9;

/// Directions that differ by less than this count as one.
constexpr double same_direction = 1e-6;

/// The two sides of a triangle as a hull without volume; its corners are those of where it is placed.
Collider make_flat_triangle()
{
    Collider collider;
    collider.shape = PolyhedronShape{};
    collider.hull.vertices.resize(3);
    collider.hull.faces = {{Vec3::UnitZ(), {0, 1, 2}}, {-Vec3::UnitZ(), {0, 2, 1}}};
    collider.hull.edges = {{0, 1}, {0, 2}, {1, 2}};
    collider.hull.edge_faces = {{0, 1}, {1, 0}, {0, 1}};
    return collider;
}

const Collider& flat_triangle()
{
    static const Collider collider = make_flat_triangle();
    return collider;
}

/// How a contact fits the surface around it.
enum class Fit {
    Allowed,  ///< there the surface lies below the plane normal to the contact
    Beside,   ///< an inner side, or the plane, was met sideways: only the plane can push
    Other,    ///< another triangle is nearer
};

/// One convex shape against the triangles of a surface, one after the other.
class SurfaceQuery {
public:
    SurfaceQuery(const PlacedCollider& a, const PlacedCollider& placed, double reach_m,
                 std::vector<ContactPoint>& points)
        : a_(a),
          placed_(placed),
          surface_(*placed.collider->surface),
          reach_m_(reach_m),
          points_(points),
          tolerance_(small * (a.high - a.low).norm())
    {
        if (std::holds_alternative<CylinderShape>(a.collider->shape)) cylinder_ = placed_cylinder(a);
        triangle_.collider = &flat_triangle();
        triangle_.vertices.resize(3);
        triangle_.normals.resize(2);
        region_.corners.resize(3);
    }

    void run()
    {
        // the box of the shape, in the frame of the surface
        const Mat3 to_body = placed_.pose.rotation.conjugate().toRotationMatrix();
        const Vec3 middle = to_body * (0.5 * (a_.low + a_.high) - placed_.pose.position_m);
        const Vec3 half = to_body.cwiseAbs() * (0.5 * (a_.high - a_.low)) +
                          Vec3::Constant(std::max(0.0, reach_m_) + tolerance_);
        std::vector<int> near;
        surface_.tree.find(middle - half, middle + half, near);
        std::sort(near.begin(), near.end());
        const std::size_t before = points_.size();
        for (const int t : near) {
            const std::size_t from = points_.size();
            with_triangle(t);
            for (std::size_t k = from; k < points_.size(); ++k) {
                // low bits tell points of a triangle apart, high ones the triangles
                std::uint64_t& feature = points_[k].feature;
                feature = (feature ^ feature >> 29) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(t);
            }
        }
        join_points(tolerance_, before, points_);
    }

private:
    /// The lowest point of the shape along n.
    [[nodiscard]] double lowest(const Vec3& n)
    {
        if (cylinder_) return -cylinder_->support(-n);
        lowest_ = lowest_vertex(a_, n, lowest_);
        return n.dot(a_.vertices[lowest_]) - a_.collider->hull.radius_m;
    }

    void with_triangle(int t)
    {
        const auto& triangle = surface_.triangles[t];
        region_.normal = placed_.pose.rotation * triangle.normal;
        region_.origin = placed_.pose.to_world(surface_.vertices[triangle.corners[0]]);
        const Vec3& n = region_.normal;
        // one-sided: what has its middle behind the plane is none of its business
        if (!(n.dot(0.5 * (a_.low + a_.high) - region_.origin) > 0)) return;
        // nor is what is farther above it than contacts are looked for
        if (lowest(n) - n.dot(region_.origin) > std::max(0.0, reach_m_) + tolerance_) return;

        place_triangle(triangle);
        scratch_.clear();
        convex_contact_points(a_, triangle_, reach_m_, scratch_);
        if (scratch_.empty()) return;
        bool sideways = false, level = false, found = false;
        for (const ContactPoint& point : scratch_) {
            if ((point.normal - n).norm() < same_direction) {
                level = true;
                continue;
            }
            const Fit fit = fit_of(point, t);
            sideways = sideways || fit == Fit::Beside;
            if (fit != Fit::Allowed) continue;
            points_.push_back(point);
            found = true;
        }
        if (level || (sideways && !found)) on_plane(t, level);
    }

    /// Normal and origin are known.
    void place_triangle(const TriangleSurface::Triangle& triangle)
    {
        triangle_.vertices[0] = region_.corners[0] = region_.origin;
        for (int i = 1; i < 3; ++i) {
            const Vec3 x = placed_.pose.to_world(surface_.vertices[triangle.corners[i]]);
            triangle_.vertices[i] = region_.corners[i] = x;
        }
        triangle_.normals[0] = region_.normal;
        triangle_.normals[1] = -region_.normal;
        triangle_.low = region_.corners[0].cwiseMin(region_.corners[1]).cwiseMin(region_.corners[2]);
        triangle_.high = region_.corners[0].cwiseMax(region_.corners[1]).cwiseMax(region_.corners[2]);
    }

    /// Whether the surface around the point of the triangle lies below the plane normal to the contact.
    [[nodiscard]] Fit fit_of(const ContactPoint& point, int t) const
    {
        const auto& triangle = surface_.triangles[t];
        const Vec3 x = point.point_m - 0.5 * point.gap_m * point.normal;
        const double size = (triangle_.high - triangle_.low).norm();
        const double on_side = 10 * (tolerance_ + small * size);
        int sides = 0, side = -1;
        std::array<bool, 3> on{};
        for (int i = 0; i < 3; ++i) {
            on[i] = region_.outside(x, static_cast<std::size_t>(i)) >= -on_side;
            if (on[i]) side = i;
            sides += on[i] ? 1 : 0;
        }
        if (sides == 0 || point.normal.dot(region_.normal) < -same_direction) return Fit::Beside;
        if (sides == 1) return fit_of_side(point.normal, triangle, side);
        const int corner = on[0] && on[1] ? 1 : on[1] && on[2] ? 2 : 0;
        return fit_of_corner(point.normal, triangle.corners[corner]);
    }

    [[nodiscard]] Fit fit_of_side(const Vec3& n, const TriangleSurface::Triangle& triangle, int side) const
    {
        if (triangle.beyond[side] == Beyond::Smooth) return Fit::Beside;
        const Vec3& from = region_.corners[static_cast<std::size_t>(side)];
        const Vec3 along = (region_.corners[static_cast<std::size_t>((side + 1) % 3)] - from).normalized();
        const auto rises = [&](const Vec3& to) {
            const Vec3 arm = to - from;
            const Vec3 inward = (arm - along.dot(arm) * along).normalized();
            return n.dot(inward) > same_direction;
        };
        if (rises(region_.corners[static_cast<std::size_t>((side + 2) % 3)])) return Fit::Other;
        const int opposite = triangle.opposite[side];
        if (opposite >= 0 && rises(placed_.pose.to_world(surface_.vertices[opposite]))) return Fit::Other;
        return Fit::Allowed;
    }

    [[nodiscard]] Fit fit_of_corner(const Vec3& n, int v) const
    {
        const Vec3 N = placed_.pose.rotation.conjugate() * n;
        for (int k = surface_.first_neighbour[v]; k < surface_.first_neighbour[v + 1]; ++k) {
            const Vec3 arm = surface_.vertices[surface_.neighbours[k]] - surface_.vertices[v];
            if (N.dot(arm) > same_direction * arm.norm())
                return surface_.sharp[v] != 0 ? Fit::Other : Fit::Beside;
        }
        return Fit::Allowed;
    }

    /// What of the shape lies above the triangle, along its normal. Corners that only an inner side has made
    /// are left out: the neighbour has the rest of the shape.
    void on_plane(int t, bool nearest)
    {
        const auto& triangle = surface_.triangles[t];
        const Vec3& n = region_.normal;
        const double deepest =
            nearest ? std::numeric_limits<double>::infinity() : 0.25 * (a_.high - a_.low).minCoeff();
        for (const Corner& corner : corners_above()) {
            if (!keeps(triangle, corner.sides)) continue;
            const double above = n.dot(corner.point - region_.origin);
            const ContactPoint point = rounded_point(corner.point, corner.point - above * n, n,
                                                     a_.collider->hull.radius_m, 0, corner.tag);
            if (point.gap_m <= reach_m_ && point.gap_m >= -deepest) points_.push_back(point);
        }
    }

    [[nodiscard]] std::vector<Corner> corners_above() const
    {
        if (cylinder_) return cylinder_above(*cylinder_, region_, tolerance_);
        std::vector<Corner> corners = facing_corners(a_, region_.normal, tolerance_);
        for (std::size_t i = 0; i < 3 && !corners.empty(); ++i) {
            const Vec3 along = region_.corners[(i + 1) % 3] - region_.corners[i];
            cut(along.cross(region_.normal).normalized(), region_.corners[i], tolerance_, i, corners);
        }
        return corners;
    }

    [[nodiscard]] bool keeps(const TriangleSurface::Triangle& triangle, unsigned sides) const
    {
        if (sides == 0) return true;
        for (unsigned i = 0; i < 3; ++i) {
            if (sides == 1U << i) return triangle.beyond[i] != Beyond::Smooth;
            // a corner of the triangle: between this side and the next
            if (sides == (1U << i | 1U << (i + 1) % 3))
                return surface_.sharp[triangle.corners[(i + 1) % 3]] != 0;
        }
        return true;
    }

    const PlacedCollider& a_;
    const PlacedCollider& placed_;
    const TriangleSurface& surface_;
    double reach_m_;
    std::vector<ContactPoint>& points_;
    std::optional<PlacedCylinder> cylinder_;  ///< the shape, if it is one
    PlacedCollider triangle_;
    FlatRegion region_;
    double tolerance_;
    std::vector<ContactPoint> scratch_;
    int lowest_ = 0;  ///< vertex of the shape, of the triangle before
};

}  // namespace

void surface_contact_points(const PlacedCollider& a, const PlacedCollider& surface, double reach_m,
                            std::vector<ContactPoint>& points)
{
    if (is_obstacle(a.collider->shape)) return;
    SurfaceQuery(a, surface, reach_m, points).run();
}

void join_points(double tolerance, std::size_t from, std::vector<ContactPoint>& points)
{
    const std::size_t n = points.size() - from;
    if (n < 2) return;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), from);
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        const double x = points[i].point_m.x(), y = points[j].point_m.x();
        return x != y ? x < y : i < j;
    });
    std::vector<char> repeated(n, 0);
    for (std::size_t k = 0; k < n; ++k) {
        const ContactPoint& one = points[order[k]];
        for (std::size_t l = k + 1; l < n; ++l) {
            const ContactPoint& other = points[order[l]];
            if (other.point_m.x() - one.point_m.x() > tolerance) break;
            if ((other.point_m - one.point_m).norm() <= tolerance &&
                (other.normal - one.normal).norm() < same_direction)
                repeated[std::max(order[k], order[l]) - from] = 1;
        }
    }
    std::size_t kept = from;
    for (std::size_t k = 0; k < n; ++k) {
        if (repeated[k] == 0) points[kept++] = points[from + k];
    }
    points.erase(points.begin() + static_cast<long>(kept), points.end());
}

}  // namespace carom::detail
