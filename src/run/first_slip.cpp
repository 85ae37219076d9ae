#include "first_slip.hpp"

#include "stepping/statuses.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace carom {
namespace {

/// Errors below this part of the velocities of the system are nothing.
constexpr double negligible_part = 1e-6;

/// Sliding velocity of a contact at an instant of the step.
std::array<double, 2> slip_of(const ContactStep& contact, const std::array<double, 3>& U)
{
    return {U[1], contact.dimension > 2 ? U[2] : 0.0};
}

double length(const std::array<double, 2>& x)
{
    return std::hypot(x[0], x[1]);
}

std::array<double, 2> difference(const std::array<double, 2>& x, const std::array<double, 2>& y)
{
    return {x[0] - y[0], x[1] - y[1]};
}

}  // namespace

void look_at_first_slip(const TakenStep& step, double fastest_m_s, Certifier& certifier)
{
    const double h_s = step.report.h_s;
    for (const ContactStep& contact : step.contacts) {
        if (contact.dimension < 2 || !(contact.P[0] > 0)) continue;
        if (!contact.persists && contact.U_minus[0] < -contact.rounding_m_s) continue;  // an impact
        const auto before = slip_of(contact, contact.U_minus), after = slip_of(contact, contact.U_plus),
                   free = slip_of(contact, contact.U_free);
        // where slip ends in the step, its velocity is a rounding of either sign
        if (!(before[0] * after[0] + before[1] * after[1] < 0) || !slides(contact)) continue;
        const double D = length(difference(after, free));
        const double part = length(before) / (length(difference(free, before)) + D);
        const double wrong_m_s = 2 * D * part;
        const double size_m_s = length(before) + length(after) + fastest_m_s;
        if (!(wrong_m_s > negligible_part * size_m_s)) continue;
        const std::string name = step.names.name_of_contact(contact.contact);
        certifier.add_finding({.code = "start_not_resolved",
                               .time_s = step.began_s,
                               .message = fmt::format(
                                   "the slip of {} reverses {:.2g} s after the start, within the first step, "
                                   "in which friction has one direction only: its velocity is wrong by "
                                   "{:.2g} m/s. Take a step below {:.1e} s",
                                   name, part * h_s, wrong_m_s, part * h_s),
                               .count = 1,
                               .uncertifies = true,
                               .about = name});
    }
}

}  // namespace carom
