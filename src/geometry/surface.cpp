#include "carom/geometry/surface.hpp"

#include "geometry/contact_points.hpp"
#include "triangle_surface.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace carom {
namespace {

/// Surfaces of revolution about z: rings of points, (radius, height) from below to above. A radius of zero is
/// one point.
Surface turned_about_z(std::span<const std::array<double, 2>> rings, int sides, bool smooth)
{
    Surface surface{.vertices = {}, .faces = {}, .smooth = smooth};
    std::vector<int> before;
    for (const auto& [radius, height] : rings) {
        std::vector<int> ring;
        for (int k = 0; k < (radius > 0 ? sides : 1); ++k) {
            const double angle = 2 * std::numbers::pi * k / sides;
            ring.push_back(static_cast<int>(surface.vertices.size()));
            surface.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), height);
        }
        for (int k = 0; k < sides && !before.empty(); ++k) {
            const auto at = [&](const std::vector<int>& list, int n) {
                return list[static_cast<std::size_t>(n) % list.size()];
            };
            std::vector<int> face{at(before, k), at(before, k + 1)};
            if (before.size() == 1) face.pop_back();
            if (ring.size() > 1) face.push_back(at(ring, k + 1));
            face.push_back(at(ring, k));
            if (face.size() >= 3) surface.faces.push_back(std::move(face));
        }
        before = std::move(ring);
    }
    return surface;
}

/// A capsule; without length a ball.
Surface round_surface(double radius, double length, bool fine)
{
    const int bands = fine ? 8 : 5, sides = fine ? 32 : 14;
    std::vector<std::array<double, 2>> rings;
    for (const double end : {-1.0, 1.0}) {
        for (int k = 0; k <= bands; ++k) {
            if (end > 0 && k == 0 && length == 0) continue;
            const double angle = std::numbers::pi / 2 * (end < 0 ? k - bands : k) / bands;
            const bool pole = (end < 0 && k == 0) || (end > 0 && k == bands);
            rings.push_back(
                {pole ? 0 : radius * std::cos(angle), end * length / 2 + radius * std::sin(angle)});
        }
    }
    return turned_about_z(rings, sides, true);
}

/// The lids are faces of their own, so that their edge is sharp.
Surface cylinder_surface(double radius, double length, bool fine)
{
    const int sides = fine ? 48 : 20;
    Surface surface;
    for (const double end : {-0.5, 0.5}) {
        std::vector<int> lid;
        for (int k = 0; k < sides; ++k) {
            const double angle = 2 * std::numbers::pi * (end < 0 ? -k : k) / sides;
            lid.push_back(static_cast<int>(surface.vertices.size()));
            surface.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), end * length);
        }
        surface.faces.push_back(std::move(lid));
    }
    for (int k = 0; k < sides && length > 0; ++k) {
        const auto low = [&](int n) { return (sides - n % sides) % sides; };
        const auto high = [&](int n) { return sides + n % sides; };
        surface.faces.push_back({low(k), low(k + 1), high(k + 1), high(k)});
    }
    return surface;
}

Surface cube_surface()
{
    const Collider cube = make_collider(BoxShape{});
    Surface surface{.vertices = cube.hull.vertices, .faces = {}};
    for (const Hull::Face& face : cube.hull.faces)
        surface.faces.push_back(face.loop);
    return surface;
}

Surface flat_outline(const Hull& hull, bool fine)
{
    Surface surface;
    if (hull.vertices.size() > 1) {
        surface.vertices = hull.vertices;
    } else {
        const int sides = fine ? 64 : 24;
        for (int k = 0; k < sides; ++k) {
            const double angle = 2 * std::numbers::pi * k / sides;
            surface.vertices.emplace_back(std::cos(angle), std::sin(angle), 0);
        }
    }
    surface.faces.emplace_back(surface.vertices.size());
    std::iota(surface.faces[0].begin(), surface.faces[0].end(), 0);
    return surface;
}

/// Its number in the list, where it is put if it is new.
int number_of(Surface surface, std::vector<Surface>& surfaces)
{
    const auto known = std::find_if(surfaces.begin(), surfaces.end(), [&](const Surface& other) {
        return other.vertices == surface.vertices && other.faces == surface.faces &&
               other.smooth == surface.smooth;
    });
    if (known == surfaces.end()) {
        surfaces.push_back(std::move(surface));
        return static_cast<int>(surfaces.size()) - 1;
    }
    return static_cast<int>(known - surfaces.begin());
}

}  // namespace

std::vector<PlacedSurface> surfaces_of(const Collider& collider, bool fine, std::vector<Surface>& surfaces)
{
    const Hull& hull = collider.hull;
    PlacedSurface placed;
    placed.pose.position_m = -collider.centre_m;
    if (std::holds_alternative<PlaneShape>(collider.shape)) return {};
    if (!collider.parts.empty()) {
        std::vector<PlacedSurface> all;
        for (std::size_t i = 0; i < collider.parts.size(); ++i) {
            const Pose& part = collider.part_poses[i];
            for (PlacedSurface one : surfaces_of(collider.parts[i], fine, surfaces)) {
                one.pose = {.position_m = part.to_world(one.pose.position_m),
                            .rotation = part.rotation * one.pose.rotation};
                all.push_back(one);
            }
        }
        return all;
    }
    if (const auto* sphere = std::get_if<SphereShape>(&collider.shape)) {
        placed.scale = Vec3::Constant(sphere->radius_m);
        placed.surface = number_of(round_surface(1, 0, fine), surfaces);
    } else if (const auto* capsule = std::get_if<CapsuleShape>(&collider.shape)) {
        placed.surface = number_of(round_surface(capsule->radius_m, capsule->length_m, fine), surfaces);
    } else if (const auto* cylinder = std::get_if<CylinderShape>(&collider.shape)) {
        placed.surface = number_of(cylinder_surface(cylinder->radius_m, cylinder->length_m, fine), surfaces);
    } else if (const auto* box = std::get_if<BoxShape>(&collider.shape)) {
        placed.scale = box->size_m;
        placed.surface = number_of(cube_surface(), surfaces);
    } else if (collider.surface) {
        placed.pose.position_m.setZero();
        Surface surface{.vertices = collider.surface->vertices, .faces = {}};
        for (const auto& triangle : collider.surface->triangles)
            surface.faces.emplace_back(triangle.corners.begin(), triangle.corners.end());
        placed.surface = number_of(std::move(surface), surfaces);
    } else if (hull.flat) {
        // hulls are from the centre already; discs are the unit circle stretched
        const bool disc = hull.vertices.size() == 1;
        placed.scale = Vec3::Constant(disc ? hull.radius_m : 1);
        placed.pose.position_m = disc ? hull.vertices[0] : Vec3(Vec3::Zero());
        placed.surface = number_of(flat_outline(hull, fine), surfaces);
    } else {
        placed.pose.position_m.setZero();
        Surface surface{.vertices = hull.vertices, .faces = {}};
        for (const Hull::Face& face : hull.faces)
            surface.faces.push_back(face.loop);
        placed.surface = number_of(std::move(surface), surfaces);
    }
    return {placed};
}

}  // namespace carom
