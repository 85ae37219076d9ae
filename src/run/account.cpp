#include "account.hpp"

#include "run_parts.hpp"
#include "stepping/impact_map.hpp"
#include "stepping/statuses.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom {
namespace {

/// An impact never creates energy; if the books say so, the user hears when and how much. What given forces
/// did meanwhile is not the impact's: of the work from the velocity before the step on and from the free one
/// the lesser counts.
void look_for_created_energy(const TakenStep& step, Certifier& certifier)
{
    double from_start = 0, from_free = 0, by_all = 0;
    bool rebounds = step.report.map_acted;
    for (const ContactStep& contact : step.contacts) {
        by_all += contact.from_free_J;
        if (!(contact.U_minus[0] < 0) || contact.persists) continue;
        rebounds = rebounds || contact.restitution > 0;
        from_start += contact.energy_J + contact.friction_J;
        from_free += contact.from_free_J;
    }
    // contacts without restitution only ever pass on what others lose: P.(U_free + U^+) <= 0 for all of them
    const double gained = std::min({from_start, from_free, rebounds ? from_free : by_all});
    if (step.events.empty() || !(gained > 1e-9 * certifier.energy_scale_J())) return;
    certifier.add_finding(
        "energy_created", step.events.front().time_s,
        fmt::format("an impact created {:.3e} J: {} cannot, use [impact] kind = \"energetic\"", gained,
                    step.report.map_acted ? "the energetic map"
                                          : "Newton's restitution with friction can, the energetic map"));
}

/// Where theory has no answer, or several: sliding contacts against Painleve's condition.
void look_for_friction_trouble(const TakenStep& step, Certifier& certifier)
{
    for (const ContactStep& contact : step.contacts) {
        if (contact.dimension == 1 || contact.sliding_margin > 0) continue;
        if (!acts(contact) || !slides(contact)) continue;
        certifier.add_finding("painleve", step.ended_s,
                              fmt::format("{} slides where W_NN <= mu |W_NT|: the motion may have no "
                                          "continuation or several, and this is one of them",
                                          step.names.name_of_contact(contact.contact)));
    }
}

}  // namespace

void account(const TakenStep& step, Certifier& certifier)
{
    const StepReport& report = step.report;
    certifier.add_step(step.ended_s, report.solve.residual, report.status == StepStatus::Solved,
                       report.max_penetration_m, report.energy, report.at_end, report.accuracy);
    certifier.add_violation(report.max_violation);
    if (report.status == StepStatus::NotSolved)
        tell_unsolved(
            report, step.tolerance, step.number, step.ended_s,
            [&](int k) { return step.names.name_of_interaction(k); }, certifier);
    const SelectionReport& selection = report.solve.selection;
    certifier.add_selection(selection.selected > 0, selection.unexamined + selection.unsettled > 0);
    for (const Finding& finding : report.findings) {
        certifier.add_finding(finding);
    }
    if (report.map_acted) judge_map(report, step.began_s, certifier.energy_scale_J(), certifier);
    look_for_created_energy(step, certifier);
    look_for_friction_trouble(step, certifier);
}

}  // namespace carom
