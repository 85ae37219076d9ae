#include "body_parts.hpp"
#include "body_places.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom::detail {
namespace {

/// Sweeps before double precision is asked.
constexpr int max_sweeps = 400;

/// Bodies and contacts that one thread takes at once.
constexpr std::size_t bodies_in_block = 1024, contacts_in_block = 512;

std::array<double, 3> components(const Vec3& a)
{
    return {a.x(), a.y(), a.z()};
}

/// The closed form of round contacts (SO-23) is that of a body which does not move at all, or whose inertia
/// is the same about all axes and whose arm is along the normal.
bool is_round_at(const BodyModel& model, int body, const Vec3& arm, const Vec3& normal,
                 std::span<const Vec3> w)
{
    constexpr double along = 1e-14;
    const auto k = static_cast<std::size_t>(body);
    if (model.inverse_mass[k] == 0 && (w.empty() || w[k] == Vec3::Zero())) return true;
    return model.isotropic[k] && arm.cross(normal).squaredNorm() <= along * arm.squaredNorm();
}

/// The arm of a round contact along the normal: of the first body against it.
double round_arm_m(const BodyModel& model, int body, const Vec3& arm, const Vec3& normal)
{
    return model.inverse_mass[static_cast<std::size_t>(body)] == 0 ? 0.0 : arm.dot(normal);
}

/// Tells the sweeps which bodies touch; `w`: angular velocities, axes of the world, none: at rest.
void begin_quick(const BodyModel& model, std::span<const BodyContact> contacts, std::span<const Vec3> w,
                 bool all_round, QuickScratch& q)
{
    q.of_step = false;
    q.pairs.resize(contacts.size());
    q.round.resize(contacts.size());
    for_each_index(contacts.size(), contacts_in_block, [&](std::size_t c) {
        const BodyContact& contact = contacts[c];
        q.pairs[c] = {contact.first, contact.second};
        q.round[c] =
            all_round || (is_round_at(model, contact.first, contact.arm_first, contact.axes[0], w) &&
                          is_round_at(model, contact.second, contact.arm_second, contact.axes[0], w));
    });
    const auto n = static_cast<std::size_t>(model.bodies());
    q.moves.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        q.moves[i] = model.inverse_mass[i] > 0;
    }
    if (!std::exchange(q.knows_places, true)) q.places = places_along_scene(model);
    q.sweeps.begin(q.pairs, q.round, q.moves, q.places);
}

SweptBody body_at_rest(const BodyModel& model, std::span<const Mat3> inverse_inertia, std::size_t i)
{
    const Mat3& J = inverse_inertia[i];
    return {.inverse_mass = model.inverse_mass[i],
            .inverse_inertia = J(0, 0),
            .tensor = {J(0, 0), J(1, 1), J(2, 2), J(1, 2), J(0, 2), J(0, 1)}};
}

SweptContact contact_without_law(const BodyModel& model, const BodyContact& contact, bool round)
{
    const Vec3& n = contact.axes[0];
    SweptContact result{.normal = components(n)};
    if (round) {
        result.arm_a[0] = -round_arm_m(model, contact.first, contact.arm_first, n);
        result.arm_b[0] = round_arm_m(model, contact.second, contact.arm_second, n);
    } else {
        result.arm_a = components(contact.arm_first);
        result.arm_b = components(contact.arm_second);
    }
    return result;
}

/// A percussion of single precision in the frame of its contact, inside its cone. What is on the surface of
/// the cone as far as single precision can tell is on it.
std::array<double, 3> in_cone(const std::array<double, 3>& swept, const BodyContact& contact, double mu)
{
    constexpr double nearly = 1 - 4e-6;
    const Vec3 P(swept[0], swept[1], swept[2]);
    const double normal = std::max(0.0, contact.axes[0].dot(P)), bound = mu * normal;
    if (contact.dimension == 1) return {normal, 0, 0};
    const double t1 = contact.axes[1].dot(P), t2 = contact.axes[2].dot(P),
                 size = std::sqrt(t1 * t1 + t2 * t2);
    const double part = size > nearly * bound && size > 0 ? bound / size : 1.0;
    return {normal, part * t1, part * t2};
}

}  // namespace

bool sweep_quickly(const BodyModel& model, const SolverSettings& solver, BodyStepMemory& s,
                   SolveReport& report)
{
    QuickScratch& q = s.quick;
    begin_quick(model, s.contacts, s.w_free, s.round, q);
    q.of_step = s.round;
    for_each_index(q.moves.size(), bodies_in_block, [&](std::size_t i) {
        SweptBody body = body_at_rest(model, s.inverse_inertia, i);
        body.v = components(s.v_free[i]);
        body.w = components(s.w_free[i]);
        q.sweeps.set_body(i, body);
    });
    for_each_index(s.contacts.size(), contacts_in_block, [&](std::size_t c) {
        if (!q.sweeps.is_here(c)) return;
        const BodyContact& contact = s.contacts[c];
        const auto at = static_cast<std::size_t>(s.problem.offsets[c]);
        Vec3 P = s.P[at] * contact.axes[0];
        for (std::size_t k = 1; k < static_cast<std::size_t>(contact.dimension); ++k) {
            P += s.P[at + k] * contact.axes[k];
        }
        SweptContact quick = contact_without_law(model, contact, q.round[c] != 0);
        quick.shift_m_s = contact.may_close_m_s + contact.restitution * std::min(contact.U_minus[0], 0.0);
        quick.P = components(P);
        quick.friction = friction_of(s.problem.laws[c]);
        q.sweeps.set_contact(c, quick);
    });
    q.sweeps.start();
    report.solver = SolverKind::NonlinearCg;
    report.iterations += q.sweeps.run(
        {.tolerance = 0.9 * solver.tolerance, .max_iterations = std::min(max_sweeps, solver.max_sweeps)},
        SweptResults::Percussions);
    for_each_index(s.contacts.size(), contacts_in_block, [&](std::size_t c) {
        const auto P = in_cone(q.sweeps.percussion(c), s.contacts[c], friction_of(s.problem.laws[c]));
        std::copy_n(P.begin(), s.contacts[c].dimension, s.P.begin() + s.problem.offsets[c]);
    });
    return true;
}

void press_quickly(const BodyModel& model, const Budget& budget, BodyStepMemory& s)
{
    QuickScratch& q = s.quick;
    begin_quick(model, s.overlaps, {}, false, q);
    for_each_index(q.moves.size(), bodies_in_block,
                   [&](std::size_t i) { q.sweeps.set_body(i, body_at_rest(model, s.inverse_inertia, i)); });
    for_each_index(s.overlaps.size(), contacts_in_block, [&](std::size_t c) {
        if (!q.sweeps.is_here(c)) return;
        SweptContact quick = contact_without_law(model, s.overlaps[c], q.round[c] != 0);
        quick.shift_m_s = s.overlaps[c].at.gap_m;
        q.sweeps.set_contact(c, quick);
    });
    q.sweeps.start();
    q.sweeps.run(budget, SweptResults::Percussions);
    s.correction_P.assign(s.overlaps.size(), 0.0);
    for_each_index(s.overlaps.size(), contacts_in_block, [&](std::size_t c) {
        const auto P = q.sweeps.percussion(c);
        s.correction_P[c] = std::max(0.0, s.overlaps[c].at.normal.dot(Vec3(P[0], P[1], P[2])));
    });
}

void press_round_quickly(const BodyModel& model, const Budget& budget, BodyStepMemory& s)
{
    // along normals through the centres, so nothing turns; the pairs, and with them colours, are those of the
    // step
    QuickScratch& q = s.quick;
    if (!q.of_step) begin_quick(model, s.contacts, {}, true, q);
    for_each_index(q.moves.size(), bodies_in_block,
                   [&](std::size_t i) { q.sweeps.set_body(i, {.inverse_mass = model.inverse_mass[i]}); });
    const double reach = looked_at * model.length_m();
    for_each_index(s.contacts.size(), contacts_in_block, [&](std::size_t c) {
        if (!q.sweeps.is_here(c)) return;
        const auto& [x, y, z, gap] = s.ends[c];
        // what is far apart has no normal, and does nothing
        SweptContact quick{.normal = {}};
        if (gap <= reach) {
            quick.normal = {x, y, z};
            quick.shift_m_s = leaves_by_restitution(s.contacts[c]) ? std::max(0.0, gap) : gap;
        }
        q.sweeps.set_contact(c, quick);
    });
    q.sweeps.start_pressing();
    q.sweeps.run(budget, SweptResults::Velocities);
    s.correction_v.resize(q.moves.size());
    for_each_index(q.moves.size(), bodies_in_block, [&](std::size_t i) {
        const auto v = q.sweeps.velocity(i);
        s.correction_v[i] = Vec3(v[0], v[1], v[2]);
    });
}

}  // namespace carom::detail
