#include "body_parts.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// Linearised corrections of one step: the second one removes what turning left of the first.
constexpr int most_passes = 3;

/// Up to so many contacts are corrected exactly; more of them by sweeps, to the accuracy that a correction
/// needs.
constexpr std::size_t most_exact = 200;
constexpr double sweeps_tolerance = 1e-2;
constexpr int most_sweeps = 20;

/// Overlaps of many contacts that are left alone, as a part of the size of the bodies.
constexpr double harmless = 2e-7;

/// A pair that leaves by restitution is not lifted.
bool leaves(std::span<const BodyContact> contacts)
{
    return std::any_of(contacts.begin(), contacts.end(), [](const BodyContact& c) {
        return c.restitution > 0 && c.P[0] > 0 && c.U_plus[0] > 0;
    });
}

/// Contact points at the end of the step of the pairs that the step had in view. Returns the deepest overlap
/// of those that are to be corrected; `deepest` of all.
double overlaps_at_end(double reach_m, BodyScratch& s, double& deepest)
{
    deepest = 0;
    double worst = 0;
    s.overlaps.clear();
    for (std::size_t i = 0; i < s.contacts.size();) {
        std::size_t j = i;
        while (j < s.contacts.size() && s.contacts[j].first == s.contacts[i].first &&
               s.contacts[j].second == s.contacts[i].second) {
            ++j;
        }
        const std::span<const BodyContact> pair(s.contacts.data() + i, j - i);
        const int a = pair.front().first, b = pair.front().second;
        s.points.clear();
        find_contact_points(s.placed[a], s.placed[b], reach_m, s.points);
        const bool left = leaves(pair);
        for (const ContactPoint& point : s.points) {
            BodyContact& contact = s.overlaps.emplace_back();
            contact.first = a;
            contact.second = b;
            contact.at = point;
            contact.dimension = 1;
            deepest = std::max(deepest, -point.gap_m);
            if (left) contact.at.gap_m = std::max(0.0, point.gap_m);
            worst = std::max(worst, -contact.at.gap_m);
        }
        i = j;
    }
    return worst;
}

void place_at_end(const BodyModel& model, BodyScratch& s)
{
    s.placed.resize(static_cast<std::size_t>(model.bodies()));
    for (const BodyContact& contact : s.contacts) {
        for (const int i : {contact.first, contact.second}) {
            place(model.colliders[i], {.position_m = s.next.x[i], .rotation = s.next.R[i]}, s.placed[i]);
        }
    }
}

/// Percussions that make the linearised gaps non-negative, exactly.
void press_exactly(const BodyModel& model, BodyScratch& s)
{
    OneStepProblem& problem = s.correction;
    problem.laws.assign(s.overlaps.size(), Unilateral{});
    problem.offsets.assign(1, 0);
    problem.U_free.clear();
    for (const BodyContact& contact : s.overlaps) {
        problem.offsets.push_back(problem.offsets.back() + 1);
        problem.U_free.push_back(contact.at.gap_m);
    }
    problem.U_minus.assign(s.overlaps.size(), 0.0);
    assemble_delassus(model, s.overlaps, s.inverse_inertia, s.contacts_of, problem);
    s.correction_P.assign(s.overlaps.size(), 0.0);
    if (solve(problem, {}, s.correction_P, s.solver).status == SolveStatus::NotFinite) {
        s.correction_P.assign(s.overlaps.size(), 0.0);
    }
}

/// The least displacement in the kinetic metric that makes the linearised gaps non-negative (MS-5).
void move_apart(const BodyModel& model, BodyScratch& s)
{
    for (BodyContact& contact : s.overlaps) {
        set_frame(s.next.x, contact);
    }
    for (int i = 0; i < model.bodies(); ++i) {
        const Mat3 R = s.next.R[i].toRotationMatrix();
        s.inverse_inertia[i] = R * model.inverse_inertia[i] * R.transpose();
    }
    if (s.overlaps.size() > most_exact) {
        press_by_sweeps(model, {.tolerance = sweeps_tolerance, .max_iterations = most_sweeps}, s);
    } else {
        press_exactly(model, s);
    }
    std::vector<Vec3> turn(static_cast<std::size_t>(model.bodies()), Vec3::Zero());
    for (std::size_t c = 0; c < s.overlaps.size(); ++c) {
        const BodyContact& contact = s.overlaps[c];
        const Vec3 P = s.correction_P[c] * contact.at.normal;
        const int a = contact.first, b = contact.second;
        s.next.x[a] += model.inverse_mass[a] * P;
        s.next.x[b] -= model.inverse_mass[b] * P;
        turn[a] += s.inverse_inertia[a] * contact.arm_first.cross(P);
        turn[b] -= s.inverse_inertia[b] * contact.arm_second.cross(P);
    }
    for (int i = 0; i < model.bodies(); ++i) {
        if (turn[i] != Vec3::Zero()) s.next.R[i] = turned(s.next.R[i], s.next.R[i].conjugate() * turn[i]);
    }
}

}  // namespace

double correct_overlaps(const BodyModel& model, const MoreauSettings& settings, BodyScratch& s)
{
    if (s.round && s.contacts.size() > most_exact) return correct_round(model, settings, s);
    double deepest = 0;
    const double harmless_m = (s.contacts.size() > most_exact ? harmless : 1e-12) * model.length_m();
    const double tolerance = std::max(settings.activation_gap_m, harmless_m);
    const int passes = s.contacts.size() > most_exact ? 1 : most_passes;
    for (int pass = 0; pass <= passes; ++pass) {
        place_at_end(model, s);
        const double worst = overlaps_at_end(1e-3 * model.length_m(), s, deepest);
        if (!settings.correction || worst <= tolerance || pass == passes) break;
        move_apart(model, s);
    }
    return deepest;
}

}  // namespace carom::detail
