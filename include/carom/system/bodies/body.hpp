#pragma once

#include "carom/geometry/shape.hpp"
#include "carom/law/impact.hpp"
#include "carom/system/bodies/joint.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// Rigid bodies as the user describes them; `make_body_model` checks them.
///
/// Theory     docs/theory/bodies.md

enum class BodyMotion {
    Free,        ///< moved by forces and contacts
    Fixed,       ///< stays where it is
    Prescribed,  ///< follows `path`, whatever it meets
};

struct Body {
    std::string name = {};
    std::optional<Shape> shape = {};       ///< absent: the body touches nothing
    Pose pose = {};                        ///< of the frame of the shape, at the start
    Vec3 velocity_m_s{0, 0, 0};            ///< of the centre of mass
    Vec3 angular_velocity_rad_s{0, 0, 0};  ///< world axes
    BodyMotion motion = BodyMotion::Free;

    double density = 1000;                   ///< kg/m^3; of flat shapes kg/m^2
    std::optional<double> mass_kg = {};      ///< instead of the density; inertia then scales with it
    std::optional<Vec3> centre_m = {};       ///< of mass, frame of the shape; empty: that of the filled shape
    std::optional<Mat3> inertia_kg_m2 = {};  ///< about the centre, axes of the shape; may be singular (a bar)
    int material = 0;                        ///< in BodySetup::materials
    std::function<Pose(double t_s)> path = {};  ///< frame of the shape, of a prescribed body
};

/// Rare properties of surfaces (BO-14). Friction with a grain is that of a brushed surface: one
/// coefficient along a direction of one of the bodies, another across it; in space only.
struct SurfaceDetail {
    std::optional<double> static_friction = {};  ///< >= friction, while sticking; empty: the same
    std::optional<double> friction_across = {};  ///< > 0, across the grain; empty: no grain
    double rolling_m = 0;                        ///< moment against rolling over normal force, >= 0
    double spinning_m = 0;                       ///< the same against spinning about the normal
    double cohesion_N = 0;                       ///< pull that a closed contact point withstands, >= 0
};

/// Surface properties. Two materials without an explicit pair use the geometric mean of their friction, the
/// smaller restitution and cohesion, and the larger resistance; the grain is that of the first material that
/// has one.
struct Material {
    std::string name = {};
    double friction = 0;     ///< mu >= 0; along the grain
    double restitution = 0;  ///< e in [0, 1]
    SurfaceDetail detail = {};
    Vec3 grain{1, 0, 0};  ///< direction of the grain in the frame of the shape
};
struct MaterialPair {
    int first = 0, second = 0;
    double friction = 0;
    double restitution = 0;
    SurfaceDetail detail = {};  ///< with a grain: that of the first material
};

/// Spring and damper between two points of bodies:  force = stiffness (length - rest) + damping d(length)/dt.
struct BodySpring {
    int first = 0, second = -1;                            ///< bodies; -1: the world
    Vec3 first_point_m{0, 0, 0}, second_point_m{0, 0, 0};  ///< frames of their shapes; of the world
    double stiffness_N_m = 0;                              ///< >= 0
    double damping_Ns_m = 0;                               ///< >= 0
    double rest_length_m = 0;                              ///< >= 0
};

struct State;

/// Force at the centre of mass and torque about it, world axes.
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
    std::vector<Joint> joints = {};
    bool flat = false;   ///< the bodies move in the plane z = 0, even if no shape implies it
    double start_s = 0;  ///< instant at which a run begins: where prescribed bodies are then

    /// Coordinates, contacts or constraints of formulas exist besides the bodies; the number of coordinates.
    bool with_formulas = false;
    int coordinates = 0;

    /// What happens where open contacts close; empty: the restitution of the surfaces (IM-2). It sees the
    /// bodies of one island: velocities along the world axes and about principal axes, or with joints
    /// combinations of them that the joints allow. Afterwards contacts act without restitution; stops of
    /// joints keep theirs.
    ImpactMap impact_map = {};

    /// Other forces, added per body: loads, drives, controls. The state is that at the midpoint of a step.
    std::function<void(const State& state, std::span<Wrench> wrenches)> forces = {};
};

}  // namespace carom
