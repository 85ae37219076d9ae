#include "body_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace carom::detail {
namespace {

/// Linearised corrections of one step: the second one removes what turning left of the first. Joints take as
/// many as Newton's method needs for all digits.
constexpr int most_passes = 3;
constexpr int most_passes_of_joints = 12;

/// Up to so many contacts are corrected exactly; more of them by sweeps.
constexpr std::size_t most_exact = 200;

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

/// Motion of the point of a contact with a body since the contacts were found, to first order; empty where
/// the body has moved by more than a part `still` of its size. The square of less is rounding.
std::optional<Vec3> small_motion(const BodyModel& model, int body, const Vec3& arm, const BodyScratch& s)
{
    constexpr double still = 1e-7;
    const Vec3 moved = s.next.x[body] - s.mid.x[body];
    const Rotation turn = s.next.R[body] * s.mid.R[body].conjugate();
    const Vec3 turned = 2 * turn.w() * turn.vec();
    if (!(moved.norm() <= still * model.length_m() && turned.norm() <= still)) return {};
    return moved + turned.cross(arm);
}

/// The deepest overlap at the end of a step in which nothing that touches moves: the gaps that were found,
/// and how far the points have moved along the normals; empty: something moves, and shapes must be looked at.
std::optional<double> overlap_at_rest(const BodyModel& model, const BodyScratch& s)
{
    double deepest = 0;
    for (const BodyContact& contact : s.contacts) {
        const auto first = small_motion(model, contact.first, contact.arm_first, s);
        if (!first) return {};
        const auto second = small_motion(model, contact.second, contact.arm_second, s);
        if (!second) return {};
        deepest = std::max(deepest, -contact.at.gap_m - contact.axes[0].dot(*first - *second));
    }
    return deepest;
}

void place_at_end(const BodyModel& model, BodyScratch& s)
{
    s.placed.resize(static_cast<std::size_t>(model.bodies()));
    for (int i = 0; i < model.bodies(); ++i) {
        if (!model.collides[i]) continue;
        place(model.colliders[i], {.position_m = s.next.x[i], .rotation = s.next.R[i]}, s.placed[i]);
    }
}

/// The pairs that the step looked at.
void gather_pairs(const BodyModel& model, BodyScratch& s)
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
void tell_overlap_to_come(const BodyModel& model, BodyScratch& s, StepReport& report)
{
    if (model.is_soft()) return;
    place_at_end(model, s);
    gather_pairs(model, s);
    double& deepest = report.max_penetration_m;
    for (const auto& [a, b] : s.pairs) {
        const bool waits = model.surface(a, b).restitution > 0 || model.setup().impact_map;
        if (!waits || !model.may_meet(a, b)) continue;
        s.points.clear();
        find_contact_points(s.placed[a], s.placed[b], 0, s.points);
        for (const ContactPoint& point : s.points) {
            deepest = std::max(deepest, -point.gap_m);
        }
    }
}

/// The joints at the end of the step, with their rows; returns their largest violation.
double violations_at_end(const BodyModel& model, BodyScratch& s)
{
    s.violations.clear();
    s.correction_rows.clear();
    if (model.setup().joints.empty()) return 0;
    for (std::size_t j = 0; j < s.next.turns.size(); ++j) {
        const int joint = static_cast<int>(j);
        if (turns(model.setup().joints[j].kind)) {
            s.next.turns[j] = with_turns(s.mid.turns[j], model.joint_angle(joint, s.next.x, s.next.R));
        }
    }
    add_joint_rows(model, {.x = s.next.x, .R = s.next.R, .turns = s.next.turns, .drives = false},
                   s.correction_rows, s.violations);
    double worst = 0;
    for (const JointPart& part : s.violations) {
        const double violation = part.kind == JointPart::Kind::Held ? std::abs(part.value) : -part.value;
        if (!(violation <= worst)) worst = violation;  // NaN is not lost
    }
    return worst;
}

/// Percussions that make the linearised gaps non-negative and close the joints, exactly.
void press_exactly(const BodyModel& model, BodyScratch& s)
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
    assemble_delassus(model, s.correction_rows, s.contacts_of, problem);
    s.correction_P.assign(problem.laws.size(), 0.0);
    if (solve(problem, {}, s.correction_P, s.solver).status == SolveStatus::NotFinite) {
        s.correction_P.assign(problem.laws.size(), 0.0);
    }
}

/// The least displacement in the kinetic metric that makes the linearised gaps non-negative (MS-5).
void move_apart(const BodyModel& model, BodyScratch& s)
{
    for (int i = 0; i < model.bodies(); ++i) {
        const Mat3 R = s.next.R[i].toRotationMatrix();
        s.inverse_inertia[i] = R * model.inverse_inertia[i] * R.transpose();
    }
    for (BodyContact& contact : s.overlaps) {
        set_frame(s.next.x, contact);
        add_contact_rows(contact, s.correction_rows);
    }
    if (s.overlaps.size() > most_exact && s.violations.empty()) {
        press_by_sweeps(model, correction_budget, s);
        s.correction_rows.set_inertia(s.inverse_inertia);
    } else {
        press_exactly(model, s);
    }
    s.correction_w.assign(static_cast<std::size_t>(model.bodies()), Vec3::Zero());
    for (int row = 0; row < s.correction_rows.size(); ++row) {
        s.correction_rows.apply(model.inverse_mass, row, s.correction_P[static_cast<std::size_t>(row)],
                                s.next.x, s.correction_w);
    }
    for (int i = 0; i < model.bodies(); ++i) {
        const Vec3& turn = s.correction_w[static_cast<std::size_t>(i)];
        if (turn != Vec3::Zero()) s.next.R[i] = turned(s.next.R[i], s.next.R[i].conjugate() * turn);
    }
}

}  // namespace

void correct_places(const BodyModel& model, const MoreauSettings& settings, BodyScratch& s,
                    StepReport& report)
{
    if (s.round && s.contacts.size() > most_exact) {
        report.max_penetration_m = correct_round(model, settings, s);
        tell_overlap_to_come(model, s, report);
        return;
    }
    const bool joined = !model.setup().joints.empty();
    const bool many = s.contacts.size() > most_exact && !joined;
    const double tolerance =
        std::max(settings.activation_gap_m, (many ? harmless_overlap : 1e-12) * model.length_m());
    if (const auto overlap = overlap_at_rest(model, s); !joined && overlap && *overlap <= tolerance) {
        report.max_penetration_m = *overlap;
        tell_overlap_to_come(model, s, report);
        return;
    }
    const double joint_tolerance = 1e-3 * settings.activation_gap_m;
    const int passes = joined ? most_passes_of_joints : many ? 1 : most_passes;
    double last = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass <= passes; ++pass) {
        place_at_end(model, s);
        const double worst = overlaps_at_end(1e-3 * model.length_m(), s, report.max_penetration_m);
        const double violation = report.max_violation = violations_at_end(model, s);
        const bool overlaps = worst > tolerance && pass < most_passes;
        const bool apart = violation > joint_tolerance && violation <= 0.5 * last;
        if (!settings.correction || !(overlaps || apart) || pass == passes) break;
        last = violation;
        move_apart(model, s);
    }
    tell_overlap_to_come(model, s, report);
}

}  // namespace carom::detail
