#pragma once

#include <Eigen/Dense>

namespace carom {

/// Positions and orientations of rigid bodies.
///
/// Symbols    x   of a point in the world;  X  of the same point in the body
///            R   rotation: x = position + R X;  w  angular velocity, rad/s
/// Theory     docs/theory/bodies.md, (BO-1) configuration, (BO-2) exponential

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// Unit quaternion. Not aligned, so that its layout does not depend on how carom was compiled.
using Rotation = Eigen::Quaternion<double, Eigen::DontAlign>;

struct Pose {
    Vec3 position_m = Vec3::Zero();
    Rotation rotation = Rotation::Identity();

    [[nodiscard]] Vec3 to_world(const Vec3& X) const { return position_m + rotation * X; }
    [[nodiscard]] Vec3 to_body(const Vec3& x) const { return rotation.conjugate() * (x - position_m); }
};

/// exp(angle): the rotation by |angle| about the direction of `angle` (BO-2). Exact for every angle.
[[nodiscard]] Rotation rotation_by(const Vec3& angle) noexcept;

/// The shortest rotation vector whose exponential is R.
[[nodiscard]] Vec3 rotation_vector(const Rotation& R) noexcept;

/// R exp(angle), normalised to roundoff after any number of products.
[[nodiscard]] Rotation turned(const Rotation& R, const Vec3& angle_in_body) noexcept;

/// Two unit vectors that make a right-handed frame with the unit vector n. Depends on n alone.
void tangents(const Vec3& n, Vec3& t1, Vec3& t2) noexcept;

}  // namespace carom
