#include "body_parts.hpp"
#include "core/parallel.hpp"
#include "solver/one_contact.hpp"
#include "statuses.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace carom::detail {
namespace {

/// Contacts and bodies that one thread takes at once.
constexpr std::size_t told_in_block = 512, measured_in_block = 1024;

double size_of(double x, double y)
{
    return std::sqrt(x * x + y * y);
}

/// Friction strictly inside its bound, or next to no sliding.
bool sticks(const BodyStepMemory& s, std::size_t c)
{
    const BodyContact& contact = s.contacts[c];
    const Law& law = s.problem.laws[c];
    double mu = 0;
    if (const auto* coulomb = std::get_if<Coulomb>(&law))
        mu = coulomb->friction;
    else if (const auto* resisting = std::get_if<Resisting>(&law))
        mu = resisting->friction;
    if (size_of(contact.P[1], contact.P[2]) < inside_friction * mu * contact.P[0]) return true;
    double driven2 = 0;
    for (int i = 1; i < std::min(contact.dimension, 3); ++i) {
        const double U_free = s.problem.U_free[static_cast<std::size_t>(s.problem.offsets[c] + i)];
        driven2 += U_free * U_free;
    }
    return size_of(contact.U_plus[1], contact.U_plus[2]) <= next_to_no_sliding * std::sqrt(driven2);
}

/// Sizes of the velocities of the bodies; sums of magnitudes need no roots.
void measure_speeds(const BodyModel& model, BodyStepMemory& s)
{
    if (s.contacts.empty()) return;
    auto& speeds = s.statuses.speeds;
    speeds.resize(static_cast<std::size_t>(model.bodies()));
    for_each_index(speeds.size(), measured_in_block, [&](std::size_t i) {
        speeds[i] = {s.mid.v[i].cwiseAbs().sum(), s.w_before[i].cwiseAbs().sum(),
                     s.next.v[i].cwiseAbs().sum(), s.w_after[i].cwiseAbs().sum()};
    });
}

/// Bound of the speeds that the velocity of a contact is a difference of, before the step or after it.
double largest_speed(const BodyContact& contact, const StatusScratch& w)
{
    const auto& a = w.speeds[static_cast<std::size_t>(contact.first)];
    const auto& b = w.speeds[static_cast<std::size_t>(contact.second)];
    const double arm_a = contact.arm_first.cwiseAbs().sum(), arm_b = contact.arm_second.cwiseAbs().sum();
    return std::max((a[0] + a[1] * arm_a) + (b[0] + b[1] * arm_b),
                    (a[2] + a[3] * arm_a) + (b[2] + b[3] * arm_b));
}

/// Goes through the contacts of a step and those of the step before, both sorted by bodies, and finds for
/// each of the first its own of the second, -1: none. A contact whose feature is new takes the place of one
/// of the same pair that has vanished: faces that slide over each other meet in other corners and edges, and
/// that is no event.
void match(std::span<const BodyContact> contacts, std::span<const KeptContact> kept,
           std::vector<int>& kept_of, std::vector<char>& found)
{
    kept_of.assign(contacts.size(), -1);
    found.assign(kept.size(), 0);
    const auto pair_of = [](const auto& contact) {
        return std::int64_t{contact.first} * (std::int64_t{1} << 32U) + contact.second;
    };
    std::size_t from = 0;
    for (std::size_t c = 0; c < contacts.size();) {
        const auto pair = pair_of(contacts[c]);
        std::size_t end = c;
        while (end < contacts.size() && pair_of(contacts[end]) == pair) {
            ++end;
        }
        while (from < kept.size() && pair_of(kept[from]) < pair) {
            ++from;
        }
        std::size_t to = from;
        while (to < kept.size() && pair_of(kept[to]) == pair) {
            ++to;
        }
        for (std::size_t i = c; i < end; ++i) {
            for (std::size_t k = from; k < to; ++k) {
                if (found[k] || kept[k].feature != contacts[i].at.feature) continue;
                kept_of[i] = static_cast<int>(k);
                found[k] = 1;
                break;
            }
        }
        for (std::size_t i = c; i < end; ++i) {
            if (kept_of[i] >= 0 || !(contacts[i].P[0] > 0)) continue;
            for (std::size_t k = from; k < to && kept_of[i] < 0; ++k) {
                if (found[k] || kept[k].status == 0) continue;
                kept_of[i] = static_cast<int>(k);
                found[k] = 1;
            }
        }
        c = end;
        from = to;
    }
}

/// Velocities that the solver may have left where there are none: what the step would do to the velocities of
/// contacts, times the tolerance that velocities are held to (OS-10).
double left_by_solver_m_s(const SolverSettings& solver, const BodyStepMemory& s)
{
    // several at once: one maximum would wait for the one before
    std::array<double, 4> largest{};
    const std::size_t rows = s.problem.U_free.size();
    const auto see = [&](std::size_t row, std::size_t k) {
        largest[k] = std::max(largest[k], std::abs(s.problem.U_free[row]));
        largest[k] = std::max(largest[k], std::abs(s.problem.U_minus[row]));
    };
    std::size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
        for (std::size_t k = 0; k < 4; ++k)
            see(row + k, k);
    }
    for (; row < rows; ++row)
        see(row, 0);
    return velocity_tolerances * solver.tolerance * *std::ranges::max_element(largest);
}

/// Velocities and percussions of a contact by its slots.
void report_slots(const BodyContact& contact, const BodyContact::Three& start, const double* U_free,
                  std::span<const double> W, ContactStep& step)
{
    for (int i = 0; i < contact.dimension; ++i) {
        const std::size_t slot = contact.slot(i);
        const double freed = i == 0 ? U_free[0] - contact.may_close_m_s : U_free[i];
        if (slot > 2) {
            step.from_free_J += 0.5 * contact.P_of(slot) * (freed - contact.beyond->U_minus[slot - 3]);
            continue;
        }
        step.from_free_J += 0.5 * contact.P[slot] * (freed - contact.U_minus[slot]);
        step.U_minus[slot] = start[slot];
        step.U_free[slot] = freed;
        step.U_plus[slot] = contact.U_plus[slot];
        step.P[slot] = contact.P[slot] + contact.map_P(slot);
        const double W_ii = W[static_cast<std::size_t>(i * contact.dimension + i)];
        if (i > 0) step.W_tangential_1_kg = std::max(step.W_tangential_1_kg, W_ii);
    }
}

/// The same of a contact with friction in space and nothing beyond Coulomb's law.
void report_usual(const BodyContact& contact, const double* U_free, std::span<const double> W,
                  ContactStep& step)
{
    step.U_minus = contact.U_minus;
    step.U_plus = contact.U_plus;
    step.P = contact.P;
    step.U_free = {U_free[0] - contact.may_close_m_s, U_free[1], U_free[2]};
    for (std::size_t i = 0; i < 3; ++i) {
        step.from_free_J += 0.5 * contact.P[i] * (step.U_free[i] - contact.U_minus[i]);
    }
    step.W_tangential_1_kg = std::max(W[4], W[8]);
}

/// What statuses of a step are judged by.
struct Judged {
    double left_m_s = 0;  ///< velocities that the solver may leave
    double h_s = 0, activation_gap_m = 0;
    double overlap_left = 0;  ///< by the correction, beside the size of a pair

    /// A contact that touched, presses nothing and is open by more than what acts in a step closes again, given
    /// forces and other contacts. One of several contacts of a body may be opened by the correction of others.
    [[nodiscard]] bool has_opened(const ContactStep& step, double open_m, double held_Ns) const
    {
        if (step.P[0] > 0) return false;
        const double reach = reach_of_touch_m_s(step.U_free[0], step.U_minus[0], step.W_1_kg, held_Ns) +
                             2 * std::abs(step.U_plus[0] - step.U_minus[0]);
        return open_m - activation_gap_m > h_s * reach;
    }
};

/// What the contact met and did. `before`: it acted or touched in the step before.
void report(const BodyModel& model, const Judged& by, const BodyStepMemory& s, std::size_t c,
            const KeptContact* before, ContactStep& step)
{
    const BodyContact& contact = s.contacts[c];
    const auto& start = model.setup().impact_map ? contact.beyond->U_start : contact.U_minus;
    const auto W = diagonal_of(s.problem, c);
    step = {};
    step.contact = static_cast<int>(c);
    step.dimension = contact.dimension == 1 ? 1 : model.is_flat() ? 2 : 3;
    step.restitution = contact.restitution;
    step.shift_m_s = contact.may_close_m_s;
    step.left_m_s = by.left_m_s;
    step.W_1_kg = W[0];
    const ContactWork work = work_of(contact);
    step.energy_J = work.normal_J;
    step.friction_J = work.friction_J;
    step.from_free_J = step.energy_J + step.friction_J;
    const double* const U_free = s.problem.U_free.data() + s.problem.offsets[c];
    if (contact.dimension == 3 && contact.beyond == nullptr) {
        report_usual(contact, U_free, W, step);
    } else {
        report_slots(contact, start, U_free, W, step);
    }
    // nothing couples friction to the normal velocity of what is round
    const auto* coulomb = s.round ? nullptr : std::get_if<Coulomb>(&s.problem.laws[c]);
    if (coulomb != nullptr) step.sliding_margin = sliding_margin(*coulomb, W);
    step.sticks = sticks(s, c);
    step.rounding_m_s = by.left_m_s + velocity_rounding * largest_speed(contact, s.statuses);
    // the same velocities a step further: what the turning of the bodies made of them
    if (before != nullptr && before->feature == contact.at.feature)
        step.bend_m_s = step.U_minus[0] - before->away_m_s;
    // it touched, and approaches by no more than the forces of a step and those that held it can make
    if (touched(before) && contact.map_P(0) == 0) {
        const double held_Ns = std::abs(contact.at.normal.dot(before->percussion_Ns));
        const double open_m = gap_half_way_m(s, contact.at.gap_m, step.U_minus[0]) -
                              by.overlap_left * model.size_of_pair_m(contact.first, contact.second);
        step.persists = keeps_touching(step, held_Ns) && !by.has_opened(step, open_m, held_Ns);
    } else if (before != nullptr && !before->closed && !model.setup().impact_map) {
        step.persists = contact.restitution == 0 && has_bounced(*before);
    }
}

/// What a contact did in the step before; null: nothing.
const KeptContact* kept_before(const State& state, const StatusScratch& w, std::size_t c)
{
    return w.kept_of[c] >= 0 ? &state.kept[static_cast<std::size_t>(w.kept_of[c])] : nullptr;
}

KeptContact keep(const BodyContact& contact, bool sticks)
{
    const double met = std::abs(contact.U_minus[0]) + std::abs(contact.U_plus[0]);
    const bool usual = contact.beyond == nullptr;
    return {.first = contact.first,
            .second = contact.second,
            .feature = contact.at.feature,
            .percussion_Ns = usual ? Vec3(contact.P[0] * contact.axes[0] + contact.P[1] * contact.axes[1] +
                                          contact.P[2] * contact.axes[2])
                                   : contact.percussion_Ns(),
            .moment_Nms = usual ? Vec3(Vec3::Zero()) : contact.moment_Nms(),
            .closed = contact.U_plus[0] <= velocity_at_rest * met || contact.restitution == 0,
            .sticks = sticks,
            .acted = contact.P[0] > 0,
            .named = contact.at.feature,
            .away_m_s = contact.U_plus[0]};
}

/// By features, without changing the order of equal ones. Pairs have a few contacts, which are put in their
/// places one by one; only surfaces of triangles have more.
void sort_by_features(std::span<KeptContact> pair)
{
    constexpr std::size_t few = 16;
    if (pair.size() > few) {
        std::ranges::stable_sort(pair, {}, &KeptContact::feature);
        return;
    }
    for (auto at = pair.begin(); at != pair.end(); ++at) {
        const auto before =
            std::ranges::upper_bound(pair.begin(), at, at->feature, {}, &KeptContact::feature);
        std::rotate(before, at, std::next(at));
    }
}

void sort_by_bodies(std::vector<KeptContact>& kept)
{
    const auto bodies_before = [](const KeptContact& a, const KeptContact& b) {
        return std::tie(a.first, a.second) < std::tie(b.first, b.second);
    };
    const auto in_order = [](const KeptContact& a, const KeptContact& b) {
        return a.first != b.first     ? a.first < b.first
               : a.second != b.second ? a.second < b.second
                                      : a.feature <= b.feature;
    };
    std::size_t sorted = 1;
    while (sorted < kept.size() && in_order(kept[sorted - 1], kept[sorted])) {
        ++sorted;
    }
    if (sorted >= kept.size()) return;
    if (!std::is_sorted(kept.begin(), kept.end(), bodies_before)) {
        std::stable_sort(kept.begin(), kept.end(), bodies_before);
    }
    // the few of each pair by features
    for (auto first = kept.begin(); first != kept.end();) {
        auto last = first;
        while (++last != kept.end() && !bodies_before(*first, *last)) {
        }
        sort_by_features({first, last});
        first = last;
    }
}

/// A soft contact that was open and still closes at the end of the step, as (BO-9) lets it: the next step
/// ends its impact. A percussion that is no more than what a solver leaves begins none.
bool is_closing(const ContactStep& step, const KeptContact* before)
{
    return !touched(before) && acts(step) && step.shift_m_s > 0 && step.U_minus[0] < 0;
}

/// An impact that took the step before as well is one.
void add_first_part(const KeptContact& before, ContactStep& step)
{
    step.P[0] += before.closing.percussion_Ns;
    step.U_minus[0] = before.closing.velocity_m_s;
    step.energy_J += before.closing.energy_J;
}

/// The status of a contact or stop before the step, and what is kept of it after. `before_Ns`: what it did in
/// the step before. False for one whose impact has not ended: it is kept, and has no status.
bool take_in(const KeptContact* before, double before_Ns, ContactStep& step, KeptContact& kept,
             ContactMemory& status)
{
    status = {};
    if (before != nullptr) {
        kept.named = before->named;
        status = {.closed = before->status, .slides = before->slides, .percussion_Ns = before_Ns};
    }
    const bool closing = is_closing(step, before);
    if (before != nullptr && before->closing.percussion_Ns > 0) {
        add_first_part(*before, step);
        status.percussion_Ns = 0;
        status.collision = true;
    }
    if (closing) {
        kept.closing = {.percussion_Ns = step.P[0],
                        .velocity_m_s = step.U_minus[0],
                        .left_m_s = step.U_plus[0],
                        .energy_J = step.energy_J};
    }
    return !closing;
}

/// What the contacts of the step met and did, of those that act or are known from the step before, and what
/// is kept of them.
void report_contacts(const BodyModel& model, const Judged& by, const State& state, BodyStepMemory& s)
{
    StatusScratch& w = s.statuses;
    w.told.clear();
    for (std::size_t c = 0; c < s.contacts.size(); ++c) {
        const BodyContact& contact = s.contacts[c];
        if (w.kept_of[c] >= 0 || contact.P[0] + contact.map_P(0) > 0) w.told.push_back(static_cast<int>(c));
    }
    w.steps.resize(w.told.size());
    w.kept.resize(w.told.size());
    w.statuses.resize(w.told.size());
    w.ended.resize(w.told.size());
    for_each_index(w.told.size(), told_in_block, [&](std::size_t k) {
        const auto c = static_cast<std::size_t>(w.told[k]);
        const BodyContact& contact = s.contacts[c];
        const KeptContact* before = kept_before(state, w, c);
        const double before_Ns =
            before != nullptr ? std::max(0.0, contact.at.normal.dot(before->percussion_Ns)) : 0;
        report(model, by, s, c, before, w.steps[k]);
        w.kept[k] = keep(contact, w.steps[k].sticks);
        w.ended[k] = take_in(before, before_Ns, w.steps[k], w.kept[k], w.statuses[k]);
        if (before == nullptr || w.steps[k].dimension < 3) return;
        w.statuses[k].friction_Ns = {contact.axes[1].dot(before->percussion_Ns),
                                     contact.axes[2].dot(before->percussion_Ns)};
    });
}

/// Contacts and stops of the step, and what is kept of them.
void collect(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
             const State& state, BodyStepMemory& s)
{
    StatusScratch& w = s.statuses;
    w.place.clear();
    w.closing.clear();
    const Judged by{.left_m_s = left_by_solver_m_s(solver, s),
                    .h_s = settings.time_step_s,
                    .activation_gap_m = settings.activation_gap_m,
                    .overlap_left = harmless(solver)};
    measure_speeds(model, s);
    report_contacts(model, by, state, s);
    std::size_t taken = 0;
    for (std::size_t k = 0; k < w.told.size(); ++k) {
        if (!w.ended[k]) {
            w.closing.push_back(w.steps[k].contact);
            continue;
        }
        if (taken < k) {
            w.steps[taken] = w.steps[k];
            w.statuses[taken] = w.statuses[k];
        }
        w.place.push_back(static_cast<int>(k));
        ++taken;
    }
    w.steps.resize(taken);
    w.statuses.resize(taken);
    for (std::size_t k = 0; k < s.joints.size(); ++k) {
        if (s.joints[k].kind != JointPart::Kind::Stop) continue;
        const int place = kept_actor(state, s.joints[k].actor);
        const KeptContact* before = nullptr;
        if (place >= 0) {
            before = &state.kept[static_cast<std::size_t>(place)];
            w.found[static_cast<std::size_t>(place)] = 1;
        }
        ContactStep step = report_stop(by.left_m_s, k, before, s);
        if (before != nullptr && step.persists &&
            by.has_opened(step, gap_half_way_m(s, s.joints[k].value, step.U_minus[0]),
                          before->percussion_Ns.x()))
            step.persists = false;
        if (before == nullptr && !(step.P[0] > 0)) continue;
        const double before_Ns = before != nullptr ? before->percussion_Ns.x() : 0;
        ContactMemory status;
        KeptContact kept = keep_stop(s.joints[k], step);
        const bool ended = take_in(before, before_Ns, step, kept, status);
        w.kept.push_back(kept);
        if (!ended) {
            w.closing.push_back(step.contact);
            continue;
        }
        w.place.push_back(static_cast<int>(w.kept.size()) - 1);
        w.statuses.push_back(status);
        w.steps.push_back(step);
    }
}

/// The bodies that a contact or a stop pushes.
std::array<int, 2> bodies_of(const BodyModel& model, const BodyStepMemory& s, int interaction)
{
    const auto c = static_cast<std::size_t>(interaction);
    if (c < s.contacts.size()) return {s.contacts[c].first, s.contacts[c].second};
    const auto joint = static_cast<std::size_t>(s.joints[c - s.contacts.size()].joint);
    return {model.setup().joints[joint].first, model.setup().joints[joint].second};
}

/// Bodies that joints hold together take part in the same collisions.
void tie_joined(const BodyModel& model, BodyIslands& islands)
{
    const auto tie = [&](int a, int b) {
        if (a >= 0 && b >= 0 && model.inverse_mass[a] > 0 && model.inverse_mass[b] > 0) islands.join(a, b);
    };
    const auto& joints = model.setup().joints;
    for (const Joint& joint : joints) {
        if (joint.kind != JointKind::Gear) {
            if (joint.kind != JointKind::String) tie(joint.first, joint.second);
            continue;
        }
        const Joint& one = joints[static_cast<std::size_t>(joint.first_joint)];
        const Joint& other = joints[static_cast<std::size_t>(joint.second_joint)];
        tie(model.inverse_mass[one.first] > 0 ? one.first : one.second,
            model.inverse_mass[other.first] > 0 ? other.first : other.second);
    }
}

/// Bodies are tied to each other by contacts that act.
void tie_islands(const BodyModel& model, BodyStepMemory& s)
{
    StatusScratch& w = s.statuses;
    w.tied = true;
    const auto tie = [&](int c) {
        const auto [a, b] = bodies_of(model, s, c);
        if (b >= 0 && model.inverse_mass[a] > 0 && model.inverse_mass[b] > 0) w.islands.join(a, b);
    };
    w.islands.clear(model.bodies());
    tie_joined(model, w.islands);
    for (const ContactStep& step : w.steps) {
        if (step.P[0] > 0) tie(step.contact);
    }
    for (const int c : w.closing) {
        tie(c);
    }
}

/// Who takes part in a collision: those that are tied to it. Where it has only begun, the next step ends it
/// for those that touched as well.
void find_collisions(const BodyModel& model, BodyStepMemory& s)
{
    constexpr char begins = 1, ends = 2;
    StatusScratch& w = s.statuses;
    w.tied = false;
    w.struck.assign(static_cast<std::size_t>(model.bodies()), 0);
    bool any = !w.closing.empty();
    for (const int c : w.closing) {
        w.struck[island_of(model, c, s)] = begins;
    }
    for (std::size_t k = 0; k < w.steps.size(); ++k) {
        if (w.steps[k].persists || !collides(w.steps[k], true, w.statuses[k].closed != 0)) continue;
        w.struck[island_of(model, w.steps[k].contact, s)] = ends;
        any = true;
    }
    if (!any) return;
    // of every body: the lowest one of its island comes before it, or is itself
    for (int i = 0; i < model.bodies(); ++i)
        w.struck[i] = w.struck[w.islands.root(i)];
    for (std::size_t k = 0; k < w.steps.size(); ++k) {
        const ContactStep& step = w.steps[k];
        ContactMemory& status = w.statuses[k];
        const auto [a, b] = bodies_of(model, s, step.contact);
        const char struck = w.struck[model.inverse_mass[a] > 0 ? a : b];
        if (struck == ends) status.collision = true;
        if (struck != begins || status.collision || status.closed == 0 || !is_struck(step, status)) continue;
        // its work is that of a contact that persists, and stands there
        w.kept[static_cast<std::size_t>(w.place[k])].closing = {
            .percussion_Ns = step.P[0], .velocity_m_s = step.U_minus[0], .left_m_s = step.U_plus[0]};
    }
}

/// Contacts of the step before that this one has not found.
void tell_vanished(int stops, std::span<const KeptContact> kept, std::span<const char> found, double time_s,
                   std::vector<Event>& events)
{
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const KeptContact& gone = kept[k];
        const bool closing = gone.closing.percussion_Ns > 0;
        if (found[k] || (gone.status == 0 && !closing)) continue;
        const int actor = gone.first < 0 ? -1 - gone.first : -1;
        if (actor >= stops) continue;  // motors and friction do not vanish
        Event event = event_of_vanished(-1, time_s);
        event.feature = static_cast<std::uint64_t>(actor);
        if (actor < 0) {
            event.first = gone.first;
            event.second = gone.second;
            event.feature = gone.named;
        }
        if (closing) {
            event.kind = EventKind::Impact;
            event.percussion_Ns = gone.closing.percussion_Ns;
            event.velocity_before_m_s = gone.closing.velocity_m_s;
            event.velocity_after_m_s = gone.closing.left_m_s;
            event.energy_J = gone.closing.energy_J;
            events.push_back(event);
        }
        if (gone.status == 0) continue;
        event.kind = EventKind::ContactLost;
        event.percussion_Ns = event.velocity_before_m_s = event.velocity_after_m_s = event.energy_J = 0;
        events.push_back(event);
    }
}

}  // namespace

int island_of(const BodyModel& model, int interaction, BodyStepMemory& s)
{
    if (!s.statuses.tied) tie_islands(model, s);
    const auto [a, b] = bodies_of(model, s, interaction);
    return s.statuses.islands.root(model.inverse_mass[a] > 0 ? a : b);
}

ContactWork work_beyond_coulomb(const BodyContact& contact)
{
    ContactWork work;
    const BeyondCoulomb* const beyond = contact.beyond;
    for (std::size_t i = 0; i < 3; ++i) {
        const double P = i == 0 ? contact.P[0] - contact.cohesion_Ns() : contact.P[i];
        double& to = i == 0 ? work.normal_J : work.friction_J;
        to += P * 0.5 * (contact.U_minus[i] + contact.U_plus[i]);
        to += beyond->map_P[i] * 0.5 * (beyond->U_start[i] + contact.U_minus[i]);
    }
    for (std::size_t i = 0; i < 3 && contact.rolls(); ++i) {
        work.friction_J += beyond->P[i] * 0.5 * (beyond->U_minus[i] + beyond->U_plus[i]);
        work.friction_J += beyond->turning_map_P[i] * 0.5 * (beyond->turning_U_start[i] + beyond->U_minus[i]);
    }
    return work;
}

void find_touching(const BodyModel& model, double activation_gap_m, State& state)
{
    for (const BodyContact& contact : body_contacts(model, state, activation_gap_m)) {
        state.kept.push_back({.first = contact.first,
                              .second = contact.second,
                              .feature = contact.at.feature,
                              .closed = true,
                              .acted = false,
                              .named = contact.at.feature});
    }
    find_touching_stops(model, activation_gap_m, state);
    sort_by_bodies(state.kept);
}

void update_statuses(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                     State& state, BodyStepMemory& s, StepReport& report)
{
    StatusScratch& w = s.statuses;
    const double h_s = settings.time_step_s;
    const double start_s = state.t_s, middle_s = state.t_s + h_s / 2;
    match(s.contacts, state.kept, w.kept_of, w.found);
    collect(model, settings, solver, state, s);
    find_collisions(model, s);
    look_at_friction(model, h_s, start_s + h_s, s, report.findings);
    s.events.clear();
    const double held_J = update_statuses(w.steps, true, middle_s, w.statuses, s.events);
    report.energy.friction_J -= held_J;
    report.energy.correction_J += held_J;

    // events tell of contacts by their bodies; an impact that began in the step before ended with it
    w.place_of.assign(s.contacts.size() + s.joints.size(), -1);
    for (std::size_t k = 0; k < w.steps.size(); ++k) {
        w.place_of[static_cast<std::size_t>(w.steps[k].contact)] = w.place[k];
    }
    for (Event& event : s.events) {
        const auto c = static_cast<std::size_t>(std::exchange(event.contact, -1));
        int before = -1;
        if (c < s.contacts.size()) {
            event.first = s.contacts[c].first;
            event.second = s.contacts[c].second;
            event.feature = w.kept[static_cast<std::size_t>(w.place_of[c])].named;
            before = w.kept_of[c];
        } else {
            const int actor = s.joints[c - s.contacts.size()].actor;
            event.feature = static_cast<std::uint64_t>(actor);
            before = kept_actor(state, actor);
        }
        if (before >= 0 && state.kept[static_cast<std::size_t>(before)].closing.percussion_Ns > 0)
            event.time_s = start_s;
    }
    tell_vanished(model.stops, state.kept, w.found, middle_s, s.events);
    tell_drives(middle_s, state, s, report.energy);
    if (!std::ranges::is_sorted(s.events, {}, &Event::time_s))
        std::ranges::stable_sort(s.events, {}, &Event::time_s);

    // what the next step must know
    for (std::size_t k = 0; k < w.steps.size(); ++k) {
        KeptContact& kept = w.kept[static_cast<std::size_t>(w.place[k])];
        kept.status = w.statuses[k].closed;
        kept.slides = w.statuses[k].slides;
    }
    std::erase_if(w.kept, [](const KeptContact& kept) { return !kept.acted && kept.status == 0; });
    state.kept.swap(w.kept);
    sort_by_bodies(state.kept);
}

}  // namespace carom::detail
