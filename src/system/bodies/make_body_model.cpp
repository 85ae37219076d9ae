#include "joints.hpp"
#include "system/bodies/body_coordinates.hpp"
#include "system/bodies/body_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

Error mistake(ErrorCode code, std::string where, std::string message, const char* hint)
{
    return {
        .code = code, .where = std::move(where), .message = std::move(message), .hint = hint, .excerpt = {}};
}

std::string where_of(const Body& body, std::size_t place)
{
    return body.name.empty() ? fmt::format("body[{}]", place) : "body." + body.name;
}

void check_numbers(const Body& body, const std::string& where, Errors& errors)
{
    const bool finite = body.pose.position_m.allFinite() && body.pose.rotation.coeffs().allFinite() &&
                        body.velocity_m_s.allFinite() && body.angular_velocity_rad_s.allFinite();
    if (!finite) {
        errors.push_back(mistake(ErrorCode::NotFinite, where,
                                 "position or velocity is infinite or not a number", "give finite numbers"));
    } else if (body.pose.position_m.cwiseAbs().maxCoeff() > 1e9) {
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, where,
                                 "its position is farther away than 1e9 m",
                                 "put the bodies near the origin"));
    } else if (std::abs(body.pose.rotation.norm() - 1) > 1e-9) {
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, where,
                                 fmt::format("the quaternion has length {}", body.pose.rotation.norm()),
                                 "give a unit quaternion"));
    }
    if (body.motion == BodyMotion::Prescribed && !body.path) {
        errors.push_back(mistake(ErrorCode::MissingKey, where, "a prescribed body needs its path",
                                 "give its position as a function of time, or make it fixed"));
    }
}

bool is_plane(const Body& body)
{
    return body.shape && std::holds_alternative<PlaneShape>(*body.shape);
}

/// Flat bodies keep to their plane; what they meet must stand upright on it.
void check_flat(const Body& body, const std::string& where, Errors& errors)
{
    const bool in_plane = body.pose.position_m.z() == 0 && body.velocity_m_s.z() == 0 &&
                          body.pose.rotation.x() == 0 && body.pose.rotation.y() == 0 &&
                          body.angular_velocity_rad_s.x() == 0 && body.angular_velocity_rad_s.y() == 0;
    const bool upright = is_plane(body) && std::get<PlaneShape>(*body.shape).normal.z() == 0;
    if (body.shape && !is_flat(*body.shape) && !upright) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, where,
                                 fmt::format("a {} cannot meet discs and polygons", name_of(*body.shape)),
                                 "in the plane use disc, polygon, and planes whose normal has no z"));
    } else if (!in_plane) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, where, "a body of the plane leaves z = 0",
                                 "leave out z, and turn about z only"));
    }
}

/// The inverse on the directions in which J is positive; zero on the others.
Mat3 pseudo_inverse(const Mat3& J)
{
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(J);
    Vec3 inverse = Vec3::Zero();
    for (int i = 0; i < 3; ++i) {
        const double value = eigen.eigenvalues()[i];
        if (value > 1e-12 * eigen.eigenvalues()[2]) inverse[i] = 1 / value;
    }
    return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

/// An inertia that some mass could have: symmetric, not negative, and no moment above the sum of the others.
bool is_inertia(const Mat3& J, bool flat)
{
    if (!J.allFinite() || (J - J.transpose()).norm() > 1e-9 * J.norm()) return false;
    if (flat) return J(2, 2) >= 0;
    const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(J).eigenvalues();
    return moments[0] >= -1e-12 * moments[2] && moments[2] <= (moments[0] + moments[1]) * (1 + 1e-9);
}

/// Mass, centre and inertia of a body: as given, and as its filled shape has them for the rest.
MassProperties mass_of(const Body& body)
{
    MassProperties filled = body.shape ? mass_properties(*body.shape, body.density) : MassProperties{};
    MassProperties result = filled;
    if (body.mass_kg) {
        result.mass_kg = *body.mass_kg;
        if (filled.mass_kg > 0) result.inertia_kg_m2 *= *body.mass_kg / filled.mass_kg;
    }
    if (body.centre_m) result.centre_m = *body.centre_m;
    if (body.inertia_kg_m2) result.inertia_kg_m2 = *body.inertia_kg_m2;
    return result;
}

void check_mass(const Body& body, const MassProperties& mass, const std::string& where, bool flat,
                Errors& errors)
{
    if (body.motion != BodyMotion::Free) return;
    if (body.shape && is_obstacle(*body.shape)) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, where,
                                 fmt::format("a {} has no mass", name_of(*body.shape)),
                                 "make it fixed or prescribed"));
    } else if (!(mass.mass_kg > 0 && std::isfinite(mass.mass_kg))) {
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, where,
                                 fmt::format("its mass is {} kg", mass.mass_kg),
                                 "give a shape with a positive density, or mass_kg"));
    } else if (!is_inertia(mass.inertia_kg_m2, flat)) {
        errors.push_back(
            mistake(ErrorCode::MetricNotPositive, where, "no body has this inertia",
                    "give a symmetric matrix whose moments are not negative, none above the sum of "
                    "the other two"));
    }
}

/// `surface` is a Material or a MaterialPair.
template <class Surface>
void check_surface(const Surface& surface, bool flat, const std::string& where, Errors& errors)
{
    const auto refuse = [&](const char* what, double seen, const char* hint) {
        errors.push_back(
            mistake(ErrorCode::SettingOutOfRange, where, fmt::format("{} is {}", what, seen), hint));
    };
    const auto not_negative = [&](const char* what, double value) {
        if (!(value >= 0 && std::isfinite(value))) refuse(what, value, "give zero or more");
    };
    const SurfaceDetail& detail = surface.detail;
    not_negative("friction", surface.friction);
    not_negative("rolling_m", detail.rolling_m);
    not_negative("spinning_m", detail.spinning_m);
    not_negative("cohesion_N", detail.cohesion_N);
    if (!(surface.restitution >= 0 && surface.restitution <= 1)) {
        refuse("restitution", surface.restitution, "give a number from 0 to 1");
    }
    if (detail.static_friction &&
        !(*detail.static_friction >= surface.friction && std::isfinite(*detail.static_friction))) {
        refuse("static_friction", *detail.static_friction, "give at least the friction while sliding");
    }
    if (!detail.friction_across) return;
    const double across = *detail.friction_across;
    if (!(across > 0 && std::isfinite(across) && surface.friction > 0)) {
        refuse("friction_across", across, "give two coefficients greater than zero, along and across");
    } else if (flat || detail.static_friction || detail.rolling_m > 0 || detail.spinning_m > 0) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, where,
                                 "a grain does not go with the plane, static friction or rolling",
                                 "leave friction_across out"));
    }
}

void check_materials(const BodySetup& setup, bool flat, Errors& errors)
{
    const int materials = static_cast<int>(setup.materials.size());
    for (const Material& material : setup.materials) {
        check_surface(material, flat, "material." + material.name, errors);
        if (!(material.grain.allFinite() && material.grain.norm() > 0)) {
            errors.push_back(mistake(ErrorCode::SettingOutOfRange, "material." + material.name,
                                     "the grain has no direction", "give a vector that is not zero"));
        }
    }
    for (const MaterialPair& pair : setup.pairs) {
        check_surface(pair, flat, "material_pair", errors);
        if (std::min(pair.first, pair.second) < 0 || std::max(pair.first, pair.second) >= materials) {
            errors.push_back(mistake(ErrorCode::UnknownName, "material_pair", "a pair of unknown materials",
                                     "name materials of the list"));
        }
    }
}

void check_springs(const BodySetup& setup, Errors& errors)
{
    const int bodies = static_cast<int>(setup.bodies.size());
    for (const BodySpring& spring : setup.springs) {
        if (spring.first < 0 || spring.first >= bodies || spring.second < -1 || spring.second >= bodies) {
            errors.push_back(mistake(ErrorCode::UnknownName, "spring", "a spring of an unknown body",
                                     "name bodies of the list, or -1 for the world"));
        }
        const bool fine = spring.stiffness_N_m >= 0 && spring.damping_Ns_m >= 0 &&
                          spring.rest_length_m >= 0 &&
                          std::isfinite(spring.stiffness_N_m + spring.damping_Ns_m + spring.rest_length_m) &&
                          spring.first_point_m.allFinite() && spring.second_point_m.allFinite();
        if (!fine) {
            errors.push_back(mistake(ErrorCode::SettingOutOfRange, "spring",
                                     "stiffness, damping or rest length is negative or not finite",
                                     "give numbers from 0 on"));
        }
    }
}

/// The surface between two materials of which no pair is said.
SurfaceLaw mixed(const Material& a, const Material& b)
{
    const SurfaceDetail &of_a = a.detail, &of_b = b.detail;
    SurfaceLaw law{.friction = std::sqrt(a.friction * b.friction),
                   .restitution = std::min(a.restitution, b.restitution),
                   .detail = {.rolling_m = std::max(of_a.rolling_m, of_b.rolling_m),
                              .spinning_m = std::max(of_a.spinning_m, of_b.spinning_m),
                              .cohesion_N = std::min(of_a.cohesion_N, of_b.cohesion_N)}};
    if (of_a.static_friction || of_b.static_friction) {
        law.detail.static_friction =
            std::sqrt(of_a.static_friction.value_or(a.friction) * of_b.static_friction.value_or(b.friction));
    }
    // the grain of the first that has one; the other has its friction in all directions
    if ((!of_a.friction_across && !of_b.friction_across) || law.friction == 0) return law;
    law.grain = of_a.friction_across ? 1 : 2;
    const double across =
        of_a.friction_across ? *of_a.friction_across * b.friction : a.friction * *of_b.friction_across;
    law.detail = {.friction_across = std::sqrt(across), .cohesion_N = law.detail.cohesion_N};
    return law;
}

SurfaceLaw said(const MaterialPair& pair, int grain)
{
    return {.friction = pair.friction,
            .restitution = pair.restitution,
            .detail = pair.detail,
            .grain = pair.detail.friction_across ? grain : 0};
}

std::vector<SurfaceLaw> surface_table(const BodySetup& setup)
{
    const std::size_t n = setup.materials.size();
    std::vector<SurfaceLaw> table(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            table[i * n + j] = mixed(setup.materials[i], setup.materials[j]);
        }
    }
    for (const MaterialPair& pair : setup.pairs) {
        const auto i = static_cast<std::size_t>(pair.first), j = static_cast<std::size_t>(pair.second);
        table[j * n + i] = said(pair, 2);
        table[i * n + j] = said(pair, 1);
    }
    return table;
}

/// Whether `is` holds of all surfaces at which bodies can meet: materials that no body has say nothing.
template <class Is>
bool all_that_meet(const BodySetup& setup, std::span<const SurfaceLaw> surfaces, Is is)
{
    const std::size_t n = setup.materials.size();
    std::vector<char> collides(n, 0), moves(n, 0);
    for (const Body& body : setup.bodies) {
        if (!body.shape) continue;
        collides[static_cast<std::size_t>(body.material)] = 1;
        if (body.motion == BodyMotion::Free) moves[static_cast<std::size_t>(body.material)] = 1;
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (moves[i] && collides[j] && !(is(surfaces[i * n + j]) && is(surfaces[j * n + i])))
                return false;
        }
    }
    return true;
}

/// The middle of the sizes of the bodies that move.
double typical_length(const BodyModel& model)
{
    std::vector<double> sizes;
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.inverse_mass[i] > 0 && model.collides[i]) sizes.push_back(model.colliders[i].radius_m);
    }
    if (sizes.empty()) return 1;
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<long>(sizes.size() / 2), sizes.end());
    return sizes[sizes.size() / 2];
}

/// Lengths below 1e-9 of two convex bodies count as zero where they touch: the thinner one must be much
/// thicker than that.
void check_sizes(const BodyModel& model, Errors& errors)
{
    constexpr double thinnest = 1e-6;
    double largest = 0;
    for (std::size_t i = 0; i < model.colliders.size(); ++i) {
        const Collider& collider = model.colliders[i];
        if (model.collides[i] && !is_obstacle(collider.shape)) largest = std::max(largest, collider.radius_m);
    }
    for (std::size_t i = 0; i < model.colliders.size(); ++i) {
        const double thickness = model.colliders[i].thickness_m;
        if (!model.collides[i] || thickness >= thinnest * largest) continue;
        errors.push_back(
            mistake(ErrorCode::SettingOutOfRange, where_of(model.setup().bodies[i], i),
                    fmt::format("it is {:.3g} m thin, and another body reaches {:.3g} m", thickness, largest),
                    "give sizes within a factor of a million; use a plane for an unbounded ground"));
    }
}

/// Bodies without inertia about some axis that joints can turn about it get a little one there, beside what
/// the joints carry along: it never counts in energies, and a step goes on until it has done nothing (BO-19).
void lend_inertia(BodyModel& model)
{
    constexpr double little = 1e-4;
    const BodySetup& setup = model.setup();
    const auto is_distance = [](const Joint& joint) {
        return joint.kind == JointKind::Distance || joint.kind == JointKind::String;
    };
    for (int i = 0; i < model.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (model.inverse_mass[k] == 0) continue;
        Mat3 missing = Mat3::Identity() - model.inertia[k] * model.inverse_inertia[k];
        if (model.is_flat()) missing = Vec3(0, 0, missing(2, 2)).asDiagonal();
        if (missing.norm() < 1e-6) continue;

        // the least inertia that a joint of the body gives it to carry
        double smallest = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < setup.joints.size(); ++j) {
            const Joint& joint = setup.joints[j];
            if (joint.kind == JointKind::Gear || (joint.first != i && joint.second != i)) continue;
            const JointFrame& frame = model.joint_frames[j];
            const int other = joint.first == i ? joint.second : joint.first;
            const double own = (joint.first == i ? frame.first_point : frame.second_point).squaredNorm();
            const bool moves = other >= 0 && model.inverse_mass[static_cast<std::size_t>(other)] > 0;
            const double arm =
                moves ? (joint.first == i ? frame.second_point : frame.first_point).squaredNorm() : 0;
            const double turned = moves ? model.inertia[static_cast<std::size_t>(other)].trace() / 3 : 0.0;
            for (const double inertia : {model.mass[k] * own, is_distance(joint) ? 0 : model.mass[k] * arm,
                                         is_distance(joint) ? 0 : turned}) {
                if (inertia > 1e-18 * model.mass[k] * model.length_m() * model.length_m()) {
                    smallest = std::min(smallest, inertia);
                }
            }
        }
        if (std::isfinite(smallest)) model.inverse_inertia[k] += missing / (little * smallest);
    }
}

}  // namespace

Expected<BodyModel, Errors> make_body_model(BodySetup setup)
{
    Errors errors;
    BodyModel model;
    model.flat_ = setup.flat || std::any_of(setup.bodies.begin(), setup.bodies.end(), [](const Body& body) {
                      return body.shape && is_flat(*body.shape);
                  });
    if (!setup.gravity_m_s2.allFinite() || (model.flat_ && setup.gravity_m_s2.z() != 0)) {
        errors.push_back(mistake(ErrorCode::SettingOutOfRange, "gravity_m_s2",
                                 "gravity leaves the plane or is not finite",
                                 "with discs and polygons give (0, -9.81, 0)"));
    }
    check_materials(setup, model.flat_, errors);
    check_springs(setup, errors);
    detail::check_joints(setup, model.flat_, errors);

    // lists of large scenes have no room to spare
    const std::size_t n = setup.bodies.size();
    setup.bodies.shrink_to_fit();
    model.mass.reserve(n);
    model.inverse_mass.reserve(n + static_cast<std::size_t>((setup.coordinates + 2) / 3));
    model.inertia.reserve(n);
    model.inverse_inertia.reserve(n);
    model.centre.reserve(n);
    for (std::size_t i = 0; i < setup.bodies.size(); ++i) {
        const Body& body = setup.bodies[i];
        const std::string where = where_of(body, i);
        check_numbers(body, where, errors);
        if (body.material < 0 || body.material >= static_cast<int>(setup.materials.size())) {
            errors.push_back(
                mistake(ErrorCode::UnknownName, where, "an unknown material", "name one of the list"));
        }
        if (body.shape) {
            if (auto fine = check(*body.shape, where); !fine) {
                errors.push_back(fine.error());
                continue;
            }
        }
        if (model.flat_) check_flat(body, where, errors);

        const MassProperties mass = mass_of(body);
        check_mass(body, mass, where, model.flat_, errors);
        const bool moves = body.motion == BodyMotion::Free;
        Mat3 J = mass.inertia_kg_m2;
        if (model.flat_) J = Vec3(0, 0, J(2, 2)).asDiagonal();
        model.mass.push_back(moves ? mass.mass_kg : 0);
        model.inverse_mass.push_back(moves ? 1 / mass.mass_kg : 0);
        model.inertia.push_back(moves ? J : Mat3(Mat3::Zero()));
        model.inverse_inertia.push_back(moves && J.allFinite() ? pseudo_inverse(J) : Mat3(Mat3::Zero()));
        model.isotropic.push_back(model.flat_ || (J - J(0, 0) * Mat3::Identity()).norm() <= 1e-14 * J.norm());
        model.centre.push_back(mass.centre_m);
        model.collides.push_back(body.shape.has_value());
        if (body.shape)
            model.colliders.add(*body.shape, mass.centre_m);
        else
            model.colliders.add_none();
        model.material_.push_back(body.material);
    }
    if (!errors.empty()) return errors;

    model.materials_ = setup.materials.size();
    model.surfaces_ = surface_table(setup);
    const auto all_surfaces = [&](auto is) { return all_that_meet(setup, model.surfaces_, is); };
    model.plain_ = setup.joints.empty() && !setup.impact_map && !setup.with_formulas &&
                   all_surfaces([](const SurfaceLaw& surface) { return surface.is_plain(); });
    model.coulomb_ = !setup.impact_map && all_surfaces([](const SurfaceLaw& surface) {
        return !surface.rolls() && surface.detail.cohesion_N == 0;
    });
    model.soft_ =
        !setup.impact_map && all_surfaces([](const SurfaceLaw& surface) { return surface.restitution == 0; });
    setup.bodies.shrink_to_fit();  // there may be millions
    model.setup_ = std::move(setup);
    model.length_m_ = typical_length(model);
    model.thinnest_m_ = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < model.colliders.size(); ++i) {
        if (model.collides[i])
            model.thinnest_m_ = std::min(model.thinnest_m_, model.colliders[i].thickness_m);
    }
    model.frame_joints();
    model.number_actors();
    lend_inertia(model);
    model.inverse_mass.resize(model.inverse_mass.size() + static_cast<std::size_t>(model.carriers()), 1.0);
    check_sizes(model, errors);
    detail::check_start(model, errors);
    if (!errors.empty()) return errors;
    return model;
}

State make_body_state(const BodyModel& model)
{
    State state;
    state.t_s = model.setup().start_s;
    const auto n = static_cast<std::size_t>(model.bodies());
    state.x.reserve(n);
    state.R.reserve(n);
    state.v.reserve(n);
    state.W.reserve(n);
    for (int i = 0; i < model.bodies(); ++i) {
        const Body& body = model.setup().bodies[static_cast<std::size_t>(i)];
        const bool prescribed = body.motion == BodyMotion::Prescribed;
        const Pose pose = model.centre_of_frame(i, prescribed ? body.path(state.t_s) : body.pose);
        const bool moves = body.motion == BodyMotion::Free;
        state.x.push_back(pose.position_m);
        state.R.push_back(pose.rotation);
        state.v.push_back(moves ? body.velocity_m_s : Vec3(Vec3::Zero()));
        state.W.push_back(moves ? Vec3(pose.rotation.conjugate() * body.angular_velocity_rad_s)
                                : Vec3(Vec3::Zero()));
    }
    state.turns.assign(model.setup().joints.size(), 0.0);
    write_coordinates(model, state);
    return state;
}

}  // namespace carom
