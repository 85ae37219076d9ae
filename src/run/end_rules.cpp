#include "end_rules.hpp"

#include <fmt/format.h>

#include <cmath>

namespace carom {
namespace {

/// Slower approaches are those of contacts that persist, of order h (MS-8).
constexpr double persistent_reach = 2;

/// Velocities below this part of the fastest in the run are what roundings and the solver leave.
constexpr double still = 1e-8;

}  // namespace

void look_for_unseen_impact(const ApproachAtEnd& contact, double h_s, double end_s,
                            std::vector<Finding>& findings)
{
    const double slow_m_s = persistent_reach * h_s * contact.acceleration_m_s2;
    if (!(-contact.U_m_s > slow_m_s)) return;
    const double since_s = contact.begun ? 0 : contact.gap_m / contact.U_m_s;
    findings.push_back(
        {.code = "unseen_impact",
         .time_s = end_s - since_s,
         .message =
             contact.begun
                 ? fmt::format("the run ends within an impact of {}: the last step has begun it, and the "
                               "contact still closes with {:.3g} m/s. End the run {:.1e} s later, or earlier",
                               contact.name, -contact.U_m_s, h_s)
                 : fmt::format(
                       "the run ends {:.2e} s after {} has closed, and no step has seen this impact: the end "
                       "is {:.2e} m inside the obstacle with the velocity before the impact, {:.3g} m/s. End "
                       "the run before that instant or {:.1e} s later, or take a step below {:.1e} s",
                       since_s, contact.name, -contact.gap_m, contact.U_m_s, h_s, 2 * since_s),
         .count = 1,
         .uncertifies = true,
         .about = contact.name});
}

void look_for_unseen_loss(const ApproachAtEnd& contact, double h_s, double end_s, double fastest_m_s,
                          std::vector<Finding>& findings)
{
    if (!(h_s * contact.acceleration_m_s2 > still * fastest_m_s)) return;
    findings.push_back({.code = "unseen_loss",
                        .time_s = end_s,
                        .message = fmt::format("{} is closed where the run ends, although forces pull it off "
                                               "with {:.3g} m/s^2: it has left within the "
                                               "last step, and no step has seen that. End the run {:.1e} s "
                                               "earlier or later, or take a shorter step",
                                               contact.name, contact.acceleration_m_s2, h_s),
                        .count = 1,
                        .uncertifies = true,
                        .about = contact.name});
}

void look_at_instants(const ImpactInstants& contact, double end_s, std::vector<Finding>& findings)
{
    const double spread_m = contact.h_s * std::sqrt(0.75 * contact.jumps2_m2_s2);
    if (!(spread_m > contact.small_m) || !(spread_m > contact.max_spread_m)) return;
    findings.push_back(
        {.code = "impact_instants",
         .time_s = end_s,
         .message = fmt::format(
             "impacts of {} are known to half a step each, which leaves its position uncertain by {:.2g} m "
             "(three standard deviations), {:.2g} of the largest gap in the run, and max_overlap is "
             "{:.2g}: take a step below {:.1e} s",
             contact.name, spread_m, spread_m / contact.largest_gap_m,
             contact.max_spread_m / contact.largest_gap_m, contact.h_s * contact.max_spread_m / spread_m),
         .count = 1,
         .uncertifies = true,
         .about = contact.name});
}

}  // namespace carom
