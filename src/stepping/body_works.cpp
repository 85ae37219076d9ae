#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "finished_body_step.hpp"

#include <algorithm>
#include <cmath>

/// What a step of bodies did, group by group (LE-28).
namespace carom::detail {
namespace {

/// The group of the first of these bodies that forces move; -1: none.
int group_of(const GroupsOfBodies& groups, int first, int second)
{
    const auto of = [&](int body) { return body < 0 ? -1 : groups.of_body[static_cast<std::size_t>(body)]; };
    return of(first) >= 0 ? of(first) : of(second);
}

int group_of_joint(const BodyModel& model, const GroupsOfBodies& groups, int joint)
{
    const auto& joints = model.setup().joints;
    const Joint& it = joints[static_cast<std::size_t>(joint)];
    if (it.kind != JointKind::Gear) return group_of(groups, it.first, it.second);
    const Joint& one = joints[static_cast<std::size_t>(it.first_joint)];
    const Joint& other = joints[static_cast<std::size_t>(it.second_joint)];
    const int group = group_of(groups, one.first, one.second);
    return group >= 0 ? group : group_of(groups, other.first, other.second);
}

double kinetic_energy_J(const BodyModel& model, std::size_t i, const Vec3& v, const Vec3& W)
{
    return (model.mass[i] * v.squaredNorm() + W.dot(model.inertia[i] * W)) / 2;
}

bool acts(const BodyContact& contact)
{
    return contact.P[0] != 0 || contact.P[1] != 0 || contact.P[2] != 0 || contact.beyond != nullptr;
}

bool any_prescribed(const BodyModel& model)
{
    return std::ranges::any_of(model.setup().bodies,
                               [](const Body& body) { return body.motion == BodyMotion::Prescribed; });
}

/// Velocities of prescribed bodies, about the axes of the world; zero elsewhere.
struct Driven {
    bool any = false;
    std::vector<Vec3> v, w;

    Driven(const BodyModel& model, const BodyStepMemory& s) : any(any_prescribed(model))
    {
        if (!any && s.joints.empty() && !s.formulas) return;
        v.assign(s.mid.v.size(), Vec3::Zero());
        w.assign(s.mid.v.size(), Vec3::Zero());
        for (int i = 0; i < model.bodies(); ++i) {
            const auto k = static_cast<std::size_t>(i);
            if (model.inverse_mass[k] > 0) continue;
            v[k] = s.mid.v[k];
            w[k] = s.mid.R[k] * s.mid.W[k];
        }
    }
};

/// The potential energy of a spring with its bodies at these places.
double energy_of_J(const BodyModel& model, const BodySpring& spring, const Pose& first, const Pose& second)
{
    const auto end = [&](int body, const Pose& at, const Vec3& point) {
        if (body < 0) return point;
        return Vec3(at.position_m + at.rotation * (point - model.centre[static_cast<std::size_t>(body)]));
    };
    const double length_m =
        (end(spring.first, first, spring.first_point_m) - end(spring.second, second, spring.second_point_m))
            .norm();
    return spring.stiffness_N_m * std::pow(length_m - spring.rest_length_m, 2) / 2;
}

Pose pose_of(const State& state, int body)
{
    if (body < 0) return {};
    const auto i = static_cast<std::size_t>(body);
    return {.position_m = state.x[i], .rotation = state.R[i]};
}

/// What prescribed ends do to springs: with the others half-way.
void add_driven_springs(const BodyModel& model, const State& before, const State& after,
                        const GroupsOfBodies& groups, std::span<GroupStep> steps)
{
    const auto is_driven = [&](int body) {
        return body >= 0 && groups.of_body[static_cast<std::size_t>(body)] < 0;
    };
    const auto at = [&](int body, const State& driven_at) {
        if (is_driven(body)) return pose_of(driven_at, body);
        Pose pose = pose_of(before, body);
        if (body < 0) return pose;
        const Pose end = pose_of(after, body);
        pose.position_m = (pose.position_m + end.position_m) / 2;
        pose.rotation = pose.rotation.slerp(0.5, end.rotation);
        return pose;
    };
    for (const BodySpring& spring : model.setup().springs) {
        const int group = group_of(groups, spring.first, spring.second);
        if (group < 0 || (!is_driven(spring.first) && !is_driven(spring.second))) continue;
        const auto energy_J = [&](const State& driven_at) {
            return energy_of_J(model, spring, at(spring.first, driven_at), at(spring.second, driven_at));
        };
        steps[static_cast<std::size_t>(group)].lines.prescribed_motions_J +=
            energy_J(after) - energy_J(before);
    }
}

void add_contacts(const GroupsOfBodies& groups, const Driven& driven, const BodyStepMemory& s,
                  std::span<GroupStep> steps)
{
    for (const BodyContact& contact : s.contacts) {
        const int group = group_of(groups, contact.first, contact.second);
        if (group < 0 || !acts(contact)) continue;
        EnergyLines& lines = steps[static_cast<std::size_t>(group)].lines;
        const ContactWork work = work_of(contact);
        lines.impact_J += work.normal_J;
        lines.friction_J += work.friction_J;
        if (driven.any) lines.prescribed_motions_J -= driven_work_J(contact, driven.v, driven.w);
    }
}

/// Motors, stops and what joints hold.
void add_joints(const BodyModel& model, const GroupsOfBodies& groups, const Driven& driven,
                const BodyStepMemory& s, std::span<GroupStep> steps)
{
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        const JointPart& joint = s.joints[k];
        const int group = group_of_joint(model, groups, joint.joint);
        if (group < 0) continue;
        EnergyLines& lines = steps[static_cast<std::size_t>(group)].lines;
        line_of_joint(joint, lines) += work_of_joint_J(k, s) - joint.held_J;
        const int first = s.problem.offsets[s.contacts.size() + k];
        for (int row = first; row < first + joint.dimension; ++row)
            lines.prescribed_motions_J -=
                s.P[static_cast<std::size_t>(row)] * (s.rows.velocity(row, driven.v, driven.w) - joint.rate);
    }
}

}  // namespace

int FinishedBodyStep::group_of_interaction(int interaction, const GroupsOfBodies& groups) const
{
    const auto k = static_cast<std::size_t>(interaction);
    const std::size_t contacts = memory_.contacts.size(), joints = memory_.joints.size();
    if (k < contacts) return group_of(groups, memory_.contacts[k].first, memory_.contacts[k].second);
    if (k < contacts + joints) return group_of_joint(model_, groups, memory_.joints[k - contacts].joint);
    return memory_.formulas->group_of_interaction(k - contacts - joints, groups);
}

bool FinishedBodyStep::acted(const BodyContact& contact) noexcept
{
    return acts(contact);
}

void FinishedBodyStep::add_energies(const State& at, const GroupsOfBodies& groups, Energies GroupStep::* of,
                                    std::span<GroupStep> steps)
{
    for (int i = 0; i < model_.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (groups.of_body[k] < 0) continue;
        Energies& energies = steps[static_cast<std::size_t>(groups.of_body[k])].*of;
        energies.kinetic_J += kinetic_energy_J(model_, k, at.v[k], at.W[k]);
        energies.potential_J -= model_.mass[k] * model_.setup().gravity_m_s2.dot(at.x[k]);
    }
    for (const BodySpring& spring : model_.setup().springs) {
        const int group = group_of(groups, spring.first, spring.second);
        if (group >= 0)
            (steps[static_cast<std::size_t>(group)].*of).potential_J +=
                energy_of_J(model_, spring, pose_of(at, spring.first), pose_of(at, spring.second));
    }
    if (memory_.formulas) memory_.formulas->add_energies(at, groups, of, steps);
}

void FinishedBodyStep::add_works(double h_s, const State& before, const State& after,
                                 const GroupsOfBodies& groups, std::span<GroupStep> steps)
{
    const BodyStepMemory& s = memory_;
    // given forces at the mean velocity, and what percussions held back
    for (int i = 0; i < model_.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (groups.of_body[k] < 0) continue;
        GroupStep& step = steps[static_cast<std::size_t>(groups.of_body[k])];
        const Wrench& given = s.given[k];
        const Vec3 turn = s.mid.R[k] * Vec3(before.W[k] + after.W[k]);
        step.lines.given_forces_J +=
            h_s / 2 * (given.force_N.dot(before.v[k] + after.v[k]) + given.torque_Nm.dot(turn));
        step.accuracy.held_back_J += kinetic_energy_J(model_, k, s.v_free[k], s.W_free[k]) -
                                     kinetic_energy_J(model_, k, after.v[k], after.W[k]);
        if (k < s.load_defect_J.size()) step.accuracy.forces_defect_J += s.load_defect_J[k];
    }
    const Driven driven(model_, s);
    if (driven.any) add_driven_springs(model_, before, after, groups, steps);
    add_contacts(groups, driven, s, steps);
    add_joints(model_, groups, driven, s, steps);
    if (s.formulas) s.formulas->add_works(h_s, before, after, driven.v, driven.w, groups, s, steps);
    // contacts and stops that persist, and friction that holds, do no work in theory (LE-2), (LE-26)
    for (const ContactStep& contact : s.statuses.steps) {
        const int group = group_of_interaction(contact.contact, groups);
        if (group < 0) continue;
        EnergyLines& lines = steps[static_cast<std::size_t>(group)].lines;
        if (contact.persists) lines.impact_J -= contact.energy_J;
        lines.friction_J -= contact.held_J;
    }
}

}  // namespace carom::detail
