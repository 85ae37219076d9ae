#include "geometry/hull_axes.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// An edge of a hull and the arc of normals between its two faces.
struct Arc {
    Vec3 along = Vec3::Zero();                       ///< unit
    Vec3 left = Vec3::Zero(), right = Vec3::Zero();  ///< normals
    int edge = 0;
    bool whole = false;  ///< no faces: all normals around the edge

    /// Of any length, along the bisector, whether the arc is short or half a circle.
    [[nodiscard]] Vec3 middle() const { return left + right + along.cross(left - right); }
};

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

}  // namespace

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

HullAxis best_edges(const PlacedCollider& a, const PlacedCollider& b, double grown, const FoundByFaces& found)
{
    HullAxis best;
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
                separation = extremes_along(n, b.vertices).low - extremes_along(n, a.vertices).high;
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

}  // namespace carom::detail
