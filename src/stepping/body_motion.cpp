#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// Bodies that one thread takes at once.
constexpr std::size_t drifting_in_block = 512;

Mat3 cross_matrix(const Vec3& a)
{
    Mat3 M;
    M << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return M;
}

/// W at the end of the step and half-way, by the midpoint rule (BO-8):
///     J (W+ - W) = h (torque - Wm x J Wm),   Wm = (W + W+) / 2
/// It keeps energy and the magnitude of the momentum of a free body whatever the step. Newton's method; a
/// step so long that it does not settle leaves the last iterate.
Vec3 turn_freely(const Mat3& J, const Mat3& inverse_J, const Vec3& W, const Vec3& torque, double h,
                 Vec3& W_mid)
{
    Vec3 next = W;
    for (int pass = 0; pass < 30; ++pass) {
        W_mid = 0.5 * (W + next);
        const Vec3 rest = next - W - h * inverse_J * (torque - W_mid.cross(J * W_mid));
        const Mat3 slope =
            Mat3::Identity() + 0.5 * h * inverse_J * (cross_matrix(W_mid) * J - cross_matrix(J * W_mid));
        const Vec3 change = slope.partialPivLu().solve(rest);
        next -= change;
        if (change.norm() <= 1e-15 * (W.norm() + next.norm())) break;
    }
    W_mid = 0.5 * (W + next);
    return next;
}

/// v_free and W_free with forces at the velocities of s.mid. Gyroscopic terms by the midpoint rule of a free
/// body, or at given angular velocities.
void drift(const BodyModel& model, double h, BodyStepMemory& s, bool gyroscopic_given)
{
    take_given(model, s.mid, s);
    s.v_free = s.v_before;
    s.W_free = s.W_before;
    for_each_index(static_cast<std::size_t>(model.bodies()), drifting_in_block, [&](std::size_t i) {
        if (model.inverse_mass[i] == 0) return;
        const Wrench& a = s.potential[i];
        const Wrench& b = s.given[i];
        s.v_free[i] += h * model.inverse_mass[i] * (a.force_N + b.force_N);
        const Vec3 torque = s.mid.R[i].conjugate() * (a.torque_Nm + b.torque_Nm);
        Vec3& at = s.W_gyroscopic[i];
        if (model.isotropic[i]) {
            s.W_free[i] += h * model.inverse_inertia[i] * torque;
        } else if (gyroscopic_given) {
            s.W_free[i] += h * model.inverse_inertia[i] * (torque - at.cross(model.inertia[i] * at));
        } else {
            s.W_free[i] =
                turn_freely(model.inertia[i], model.inverse_inertia[i], s.W_before[i], torque, h, at);
        }
    });
    for (int k = 0; k < model.carriers(); ++k)
        s.v_free[static_cast<std::size_t>(model.bodies() + k)] += h * s.formulas->force_on_carrier(k, s);
}

/// Velocities of carriers, and of the coordinates on them, half-way to `v`.
void set_carried(const BodyModel& model, std::span<const Vec3> v, BodyStepMemory& s)
{
    for (auto i = static_cast<std::size_t>(model.bodies()); i < s.mid.v.size(); ++i)
        s.mid.v[i] = 0.5 * (s.v_before[i] + v[i]);
    s.formulas->take_velocities(s.mid.v, s.mid.u);
}

bool depends_on_velocity(const BodySetup& setup)
{
    return setup.forces || setup.with_formulas || !setup.springs.empty() ||
           std::any_of(setup.joints.begin(), setup.joints.end(),
                       [](const Joint& joint) { return joint.turn.damping > 0 || joint.slide.damping > 0; });
}

/// Inverse inertias in the axes of the world at the places of s.mid.
void set_inertias(const BodyModel& model, BodyStepMemory& s)
{
    for_each_index(static_cast<std::size_t>(model.bodies()), drifting_in_block, [&](std::size_t i) {
        if (model.isotropic[i]) {
            s.inverse_inertia[i] = model.inverse_inertia[i];
            return;
        }
        const Mat3 R = s.mid.R[i].toRotationMatrix();
        s.inverse_inertia[i] = R * model.inverse_inertia[i] * R.transpose();
    });
}

}  // namespace

void place_half_way(const BodyModel& model, double h, const State& state, BodyStepMemory& s)
{
    s.ahead_s = 0;
    s.mid.t_s = state.t_s + h / 2;
    s.mid.x = state.x;
    s.mid.R = state.R;
    s.mid.v = state.v;
    s.mid.W = state.W;
    s.mid.turns = s.next.turns = state.turns;
    // loads and motors that name angles of the plane count turns as the state does
    if (model.is_flat() && (model.setup().forces || !model.setup().joints.empty()))
        s.mid.q = s.next.q = state.q;
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.setup().bodies[static_cast<std::size_t>(i)].motion == BodyMotion::Prescribed) {
            const Pose here{.position_m = state.x[i], .rotation = state.R[i]};
            model.prescribed_velocity(i, here, state.t_s + h, h, s.mid.v[i], s.mid.W[i]);
        }
    }
    s.inverse_inertia.resize(state.x.size());
    for_each_index(static_cast<std::size_t>(model.bodies()), drifting_in_block, [&](std::size_t i) {
        s.mid.x[i] += h / 2 * s.mid.v[i];
        s.mid.R[i] = turned(state.R[i], h / 2 * s.mid.W[i]);
    });
    set_inertias(model, s);
}

void look_ahead(const BodyModel& model, double h, BodyStepMemory& s)
{
    s.ahead_s = h / 2;
    s.half.t_s = s.mid.t_s;
    s.half.x = s.mid.x;
    s.half.R = s.mid.R;
    s.half.q = s.mid.q;
    s.mid.t_s += h / 2;
    for_each_index(static_cast<std::size_t>(model.bodies()), drifting_in_block, [&](std::size_t i) {
        s.mid.x[i] += h / 2 * s.mid.v[i];
        s.mid.R[i] = turned(s.mid.R[i], h / 2 * s.mid.W[i]);
    });
    const int beside = model.setup().coordinates;
    if (beside > 0) s.mid.q.tail(beside) += h / 2 * s.mid.u.tail(beside);
    set_inertias(model, s);
}

void exchange_places(const BodyModel& model, BodyStepMemory& s)
{
    if (s.ahead_s == 0) return;
    for (int i = 0; i < model.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Rotation turn = s.half.R[k] * s.mid.R[k].conjugate();
        if (k < s.potential.size()) s.potential[k].torque_Nm = turn * s.potential[k].torque_Nm;
        if (k < s.given.size()) s.given[k].torque_Nm = turn * s.given[k].torque_Nm;
    }
    std::swap(s.mid.t_s, s.half.t_s);
    std::swap(s.mid.x, s.half.x);
    std::swap(s.mid.R, s.half.R);
    std::swap(s.mid.q, s.half.q);
}

void take_potential(const BodyModel& model, const State& at, BodyStepMemory& s)
{
    s.potential.assign(at.v.size(), {});
    model.spring_wrenches(BodyModel::SpringPart::Springs, at.x, at.R, {}, {}, s.potential);
    for (int i = 0; i < model.bodies(); ++i) {
        s.potential[i].force_N += model.mass[i] * model.setup().gravity_m_s2;
    }
    if (!s.formulas) return;
    s.formulas->see(at);
    s.formulas->add_potential(at, s);
}

void take_given(const BodyModel& model, const State& at, BodyStepMemory& s)
{
    const BodySetup& setup = model.setup();
    s.given.assign(at.v.size(), {});
    model.spring_wrenches(BodyModel::SpringPart::Dampers, at.x, at.R, at.v, at.W, s.given);
    model.joint_damping(at.x, at.R, at.v, at.W, s.given);
    if (setup.forces) {
        s.loads.assign(at.v.size(), {});
        setup.forces(at, s.loads);
        for (std::size_t i = 0; i < s.loads.size(); ++i) {
            s.given[i].force_N += s.loads[i].force_N;
            s.given[i].torque_Nm += s.loads[i].torque_Nm;
        }
    }
    if (!s.formulas) return;
    s.formulas->see(at);
    s.formulas->add_given(at, s);
}

void free_velocities(const BodyModel& model, const MoreauSettings& settings, BodyStepMemory& s)
{
    const double h = settings.time_step_s;

    // what has no potential is evaluated a second time at the mean velocity
    take_potential(model, s.mid, s);
    s.W_gyroscopic.assign(s.mid.v.size(), Vec3::Zero());
    s.v_before = s.mid.v;
    s.W_before = s.mid.W;
    const int passes = depends_on_velocity(model.setup()) ? settings.force_passes : 1;
    for (int pass = 0; pass < passes; ++pass) {
        drift(model, h, s, false);
        for (int i = 0; i < model.bodies(); ++i) {
            if (model.inverse_mass[i] == 0) continue;
            s.mid.v[i] = 0.5 * (s.v_before[i] + s.v_free[i]);
            s.mid.W[i] = 0.5 * (s.W_before[i] + s.W_free[i]);
        }
        if (s.formulas) set_carried(model, s.v_free, s);
    }
    s.mid.v = s.v_before;
    s.mid.W = s.W_before;
    if (s.formulas) s.formulas->take_velocities(s.mid.v, s.mid.u);
}

bool free_velocities_again(const BodyModel& model, const MoreauSettings& settings, BodyStepMemory& s)
{
    // gyroscopic terms at the mean velocity, where they differ by what counts: beside what the forces of the
    // step do, so that the parts that are left out add up to this part of the motion whatever the step is
    constexpr double negligible = 1e-8;
    bool differs = depends_on_velocity(model.setup());
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.isotropic[i] || model.inverse_mass[i] == 0) continue;
        const Mat3& J = model.inertia[i];
        const Vec3 mean = 0.5 * (s.W_before[i] + s.next.W[i]);
        Vec3& at = s.W_gyroscopic[i];
        const Vec3 change =
            settings.time_step_s * model.inverse_inertia[i] * (mean.cross(J * mean) - at.cross(J * at));
        const double gyration_m = std::sqrt(J.trace() * model.inverse_mass[i] / 2);
        const double moved_rad_s =
            (s.W_free[i] - s.W_before[i]).norm() + (s.v_free[i] - s.v_before[i]).norm() / gyration_m;
        const double rounding_rad_s = 1e-15 * mean.norm();
        differs = differs || change.norm() > std::max(negligible * moved_rad_s, rounding_rad_s);
    }
    if (!differs) return false;
    for (int i = 0; i < model.bodies(); ++i) {
        s.mid.v[i] = 0.5 * (s.v_before[i] + s.next.v[i]);
        s.mid.W[i] = s.W_gyroscopic[i] = 0.5 * (s.W_before[i] + s.next.W[i]);
    }
    if (s.formulas) set_carried(model, s.next.v, s);
    drift(model, settings.time_step_s, s, true);
    s.mid.v = s.v_before;
    s.mid.W = s.W_before;
    if (s.formulas) s.formulas->take_velocities(s.mid.v, s.mid.u);
    return true;
}

}  // namespace carom::detail
