#include "mechanics_json.hpp"

#include "carom/system/bodies/joint.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

using Json = nlohmann::ordered_json;

Json list_of(const Vec3& x)
{
    return {x.x(), x.y(), x.z()};
}

Vec3 vector_of(const Json& list)
{
    return {list.at(0).get<double>(), list.at(1).get<double>(), list.at(2).get<double>()};
}

/// A symmetric matrix as xx, xy, xz, yy, yz, zz.
Json list_of(const Mat3& J)
{
    return {J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2)};
}

Mat3 matrix_of(const Json& list)
{
    Mat3 J;
    int next = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j)
            J(i, j) = J(j, i) = list.at(static_cast<std::size_t>(next++)).get<double>();
    }
    return J;
}

RecordedJoint joint_of(const Json& json)
{
    return {.name = json.at("name").get<std::string>(),
            .kind = json.at("kind").get<std::string>(),
            .first = json.at("first").get<int>(),
            .second = json.at("second").get<int>(),
            .first_point_m = vector_of(json.at("first_point_m")),
            .second_point_m = vector_of(json.at("second_point_m")),
            .axis = vector_of(json.at("axis")),
            .turn_motor = json.value("turn_motor", false),
            .slide_motor = json.value("slide_motor", false)};
}

RecordedSpring spring_of(const Json& json)
{
    return {.first = json.at("first").get<int>(),
            .second = json.at("second").get<int>(),
            .first_point_m = vector_of(json.at("first_point_m")),
            .second_point_m = vector_of(json.at("second_point_m"))};
}

/// A joint or spring between bodies that exist, with points that are numbers.
bool is_sound(const auto& link, int bodies)
{
    return link.first >= 0 && link.first < bodies && link.second >= -1 && link.second < bodies &&
           link.first_point_m.allFinite() && link.second_point_m.allFinite();
}

bool is_sound(const RecordedMechanics& mechanics, std::size_t bodies)
{
    const auto count = static_cast<int>(bodies);
    return mechanics.mass_kg.size() == bodies && mechanics.materials.size() == bodies &&
           mechanics.gravity_m_s2.allFinite() &&
           (mechanics.inertia_kg_m2.empty() || mechanics.inertia_kg_m2.size() == bodies) &&
           std::ranges::all_of(mechanics.inertia_kg_m2, [](const Mat3& J) { return J.allFinite(); }) &&
           std::ranges::all_of(mechanics.mass_kg, [](double m) { return std::isfinite(m) && m >= 0; }) &&
           std::ranges::all_of(mechanics.joints,
                               [&](const RecordedJoint& joint) {
                                   return is_sound(joint, count) && joint.axis.allFinite();
                               }) &&
           std::ranges::all_of(mechanics.springs,
                               [&](const RecordedSpring& spring) { return is_sound(spring, count); });
}

}  // namespace

RecordedMechanics mechanics_of(const BodyModel& model)
{
    const BodySetup& setup = model.setup();
    RecordedMechanics result;
    result.gravity_m_s2 = setup.gravity_m_s2;
    for (int i = 0; i < model.bodies(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        result.mass_kg.push_back(model.inverse_mass[at] > 0 ? model.mass[at] : 0);
        result.inertia_kg_m2.push_back(model.inverse_mass[at] > 0 ? model.inertia[at] : Mat3(Mat3::Zero()));
        result.materials.push_back(setup.materials[static_cast<std::size_t>(setup.bodies[at].material)].name);
    }
    for (std::size_t j = 0; j < setup.joints.size(); ++j) {
        const Joint& joint = setup.joints[j];
        const JointFrame& frame = model.joint_frames[j];
        result.joints.push_back({.name = joint.name,
                                 .kind = name_of(joint.kind),
                                 .first = joint.first,
                                 .second = joint.second,
                                 .first_point_m = frame.first_point,
                                 .second_point_m = frame.second_point,
                                 .axis = frame.first_axes.col(2),
                                 .turn_motor = joint.turn.has_motor(),
                                 .slide_motor = joint.slide.has_motor()});
    }
    // springs have points in the frames of shapes
    const auto from_centre = [&](int body, const Vec3& point) -> Vec3 {
        return body < 0 ? point : Vec3(point - model.centre[static_cast<std::size_t>(body)]);
    };
    for (const BodySpring& spring : setup.springs) {
        result.springs.push_back({.first = spring.first,
                                  .second = spring.second,
                                  .first_point_m = from_centre(spring.first, spring.first_point_m),
                                  .second_point_m = from_centre(spring.second, spring.second_point_m)});
    }
    return result;
}

std::string to_json(const RecordedMechanics& mechanics)
{
    Json joints = Json::array();
    for (const RecordedJoint& joint : mechanics.joints) {
        joints.push_back({{"name", joint.name},
                          {"kind", joint.kind},
                          {"first", joint.first},
                          {"second", joint.second},
                          {"first_point_m", list_of(joint.first_point_m)},
                          {"second_point_m", list_of(joint.second_point_m)},
                          {"axis", list_of(joint.axis)}});
        if (joint.turn_motor) joints.back()["turn_motor"] = true;
        if (joint.slide_motor) joints.back()["slide_motor"] = true;
    }
    Json springs = Json::array();
    for (const RecordedSpring& spring : mechanics.springs) {
        springs.push_back({{"first", spring.first},
                           {"second", spring.second},
                           {"first_point_m", list_of(spring.first_point_m)},
                           {"second_point_m", list_of(spring.second_point_m)}});
    }
    Json inertias = Json::array();
    for (const Mat3& J : mechanics.inertia_kg_m2)
        inertias.push_back(list_of(J));
    return Json{{"gravity_m_s2", list_of(mechanics.gravity_m_s2)},
                {"mass_kg", mechanics.mass_kg},
                {"inertia_kg_m2", inertias},
                {"materials", mechanics.materials},
                {"joints", joints},
                {"springs", springs}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<RecordedMechanics> mechanics_from_json(const std::string& text, std::size_t bodies)
try {
    const Json json = Json::parse(text);
    RecordedMechanics result;
    result.gravity_m_s2 = vector_of(json.at("gravity_m_s2"));
    result.mass_kg = json.at("mass_kg").get<std::vector<double>>();
    if (json.contains("inertia_kg_m2")) {
        for (const Json& J : json.at("inertia_kg_m2"))
            result.inertia_kg_m2.push_back(matrix_of(J));
    }
    result.materials = json.at("materials").get<std::vector<std::string>>();
    for (const Json& joint : json.at("joints"))
        result.joints.push_back(joint_of(joint));
    if (json.contains("springs")) {
        for (const Json& spring : json.at("springs"))
            result.springs.push_back(spring_of(spring));
    }
    if (!is_sound(result, bodies)) return std::nullopt;
    return result;
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

}  // namespace carom::detail
