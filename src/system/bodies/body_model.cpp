#include "system/bodies/body_model.hpp"

#include "core/parallel.hpp"

#include <cmath>

namespace carom {
namespace {

/// Bodies whose energies are added up apart, possibly by different threads.
constexpr std::size_t bodies_in_block = 1024;

}  // namespace

Pose BodyModel::frame(int body, const State& state) const
{
    return {.position_m = state.x[body] - state.R[body] * centre[body], .rotation = state.R[body]};
}

Pose BodyModel::centre_of_frame(int body, const Pose& frame) const
{
    return {.position_m = frame.to_world(centre[body]), .rotation = frame.rotation};
}

Pose BodyModel::prescribed_centre(int body, double t_s) const
{
    return centre_of_frame(body, setup_.bodies[static_cast<std::size_t>(body)].path(t_s));
}

void BodyModel::prescribed_velocity(int body, const Pose& from, double end_s, double h_s, Vec3& v,
                                    Vec3& W) const
{
    const Pose to = prescribed_centre(body, end_s);
    v = (to.position_m - from.position_m) / h_s;
    W = rotation_vector(from.rotation.conjugate() * to.rotation) / h_s;
}

double BodyModel::spring_wrenches(SpringPart part, std::span<const Vec3> x, std::span<const Rotation> R,
                                  std::span<const Vec3> v, std::span<const Vec3> W,
                                  std::span<Wrench> wrenches) const
{
    double potential = 0;
    for (const BodySpring& spring : setup_.springs) {
        // both ends: arms from the centres, places and velocities
        const int a = spring.first, b = spring.second;
        const Vec3 arm_a = R[a] * (spring.first_point_m - centre[a]);
        const Vec3 arm_b = b < 0 ? Vec3(Vec3::Zero()) : Vec3(R[b] * (spring.second_point_m - centre[b]));
        const Vec3 end_b = b < 0 ? spring.second_point_m : Vec3(x[b] + arm_b);
        const Vec3 along = x[a] + arm_a - end_b;
        const double length = along.norm();
        potential += 0.5 * spring.stiffness_N_m * std::pow(length - spring.rest_length_m, 2);
        if (wrenches.empty()) continue;

        // a spring of no length has no direction and pulls nowhere
        const Vec3 n = length > 0 ? Vec3(along / length) : Vec3(Vec3::Zero());
        double pull = spring.stiffness_N_m * (length - spring.rest_length_m);
        if (part == SpringPart::Dampers) {
            Vec3 velocity = v[a] + (R[a] * W[a]).cross(arm_a);
            if (b >= 0) velocity -= v[b] + (R[b] * W[b]).cross(arm_b);
            pull = spring.damping_Ns_m * n.dot(velocity);
        }
        wrenches[a].force_N -= pull * n;
        wrenches[a].torque_Nm -= arm_a.cross(pull * n);
        if (b < 0) continue;
        wrenches[b].force_N += pull * n;
        wrenches[b].torque_Nm += arm_b.cross(pull * n);
    }
    return potential;
}

double BodyModel::kinetic_energy_J(const State& state) const
{
    return sum_of_blocks<double>(
        static_cast<std::size_t>(bodies()), bodies_in_block, [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t i = begin; i < end; ++i) {
                sum += 0.5 * (mass[i] * state.v[i].squaredNorm() + state.W[i].dot(inertia[i] * state.W[i]));
            }
            return sum;
        });
}

double BodyModel::potential_energy_J(std::span<const Vec3> x, std::span<const Rotation> R) const
{
    const double of_springs = spring_wrenches(SpringPart::Springs, x, R, {}, {}, {});
    return of_springs + sum_of_blocks<double>(static_cast<std::size_t>(bodies()), bodies_in_block,
                                              [&](std::size_t begin, std::size_t end) {
                                                  double sum = 0;
                                                  for (std::size_t i = begin; i < end; ++i) {
                                                      sum -= mass[i] * setup_.gravity_m_s2.dot(x[i]);
                                                  }
                                                  return sum;
                                              });
}

}  // namespace carom
