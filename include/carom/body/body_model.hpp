#pragma once

#include "carom/body/body.hpp"
#include "carom/geometry/contact_points.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace carom {

/// Bodies checked and laid out as arrays; never changes during a run. Between contacts (BO-7)
///
///     m v' = m g + f,      J W' = R^T tau - W x J W,      x' = v,  R' = R [W]
///
/// Symbols    x, R   centre of mass and turn, R from body to world;  v  its velocity, m/s
///            W      angular velocity in the axes of the body, rad/s: there the inertia J is constant
/// Theory     docs/theory/bodies.md, (BO-7) equations

/// A contact that acted in the last step, so that the next one knows where to begin.
struct KeptContact {
    int first = 0, second = 0;
    std::uint64_t feature = 0;
    Vec3 percussion_Ns{0, 0, 0};  ///< on the first body, axes of the world
    bool closed = false;          ///< acted and stayed
};

/// What changes during a run, and all of it.
struct BodyState {
    double t_s = 0;
    std::vector<Vec3> x;            ///< centres of mass, m
    std::vector<Rotation> R;        ///< turns
    std::vector<Vec3> v;            ///< m/s, right limit
    std::vector<Vec3> W;            ///< rad/s, axes of the bodies
    std::vector<KeptContact> kept;  ///< sorted by bodies and feature

    [[nodiscard]] int bodies() const noexcept { return static_cast<int>(x.size()); }
};

struct SurfaceLaw {
    double friction = 0, restitution = 0;
};

class BodyModel {
public:
    [[nodiscard]] int bodies() const noexcept { return static_cast<int>(mass.size()); }
    [[nodiscard]] const BodySetup& setup() const noexcept { return setup_; }

    /// All bodies move in the plane z = 0: contacts have two components.
    [[nodiscard]] bool is_flat() const noexcept { return flat_; }

    /// Typical size of the bodies that move: what small gaps are small against.
    [[nodiscard]] double length_m() const noexcept { return length_m_; }

    [[nodiscard]] const SurfaceLaw& surface(int a, int b) const noexcept
    {
        return surfaces_[static_cast<std::size_t>(material_[a]) * materials_ + material_[b]];
    }

    /// Two bodies that can meet: both have shapes and one of them moves by forces.
    [[nodiscard]] bool may_meet(int a, int b) const noexcept
    {
        return collides[a] && collides[b] && (inverse_mass[a] > 0 || inverse_mass[b] > 0);
    }

    /// The frame of the shape, from the centre of mass.
    [[nodiscard]] Pose frame(int body, const BodyState& state) const;
    [[nodiscard]] Pose centre_of_frame(int body, const Pose& frame) const;

    /// Velocity over a step of a prescribed body, from where it is to where it will be.
    void prescribed_velocity(int body, double t_s, double h_s, Vec3& v, Vec3& W) const;

    /// Adds what the springs, or what the dampers do to `wrenches`, which may be empty; returns the potential
    /// energy of the springs. Velocities are read for dampers only.
    enum class SpringPart { Springs, Dampers };
    double spring_wrenches(SpringPart part, std::span<const Vec3> x, std::span<const Rotation> R,
                           std::span<const Vec3> v, std::span<const Vec3> W,
                           std::span<Wrench> wrenches) const;

    [[nodiscard]] double kinetic_energy_J(const BodyState& state) const;
    [[nodiscard]] double potential_energy_J(std::span<const Vec3> x, std::span<const Rotation> R) const;

    // one entry per body
    std::vector<double> mass, inverse_mass;      ///< kg, 1/kg; 0 for bodies that forces do not move
    std::vector<Mat3> inertia, inverse_inertia;  ///< axes of the body; 0 where it does not turn
    std::vector<Vec3> centre;                    ///< of mass, frame of the shape
    std::vector<Collider> colliders;
    std::vector<char> collides, isotropic;

private:
    friend Expected<BodyModel, Errors> make_body_model(BodySetup setup);

    BodySetup setup_;
    bool flat_ = false;
    double length_m_ = 1;
    std::vector<int> material_;
    std::size_t materials_ = 1;
    std::vector<SurfaceLaw> surfaces_;
};

/// Checks the bodies; all mistakes come at once. `where` of an error is the scene key, e.g. "body.crate".
[[nodiscard]] Expected<BodyModel, Errors> make_body_model(BodySetup setup);

/// The state at the start.
[[nodiscard]] BodyState make_body_state(const BodyModel& model);

}  // namespace carom
