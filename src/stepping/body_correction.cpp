#include "body_formulas.hpp"
#include "body_overlaps.hpp"
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
