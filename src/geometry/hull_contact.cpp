#include "hull_contact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace carom::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Lengths below this part of the two hulls count as zero: which axis is better, whether a corner is inside.
constexpr double small = 1e-9;

/// The best axis of a kind (BO-5). The hulls are apart by `separation` along it, or overlap.
struct Axis {
    double separation = -infinity;
    Vec3 normal = Vec3::UnitZ();  ///< from the first hull to the second
    int face = -1;
    int edge_a = -1, edge_b = -1;
};

struct Extremes {
    double low = infinity, high = -infinity;
};

Extremes along(const Vec3& axis, const std::vector<Vec3>& points)
{
    Extremes extremes;
    for (const Vec3& point : points) {
        const double x = axis.dot(point);
        extremes.low = std::min(extremes.low, x);
        extremes.high = std::max(extremes.high, x);
    }
    return extremes;
}

/// Hulls with more faces are not asked face by face.
constexpr std::size_t many_faces = 24;

/// Of hulls with more corners the lowest one is found by climbing.
constexpr std::size_t few_vertices = 32;

/// Where the plane of a face is: normal . x.
double offset_of(const PlacedCollider& a, std::size_t face)
{
    if (!a.offsets.empty()) return a.offsets[face];
    return a.normals[face].dot(a.vertices[a.collider->hull.faces[face].loop.front()]);
}

/// How far `b` is from a face of `a`; `lowest` is a corner of `b` to begin with and becomes the lowest.
double separation_from(const PlacedCollider& a, std::size_t face, const PlacedCollider& b, int& lowest)
{
    lowest = lowest_vertex(b, a.normals[face], lowest);
    return a.normals[face].dot(b.vertices[lowest]) - offset_of(a, face);
}

Axis axis_of_face(const PlacedCollider& a, std::size_t face, double separation)
{
    return {.separation = separation, .normal = a.normals[face], .face = static_cast<int>(face)};
}

/// The face of a hull that was the best towards another one when both were looked at last: where to begin,
/// since bodies move little from step to step. What is found does not depend on it.
class BestFaces {
public:
    [[nodiscard]] int& of(const PlacedCollider& a, const PlacedCollider& b)
    {
        if (entries_.empty()) entries_.resize(count);
        const auto key_a = reinterpret_cast<std::uintptr_t>(&a), key_b = reinterpret_cast<std::uintptr_t>(&b);
        Entry& entry = entries_[(key_a * 0x9e3779b97f4a7c15U + key_b) * 0xd6e8feb86659fd93U >> 49];
        if (entry.a != &a || entry.b != &b) entry = {&a, &b, 0};
        return entry.face;
    }

private:
    struct Entry {
        const PlacedCollider *a = nullptr, *b = nullptr;
        int face = 0;
    };
    static constexpr std::size_t count = std::size_t{1} << 15;
    std::vector<Entry> entries_;
};

/// The best face of a hull that has many. No corner of `b` is below the lowest one, so each bounds the
/// separation of every face from above. The face with the largest bound is asked, and its lowest corner
/// bounds the others, until no bound is above what was found: the best face, as if all had been asked (BO-5).
/// Where one is farther away than `far`, which is all that is asked then, it need not be the best.
Axis best_of_many_faces(const PlacedCollider& a, const PlacedCollider& b, double far)
{
    constexpr int max_rounds = 32;  // hulls deep in each other: then the faces that are left are asked
    thread_local std::vector<double> bound;
    const std::size_t count = a.normals.size();
    std::size_t best = 0;
    double separation = -infinity;
    int lowest = 0, *known = nullptr;
    // corners that are found by climbing may depend, in their last digit, on where that began
    if (b.vertices.size() <= few_vertices) {
        thread_local BestFaces faces;
        known = &faces.of(a, b);
        if (static_cast<std::size_t>(*known) >= count) *known = 0;
        best = static_cast<std::size_t>(*known);
        separation = separation_from(a, best, b, lowest);
        if (separation > far) return axis_of_face(a, best, separation);
    } else {
        lowest = lowest_vertex(b, b.pose.position_m - a.pose.position_m, 0);
    }
    const auto found = [&] {
        if (known != nullptr) *known = static_cast<int>(best);
        return axis_of_face(a, best, separation);
    };
    bound.assign(a.normals_in_fours.room(), infinity);
    std::fill(bound.begin() + static_cast<std::ptrdiff_t>(count), bound.end(), -infinity);
    if (known != nullptr) bound[best] = -infinity;
    const auto ask = [&](std::size_t face) {
        const double here = separation_from(a, face, b, lowest);
        bound[face] = -infinity;
        if (here > separation || (here == separation && face < best)) {
            separation = here;
            best = face;
        }
    };
    for (int round = 0; round < max_rounds; ++round) {
        const double largest = a.normals_in_fours.lower_bounds(b.vertices[lowest], a.offsets, bound);
        const auto next = static_cast<std::size_t>(std::ranges::find(bound, largest) - bound.begin());
        if (largest < separation || (largest == separation && next > best)) return found();
        ask(next);
    }
    for (std::size_t f = 0; f < count; ++f) {
        if (bound[f] >= separation) ask(f);
    }
    return found();
}

/// The face of `a` from which `b` is farthest, of equal ones the first; any that is farther away than `far`.
Axis best_face(const PlacedCollider& a, const PlacedCollider& b, double far)
{
    // so many faces have corners enough for fours
    if (a.normals.size() > many_faces) return best_of_many_faces(a, b, far);
    Axis best;
    int lowest = 0;
    for (std::size_t f = 0; f < a.normals.size(); ++f) {
        const double separation = separation_from(a, f, b, lowest);
        if (separation > best.separation) best = axis_of_face(a, f, separation);
    }
    return best;
}

/// An edge of a hull and the arc of normals between its two faces.
struct Arc {
    Vec3 along = Vec3::Zero();                       ///< unit
    Vec3 left = Vec3::Zero(), right = Vec3::Zero();  ///< normals
    int edge = 0;
    bool whole = false;  ///< no faces: all normals around the edge

    /// Of any length, along the bisector, whether the arc is short or half a circle.
    [[nodiscard]] Vec3 middle() const { return left + right + along.cross(left - right); }
};

/// Whether the box of an edge comes within `grown` of the box of the other hull.
bool comes_near(const PlacedCollider& hull, const std::array<int, 2>& edge, const PlacedCollider& other,
                double grown)
{
    const Vec3 &p = hull.vertices[edge[0]], &q = hull.vertices[edge[1]];
    for (int k = 0; k < 3; ++k) {
        if (std::min(p[k], q[k]) > other.high[k] + grown || std::max(p[k], q[k]) < other.low[k] - grown)
            return false;
    }
    return true;
}

/// The largest n . w of the normals n of an arc.
double max_along(const Arc& arc, const Vec3& w)
{
    const Vec3 across = w - arc.along.dot(w) * arc.along;
    const double length = across.norm();
    if (arc.whole) return length;
    // directions of the arc are as near to its middle as its ends, or nearer
    const Vec3 middle = arc.middle();
    const double end = std::min(middle.dot(arc.left), middle.dot(arc.right));
    if (middle.dot(across) >= end * length) return length;
    return std::max(arc.left.dot(w), arc.right.dot(w));
}

/// What the faces know when edges are looked at. A pair of edges counts if the hulls are farther apart along
/// its normal than along that of any face; along the normals of an edge they are not farther apart than the
/// edge is from any corner of the other hull.
struct Found {
    double separation = -infinity;                  ///< of the better face, less what rounding may do
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();  ///< corners that look at the other hull
};

/// Which edges of a hull are worth a look, asked by fours of its corners and faces: most are not.
class WorthALook {
public:
    /// As find_arcs has them.
    WorthALook(const PlacedCollider& hull, const PlacedCollider& other, double grown, const Vec3& corner,
               double separation)
        : hull_(hull), other_(other), grown_(grown)
    {
        if (hull.corners_in_fours.empty()) return;
        thread_local std::vector<std::uint8_t> outside;
        thread_local std::vector<double> above;
        outside.resize(hull.corners_in_fours.room());
        hull.corners_in_fours.sides_outside(other.low - Vec3::Constant(grown),
                                            other.high + Vec3::Constant(grown), outside);
        above.resize(hull.normals_in_fours.room());
        hull.normals_in_fours.heights(corner, hull.offsets, above);
        outside_ = outside.data();
        above_ = above.data();
        // what rounding may make of a height, here and where it is measured from the edge
        constexpr double rounding = 1e-14;
        const double far_m = corner.cwiseAbs().sum() + hull.low.cwiseAbs().sum() + hull.high.cwiseAbs().sum();
        limit_ = std::min(0.0, separation) - rounding * far_m;
    }

    /// False where the box of the edge is beside that of the other hull, or the corner is behind both faces
    /// by so much that the edge is worse than a face.
    [[nodiscard]] bool at(const std::array<int, 2>& edge, const std::array<int, 2>& faces) const
    {
        if (outside_ == nullptr) return comes_near(hull_, edge, other_, grown_);
        if ((outside_[edge[0]] & outside_[edge[1]]) != 0) return false;
        const auto [left, right] = faces;
        return left < 0 || right < 0 || std::max(above_[left], above_[right]) >= limit_;
    }

private:
    const PlacedCollider &hull_, &other_;
    double grown_;
    const std::uint8_t* outside_ = nullptr;  ///< per corner: sides of the other box, grown, that it is beyond
    const double* above_ = nullptr;          ///< per face: where the corner is
    double limit_ = 0;
};

/// The edges of a hull that may be one of the best pair: near the other hull, and not known to be worse than
/// a face. `corner` is one of the other hull.
void find_arcs(const PlacedCollider& hull, const PlacedCollider& other, double grown, const Vec3& corner,
               double separation, std::vector<Arc>& arcs)
{
    arcs.clear();
    const auto& edges = hull.collider->hull.edges;
    const WorthALook worth(hull, other, grown, corner, separation);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto& [left, right] = hull.collider->hull.edge_faces[e];
        if (!worth.at(edges[e], {left, right})) continue;
        const Vec3& from = hull.vertices[edges[e][0]];
        if (left >= 0 && right >= 0) {
            // behind both faces the largest of the arc is at one of its ends
            const Vec3 w = corner - from;
            const double at_end = std::max(hull.normals[left].dot(w), hull.normals[right].dot(w));
            if (at_end < 0 && at_end < separation) continue;
        }
        Arc& arc = arcs.emplace_back();
        arc.edge = static_cast<int>(e);
        arc.along = (hull.vertices[edges[e][1]] - from).normalized();
        arc.whole = left < 0 || right < 0;
        if (!arc.whole) {
            arc.left = hull.normals[left];
            arc.right = hull.normals[right];
        }
        // where the hulls overlap no edge is left here whose arc has less
        if (!arc.whole && separation < 0) continue;
        if (max_along(arc, corner - from) < separation) arcs.pop_back();
    }
}

/// Whether the normals around the edge of this arc leave those between the faces on both sides of
/// `direction`.
bool crosses(const Arc& arc, const Vec3& direction)
{
    return arc.whole || arc.left.dot(direction) * arc.right.dot(direction) < 0;
}

/// The normal of two edges along which the hulls are farthest apart, among those edges that lie within
/// `grown` of the other hull; less than what faces have found does not count. Only pairs whose arcs of
/// normals cross are a face of the difference of the hulls.
Axis best_edges(const PlacedCollider& a, const PlacedCollider& b, double grown, const Found& found)
{
    Axis best;
    if (a.collider->hull.flat || b.collider->hull.flat) return best;
    thread_local std::vector<Arc> arcs_a, arcs_b;
    find_arcs(b, a, grown, found.on_a, found.separation, arcs_b);
    if (arcs_b.empty()) return best;
    find_arcs(a, b, grown, found.on_b, found.separation, arcs_a);
    for (const Arc& arc_a : arcs_a) {
        const Vec3& p = a.vertices[a.collider->hull.edges[arc_a.edge][0]];
        for (const Arc& arc_b : arcs_b) {
            if (!crosses(arc_b, arc_a.along) || !crosses(arc_a, arc_b.along)) continue;
            Vec3 normal = arc_a.along.cross(arc_b.along);
            const double sine = normal.norm();
            if (sine < 1e-6) continue;  // parallel: their faces, or nearest_features, do it
            normal /= sine;
            const double apart = normal.dot(b.vertices[b.collider->hull.edges[arc_b.edge][0]] - p);
            const bool free = arc_a.whole && arc_b.whole;
            // an edge without faces has no middle, and its product with it is zero
            const double of_b = arc_b.whole ? 0.0 : normal.dot(arc_b.middle());
            const double side = !arc_a.whole ? normal.dot(arc_a.middle()) : !arc_b.whole ? -of_b : apart;
            if (!free && side * of_b > 0) continue;
            double separation = side > 0 ? apart : -apart;
            if (separation <= best.separation) continue;
            // an edge whose faces rounding has parted may not be where the hull ends
            const bool sure = arc_a.whole == a.collider->hull.faces.empty() &&
                              arc_b.whole == b.collider->hull.faces.empty();
            if (!sure) {
                const Vec3 n = side > 0 ? normal : Vec3(-normal);
                separation = along(n, b.vertices).low - along(n, a.vertices).high;
            }
            if (separation > best.separation) {
                best = {.separation = separation,
                        .normal = side > 0 ? normal : Vec3(-normal),
                        .face = -1,
                        .edge_a = arc_a.edge,
                        .edge_b = arc_b.edge};
            }
        }
    }
    return best;
}

}  // namespace

int lowest_vertex(const PlacedCollider& hull, const Vec3& axis, int start)
{
    const Hull& of = hull.collider->hull;
    if (!hull.corners_in_fours.empty() && hull.vertices.size() <= few_vertices)
        return hull.corners_in_fours.lowest_point(axis, start);
    int best = start;
    double lowest = axis.dot(hull.vertices[best]);
    if (hull.vertices.size() <= few_vertices || of.neighbours.empty()) {
        for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
            const double at = axis.dot(hull.vertices[v]);
            if (at < lowest) {
                lowest = at;
                best = static_cast<int>(v);
            }
        }
        return best;
    }
    for (bool went = true; went;) {
        went = false;
        const int from = best;
        for (int k = of.first_neighbour[from]; k < of.first_neighbour[from + 1]; ++k) {
            const double at = axis.dot(hull.vertices[of.neighbours[k]]);
            if (at < lowest) {
                lowest = at;
                best = of.neighbours[k];
                went = true;
            }
        }
    }
    return best;
}

std::vector<Corner> facing_corners(const PlacedCollider& hull, const Vec3& axis, double tolerance)
{
    const auto& faces = hull.collider->hull.faces;
    const auto& fours = hull.corners_in_fours;
    const double lowest = fours.empty() ? along(axis, hull.vertices).low : fours.lowest(axis);
    int best = -1;
    double largest = infinity;
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

namespace {

/// The corners of the facing part of `other` that lie above the face (BO-6).
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

/// An edge as a segment; of a hull with one vertex, that vertex.
struct Segment {
    std::array<int, 2> ends;
    int edge;
};

/// Two hulls and what they have in common during one query.
struct Query {
    const PlacedCollider& a;
    const PlacedCollider& b;
    double reach_m;
    double tolerance;
    std::vector<ContactPoint>& points;

    [[nodiscard]] double rounding() const { return a.collider->hull.radius_m + b.collider->hull.radius_m; }

    /// n from b to a.
    void add(const Vec3& on_a, const Vec3& on_b, const Vec3& n, std::uint64_t feature) const
    {
        const ContactPoint point =
            rounded_point(on_a, on_b, n, a.collider->hull.radius_m, b.collider->hull.radius_m, feature);
        if (point.gap_m <= reach_m) points.push_back(point);
    }

    [[nodiscard]] bool have_a_point_in_common(const Axis& edges) const;
    [[nodiscard]] Axis best_edge_axis(const Axis& face_a, const Axis& face_b) const;
    bool by_face(const Axis& axis, bool face_of_a) const;
    bool by_edges(const Axis& axis) const;
    void beside_edges(const Axis& axis, const Vec3& crossing) const;
    void by_nearest_features(const Axis& axis) const;
    void leave_far_segments(const Axis& axis, std::vector<Segment>& edges_a,
                            std::vector<Segment>& edges_b) const;
    void by_deepest_vertex(const Axis& axis) const;
};

/// Points above a face. False when the hulls are apart and none of them is where the face is nearest: then
/// the nearest features are an edge or a corner of it.
bool Query::by_face(const Axis& axis, bool face_of_a) const
{
    const PlacedCollider& hull = face_of_a ? a : b;
    const PlacedCollider& other = face_of_a ? b : a;
    const Vec3& n = axis.normal;
    const Vec3& origin = hull.vertices[hull.collider->hull.faces[axis.face].loop.front()];
    const std::vector<Corner> corners =
        corners_above(hull, axis.face, facing_corners(other, n, tolerance), tolerance);

    double lowest = infinity;
    for (const Corner& corner : corners) {
        lowest = std::min(lowest, n.dot(corner.point - origin));
    }
    if (corners.empty() || (axis.separation > tolerance && lowest > axis.separation + tolerance))
        return false;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Corner& corner = corners[i];
        if (repeats(corner, std::span(corners).first(i), tolerance)) continue;
        const Vec3 below = corner.point - n.dot(corner.point - origin) * n;
        const std::uint64_t feature =
            std::uint64_t{face_of_a} << 63 | std::uint64_t(axis.face + 1) << 40 | corner.tag;
        if (face_of_a) {
            add(below, corner.point, -n, feature);
        } else {
            add(corner.point, below, n, feature);
        }
    }
    return true;
}

/// Where two edges cross. False when they do not cross above each other.
bool Query::by_edges(const Axis& axis) const
{
    const auto& edge_a = a.collider->hull.edges[axis.edge_a];
    const auto& edge_b = b.collider->hull.edges[axis.edge_b];
    const Vec3 &p0 = a.vertices[edge_a[0]], &p1 = a.vertices[edge_a[1]];
    const Vec3 &q0 = b.vertices[edge_b[0]], &q1 = b.vertices[edge_b[1]];
    const SegmentPair at = nearest_on_segments(p0, p1, q0, q1);
    const Vec3 on_a = p0 + at.s * (p1 - p0), on_b = q0 + at.t * (q1 - q0);
    // crossing edges differ along the axis only
    const Vec3 apart = on_b - on_a;
    if ((apart - axis.normal.dot(apart) * axis.normal).norm() > tolerance) return false;
    add(on_a, on_b, -axis.normal,
        std::uint64_t{1} << 62 | std::uint64_t(axis.edge_a) << 20 | std::uint64_t(axis.edge_b));
    beside_edges(axis, on_b);
    return true;
}

/// Of the two faces at an edge the one that looks along `axis`; -1: none.
int face_along(const PlacedCollider& hull, int edge, const Vec3& axis)
{
    const auto& [left, right] = hull.collider->hull.edge_faces[edge];
    if (left < 0 || right < 0) return -1;
    return axis.dot(hull.normals[left]) >= axis.dot(hull.normals[right]) ? left : right;
}

/// Two faces that lie on each other but for a small angle: their edges touch first, and a small turn brings
/// the other corners down. All corners of what the faces have in common, seen along the normal, are points
/// with the gap that they have along it (BO-17).
void Query::beside_edges(const Axis& axis, const Vec3& crossing) const
{
    constexpr double nearly_parallel = 0.9;  // cosine of the angle to the normal
    const Vec3& n = axis.normal;
    const int face_a = face_along(a, axis.edge_a, n), face_b = face_along(b, axis.edge_b, -n);
    if (face_a < 0 || face_b < 0) return;
    const double along_a = n.dot(a.normals[face_a]), along_b = -n.dot(b.normals[face_b]);
    if (std::min(along_a, along_b) < nearly_parallel) return;

    const bool face_of_a = along_a >= along_b;
    const PlacedCollider& hull = face_of_a ? a : b;
    const PlacedCollider& other = face_of_a ? b : a;
    const int face = face_of_a ? face_a : face_b;
    const Vec3 up = face_of_a ? n : Vec3(-n);  // from the face to the other hull
    std::vector<Corner> corners;
    for (const int v : other.collider->hull.faces[face_of_a ? face_b : face_a].loop) {
        corners.push_back({.point = other.vertices[v], .tag = static_cast<std::uint64_t>(v)});
    }
    const std::vector<int>& loop = hull.collider->hull.faces[face].loop;
    const int sides = static_cast<int>(loop.size());
    for (int i = 0; i < sides && !corners.empty(); ++i) {
        const Vec3& from = hull.vertices[loop[i]];
        const Vec3& to = hull.vertices[loop[(i + 1) % sides]];
        cut((to - from).cross(up).normalized(), from, tolerance, static_cast<std::uint64_t>(i), corners);
    }
    const Vec3& origin = hull.vertices[loop.front()];
    const double slope = up.dot(hull.normals[face]);  // >= nearly_parallel
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Corner& corner = corners[i];
        if (repeats(corner, std::span(corners).first(i), tolerance)) continue;
        const Vec3 below = corner.point - hull.normals[face].dot(corner.point - origin) / slope * up;
        const Vec3& on_b = face_of_a ? corner.point : below;
        if ((on_b - crossing).norm() <= 10 * tolerance) continue;
        const std::uint64_t feature =
            std::uint64_t{face_of_a} << 63 | std::uint64_t(face + 1) << 40 | corner.tag;
        add(face_of_a ? below : corner.point, on_b, -n, feature);
    }
}

std::vector<Segment> segments_of(const PlacedCollider& hull, const PlacedCollider& other, double grown)
{
    const auto& edges = hull.collider->hull.edges;
    if (edges.empty()) return {{{0, 0}, 0}};
    std::vector<Segment> segments;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (comes_near(hull, edges[e], other, grown)) segments.push_back({edges[e], static_cast<int>(e)});
    }
    return segments;
}

/// The segments at the vertex of a hull that is lowest along an axis.
std::vector<Segment> segments_at_lowest(const PlacedCollider& hull, const Vec3& axis,
                                        std::span<const Segment> segments)
{
    const int lowest = lowest_vertex(hull, axis, 0);
    std::vector<Segment> found;
    for (const Segment& segment : segments) {
        if (segment.ends[0] == lowest || segment.ends[1] == lowest) found.push_back(segment);
    }
    return found;
}

/// Of hulls with many edges: leaves out those that are farther from the other hull, along the axis that keeps
/// the hulls apart, than some two edges are from each other.
void Query::leave_far_segments(const Axis& axis, std::vector<Segment>& edges_a,
                               std::vector<Segment>& edges_b) const
{
    constexpr std::size_t many_pairs = 256;
    if (axis.separation == -infinity || edges_a.size() * edges_b.size() <= many_pairs) return;
    const Vec3& n = axis.normal;
    double distance = infinity;
    for (const Segment& e : segments_at_lowest(a, -n, edges_a)) {
        const Vec3 &p0 = a.vertices[e.ends[0]], &p1 = a.vertices[e.ends[1]];
        for (const Segment& f : segments_at_lowest(b, n, edges_b)) {
            const Vec3 &q0 = b.vertices[f.ends[0]], &q1 = b.vertices[f.ends[1]];
            const SegmentPair at = nearest_on_segments(p0, p1, q0, q1);
            distance = std::min(distance, (p0 + at.s * (p1 - p0) - q0 - at.t * (q1 - q0)).norm());
        }
    }
    if (distance == infinity) return;
    const double highest_a = n.dot(a.vertices[lowest_vertex(a, -n, 0)]),
                 lowest_b = n.dot(b.vertices[lowest_vertex(b, n, 0)]);
    std::erase_if(edges_a, [&](const Segment& e) {
        const double height = std::max(n.dot(a.vertices[e.ends[0]]), n.dot(a.vertices[e.ends[1]]));
        return lowest_b - height > distance + 4 * tolerance;
    });
    std::erase_if(edges_b, [&](const Segment& e) {
        const double height = std::min(n.dot(b.vertices[e.ends[0]]), n.dot(b.vertices[e.ends[1]]));
        return height - highest_a > distance + 4 * tolerance;
    });
}

/// Nearest edges or corners of two hulls that are apart, by looking at all of them. Parallel edges touch at
/// both ends of what they have in common.
void Query::by_nearest_features(const Axis& axis) const
{
    // what is farther than the reach is no contact
    const double grown = std::max(0.0, reach_m) + rounding();
    auto edges_a = segments_of(a, b, grown), edges_b = segments_of(b, a, grown);
    if (edges_a.empty() || edges_b.empty()) return;
    leave_far_segments(axis, edges_a, edges_b);
    double smallest = infinity;
    std::size_t best_a = 0, best_b = 0;
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
    for (std::size_t i = 0; i < edges_a.size(); ++i) {
        const Vec3 &p0 = a.vertices[edges_a[i].ends[0]], &p1 = a.vertices[edges_a[i].ends[1]];
        for (std::size_t j = 0; j < edges_b.size(); ++j) {
            const Vec3 &q0 = b.vertices[edges_b[j].ends[0]], &q1 = b.vertices[edges_b[j].ends[1]];
            const SegmentPair at = nearest_on_segments(p0, p1, q0, q1);
            const Vec3 pa = p0 + at.s * (p1 - p0), pb = q0 + at.t * (q1 - q0);
            const double distance = (pa - pb).norm();
            if (distance < smallest - tolerance) {
                smallest = distance;
                best_a = i;
                best_b = j;
                on_a = pa;
                on_b = pb;
            }
        }
    }
    const std::uint64_t feature = std::uint64_t{1} << 61 | std::uint64_t(edges_a[best_a].edge) << 20 |
                                  std::uint64_t(edges_b[best_b].edge);
    const Vec3 n = smallest > tolerance ? Vec3((on_a - on_b) / smallest) : Vec3(-axis.normal);

    // parallel edges: the ends of the common part
    const auto &ends_a = edges_a[best_a].ends, &ends_b = edges_b[best_b].ends;
    const Vec3 &p0 = a.vertices[ends_a[0]], &p1 = a.vertices[ends_a[1]];
    const Vec3 &q0 = b.vertices[ends_b[0]], &q1 = b.vertices[ends_b[1]];
    const double length = (p1 - p0).norm();
    const Vec3 d = length > 0 ? Vec3((p1 - p0) / length) : Vec3(Vec3::Zero());
    const bool parallel = length > 0 && (q1 - q0).norm() > 0 && d.cross((q1 - q0).normalized()).norm() < 1e-6;
    if (parallel) {
        const double t0 = d.dot(q0 - p0), t1 = d.dot(q1 - p0);
        const double from = std::max(0.0, std::min(t0, t1)), to = std::min(length, std::max(t0, t1));
        if (to - from > tolerance) {
            for (const double s : {from, to}) {
                const Vec3 pa = p0 + s * d;
                add(pa, q0 + (s - t0) / (t1 - t0) * (q1 - q0), n, feature | std::uint64_t{s == to} << 50);
            }
            return;
        }
    }
    add(on_a, on_b, n, feature);
}

/// Overlapping hulls whose faces and edges do not face each other: the vertex of b that is deepest in a.
void Query::by_deepest_vertex(const Axis& axis) const
{
    const auto deepest =
        std::min_element(b.vertices.begin(), b.vertices.end(), [&](const Vec3& x, const Vec3& y) {
            return axis.normal.dot(x) < axis.normal.dot(y);
        });
    add(*deepest - axis.separation * axis.normal, *deepest, -axis.normal,
        std::uint64_t{1} << 60 | std::uint64_t(deepest - b.vertices.begin()));
}

}  // namespace

namespace {

/// Whether a corner of one hull is in the other.
bool has_corner_in(const PlacedCollider& hull, const PlacedCollider& other, double tolerance)
{
    const auto& faces = hull.collider->hull.faces;
    if (faces.empty()) return false;
    // far outside the box nothing is in it; near its sides the faces decide
    const Vec3 margin = Vec3::Constant(1e3 * tolerance), low = hull.low - margin, high = hull.high + margin;
    if (((other.high.array() < low.array()) || (other.low.array() > high.array())).any()) return false;
    return std::any_of(other.vertices.begin(), other.vertices.end(), [&](const Vec3& x) {
        if (!((x.array() >= low.array()).all() && (x.array() <= high.array()).all())) return false;
        for (std::size_t f = 0; f < faces.size(); ++f) {
            if (hull.normals[f].dot(x - hull.vertices[faces[f].loop.front()]) > tolerance) return false;
        }
        return true;
    });
}

/// Whether a point is at least so deep behind all faces of a hull. False also where that is not asked by
/// fours.
bool is_behind_all(const PlacedCollider& hull, const Vec3& x, double depth)
{
    if (hull.corners_in_fours.empty()) return false;
    thread_local std::vector<double> above;
    above.resize(hull.normals_in_fours.room());
    hull.normals_in_fours.heights(x, hull.offsets, above);
    unsigned in_front = 0;
    for (const double height : above) {
        in_front |= static_cast<unsigned>(!(height <= -depth));
    }
    return in_front == 0;
}

/// Whether no axis keeps two hulls farther apart than the best face of `hull` does (BO-41): the lowest corner
/// of the other one over that face is straight above it, or inside with no face nearer. False also where
/// corners are not asked by fours.
bool is_best_axis(const Axis& face, const PlacedCollider& hull, const PlacedCollider& other, double tolerance)
{
    if (face.face < 0) return false;
    const double nearly = 1e-3 * tolerance;
    const Vec3& corner = other.vertices[lowest_vertex(other, face.normal, 0)];
    if (face.separation <= 0) return is_behind_all(hull, corner, -face.separation - nearly);
    return is_behind_all(hull, corner - (face.separation + nearly) * face.normal, 0);
}

/// What the best faces say about edges.
Found found_by(const Axis& face_a, const Axis& face_b, const PlacedCollider& a, const PlacedCollider& b,
               double tolerance)
{
    const bool of_a = face_a.separation >= face_b.separation;
    const Vec3 n = of_a ? face_a.normal : Vec3(-face_b.normal);  // from a to b
    return {.separation = std::max(face_a.separation, face_b.separation) - tolerance,
            .on_a = a.vertices[lowest_vertex(a, -n, 0)],
            .on_b = b.vertices[lowest_vertex(b, n, 0)]};
}

/// The distance of two corners, the lower one of the second hull along the axis and the nearest to it: the
/// hulls are not farther apart.
double distance_at_most(const PlacedCollider& a, const PlacedCollider& b, const Vec3& axis)
{
    const Vec3& x = b.vertices[lowest_vertex(b, axis, 0)];
    double smallest = infinity;
    for (const Vec3& y : a.vertices) {
        smallest = std::min(smallest, (x - y).squaredNorm());
    }
    return std::sqrt(smallest);
}

/// The best axis of edges (BO-5): where the hulls are nearest or deepest two points are at most as far apart
/// as the best faces say.
Axis Query::best_edge_axis(const Axis& face_a, const Axis& face_b) const
{
    const double of_faces = std::max(face_a.separation, face_b.separation);
    const double grown = std::max(std::max(0.0, reach_m) + rounding(), -of_faces) + tolerance;
    const Found found = found_by(face_a, face_b, a, b, tolerance);
    const Axis edges = best_edges(a, b, grown, found);
    // faces overlap, but hulls that are apart by more than that have their nearest edges farther away
    const bool flat = a.collider->hull.flat || b.collider->hull.flat;
    if (flat || std::max(of_faces, edges.separation) >= -tolerance || have_a_point_in_common(edges) ||
        has_corner_in(a, b, tolerance) || has_corner_in(b, a, tolerance))
        return edges;
    const double farther = std::max(grown, distance_at_most(a, b, face_a.normal));
    return best_edges(a, b, farther + tolerance, found);
}

/// Whether the middle between two edges is in both hulls.
bool Query::have_a_point_in_common(const Axis& edges) const
{
    if (edges.edge_a < 0) return false;
    const auto& edge_a = a.collider->hull.edges[edges.edge_a];
    const auto& edge_b = b.collider->hull.edges[edges.edge_b];
    const Vec3 &p0 = a.vertices[edge_a[0]], &p1 = a.vertices[edge_a[1]];
    const Vec3 &q0 = b.vertices[edge_b[0]], &q1 = b.vertices[edge_b[1]];
    const SegmentPair at = nearest_on_segments(p0, p1, q0, q1);
    const Vec3 middle = 0.5 * (p0 + at.s * (p1 - p0) + q0 + at.t * (q1 - q0));
    return is_behind_all(a, middle, -tolerance) && is_behind_all(b, middle, -tolerance);
}

}  // namespace

ContactPoint rounded_point(const Vec3& on_a, const Vec3& on_b, const Vec3& n, double radius_a,
                           double radius_b, std::uint64_t feature)
{
    const Vec3 surface_a = on_a - radius_a * n, surface_b = on_b + radius_b * n;
    return {.point_m = 0.5 * (surface_a + surface_b),
            .normal = n,
            .gap_m = n.dot(on_a - on_b) - radius_a - radius_b,
            .feature = feature};
}

SegmentPair nearest_on_segments(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1)
{
    const Vec3 p = p1 - p0, q = q1 - q0, r = p0 - q0;
    const double pp = p.dot(p), qq = q.dot(q), pq = p.dot(q), pr = p.dot(r), qr = q.dot(r);
    if (pp == 0 && qq == 0) return {};
    if (pp == 0) return {.s = 0, .t = std::clamp(qr / qq, 0.0, 1.0)};
    if (qq == 0) return {.s = std::clamp(-pr / pp, 0.0, 1.0), .t = 0};

    // where the lines are nearest, then each end that was passed
    const double determinant = pp * qq - pq * pq;
    double s = determinant > 1e-14 * pp * qq ? std::clamp((pq * qr - qq * pr) / determinant, 0.0, 1.0) : 0.0;
    double t = (pq * s + qr) / qq;
    if (t < 0 || t > 1) {
        t = std::clamp(t, 0.0, 1.0);
        s = std::clamp((pq * t - pr) / pp, 0.0, 1.0);
    }
    return {.s = s, .t = t};
}

void hull_contact_points(const PlacedCollider& a, const PlacedCollider& b, double reach_m,
                         std::vector<ContactPoint>& points)
{
    // axes in order of preference: an edge pair or the second hull's face must be clearly better
    const double tolerance = small * ((a.high - a.low).norm() + (b.high - b.low).norm());
    const Query query{a, b, reach_m, tolerance, points};
    const double far = std::max(0.0, reach_m) + query.rounding();
    const Axis face_a = best_face(a, b, far);
    if (face_a.separation > far) return;
    // the other face and the edges are asked where they may be better
    Axis face_b, edges;
    if (!is_best_axis(face_a, a, b, tolerance)) {
        face_b = best_face(b, a, far);
        if (face_b.separation > far) return;
        if (face_b.separation <= face_a.separation || !is_best_axis(face_b, b, a, tolerance)) {
            edges = query.best_edge_axis(face_a, face_b);
            if (edges.separation > far) return;
        }
    }

    const bool face_of_a = face_a.face >= 0 && face_a.separation >= face_b.separation - tolerance;
    const Axis& face = face_of_a ? face_a : face_b;
    const bool edges_win = edges.separation > face.separation + tolerance;
    if (!edges_win && face.face >= 0) {
        if (query.by_face(face, face_of_a)) return;
    } else if (edges.separation > -infinity) {
        if (query.by_edges(edges)) return;
    }
    // the axis from a to b along which they are farthest apart
    Axis axis = edges;
    if (!edges_win && face.face >= 0) {
        axis = face;
        if (!face_of_a) axis.normal = -face.normal;
    }
    // two segments in one plane overlap along its normal wherever they are
    const bool thin = a.collider->hull.faces.empty() && b.collider->hull.faces.empty();
    if (thin || axis.separation > tolerance || axis.separation == -infinity) {
        query.by_nearest_features(axis);
    } else {
        query.by_deepest_vertex(axis);
    }
}

}  // namespace carom::detail
