#pragma once

#include "simulation.hpp"
#include "stepping/scratch.hpp"

#include <algorithm>
#include <numbers>
#include <vector>

namespace carom::reference {

/// What a single step of the scheme gives: an impact, or the forces of an instant.
struct OneStep {
    State before, after;
    std::vector<ContactStep> contacts;  ///< those that were active
    double h_s = 0;

    /// DriverFailure where the contact did not act in the step.
    [[nodiscard]] const ContactStep& of(int contact) const
    {
        const auto found = std::find_if(contacts.begin(), contacts.end(),
                                        [&](const ContactStep& one) { return one.contact == contact; });
        if (found == contacts.end()) throw DriverFailure("a contact is open that should act");
        return *found;
    }
};

/// One step of Moreau's scheme; DriverFailure unless it was solved.
[[nodiscard]] inline OneStep one_step(const Model& model, const State& start, double h_s)
{
    OneStep result{.before = start, .after = start, .contacts = {}, .h_s = h_s};
    Scratch scratch(model);
    const StepReport report =
        moreau_step(model, {.time_step_s = h_s}, {.tolerance = 1e-12}, result.after, scratch);
    if (report.status != StepStatus::Solved) throw DriverFailure("the one-step problem was not solved");
    result.contacts = scratch.contacts;
    return result;
}

/// A step too short for anything to move, in which contacts that are closed and approach strike.
[[nodiscard]] inline OneStep impact_step(const Model& model, const State& start)
{
    return one_step(model, start, 1e-14);
}

[[nodiscard]] inline double kinetic_J(const Model& model, const State& state)
{
    Workspace work;
    return model.kinetic_energy(point_of(state), work);
}

/// Kinetic energy that went in the step.
[[nodiscard]] inline double kinetic_loss_J(const Model& model, const OneStep& step)
{
    return kinetic_J(model, step.before) - kinetic_J(model, step.after);
}

/// Friction over pressure at a contact: the coefficient that a rough contact makes use of.
[[nodiscard]] inline double friction_used(const ContactStep& contact)
{
    if (!(contact.P[0] > 0)) throw DriverFailure("a contact does not press");
    return std::abs(contact.P[1]) / contact.P[0];
}

/// Whether a contact that acted slides after the step, up to rounding.
[[nodiscard]] inline bool slides_after(const ContactStep& contact)
{
    const double met = std::abs(contact.U_minus[1]) + contact.W_tangential_1_kg * std::abs(contact.P[1]) +
                       contact.W_1_kg * contact.P[0];
    return std::abs(contact.U_plus[1]) > 1e-12 * met;
}

[[nodiscard]] inline double radians(double degrees)
{
    return degrees * std::numbers::pi / 180;
}

}  // namespace carom::reference
