#include "persistence.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Where a contact that stays exactly on its obstacle is found by the step, and what it leaves with.
struct OnObstacle {
    double gap_m, U_minus_m_s, U_plus_m_s;
};

OnObstacle on_obstacle(double bend, const PersistentStep& step) noexcept
{
    const double h = step.h_s, theta = step.theta;
    if (step.at_end) return {h * bend / 2, bend, 0};
    return {h * bend * (theta / 2 - 0.125), bend * theta, bend * (theta - 1)};
}

/// What is left of a length beyond the activation gap.
double beyond(double length, double activation_gap) noexcept
{
    return length - std::clamp(length, -activation_gap, activation_gap);
}

}  // namespace

bool persists(const PersistentContact& contact, const PersistentStep& step) noexcept
{
    const double reach = 2 * contact.reach_m_s + contact.rounding_m_s;
    return std::abs(contact.U_minus_m_s) <= reach &&
           contact.gap_m <= step.activation_gap_m + step.h_s * reach;
}

double persistent_shift_m_s(const PersistentContact& contact, const PersistentStep& step) noexcept
{
    // deviation from the obstacle; U+ undoes it by the middle of the next step
    const OnObstacle exact = on_obstacle(contact.bend_m_s, step);
    const double theta = step.at_end ? 1 : step.theta;
    const double off = beyond(contact.gap_m - exact.gap_m, step.activation_gap_m) +
                       step.h_s * (0.5 - theta) * (contact.U_minus_m_s - exact.U_minus_m_s);

    // outwards never faster than it came, where it would gain energy from a bend that the step is too long
    // for; out of an overlap no faster than half of what presses it, so that it does not hop
    const double shift = off / (step.h_s * (theta + 0.5)) - exact.U_plus_m_s;
    const double approach = std::max(0.0, -contact.U_minus_m_s);
    const double presses = contact.reach_m_s - std::abs(contact.bend_m_s);
    return std::max(shift, -(approach + presses / 2));
}

}  // namespace carom
