#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "core/parallel.hpp"
#include "step_parts.hpp"

#include <cmath>

namespace carom::detail {

namespace {

/// Contacts whose works are added up apart, possibly by different threads.
constexpr std::size_t works_in_block = 1024;

struct WorkOfContacts {
    double normal_J = 0, friction_J = 0, driven_J = 0;

    void add(const BodyContact& contact)
    {
        const ContactWork work = work_of(contact);
        normal_J += work.normal_J;
        friction_J += work.friction_J;
    }

    WorkOfContacts& operator+=(const WorkOfContacts& other) noexcept
    {
        normal_J += other.normal_J;
        friction_J += other.friction_J;
        driven_J += other.driven_J;
        return *this;
    }
};

}  // namespace

double driven_work_J(const BodyContact& contact, std::span<const Vec3> v, std::span<const Vec3> w)
{
    double driven_J = 0;
    const auto b = relative_velocity(contact, v, w);
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double P = i == 0 ? contact.P[0] - contact.cohesion_Ns() : contact.P[i];
        driven_J += (P + contact.map_P(i)) * b[i];
    }
    if (!contact.rolls()) return driven_J;
    const auto turning = rolling_velocity(contact, w);
    for (std::size_t i = 0; i < turning.size(); ++i) {
        driven_J += (contact.beyond->P[i] + contact.beyond->turning_map_P[i]) * turning[i];
    }
    return driven_J;
}

Energies energies_of(const BodyModel& model, const State& state, const BodyStepMemory& s)
{
    Energies result{.kinetic_J = model.kinetic_energy_J(state),
                    .potential_J = model.potential_energy_J(state.x, state.R)};
    if (s.formulas) {
        const Energies more = s.formulas->energies(state);
        result.kinetic_J += more.kinetic_J;
        result.potential_J += more.potential_J;
    }
    return result;
}

void account(const BodyModel& model, double h, const State& state, const Energies& start, const Energies& end,
             BodyStepMemory& s, EnergyLines& lines)
{
    double potential_work = 0;
    // velocities of bodies on prescribed paths, in the memory of the correction
    std::vector<Vec3>&v_still = s.correction_v, &w_still = s.correction_w;
    v_still.assign(s.mid.v.size(), Vec3::Zero());
    w_still.assign(s.mid.v.size(), Vec3::Zero());
    bool any_driven = false;
    for (int i = 0; i < model.bodies(); ++i) {
        const Vec3 v = 0.5 * (s.mid.v[i] + s.next.v[i]), W_body = 0.5 * (s.mid.W[i] + s.next.W[i]);
        const Vec3 W = s.mid.R[i] * W_body;
        if (model.inverse_mass[i] == 0) {
            v_still[i] = s.mid.v[i];
            w_still[i] = W;
            if (s.mid.v[i] == Vec3::Zero() && W == Vec3::Zero()) continue;
            any_driven = true;
            // springs and formulas that pull at it
            const double driven_J = h * (s.potential[i].force_N.dot(v) + s.potential[i].torque_Nm.dot(W));
            potential_work += driven_J;
            lines.prescribed_motions_J -= driven_J;
            continue;
        }
        potential_work += h * (s.potential[i].force_N.dot(v) + s.potential[i].torque_Nm.dot(W));
        lines.given_forces_J += h * (s.given[i].force_N.dot(v) + s.given[i].torque_Nm.dot(W));
        const Vec3& at = s.W_gyroscopic[i];
        lines.scheme_J -= h * W_body.dot(at.cross(model.inertia[i] * at));
    }
    lines.scheme_J += end.potential_J - start.potential_J + potential_work;
    const WorkOfContacts works = sum_of_shared_blocks<WorkOfContacts>(
        s.contacts.size(), works_in_block, [&](std::size_t begin, std::size_t end) {
            WorkOfContacts sum;
            for (std::size_t c = begin; c < end; ++c) {
                sum.add(s.contacts[c]);
                if (any_driven) sum.driven_J += driven_work_J(s.contacts[c], v_still, w_still);
            }
            return sum;
        });
    lines.impact_J += works.normal_J;
    lines.friction_J += works.friction_J;
    lines.prescribed_motions_J -= works.driven_J;
    lines.joint_J += s.map_joint_J;
    account_joints(v_still, w_still, s, lines);
    if (s.formulas) s.formulas->account(h, state, v_still, w_still, s, lines);
}

double forces_defect_J(const BodyModel& model, double h, const State& state, BodyStepMemory& s)
{
    const auto& forces = model.setup().forces;
    s.load_defect_J.clear();
    const double of_formulas_J = s.formulas ? s.formulas->forces_defect_J(h, state, s.next) : 0.0;
    if (!forces) return of_formulas_J;
    s.end_loads.assign(s.loads.size(), {});
    forces(state, s.end_loads);
    std::vector<double>& of_body_J = s.load_defect_J;
    of_body_J.assign(static_cast<std::size_t>(model.bodies()), 0.0);
    const auto finite = [](double power_W) { return std::isfinite(power_W) ? power_W : 0.0; };
    double at_start = 0, at_end = 0;
    const auto power = [&](const Wrench& there, std::size_t i, const Vec3& v, const Vec3& w) {
        return (there.force_N - s.loads[i].force_N).dot(v) + (there.torque_Nm - s.loads[i].torque_Nm).dot(w);
    };
    const auto n = static_cast<std::size_t>(model.bodies());
    for (std::size_t i = 0; i < n; ++i) {
        const double power_W = power(s.end_loads[i], i, s.mid.v[i], s.mid.R[i] * s.mid.W[i]);
        at_start += power_W;
        of_body_J[i] += h / 6 * finite(power_W);
    }
    s.end_loads.assign(s.loads.size(), {});
    forces(s.next, s.end_loads);
    for (std::size_t i = 0; i < n; ++i) {
        const double power_W = power(s.end_loads[i], i, s.next.v[i], s.mid.R[i] * s.next.W[i]);
        at_end += power_W;
        of_body_J[i] += h / 6 * finite(power_W);
    }
    return of_formulas_J + h / 6 * (finite(at_start) + finite(at_end));
}

double free_kinetic_energy_J(const BodyModel& model, const BodyStepMemory& s)
{
    double sum = 0;
    for (int i = 0; i < model.bodies(); ++i) {
        sum += 0.5 *
               (model.mass[i] * s.v_free[i].squaredNorm() + s.W_free[i].dot(model.inertia[i] * s.W_free[i]));
    }
    if (s.formulas) sum += s.formulas->carried_energy_J(s.v_free);
    return sum;
}

double created_J(const BodyStepMemory& s)
{
    double created = 0;
    std::array<double, 6> P{}, U_plus{};
    for (std::size_t c = 0; c < s.contacts.size(); ++c) {
        const BodyContact& contact = s.contacts[c];
        if (contact.restitution > 0) continue;
        const auto rows = static_cast<std::size_t>(contact.dimension);
        for (std::size_t row = 0; row < rows; ++row) {
            P[row] = contact.P_of(contact.slot(static_cast<int>(row)));
            U_plus[row] = contact.U_plus_of(contact.slot(static_cast<int>(row)));
        }
        const auto at = static_cast<std::size_t>(s.problem.offsets[c]);
        created += energy_created_J(std::span<const double>(P).first(rows),
                                    std::span<const double>(s.problem.U_free).subspan(at, rows), U_plus,
                                    contact.may_close_m_s);
    }
    return created;
}

}  // namespace carom::detail
