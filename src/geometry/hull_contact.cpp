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

    [[nodiscard]] bool have_a_point_in_common(const HullAxis& edges) const;
    [[nodiscard]] HullAxis best_edge_axis(const HullAxis& face_a, const HullAxis& face_b) const;
    bool by_face(const HullAxis& axis, bool face_of_a) const;
    bool by_edges(const HullAxis& axis) const;
    void beside_edges(const HullAxis& axis, const Vec3& crossing) const;
    void by_nearest_features(const HullAxis& axis) const;
    void leave_far_segments(const HullAxis& axis, std::vector<Segment>& edges_a,
                            std::vector<Segment>& edges_b) const;
    void by_deepest_vertex(const HullAxis& axis) const;
};

/// Points above a face. False when the hulls are apart and none of them is where the face is nearest: then
/// the nearest features are an edge or a corner of it.
bool Query::by_face(const HullAxis& axis, bool face_of_a) const
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
bool Query::by_edges(const HullAxis& axis) const
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
void Query::beside_edges(const HullAxis& axis, const Vec3& crossing) const
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
void Query::leave_far_segments(const HullAxis& axis, std::vector<Segment>& edges_a,
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
void Query::by_nearest_features(const HullAxis& axis) const
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
void Query::by_deepest_vertex(const HullAxis& axis) const
{
    const auto deepest =
        std::min_element(b.vertices.begin(), b.vertices.end(), [&](const Vec3& x, const Vec3& y) {
            return axis.normal.dot(x) < axis.normal.dot(y);
        });
    add(*deepest - axis.separation * axis.normal, *deepest, -axis.normal,
        std::uint64_t{1} << 60 | std::uint64_t(deepest - b.vertices.begin()));
}

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
bool is_best_axis(const HullAxis& face, const PlacedCollider& hull, const PlacedCollider& other,
                  double tolerance)
{
    if (face.face < 0) return false;
    const double nearly = 1e-3 * tolerance;
    const Vec3& corner = other.vertices[lowest_vertex(other, face.normal, 0)];
    if (face.separation <= 0) return is_behind_all(hull, corner, -face.separation - nearly);
    return is_behind_all(hull, corner - (face.separation + nearly) * face.normal, 0);
}

/// What the best faces say about edges.
FoundByFaces found_by(const HullAxis& face_a, const HullAxis& face_b, const PlacedCollider& a,
                      const PlacedCollider& b, double tolerance)
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
HullAxis Query::best_edge_axis(const HullAxis& face_a, const HullAxis& face_b) const
{
    const double of_faces = std::max(face_a.separation, face_b.separation);
    const double grown = std::max(std::max(0.0, reach_m) + rounding(), -of_faces) + tolerance;
    const FoundByFaces found = found_by(face_a, face_b, a, b, tolerance);
    const HullAxis edges = best_edges(a, b, grown, found);
    // faces overlap, but hulls that are apart by more than that have their nearest edges farther away
    const bool flat = a.collider->hull.flat || b.collider->hull.flat;
    if (flat || std::max(of_faces, edges.separation) >= -tolerance || have_a_point_in_common(edges) ||
        has_corner_in(a, b, tolerance) || has_corner_in(b, a, tolerance))
        return edges;
    const double farther = std::max(grown, distance_at_most(a, b, face_a.normal));
    return best_edges(a, b, farther + tolerance, found);
}

/// Whether the middle between two edges is in both hulls.
bool Query::have_a_point_in_common(const HullAxis& edges) const
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
    const HullAxis face_a = best_face(a, b, far);
    if (face_a.separation > far) return;
    // the other face and the edges are asked where they may be better
    HullAxis face_b, edges;
    if (!is_best_axis(face_a, a, b, tolerance)) {
        face_b = best_face(b, a, far);
        if (face_b.separation > far) return;
        if (face_b.separation <= face_a.separation || !is_best_axis(face_b, b, a, tolerance)) {
            edges = query.best_edge_axis(face_a, face_b);
            if (edges.separation > far) return;
        }
    }

    const bool face_of_a = face_a.face >= 0 && face_a.separation >= face_b.separation - tolerance;
    const HullAxis& face = face_of_a ? face_a : face_b;
    const bool edges_win = edges.separation > face.separation + tolerance;
    if (!edges_win && face.face >= 0) {
        if (query.by_face(face, face_of_a)) return;
    } else if (edges.separation > -infinity) {
        if (query.by_edges(edges)) return;
    }
    // the axis from a to b along which they are farthest apart
    HullAxis axis = edges;
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
