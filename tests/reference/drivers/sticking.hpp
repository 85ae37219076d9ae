#pragma once

#include "simulation.hpp"

#include <algorithm>

namespace carom::reference {

/// Whether a contact is closed now and has not slid during the last `steps` steps.
[[nodiscard]] inline bool has_stuck(const Trajectory& trajectory, int contact, std::size_t steps)
{
    const auto& states = trajectory.states;
    return states.size() > steps &&
           std::all_of(states.end() - static_cast<std::ptrdiff_t>(steps), states.end(),
                       [&](const State& state) { return state.closed[contact] && !state.slides[contact]; });
}

/// The events of a kind at a contact.
[[nodiscard]] inline std::vector<Event> events_of(const Trajectory& trajectory, EventKind kind, int contact)
{
    std::vector<Event> result;
    std::copy_if(trajectory.events.begin(), trajectory.events.end(), std::back_inserter(result),
                 [&](const Event& event) { return event.kind == kind && event.contact == contact; });
    return result;
}

/// The first step after which a contact sticks; DriverFailure when there is none.
[[nodiscard]] inline Event first_stick(const Trajectory& trajectory, int contact)
{
    const auto sticks = events_of(trajectory, EventKind::Stick, contact);
    if (sticks.empty()) throw DriverFailure("the contact slides to the end of the run");
    return sticks.front();
}

}  // namespace carom::reference
