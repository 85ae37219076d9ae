#include "run/group_sums.hpp"

#include "phase_error.hpp"
#include "reversing_slip.hpp"
#include "unresolved_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

/// Below this part of |T| + |V| an energy is rounding: some hundred roundings.
constexpr double rounding = 1e-13;

/// Below this energy numbers have no digits left.
constexpr double no_digits_J = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();

}  // namespace

GroupSums& GroupSums::operator+=(const GroupSums& other) noexcept
{
    // what was wrong first is what is told
    const EnergyError told = too_long != 0 ? energy.first : other.energy.first;
    energy += other.energy;
    if (too_long != 0 || other.too_long != 0) energy.first = told;
    scale_J += other.scale_J;
    too_long = std::max(too_long, other.too_long);
    slip.work_J += other.slip.work_J;
    slip.missed_J += other.slip.missed_J;
    rest.fastest = std::max(rest.fastest, other.rest.fastest);
    rest.still_steps = std::min(rest.still_steps, other.rest.still_steps);
    follows = std::min(follows, other.follows);
    phase_rad = std::max(phase_rad, other.phase_rad);
    alternating = std::max(alternating, other.alternating);
    if (alternates == 0) {
        alternates = other.alternates;
        alternates_s = other.alternates_s;
    }
    return *this;
}

void note_energies(const GroupStep& step, const GroupRules& rules, double time_s, long number,
                   GroupSums& sums) noexcept
{
    sums.scale_J = std::max(sums.scale_J, std::abs(step.end.kinetic_J) + std::abs(step.end.potential_J));
    const bool broken =
        sums.energy.note(step.lines, step.end, step.accuracy,
                         {.rounding_J = rounding * (sums.scale_J + step.lines.magnitude_J()) + no_digits_J,
                          .tolerance = rules.tolerance},
                         {.time_s = time_s, .step = static_cast<double>(number)});
    if (broken) sums.too_long = 1;
    sums.slip.work_J += std::abs(step.lines.given_forces_J);
    sums.slip.missed_J += std::abs(step.accuracy.forces_defect_J);
}

void note_turn(double turned_J, const GroupRules& rules, double time_s, GroupSums& sums) noexcept
{
    sums.phase_rad += phase_of_step(turned_J, {sums.energy.kinetic_J, sums.energy.run_scale_J});
    if (!rules.keeps_energy) return;
    // of a velocity that alternates, a quarter of the change is the velocity itself
    const double alternating_J = turned_J / 16;
    if (!goes_on_alternating(alternating_J, sums.energy.run_scale_J, rules.tolerance, sums.alternating) ||
        sums.alternates != 0)
        return;
    sums.alternates = alternating_J / sums.energy.run_scale_J;
    sums.alternates_s = time_s;
}

void look_at_group(const GroupSums& sums, const std::string& name, const GroupRules& rules,
                   const GroupEnd& end, std::vector<Finding>& findings)
{
    if (end.told) {
        // the whole has lost more than the tolerance, which says it of all groups
    } else if (sums.too_long != 0 || sums.energy.beyond != 0) {
        findings.push_back(
            {.code = "step_too_long",
             .time_s = sums.energy.first.time_s,
             .message = fmt::format("of {}: {}", name, words_of(sums.energy.first, end.other_remedy)),
             .count = 1,
             .uncertifies = true,
             .about = name});
    } else if (auto missed = look_at_work(sums.slip, sums.energy.run_scale_J, end.time_s, end.h_s,
                                          rules.tolerance, name)) {
        findings.push_back(std::move(*missed));
    }
    if (sums.alternates != 0)
        findings.push_back(unresolved_finding(sums.alternates, sums.alternates_s, end.h_s, name));
}

}  // namespace carom
