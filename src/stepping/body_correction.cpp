#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "core/parallel.hpp"
#include "onestep/factored_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

namespace carom::detail {
namespace {

/// Linearised corrections of one step: the second one removes what turning left of the first. Joints take as
/// many as Newton's method needs for all digits.
constexpr int max_passes = 3;
constexpr int max_passes_of_joints = 12;

/// Up to so many contacts are corrected exactly; more of them by sweeps, once, and exactly where sweeps have
/// left too much so often.
constexpr std::size_t max_exact = 200;
constexpr std::size_t max_exact_at_last = 3000;
constexpr int max_passes_of_sweeps = 3;

/// What is still deeper than is asked for goes on, with the contacts found again.
constexpr int max_passes_at_all = 20;

/// Pairs and bodies that one thread takes at once.
constexpr std::size_t looked_in_block = 64, displaced_in_block = 512;

using Pair = std::array<int, 2>;

/// The contacts of a pair that the step had, from the place `from` on, which becomes that behind them. They
/// are sorted by bodies, as pairs are.
std::span<const BodyContact> contacts_of(const BodyStepMemory& s, const Pair& pair, std::size_t& from)
{
    const auto& all = s.contacts;
    const auto [a, b] = pair;
    while (from < all.size() && (all[from].first < a || (all[from].first == a && all[from].second < b))) {
        ++from;
    }
    const std::size_t begin = from;
    while (from < all.size() && all[from].first == a && all[from].second == b) {
        ++from;
    }
    return {all.data() + begin, from - begin};
}

/// Where the contacts of a pair begin, or would.
std::size_t first_contact(const BodyStepMemory& s, const Pair& pair)
{
    const auto found = std::ranges::lower_bound(
        s.contacts, pair, {}, [](const BodyContact& contact) { return Pair{contact.first, contact.second}; });
    return static_cast<std::size_t>(found - s.contacts.begin());
}

/// A pair that leaves by restitution is not lifted.
bool leaves(std::span<const BodyContact> contacts)
{
    return std::ranges::any_of(contacts, leaves_by_restitution);
}

/// Points of fast contacts at the end of the step, along the normals with which they touched first, where
/// one of them is so deep that the shapes may show the far side. Whether there are any.
bool still_fast(const BodyModel& model, std::span<const BodyContact> contacts, const BodyStepMemory& s,
                std::vector<ContactPoint>& points)
{
    if (contacts.empty() || !is_fast_contact(contacts.front())) return false;
    double smallest = 0;
    for (const BodyContact& contact : contacts) {
        // how the points where they touched have moved since the contacts were found
        const auto moved = [&](int body, const Vec3& arm) -> Vec3 {
            return s.next.x[body] - s.mid.x[body] + s.next.R[body] * (s.mid.R[body].conjugate() * arm) - arm;
        };
        const Vec3 by_a = moved(contact.first, contact.arm_first);
        const Vec3 by_b = moved(contact.second, contact.arm_second);
        const double gap = contact.at.gap_m + contact.at.normal.dot(by_a - by_b);
        smallest = std::min(smallest, gap);
        const bool first = model.inverse_mass[contact.first] > 0;
        const int body = first ? contact.first : contact.second;
        const Vec3& arm = first ? contact.arm_first : contact.arm_second;
        points.push_back({.point_m = s.mid.x[body] + arm + (first ? by_a : by_b),
                          .normal = contact.at.normal,
                          .gap_m = gap,
                          .feature = contact.at.feature});
    }
    const Pair pair{contacts.front().first, contacts.front().second};
    if (smallest < -0.25 * model.size_of_pair_m(pair[0], pair[1])) return true;
    points.clear();
    return false;
}

/// How a body has moved since the contacts were found.
BodyDisplacement displacement_of(int body, const BodyStepMemory& s)
{
    const Rotation turn = s.next.R[body] * s.mid.R[body].conjugate();
    const Vec3 turned = 2 * turn.w() * turn.vec();
    return {.by = s.next.x[body] - s.mid.x[body], .turned = turned, .angle = turned.norm()};
}

/// The points of a pair as its bodies have carried them, in the place of those that its shapes would show
/// (BO-34). `error_m`: how far the gaps may be off; false where that is more than `allowed_m`, or where they
/// overlap by more than is left alone.
bool carry_points(const BodyModel& model, std::span<const BodyContact> contacts, double reach_m,
                  double allowed_m, const BodyStepMemory& s, std::vector<ContactPoint>& points,
                  double& error_m)
{
    // contacts that were looked for at the end of the step are not those of s.mid any more
    if (contacts.empty() || is_fast_contact(contacts.front()) || s.ahead_s != 0) return false;
    const int a = contacts.front().first, b = contacts.front().second;
    const BodyDisplacement &first = s.displaced[static_cast<std::size_t>(a)],
                           &second = s.displaced[static_cast<std::size_t>(b)];
    const double size_m = model.size_of_pair_m(a, b), turns = first.angle + second.angle;
    error_m = 0;
    for (const BodyContact& contact : contacts) {
        const Vec3 on_a = first.of(contact.arm_first), on_b = second.of(contact.arm_second);
        const Vec3 apart = on_a - on_b;
        // normals turn with the bodies, and on curved surfaces with what slides; arms turn
        const double slid_m = apart.norm();
        error_m = std::max(error_m, slid_m * (turns + slid_m / size_m) +
                                        first.angle * first.angle * contact.arm_first.norm() +
                                        second.angle * second.angle * contact.arm_second.norm());
        const double gap_m = contact.at.gap_m + contact.at.normal.dot(apart);
        // what is deeper than what is left alone is corrected and judged: by its shapes
        if (!(error_m <= allowed_m && allowed_m - gap_m <= allowed_m / carried_part_of_overlap)) {
            points.clear();
            return false;
        }
        if (gap_m > reach_m) continue;
        points.push_back({.point_m = contact.at.point_m + 0.5 * (on_a + on_b),
                          .normal = contact.at.normal,
                          .gap_m = gap_m,
                          .feature = contact.at.feature});
    }
    return true;
}

/// The pairs that the step had in view.
void take_pairs_of_contacts(BodyStepMemory& s)
{
    s.correction_pairs.clear();
    for (const BodyContact& contact : s.contacts) {
        const Pair pair{contact.first, contact.second};
        if (s.correction_pairs.empty() || s.correction_pairs.back() != pair) {
            s.correction_pairs.push_back(pair);
        }
    }
}

/// All pairs that can touch where the bodies have been moved to, and once more have been moved by what
/// `unforeseen` allows: those that wait until they have closed are left to the next step unless this one saw
/// them.
void find_pairs_again(const BodyModel& model, double reach_m, BodyStepMemory& s)
{
    take_pairs_of_contacts(s);
    const std::size_t seen = s.correction_pairs.size();
    s.boxes.resize(static_cast<std::size_t>(model.bodies()));
    for (int i = 0; i < model.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (!model.collides[k]) {
            // nowhere: overlaps nothing
            s.boxes[k] = {.low = Vec3::Constant(1), .high = Vec3::Constant(-1), .moves = false};
            continue;
        }
        const bool moves = model.inverse_mass[k] > 0;
        const double slack_m = moves ? unforeseen * model.colliders[k].radius_m : 0.0;
        const Vec3 grown = Vec3::Constant(reach_m + slack_m);
        s.boxes[k] = {.low = s.placed[k].low - grown, .high = s.placed[k].high + grown, .moves = moves};
    }
    s.broad_phase.find_pairs(s.boxes, s.found_pairs);
    for (const auto& [a, b] : s.found_pairs) {
        const bool waits = model.surface(a, b).restitution > 0 || model.setup().impact_map;
        if (!waits && model.may_meet(a, b)) s.correction_pairs.push_back({a, b});
    }
    std::inplace_merge(s.correction_pairs.begin(),
                       s.correction_pairs.begin() + static_cast<std::ptrdiff_t>(seen),
                       s.correction_pairs.end());
    s.correction_pairs.erase(std::unique(s.correction_pairs.begin(), s.correction_pairs.end()),
                             s.correction_pairs.end());
}

/// Bodies of some pairs are placed where they are at the end of the step, unless they have been.
void place_pair(const BodyModel& model, const Pair& pair, BodyStepMemory& s)
{
    for (const int body : pair) {
        const auto k = static_cast<std::size_t>(body);
        if (s.is_placed[k] || !model.collides[k]) continue;
        s.is_placed[k] = 1;
        place(model.colliders[k], {.position_m = s.next.x[k], .rotation = s.next.R[k]}, s.placed[k]);
    }
}

/// Contact points at the end of the step of the pairs from `begin` to `end`.
void overlaps_of(const BodyModel& model, double reach_m, double allowed_m, std::size_t begin, std::size_t end,
                 const BodyStepMemory& s, std::vector<Overlap>& overlaps)
{
    thread_local std::vector<ContactPoint> points;
    std::size_t from = first_contact(s, s.correction_pairs[begin]);
    for (std::size_t k = begin; k < end; ++k) {
        const Pair& pair = s.correction_pairs[k];
        points.clear();
        const auto contacts = contacts_of(s, pair, from);
        double error_m = 0;
        if (!s.needs_shapes[k]) {
            carry_points(model, contacts, reach_m, allowed_m, s, points, error_m);
        } else if (!still_fast(model, contacts, s, points)) {
            find_contact_points(s.placed[pair[0]], s.placed[pair[1]], reach_m, points);
        }
        if (points.empty()) continue;
        // a fast one is lifted: it would be lost
        const bool left = leaves(contacts) && !is_fast_contact(contacts.front());
        for (const ContactPoint& point : points) {
            overlaps.push_back({{pair[0], pair[1], point}, error_m, left});
        }
    }
}

/// Pairs whose shapes must be looked at, and their bodies placed: all, or those whose points are not carried
/// well enough; of the pairs that this rank looks at.
void find_shapes_needed(const BodyModel& model, double reach_m, double allowed_m, BodyStepMemory& s)
{
    const auto [first, last] = own_part(s.correction_pairs.size(), looked_in_block);
    s.needs_shapes.assign(s.correction_pairs.size(), 1);
    if (allowed_m > 0) {
        s.displaced.resize(static_cast<std::size_t>(model.bodies()));
        for_each_index(s.displaced.size(), displaced_in_block,
                       [&](std::size_t i) { s.displaced[i] = displacement_of(static_cast<int>(i), s); });
        for_blocks(last - first, looked_in_block, [&](std::size_t begin, std::size_t end, std::size_t) {
            thread_local std::vector<ContactPoint> points;
            std::size_t from = first_contact(s, s.correction_pairs[first + begin]);
            for (std::size_t k = first + begin; k < first + end; ++k) {
                points.clear();
                double error_m = 0;
                const auto contacts = contacts_of(s, s.correction_pairs[k], from);
                s.needs_shapes[k] = !carry_points(model, contacts, reach_m, allowed_m, s, points, error_m);
            }
        });
    }
    s.placed.resize(static_cast<std::size_t>(model.bodies()));
    for (std::size_t k = first; k < last; ++k) {
        if (s.needs_shapes[k]) place_pair(model, s.correction_pairs[k], s);
    }
}

/// Contact points at the end of the step of the pairs to look at, and the deepest overlap of all. Points
/// whose gaps are off by at most `allowed_m` are those of the step, carried.
void overlaps_at_end(const BodyModel& model, double reach_m, double allowed_m, BodyStepMemory& s)
{
    s.found_overlaps.clear();
    s.overlaps.clear();
    s.deepest = s.deepest_left = {};
    const std::size_t count = s.correction_pairs.size();
    if (count == 0) return;
    find_shapes_needed(model, reach_m, allowed_m, s);
    append_shared_blocks(count, looked_in_block, s.found_overlaps,
                         [&](std::size_t begin, std::size_t end, std::vector<Overlap>& overlaps) {
                             overlaps_of(model, reach_m, allowed_m, begin, end, s, overlaps);
                         });
    s.overlaps.resize(s.found_overlaps.size());
    for_each_index(s.overlaps.size(), looked_in_block, [&](std::size_t c) {
        const auto& [meeting, error_m, leaves] = s.found_overlaps[c];
        BodyContact& contact = *std::construct_at(&s.overlaps[c]);
        contact.first = meeting.first;
        contact.second = meeting.second;
        contact.at = meeting.at;
        contact.dimension = 1;
        if (leaves) contact.at.gap_m = std::max(0.0, meeting.at.gap_m);
    });
    for (const auto& [meeting, error_m, leaves] : s.found_overlaps) {
        const auto& [a, b, at] = meeting;
        const double size_m = model.size_of_pair_m(a, b);
        s.deepest.see(a, b, error_m - at.gap_m, size_m);
        s.deepest_left.see(a, b, leaves ? -std::max(0.0, at.gap_m) : error_m - at.gap_m, size_m);
    }
}

/// The displacement of a body since the contacts were found is small: at most a part `still` of its size, of
/// which the square is rounding.
bool is_still(const BodyModel& model, const BodyDisplacement& moved)
{
    return moved.by.norm() <= still * model.length_m() && moved.angle <= still;
}

/// The deepest overlap at the end of a step in which nothing that touches moves: the gaps that were found,
/// and how far the points have moved along the normals; empty: something moves, and shapes must be looked at.
std::optional<double> overlap_at_rest(const BodyModel& model, BodyStepMemory& s)
{
    // a body has many contacts: it is looked at once, if it has any
    s.is_placed.assign(static_cast<std::size_t>(model.bodies()), 0);
    s.displaced.resize(s.is_placed.size());
    const auto stays = [&](int body) {
        const auto k = static_cast<std::size_t>(body);
        if (s.is_placed[k]) return true;
        s.is_placed[k] = 1;
        s.displaced[k] = displacement_of(body, s);
        return is_still(model, s.displaced[k]);
    };
    double deepest = 0;
    for (const BodyContact& contact : s.contacts) {
        if (!stays(contact.first) || !stays(contact.second)) return {};
        const Vec3 apart = s.displaced[static_cast<std::size_t>(contact.first)].of(contact.arm_first) -
                           s.displaced[static_cast<std::size_t>(contact.second)].of(contact.arm_second);
        deepest = std::max(deepest, -contact.at.gap_m - contact.axes[0].dot(apart));
    }
    return deepest;
}

void place_at_end(const BodyModel& model, BodyStepMemory& s)
{
    s.placed.resize(static_cast<std::size_t>(model.bodies()));
    for (int i = 0; i < model.bodies(); ++i) {
        if (!model.collides[i]) continue;
        place(model.colliders[i], {.position_m = s.next.x[i], .rotation = s.next.R[i]}, s.placed[i]);
    }
}

/// The pairs that the step looked at.
void gather_pairs(const BodyModel& model, BodyStepMemory& s)
{
    if (!s.round) return;  // are there
    s.pairs.clear();
    for (int i = 0; i < model.bodies(); ++i) {
        if (s.ball_radii[i] < 0) continue;
        for (const int j : s.balls.of(i)) {
            s.pairs.push_back({i, j});
        }
        for (const int plane : s.planes) {
            s.pairs.push_back({std::min(i, plane), std::max(i, plane)});
        }
    }
}

/// Overlap of pairs that act when they have closed, and closed in the second half of the step: the next one
/// strikes them. It is told and not corrected.
void look_at_overlap_to_come(const BodyModel& model, BodyStepMemory& s)
{
    if (model.is_soft()) return;
    place_at_end(model, s);
    gather_pairs(model, s);
    for (const auto& [a, b] : s.pairs) {
        const bool waits = model.surface(a, b).restitution > 0 || model.setup().impact_map;
        if (!waits || !model.may_meet(a, b)) continue;
        s.points.clear();
        find_contact_points(s.placed[a], s.placed[b], 0, s.points);
        for (const ContactPoint& point : s.points) {
            s.deepest.see(a, b, -point.gap_m, model.size_of_pair_m(a, b));
        }
    }
}

/// Stops that bounce leave their overlap by themselves, as contacts do: moved out of it, the next step would
/// find them open, and they would never come to rest. Those that have closed since the step looked at them
/// have not acted yet: the next step does that.
void leave_bounces(BodyStepMemory& s)
{
    for (JointPart& violation : s.violations) {
        if (violation.kind != JointPart::Kind::Stop || violation.restitution == 0 || !(violation.value < 0))
            continue;
        bool holds = false;
        for (std::size_t k = 0; k < s.joints.size(); ++k) {
            if (s.joints[k].actor != violation.actor) continue;
            const auto row = static_cast<std::size_t>(s.problem.offsets[s.contacts.size() + k]);
            const bool bounces = s.joint_U_plus[row] > velocity_at_rest * std::abs(s.problem.U_minus[row]);
            holds = s.joints[k].restitution == 0 || (s.P[row] > 0 && !bounces);
        }
        if (!holds) violation.value = 0;
    }
}

/// Angles of the joints at the end of the step.
void count_turns_at_end(const BodyModel& model, BodyStepMemory& s)
{
    for (std::size_t j = 0; j < s.next.turns.size(); ++j) {
        const int joint = static_cast<int>(j);
        if (turns(model.setup().joints[j].kind)) {
            s.next.turns[j] = with_turns(s.mid.turns[j], model.joint_angle(joint, s.next.x, s.next.R));
        }
    }
}

/// Rows of stops and gears are where the angles say.
bool rows_need_turns(const BodyModel& model)
{
    const auto is_gear = [](const Joint& joint) { return joint.kind == JointKind::Gear; };
    return model.stops > 0 || std::ranges::any_of(model.setup().joints, is_gear);
}

/// The joints at the end of the step, with their rows; returns their largest violation.
double violations_at_end(const BodyModel& model, BodyStepMemory& s)
{
    s.violations.clear();
    s.correction_rows.clear();
    s.rows_are_at_end = true;
    if (model.setup().joints.empty() && !s.formulas) return 0;
    if (s.formulas || rows_need_turns(model)) count_turns_at_end(model, s);
    add_joint_rows(model, {.x = s.next.x, .R = s.next.R, .turns = s.next.turns, .drives = false},
                   s.correction_rows, s.violations);
    leave_bounces(s);
    double worst = 0;
    for (const JointPart& part : s.violations) {
        const double violation = part.kind == JointPart::Kind::Held ? std::abs(part.value) : -part.value;
        if (!(violation <= worst)) worst = violation;  // NaN is not lost
    }
    if (s.formulas) {
        const double of_formulas = s.formulas->add_violations(false, s, s.deepest.depth_m);
        if (!(of_formulas <= worst)) worst = of_formulas;
    }
    return worst;
}

/// Percussions that make the linearised gaps non-negative and close the joints, exactly.
void press_exactly(const BodyModel& model, BodyStepMemory& s)
{
    OneStepProblem& problem = s.correction;
    problem.laws.clear();
    problem.U_free.clear();
    for (const JointPart& part : s.violations) {
        if (part.kind == JointPart::Kind::Held)
            problem.laws.emplace_back(Bilateral{});
        else
            problem.laws.emplace_back(Unilateral{});
        problem.U_free.push_back(part.value);
    }
    for (const BodyContact& contact : s.overlaps) {
        problem.laws.emplace_back(Unilateral{});
        problem.U_free.push_back(contact.at.gap_m);
    }
    problem.offsets.resize(problem.laws.size() + 1);
    std::iota(problem.offsets.begin(), problem.offsets.end(), 0);
    problem.U_minus.assign(problem.laws.size(), 0.0);
    s.correction_rows.set_inertia(s.inverse_inertia);
    problem.factors.clear();
    assemble_from_rows(s.correction_rows, model.inverse_mass, s.contacts_of, problem);
    s.correction_P.assign(problem.laws.size(), 0.0);
    if (solve(problem, {}, s.correction_P, s.solver).status == SolveStatus::NotFinite) {
        s.correction_P.assign(problem.laws.size(), 0.0);
    }
}

/// Displacements in s.correction_v, correction_w by percussions of all rows: exactly, or by sweeps.
void press_all(const BodyModel& model, bool exactly, bool quickly, BodyStepMemory& s)
{
    for (int i = 0; i < model.bodies(); ++i) {
        const Mat3 R = s.next.R[i].toRotationMatrix();
        s.inverse_inertia[i] = R * model.inverse_inertia[i] * R.transpose();
    }
    if (exactly) {
        press_exactly(model, s);
    } else if (!s.violations.empty()) {
        if (!press_with_joints(model, correction_budget, s)) press_exactly(model, s);
    } else {
        if (quickly) {
            press_quickly(model, correction_budget, s);
        } else {
            press_by_sweeps(model, correction_budget, s);
        }
        s.correction_rows.set_inertia(s.inverse_inertia);
    }
    const auto n = model.inverse_mass.size();
    s.correction_v.assign(n, Vec3::Zero());
    s.correction_w.assign(n, Vec3::Zero());
    for (int row = 0; row < s.correction_rows.size(); ++row) {
        s.correction_rows.apply(model.inverse_mass, row, s.correction_P[static_cast<std::size_t>(row)],
                                s.correction_v, s.correction_w);
    }
}

/// The least displacement in the kinetic metric that makes the linearised gaps non-negative (MS-5). Returns
/// the largest one, beside the size of the body. `anew`: not by the factor of the step; `by_old`: whether it
/// was by that.
double move_apart(const BodyModel& model, bool exactly, bool quickly, bool anew, double left_alone_m,
                  bool& by_old, BodyStepMemory& s)
{
    for (BodyContact& contact : s.overlaps) {
        set_frame(s.next.x, contact);
        add_contact_rows(contact, s.correction_rows);
    }
    s.rows_are_at_end = false;
    const bool by_factor = press_joints(model, anew, left_alone_m, s);
    by_old = by_factor && !s.held_at_end;
    if (!by_factor) press_all(model, exactly, quickly, s);
    double farthest = 0;
    for (int i = 0; i < model.bodies(); ++i) {
        const Vec3& moved = s.correction_v[static_cast<std::size_t>(i)];
        const Vec3& turn = s.correction_w[static_cast<std::size_t>(i)];
        if (model.inverse_mass[i] == 0) continue;
        const double size = model.collides[i] ? model.colliders[i].radius_m : model.length_m();
        farthest = std::max(farthest, moved.norm() / size + turn.norm());
        s.next.x[i] += moved;
        if (turn != Vec3::Zero()) s.next.R[i] = turned(s.next.R[i], s.next.R[i].conjugate() * turn);
    }
    if (s.formulas) s.formulas->move(s.correction_v, s.next);
    return farthest;
}

/// The overlap that is left, and a finding where it is more than the run may have.
void report_overlap(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                    const BodyStepMemory& s, StepReport& report)
{
    report.max_penetration_m = s.deepest.depth_m;
    const auto name = [&](int body) { return model.setup().bodies[static_cast<std::size_t>(body)].name; };
    // of the pair that is named: depth_m may be that of thicker ones
    const auto depth = [&](const DeepestOverlap& of) {
        return of.part * model.size_of_pair_m(of.first, of.second);
    };
    if (s.deepest.part > settings.max_overlap) {
        report.findings.push_back(
            {.code = "overlap",
             .time_s = s.next.t_s,
             .message = fmt::format("{} and {} overlap by {:.3g} m, {:.2g} of the thinner one's thickness; "
                                    "max_overlap is {:.2g}: take a shorter step",
                                    name(s.deepest.first), name(s.deepest.second), depth(s.deepest),
                                    s.deepest.part, settings.max_overlap),
             .uncertifies = true});
    } else if (settings.correction && s.deepest_left.part > std::max(solver.tolerance, overlap_left)) {
        report.findings.push_back(
            {.code = "overlap_left",
             .time_s = s.next.t_s,
             .message = fmt::format("the correction leaves {} and {} overlapping by {:.3g} m, {:.2g} of the "
                                    "thinner one's thickness: take a shorter step",
                                    name(s.deepest_left.first), name(s.deepest_left.second),
                                    depth(s.deepest_left), s.deepest_left.part),
             .uncertifies = true});
    }
}

/// Moves what overlaps apart and joints together, again and again (BO-10).
void correct(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
             BodyStepMemory& s, StepReport& report)
{
    const bool joined = !model.setup().joints.empty() || s.formulas;
    const bool many = s.contacts.size() > max_exact && !s.formulas;
    const double tolerance =
        std::max(settings.activation_gap_m, (many ? harmless(solver) : place_rounding) * model.length_m());
    if (const auto overlap = overlap_at_rest(model, s); !joined && overlap && *overlap <= tolerance) {
        s.deepest.depth_m = *overlap;
        return;
    }
    const double joint_tolerance = violation_left * settings.activation_gap_m;
    const int passes_of_joints = joined ? max_passes_of_joints : 0;
    const int passes = many ? 1 : max_passes;
    double last_violation = std::numeric_limits<double>::infinity(), last_part = last_violation;
    bool by_old = false;   // the last pass was by the factor of the midpoint
    bool of_both = false;  // it moved many contacts and joints together
    int passes_alone = 0;  // of joints, whatever they do to contacts that are left alone
    double reach = looked_at * model.length_m();
    // how far bodies have been moved since the pairs were found, and how far apart these were looked for
    double moved = 0, found_within = std::numeric_limits<double>::infinity();
    take_pairs_of_contacts(s);
    for (int pass = 0;; ++pass) {
        const bool again = moved > unforeseen || reach > found_within;
        s.is_placed.assign(static_cast<std::size_t>(model.bodies()), 0);
        if (again) {
            place_at_end(model, s);
            s.is_placed.assign(s.is_placed.size(), 1);
            find_pairs_again(model, reach, s);
            moved = 0;
            found_within = reach;
        }
        overlaps_at_end(model, reach, many ? carried_part_of_overlap * tolerance : 0.0, s);
        const double worst = s.deepest_left.depth_m, part = s.deepest_left.part;
        const double violation = report.max_violation = violations_at_end(model, s);
        if (!settings.correction) return;

        // a few passes for all digits, more for what the tolerance does not allow, while they help
        const bool fine = worst > tolerance && pass < passes;
        const bool coarse = worst > tolerance && part > std::max(solver.tolerance, harmless_overlap) &&
                            pass < max_passes_at_all &&
                            (pass < 2 * max_passes_of_sweeps || part <= 0.9 * last_part);
        // a factor of another place that would take many passes, or does not lead there, is made anew
        const bool anew =
            pass == 0 ? violation > far_apart * joint_tolerance : violation > 0.1 * last_violation;
        const bool helps = violation <= 0.5 * last_violation || by_old || of_both;
        const bool apart =
            violation > joint_tolerance && helps && (many ? passes_alone : pass) < passes_of_joints;
        if (!(fine || coarse || apart)) return;
        const bool alone = many && !fine && !coarse;
        of_both = many && !alone;
        passes_alone += alone ? 1 : 0;
        last_violation = violation;
        last_part = part;
        reach = std::max(looked_at * model.length_m(), 2 * worst);
        const std::size_t largest = pass < max_passes_of_sweeps ? max_exact : max_exact_at_last;
        moved += move_apart(model, s.overlaps.size() <= largest, is_quick(solver), anew,
                            alone ? std::numeric_limits<double>::infinity() : 0.0, by_old, s);
    }
}

}  // namespace

void correct_places(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
                    BodyStepMemory& s, StepReport& report)
{
    s.deepest = s.deepest_left = {};
    if (s.round && s.contacts.size() > max_exact) {
        correct_round(model, settings, solver, s);
    } else {
        correct(model, settings, solver, s, report);
        count_turns_at_end(model, s);
    }
    look_at_overlap_to_come(model, s);
    report_overlap(model, settings, solver, s, report);
}

}  // namespace carom::detail

void carom::DeepestOverlap::see(int a, int b, double depth, double size_m) noexcept
{
    depth_m = std::max(depth_m, depth);
    if (!(depth > part * size_m)) return;
    part = depth / size_m;
    first = a;
    second = b;
}

void carom::DeepestOverlap::see(const DeepestOverlap& other) noexcept
{
    const double depth = std::max(depth_m, other.depth_m);
    if (other.part > part) *this = other;
    depth_m = depth;
}
