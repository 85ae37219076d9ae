#pragma once

#include "carom/system/bodies/body.hpp"
#include "carom/system/state.hpp"
#include "geometry/shared_colliders.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// Bodies checked and laid out as arrays; never changes during a run. Between contacts (BO-7)
///
///     m v' = m g + f,      J W' = R^T tau - W x J W,      x' = v,  R' = R [W]
///
/// Symbols    x, R   centre of mass and orientation, R from body to world;  v  its velocity, m/s
///            W      angular velocity in the body axes, rad/s: there the inertia J is constant
/// Theory     docs/theory/bodies.md, (BO-7) equations

/// The law of two surfaces. The grain is that of no body (0), of the first one asked for (1) or the second
/// (2).
struct SurfaceLaw {
    double friction = 0, restitution = 0;
    SurfaceDetail detail = {};
    int grain = 0;

    [[nodiscard]] bool rolls() const noexcept { return detail.rolling_m > 0 || detail.spinning_m > 0; }

    /// Coulomb's law with one coefficient, or none.
    [[nodiscard]] bool is_plain() const noexcept { return grain == 0 && !rolls(); }
};

/// A joint in the axes of its bodies: points from their centres, columns x, y, z with z the axis. Of the
/// world where there is no second body.
struct JointFrame {
    Vec3 first_point{0, 0, 0}, second_point{0, 0, 0};
    Mat3 first_axes = Mat3::Identity(), second_axes = Mat3::Identity();
    double length_m = 0;  ///< of a distance or string
};

class BodyModel {
public:
    [[nodiscard]] int bodies() const noexcept { return static_cast<int>(mass.size()); }
    [[nodiscard]] const BodySetup& setup() const noexcept { return setup_; }

    /// All bodies move in the plane z = 0: contacts have two components.
    [[nodiscard]] bool is_flat() const noexcept { return flat_; }

    /// Typical size of the bodies that move: the scale for small gaps.
    [[nodiscard]] double length_m() const noexcept { return length_m_; }

    [[nodiscard]] const SurfaceLaw& surface(int a, int b) const noexcept
    {
        return surfaces_[static_cast<std::size_t>(material_[a]) * materials_ + material_[b]];
    }

    /// Coulomb's law at all surfaces, no joint, no impact map.
    [[nodiscard]] bool is_plain() const noexcept { return plain_; }

    /// No surface resists rolling or coheres, no impact map: contacts have Coulomb's law and nothing beyond.
    [[nodiscard]] bool is_coulomb() const noexcept { return coulomb_; }

    /// No restitution and no impact map: contacts may act before they close.
    [[nodiscard]] bool is_soft() const noexcept { return soft_; }

    /// Two bodies that can meet: both have shapes, one of them moves by forces, and no joint keeps them
    /// apart.
    [[nodiscard]] bool may_meet(int a, int b) const noexcept
    {
        return collides[a] && collides[b] && (inverse_mass[a] > 0 || inverse_mass[b] > 0) &&
               (joined_.empty() || !are_joined(a, b));
    }

    /// Thickness of the thinner one of two bodies that can meet: the scale for overlaps.
    [[nodiscard]] double size_of_pair_m(int a, int b) const noexcept
    {
        return std::min(colliders[static_cast<std::size_t>(a)].thickness_m,
                        colliders[static_cast<std::size_t>(b)].thickness_m);
    }

    /// Of the thinnest body; infinite where there are obstacles only.
    [[nodiscard]] double thinnest_m() const noexcept { return thinnest_m_; }

    /// Direction of the grain of a body's material, body axes.
    [[nodiscard]] const Vec3& grain(int body) const noexcept
    {
        return setup_.materials[static_cast<std::size_t>(material_[static_cast<std::size_t>(body)])].grain;
    }

    /// The frame of the shape, from the centre of mass.
    [[nodiscard]] Pose frame(int body, const State& state) const;
    [[nodiscard]] Pose centre_of_frame(int body, const Pose& frame) const;

    /// Where the path of a prescribed body leads, of its centre of mass.
    [[nodiscard]] Pose prescribed_centre(int body, double t_s) const;

    /// Velocity over a step of a prescribed body, from where its centre is to where it will be at `end_s`: what
    /// rounding has left of the steps before, or has hidden of a jump between two of them, is made up for.
    void prescribed_velocity(int body, const Pose& from, double end_s, double h_s, Vec3& v, Vec3& W) const;

    /// theta of a joint that turns, in ]-pi, pi]; the displacement s of one that slides.
    [[nodiscard]] double joint_angle(int joint, std::span<const Vec3> x, std::span<const Rotation> R) const;
    [[nodiscard]] double joint_displacement_m(int joint, std::span<const Vec3> x,
                                              std::span<const Rotation> R) const;

    /// The joint's point and axes on each of its two sides, in the world.
    struct JointPlace {
        Vec3 first_point, second_point;
        Mat3 first_axes, second_axes;
    };
    [[nodiscard]] JointPlace place_of_joint(int joint, std::span<const Vec3> x,
                                            std::span<const Rotation> R) const;

    /// Adds what the springs, or what the dampers do to `wrenches`, which may be empty; returns the potential
    /// energy of the springs. Velocities are read for dampers only.
    enum class SpringPart { Springs, Dampers };
    double spring_wrenches(SpringPart part, std::span<const Vec3> x, std::span<const Rotation> R,
                           std::span<const Vec3> v, std::span<const Vec3> W,
                           std::span<Wrench> wrenches) const;

    /// Adds what the damping of joints does.
    void joint_damping(std::span<const Vec3> x, std::span<const Rotation> R, std::span<const Vec3> v,
                       std::span<const Vec3> W, std::span<Wrench> wrenches) const;

    [[nodiscard]] double kinetic_energy_J(const State& state) const;
    [[nodiscard]] double potential_energy_J(std::span<const Vec3> x, std::span<const Rotation> R) const;

    /// Coordinates besides the bodies are stored, three each, in carriers of unit mass after the bodies: in
    /// the lists of velocities and of inverse masses, and nowhere else (BO-24).
    [[nodiscard]] int carriers() const noexcept { return (setup_.coordinates + 2) / 3; }

    // one entry per body
    std::vector<double> mass;                    ///< kg; 0 for bodies that forces do not move
    std::vector<double> inverse_mass;            ///< 1/kg; 0 for those; carriers come last
    std::vector<Mat3> inertia, inverse_inertia;  ///< body axes; 0 where it does not turn
    std::vector<Vec3> centre;                    ///< of mass, frame of the shape
    SharedColliders colliders;
    std::vector<char> collides, isotropic;

    std::vector<JointFrame> joint_frames;  ///< one per joint

    /// Stops, motors and friction of joints: stops first, `stops` of them.
    struct Actor {
        int joint = 0;
        JointAct act{};
    };
    std::vector<Actor> actors;
    int stops = 0;
    [[nodiscard]] int actor_of(int joint, JointAct act) const noexcept
    {
        return actor_of_[static_cast<std::size_t>(joint)][static_cast<std::size_t>(act)];
    }
    [[nodiscard]] std::string name_of_actor(int actor) const;

private:
    friend Expected<BodyModel, Errors> make_body_model(BodySetup setup);

    [[nodiscard]] bool are_joined(int a, int b) const noexcept;
    void frame_joints();
    void number_actors();

    BodySetup setup_;
    std::vector<std::array<int, joint_acts>> actor_of_;  ///< per joint; -1: it has none
    std::vector<std::array<int, 2>> joined_;             ///< pairs that a joint keeps from touching, sorted
    bool flat_ = false, plain_ = true, soft_ = true, coulomb_ = true;
    double length_m_ = 1, thinnest_m_ = 0;
    std::vector<int> material_;
    std::size_t materials_ = 1;
    std::vector<SurfaceLaw> surfaces_;
};

/// Checks the bodies; all mistakes are reported together. `where` of an error is the scene key, e.g.
/// "body.crate".
[[nodiscard]] Expected<BodyModel, Errors> make_body_model(BodySetup setup);

/// The state at the start; coordinates beside the bodies are zero.
[[nodiscard]] State make_body_state(const BodyModel& model);

}  // namespace carom
