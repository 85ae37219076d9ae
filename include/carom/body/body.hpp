#pragma once

#include "carom/geometry/shape.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// Rigid bodies as their user writes them down; `make_body_model` checks them.
///
/// Theory     docs/theory/bodies.md

enum class BodyMotion {
    Free,        ///< moved by forces and contacts
    Fixed,       ///< stays where it is
    Prescribed,  ///< moves as `path` says, whatever it meets
};

struct Body {
    std::string name = {};
    std::optional<Shape> shape = {};       ///< nothing: it touches nothing
    Pose pose = {};                        ///< of the frame of the shape, at the start
    Vec3 velocity_m_s{0, 0, 0};            ///< of the centre of mass
    Vec3 angular_velocity_rad_s{0, 0, 0};  ///< axes of the world
    BodyMotion motion = BodyMotion::Free;

    double density = 1000;                   ///< kg/m^3; of flat shapes kg/m^2
    std::optional<double> mass_kg = {};      ///< instead of the density; inertia then scales with it
    std::optional<Vec3> centre_m = {};       ///< of mass, frame of the shape; empty: that of the filled shape
    std::optional<Mat3> inertia_kg_m2 = {};  ///< about the centre, axes of the shape; may be singular (a bar)
    int material = 0;                        ///< in BodySetup::materials
    std::function<Pose(double t_s)> path = {};  ///< frame of the shape, of a prescribed body
};

/// What surfaces are like. Two materials of which no pair is said have the geometric mean of their friction
/// and the smaller restitution.
struct Material {
    std::string name = {};
    double friction = 0;     ///< mu >= 0
    double restitution = 0;  ///< e in [0, 1]
};
struct MaterialPair {
    int first = 0, second = 0;
    double friction = 0;
    double restitution = 0;
};

/// Spring and damper between two points of bodies:  force = stiffness (length - rest) + damping d(length)/dt.
struct BodySpring {
    int first = 0, second = -1;                            ///< bodies; -1: the world
    Vec3 first_point_m{0, 0, 0}, second_point_m{0, 0, 0};  ///< frames of their shapes; of the world
    double stiffness_N_m = 0;                              ///< >= 0
    double damping_Ns_m = 0;                               ///< >= 0
    double rest_length_m = 0;                              ///< >= 0
};

struct BodyState;

/// Force at the centre of mass and torque about it, axes of the world.
struct Wrench {
    Vec3 force_N{0, 0, 0};
    Vec3 torque_Nm{0, 0, 0};
};

struct BodySetup {
    std::vector<Body> bodies;
    std::vector<Material> materials = {Material{}};
    std::vector<MaterialPair> pairs = {};
    Vec3 gravity_m_s2{0, 0, -9.81};
    std::vector<BodySpring> springs = {};

    /// Other forces, added per body: loads, drives, controls. The state is that half-way through a step.
    std::function<void(const BodyState& state, std::span<Wrench> wrenches)> forces = {};
};

}  // namespace carom
