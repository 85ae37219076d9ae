#include "geometry/hull_axes.hpp"

#include <algorithm>
#include <limits>

namespace carom::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Hulls with more faces are not asked face by face.
constexpr std::size_t many_faces = 24;

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

HullAxis axis_of_face(const PlacedCollider& a, std::size_t face, double separation)
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
HullAxis best_of_many_faces(const PlacedCollider& a, const PlacedCollider& b, double far)
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

}  // namespace

HullAxis best_face(const PlacedCollider& a, const PlacedCollider& b, double far)
{
    // so many faces have corners enough for fours
    if (a.normals.size() > many_faces) return best_of_many_faces(a, b, far);
    HullAxis best;
    int lowest = 0;
    for (std::size_t f = 0; f < a.normals.size(); ++f) {
        const double separation = separation_from(a, f, b, lowest);
        if (separation > best.separation) best = axis_of_face(a, f, separation);
    }
    return best;
}

Extremes extremes_along(const Vec3& axis, const std::vector<Vec3>& points)
{
    Extremes extremes;
    for (const Vec3& point : points) {
        const double x = axis.dot(point);
        extremes.low = std::min(extremes.low, x);
        extremes.high = std::max(extremes.high, x);
    }
    return extremes;
}

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

}  // namespace carom::detail
