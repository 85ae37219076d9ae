#include "solids_json.hpp"

#include "core/palette.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

using Json = nlohmann::ordered_json;

/// Round things of fewer bodies get more faces.
constexpr std::size_t few_bodies = 200;

/// As much of a plane as the bodies at the start need: a face of four corners, in the plane a line of two.
Surface shown_plane(const BodiesToRecord& bodies, int plane_body, const PlaneShape& plane)
{
    const BodyModel& model = bodies.model;
    const auto at = static_cast<std::size_t>(plane_body);
    Vec3 t1, t2;
    tangents(plane.normal, t1, t2);
    const Pose pose{.position_m = bodies.start.x[at], .rotation = bodies.start.R[at]};
    Eigen::AlignedBox2d box;
    for (std::size_t k = 0; k < bodies.start.x.size(); ++k) {
        if (model.inverse_mass[k] == 0) continue;
        const double r = model.collides[k] ? model.colliders[k].radius_m : 0;
        const Vec3 X = pose.to_body(bodies.start.x[k]);
        const Eigen::Vector2d centre(t1.dot(X), t2.dot(X)), reach(3 * r, 3 * r);
        box.extend(Eigen::Vector2d(centre - reach));
        box.extend(Eigen::Vector2d(centre + reach));
    }
    if (box.isEmpty()) box = Eigen::AlignedBox2d(Eigen::Vector2d(-1, -1), Eigen::Vector2d(1, 1));
    const Vec3 origin = plane.offset_m * plane.normal - model.centre[at];
    const auto corner = [&](double a, double b) { return Vec3(origin + a * t1 + b * t2); };
    const auto &low = box.min(), &high = box.max();
    if (model.is_flat()) return {.vertices = {corner(low.x(), 0), corner(high.x(), 0)}, .faces = {{0, 1}}};
    return {.vertices = {corner(low.x(), low.y()), corner(high.x(), low.y()), corner(high.x(), high.y()),
                         corner(low.x(), high.y())},
            .faces = {{0, 1, 2, 3}}};
}

Json numbers(const Vec3& x)
{
    return {x.x(), x.y(), x.z()};
}

Json numbers(const Rotation& R)
{
    return {R.w(), R.x(), R.y(), R.z()};
}

/// Reads a list; anything else throws, as damaged JSON does.
Vec3 vector_in(const Json& list)
{
    return {list.at(0).get<double>(), list.at(1).get<double>(), list.at(2).get<double>()};
}

Pose pose_in(const Json& json)
{
    const Json& R = json.at("rotation");
    return {.position_m = vector_in(json.at("position")),
            .rotation = Rotation(R.at(0).get<double>(), R.at(1).get<double>(), R.at(2).get<double>(),
                                 R.at(3).get<double>())};
}

bool is_sound(const Pose& pose)
{
    return pose.position_m.allFinite() && std::abs(pose.rotation.norm() - 1) < 1e-6;
}

Surface surface_in(const Json& json)
{
    Surface surface{.vertices = {}, .faces = {}, .smooth = json.at("smooth").get<bool>()};
    for (const Json& vertex : json.at("vertices"))
        surface.vertices.push_back(vector_in(vertex));
    for (const Json& face : json.at("faces"))
        surface.faces.push_back(face.get<std::vector<int>>());
    return surface;
}

bool is_sound(const Surface& surface)
{
    const auto size = static_cast<int>(surface.vertices.size());
    for (const Vec3& vertex : surface.vertices) {
        if (!vertex.allFinite()) return false;
    }
    return std::ranges::all_of(surface.faces, [&](const std::vector<int>& face) {
        return face.size() >= 2 && std::ranges::all_of(face, [&](int v) { return v >= 0 && v < size; });
    });
}

bool is_sound(const RecordedSolids& solids, std::size_t bodies, std::size_t coordinates)
{
    const int per_body = solids.flat ? 3 : 7;
    if (solids.columns.size() != bodies || solids.fixed.size() != bodies) return false;
    for (std::size_t i = 0; i < bodies; ++i) {
        const int first = solids.columns[i];
        if (first < -1 || (first >= 0 && static_cast<std::size_t>(first + per_body) > coordinates) ||
            !is_sound(solids.fixed[i]))
            return false;
    }
    const auto surfaces = static_cast<int>(solids.surfaces.size());
    return std::ranges::all_of(solids.surfaces, [](const Surface& s) { return is_sound(s); }) &&
           std::ranges::all_of(solids.solids, [&](const RecordedSolid& solid) {
               return solid.body >= 0 && static_cast<std::size_t>(solid.body) < bodies &&
                      solid.placed.surface >= 0 && solid.placed.surface < surfaces &&
                      solid.placed.scale.allFinite() && is_sound(solid.placed.pose);
           });
}

}  // namespace

RecordedSolids solids_of(const BodiesToRecord& bodies)
{
    const BodyModel& model = bodies.model;
    RecordedSolids result;
    result.flat = model.is_flat();
    const bool fine = bodies.start.x.size() <= few_bodies;
    int column = 0;
    for (int i = 0; i < model.bodies(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool moves = model.setup().bodies[at].motion != BodyMotion::Fixed;
        result.columns.push_back(moves ? column : -1);
        result.fixed.push_back({.position_m = bodies.start.x[at], .rotation = bodies.start.R[at]});
        if (moves) column += model.is_flat() ? 3 : 7;
        if (!model.collides[at]) continue;
        const Collider& collider = model.colliders[at];
        std::vector<PlacedSurface> placed = surfaces_of(collider, fine, result.surfaces);
        if (const auto* plane = std::get_if<PlaneShape>(&collider.shape)) {
            placed.push_back({.surface = static_cast<int>(result.surfaces.size())});
            result.surfaces.push_back(shown_plane(bodies, i, *plane));
        }
        const std::string colour = at < bodies.colours.size() ? bodies.colours[at] : std::string(grey.name);
        for (const PlacedSurface& one : placed)
            result.solids.push_back({.body = i, .placed = one, .colour = colour});
    }
    return result;
}

std::string to_json(const RecordedSolids& solids)
{
    Json surfaces = Json::array(), list = Json::array(), bodies = Json::array();
    for (const Surface& surface : solids.surfaces) {
        Json vertices = Json::array();
        for (const Vec3& vertex : surface.vertices)
            vertices.push_back(numbers(vertex));
        surfaces.push_back({{"vertices", vertices}, {"faces", surface.faces}, {"smooth", surface.smooth}});
    }
    for (const RecordedSolid& solid : solids.solids) {
        list.push_back({{"body", solid.body},
                        {"surface", solid.placed.surface},
                        {"scale", numbers(solid.placed.scale)},
                        {"position", numbers(solid.placed.pose.position_m)},
                        {"rotation", numbers(solid.placed.pose.rotation)},
                        {"colour", solid.colour}});
    }
    for (std::size_t i = 0; i < solids.columns.size(); ++i) {
        bodies.push_back({{"first", solids.columns[i]},
                          {"position", numbers(solids.fixed[i].position_m)},
                          {"rotation", numbers(solids.fixed[i].rotation)}});
    }
    return Json{{"flat", solids.flat}, {"bodies", bodies}, {"surfaces", surfaces}, {"solids", list}}.dump();
}

std::optional<RecordedSolids> solids_from_json(const std::string& text, std::size_t bodies,
                                               std::size_t coordinates)
try {
    const Json json = Json::parse(text);
    RecordedSolids result;
    result.flat = json.at("flat").get<bool>();
    for (const Json& body : json.at("bodies")) {
        result.columns.push_back(body.at("first").get<int>());
        result.fixed.push_back(pose_in(body));
    }
    for (const Json& surface : json.at("surfaces"))
        result.surfaces.push_back(surface_in(surface));
    for (const Json& solid : json.at("solids")) {
        result.solids.push_back({.body = solid.at("body").get<int>(),
                                 .placed = {.surface = solid.at("surface").get<int>(),
                                            .scale = vector_in(solid.at("scale")),
                                            .pose = pose_in(solid)},
                                 .colour = solid.at("colour").get<std::string>()});
    }
    if (!is_sound(result, bodies, coordinates)) return std::nullopt;
    return result;
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

}  // namespace carom::detail

namespace carom {

Pose RecordedSolids::pose(std::size_t body, const RowMatrix& q, Eigen::Index frame) const
{
    const int first = columns[body];
    if (first < 0) return fixed[body];
    const auto at = [&](int k) { return q(frame, first + k); };
    if (flat) return {.position_m = {at(0), at(1), 0}, .rotation = rotation_by(Vec3(0, 0, at(2)))};

    // between steps recordings are straight: a chord of the sphere of turns
    Rotation R(at(3), at(4), at(5), at(6));
    const double length = R.norm();
    if (!(length > 0)) return fixed[body];
    R.coeffs() /= length;
    return {.position_m = {at(0), at(1), at(2)}, .rotation = R};
}

}  // namespace carom
