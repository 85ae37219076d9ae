#include "body_delays.hpp"

#include "body_impacts.hpp"
#include "contact_drive.hpp"
#include "stepping/body_queries.hpp"
#include "time_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace carom::detail {
namespace {

/// Near misses are looked for among so many bodies: every pair costs a look in each step.
constexpr int max_bodies_that_miss = 40;

const std::string& name_of(const BodyModel& model, int body)
{
    return model.setup().bodies[static_cast<std::size_t>(body)].name;
}

double inverse_mass(const BodyModel& model, int body)
{
    return model.inverse_mass[static_cast<std::size_t>(body)];
}

/// Its part of the relative motion of a pair.
double share_of(const BodyModel& model, int body, const PairDelays& pair)
{
    const double sum = inverse_mass(model, pair.first) + inverse_mass(model, pair.second);
    return sum > 0 ? inverse_mass(model, body) / sum : 0;
}

bool has(const PairDelays& pair, int body)
{
    return pair.first == body || pair.second == body;
}

/// A body that moves by forces belongs to both.
bool share_motion(const BodyModel& model, const PairDelays& one, const PairDelays& other)
{
    return (inverse_mass(model, one.first) > 0 && has(other, one.first)) ||
           (inverse_mass(model, one.second) > 0 && has(other, one.second));
}

double lag_of_motion_s(const BodyModel& model, const PairDelays& pair, double h_s,
                       const std::vector<PairDelays>& pairs)
{
    double sum = 0;
    for (const PairDelays& other : pairs) {
        if (share_motion(model, pair, other)) sum += recent_lag_s(other.delays, h_s);
    }
    return sum;
}

/// By how much delays have moved a body, at most.
double place_off_m(const BodyModel& model, int body, const std::vector<PairDelays>& pairs)
{
    double off_m = 0;
    for (const PairDelays& pair : pairs) {
        if (has(pair, body)) off_m += share_of(model, body, pair) * std::abs(pair.delays.behind_m);
    }
    return off_m;
}

/// The same along a direction: a late impact moves a body along its normal, a motion that is late along
/// itself.
double place_off_along_m(const BodyModel& model, int body, const Vec3& v_m_s, const Vec3& along,
                         const std::vector<PairDelays>& pairs)
{
    const double by_motion = v_m_s.norm() > 0 ? std::abs(v_m_s.normalized().dot(along)) : 0;
    double off_m = 0;
    for (const PairDelays& pair : pairs) {
        if (!has(pair, body)) continue;
        const double by_impact = std::abs(Vec3(pair.normal[0], pair.normal[1], pair.normal[2]).dot(along));
        off_m +=
            share_of(model, body, pair) * std::abs(pair.delays.behind_m) * std::max(by_motion, by_impact);
    }
    return off_m;
}

/// Of a pair of bodies; null where there are too many.
PairDelays* of_pair(int first, int second, std::vector<PairDelays>& pairs)
{
    const auto place =
        std::ranges::lower_bound(pairs, std::pair(first, second), {},
                                 [](const PairDelays& pair) { return std::pair(pair.first, pair.second); });
    if (place != pairs.end() && place->first == first && place->second == second) return &*place;
    if (pairs.size() >= max_struck_pairs) return nullptr;
    return &*pairs.insert(place, {first, second});
}

PairDelays* known_pair(int first, int second, std::vector<PairDelays>& pairs)
{
    const auto place = std::ranges::find_if(
        pairs, [&](const PairDelays& pair) { return pair.first == first && pair.second == second; });
    return place == pairs.end() ? nullptr : &*place;
}

bool is_driven(const BodyModel& model, const PairDelays& pair)
{
    const auto moves_by_itself = [&](int body) {
        return model.setup().bodies[static_cast<std::size_t>(body)].motion == BodyMotion::Prescribed;
    };
    return model.setup().forces || moves_by_itself(pair.first) || moves_by_itself(pair.second);
}

/// Amplitude and rate of the normal acceleration over the run, where the bodies are now.
void find_drive(const BodyDelayStep& step, const BodyContact& contact, double start_s, ContactDrive& drive)
{
    const double h_s = step.step.report.h_s;
    State at = step.after;
    const auto acceleration = [&](double since_s) {
        at.t_s = start_s + since_s;
        const std::vector<Wrench> wrenches = wrenches_at(step.model, at);
        const auto of = [&](int body, const Vec3& arm) {
            return free_acceleration_at(step.model, at, h_s, wrenches, body, arm);
        };
        return contact.axes[0].dot(of(contact.first, contact.arm_first) -
                                   of(contact.second, contact.arm_second));
    };
    const OwnMotion own = own_motion(acceleration, h_s, step.duration_s);
    drive.known = 1;
    drive.acceleration_m_s2 = own.amplitude;
    drive.rate_1_s = 2 / h_s * std::sqrt(own.unresolved);  // (LE-14): (h w)^2/4
}

/// The hardest impact of a pair in the step; the points of one pair strike together.
const ContactStep* hardest_impact(int first, int second, const FinishedBodyStep& bodies)
{
    const ContactStep* found = nullptr;
    double hardest_m_s = 0;
    for (const ContactStep& step : bodies.contact_steps()) {
        if (step.contact >= static_cast<int>(bodies.contacts().size()) || step.persists) continue;
        const BodyContact& contact = bodies.contacts()[static_cast<std::size_t>(step.contact)];
        if (contact.first != first || contact.second != second) continue;
        const double jump_m_s = step.U_plus[0] - step.U_minus[0];
        if (!(jump_m_s > hardest_m_s)) continue;
        hardest_m_s = jump_m_s;
        found = &step;
    }
    return found;
}

void note_impact_of(const BodyDelayStep& step, const ContactStep& seen, double time_s,
                    const FinishedBodyStep& bodies, RunProgress& progress, PairDelays& pair)
{
    const BodyContact& contact = bodies.contacts()[static_cast<std::size_t>(seen.contact)];
    const double h_s = step.step.report.h_s, U_minus = contact.U_minus[0];
    if (is_driven(step.model, pair)) {
        begin_driven_impact(time_s, pair.drive);
        const double late_s = lag_of_motion_s(step.model, pair, h_s, progress.pairs);
        if (late_s > 0 && pair.drive.known == 0) find_drive(step, contact, progress.start_s, pair.drive);
        if (late_s > 0) note_late_impact(late_s, seen.U_minus[0], time_s, pair.drive);
    }
    const double after_m = bodies.gap_at_end_m(contact, h_s);
    // what friction does to the centres, at most
    const double W = std::max(inverse_mass(step.model, pair.first), inverse_mass(step.model, pair.second));
    note_impact({.U_minus_m_s = seen.U_minus[0],
                 .U_plus_m_s = seen.U_plus[0],
                 .gap_before_m = bodies.gap_half_way_m(contact) - h_s / 2 * U_minus,
                 .gap_after_m = is_fast_contact(contact) ? std::max(0.0, after_m) : after_m,
                 .dragged_m_s = W * std::hypot(seen.P[1], seen.P[2]),
                 .h_s = h_s,
                 .time_s = time_s,
                 .start_s = progress.start_s},
                pair.delays);
    pair.normal = {contact.at.normal.x(), contact.at.normal.y(), contact.at.normal.z()};
}

/// The normal velocities of a contact before the step and after it.
std::pair<double, double> velocities_of(const BodyContact& contact, const State& after,
                                        const FinishedBodyStep& bodies)
{
    const std::array<int, 2> pair{contact.first, contact.second};
    const std::array<Vec3, 2> arms{contact.arm_first, contact.arm_second};
    double U_before = 0, U_after = 0;
    for (const std::size_t side : {0U, 1U}) {
        const auto i = static_cast<std::size_t>(pair[side]);
        const double sign = side == 0 ? 1 : -1;
        const Vec3 w_after = after.R[i] * after.W[i];
        U_before +=
            sign * contact.axes[0].dot(bodies.contact_places().v[i] + bodies.w_before()[i].cross(arms[side]));
        U_after += sign * contact.axes[0].dot(after.v[i] + w_after.cross(arms[side]));
    }
    return {U_before, U_after};
}

}  // namespace

bool note_impacts(const BodyDelayStep& step, const FinishedBodyStep& bodies, RunProgress& progress)
{
    const double h_s = step.step.report.h_s;
    for (const Event& event : step.step.events) {
        if (event.first < 0) continue;
        if (event.kind == EventKind::Impact) {
            PairDelays* pair = of_pair(event.first, event.second, progress.pairs);
            if (pair == nullptr) return false;
            // points of a pair that strike together are one impact
            if (pair->delays.count > 0 && pair->delays.seen_s == event.time_s) continue;
            const ContactStep* seen = hardest_impact(event.first, event.second, bodies);
            if (seen != nullptr) note_impact_of(step, *seen, event.time_s, bodies, progress, *pair);
            continue;
        }
        PairDelays* pair = known_pair(event.first, event.second, progress.pairs);
        if (pair == nullptr || (event.kind != EventKind::ContactMade && event.kind != EventKind::ContactLost))
            continue;
        note_driven_rest(event, h_s, pair->drive, pair->delays);
        if (event.kind == EventKind::ContactMade) pair->delays.behind_m = pair->delays.exit_m_s = 0;
    }
    return true;
}

void look_for_near_misses(const BodyDelayStep& step, double activation_gap_m, const BodyGroups& groups,
                          FinishedBodyStep& bodies, RunProgress& progress)
{
    constexpr double slow = 0.01;  // an impact below this part of the velocities of the run changes little
    const BodyModel& model = step.model;
    const double small_m = min_overlap * activation_gap_m;
    double largest_m = 0;
    for (const PairDelays& pair : progress.pairs) {
        largest_m += std::abs(pair.delays.behind_m);
    }
    if (!(largest_m > small_m) || model.bodies() > max_bodies_that_miss) return;
    for (int b = 1; b < model.bodies(); ++b) {
        const double off_b_m = place_off_m(model, b, progress.pairs);
        for (int a = 0; a < b; ++a) {
            const double off_both_m = off_b_m + place_off_m(model, a, progress.pairs);
            if (!(off_both_m > small_m) || !model.collides[static_cast<std::size_t>(a)] ||
                !model.collides[static_cast<std::size_t>(b)] || !model.may_meet(a, b) ||
                have_touched(step.after, a, b))
                continue;
            const auto contact = bodies.nearest_points(a, b, off_both_m, step.after);
            if (!contact || !(contact->at.gap_m > activation_gap_m)) continue;
            const auto [U_before, U_after] = velocities_of(*contact, step.after, bodies);
            if (!(U_before < 0 && U_after > 0)) continue;
            const auto off_along_m = [&](int body) {
                return place_off_along_m(model, body, step.after.v[static_cast<std::size_t>(body)],
                                         contact->at.normal, progress.pairs);
            };
            const double off_m = off_along_m(a) + off_along_m(b);
            const bool acted = std::ranges::any_of(bodies.contacts(), [&](const BodyContact& one) {
                return one.first == a && one.second == b && one.percussion_Ns() != Vec3::Zero();
            });
            if (acted || !(off_m > small_m && off_m > contact->at.gap_m)) continue;
            const double turned_m_s2 = (U_after - U_before) / step.step.report.h_s;
            const double speed_m_s = std::sqrt(2 * turned_m_s2 * (off_m - contact->at.gap_m));
            const double fastest_m_s =
                std::max(groups.fastest_m_s(a, progress), groups.fastest_m_s(b, progress));
            if (!(speed_m_s > slow * fastest_m_s)) continue;
            progress.certifier.add_finding(
                near_miss(name_of_pair(model, a, b), contact->at.gap_m, off_m, step.after.t_s));
        }
    }
}

void look_at_delays(const BodyModel& model, const SchemeOfRun& scheme, std::span<const double> moved_m,
                    const RunSoFar& run, std::vector<Finding>& findings)
{
    const auto moved_by = [&](int body) { return moved_m[static_cast<std::size_t>(body)]; };
    const auto& pairs = run.progress.pairs;
    double impacts = 0;
    for (const PairDelays& pair : pairs) {
        impacts += pair.delays.count;
    }
    // one impact alone is late by what any other step reveals, and what has come to rest does not ask when
    const bool counts = impacts > 1 && !run.progress.rest.at_rest();
    for (int body = 0; counts && body < model.bodies(); ++body) {
        double behind_m = 0;
        for (const PairDelays& pair : pairs) {
            if (has(pair, body)) behind_m += share_of(model, body, pair) * pair.delays.behind_m;
        }
        look_at_place(name_of(model, body), scheme, std::abs(behind_m), moved_by(body), run.state.t_s,
                      findings);
    }
    for (const PairDelays& pair : pairs) {
        const std::string name = name_of_pair(model, pair.first, pair.second);
        look_at_slip(name, scheme, pair.delays, std::max(moved_by(pair.first), moved_by(pair.second)),
                     run.state.t_s, findings);
        if (!run.progress.rest.at_rest())
            look_at_drive(name, scheme.max_overlap, scheme.h_s, run.state.t_s, pair.drive, findings);
    }
}

std::vector<Wrench> wrenches_at(const BodyModel& model, const State& at)
{
    std::vector<Wrench> wrenches(at.v.size());
    using Part = BodyModel::SpringPart;
    model.spring_wrenches(Part::Springs, at.x, at.R, {}, {}, wrenches);
    model.spring_wrenches(Part::Dampers, at.x, at.R, at.v, at.W, wrenches);
    if (model.setup().forces) model.setup().forces(at, wrenches);
    for (std::size_t i = 0; i < wrenches.size(); ++i) {
        wrenches[i].force_N += model.mass[i] * model.setup().gravity_m_s2;
    }
    return wrenches;
}

Vec3 free_acceleration_at(const BodyModel& model, const State& at, double h_s,
                          std::span<const Wrench> wrenches, int body, const Vec3& arm)
{
    const auto i = static_cast<std::size_t>(body);
    if (model.setup().bodies[i].motion == BodyMotion::Prescribed) {
        const double d = h_s / 4;
        std::array<Vec3, 2> v, W;
        for (const std::size_t k : {0U, 1U}) {
            const double end_s = at.t_s + static_cast<double>(k) * d;
            model.prescribed_velocity(body, model.prescribed_centre(body, end_s - d), end_s, d, v[k], W[k]);
        }
        return (v[1] - v[0] + (at.R[i] * Vec3(W[1] - W[0])).cross(arm)) / d;
    }
    if (model.inverse_mass[i] == 0) return Vec3::Zero();
    const Vec3& W = at.W[i];
    const Vec3 turn = model.inverse_inertia[i] *
                      (at.R[i].conjugate() * wrenches[i].torque_Nm - W.cross(model.inertia[i] * W));
    return model.inverse_mass[i] * wrenches[i].force_N + (at.R[i] * turn).cross(arm);
}

}  // namespace carom::detail
