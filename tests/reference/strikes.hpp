#pragma once

#include "run/step_view.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace carom::reference {

/// The impacts of one step, one event per contact, with the states around it.
struct Strike {
    std::vector<Event> events;
    State before, after;

    [[nodiscard]] double time_s() const { return events.front().time_s; }
    [[nodiscard]] bool has(int contact) const
    {
        return std::any_of(events.begin(), events.end(),
                           [&](const Event& event) { return event.contact == contact; });
    }
};

/// What a run has told so far.
struct Strikes {
    std::vector<Strike> strikes;
    std::vector<Event> others;  ///< events that are no impacts
};

/// Runs until `finished`; DriverFailure when it is not after a million steps.
[[nodiscard]] inline Strikes strikes_until(const Model& model, const State& start, double h_s,
                                           const std::function<bool(const Strikes&)>& finished)
{
    Strikes result;
    State state = start;
    bool is_finished = false;
    run(model, {.time_step_s = h_s}, 1e6 * h_s, state, [&](const StepView& view) {
        Strike strike;
        for (const Event& event : view.events) {
            (event.kind == EventKind::Impact ? strike.events : result.others).push_back(event);
        }
        if (strike.events.empty()) return true;
        strike.before = view.before;
        strike.after = view.after;
        result.strikes.push_back(std::move(strike));
        is_finished = finished(result);
        return !is_finished;
    });
    if (!is_finished) throw DriverFailure("there were fewer impacts than the outputs ask for");
    return result;
}

/// The strike that a name counts from 1.
[[nodiscard]] inline const Strike& strike_of(const Strikes& strikes, std::size_t number)
{
    if (number == 0 || number > strikes.strikes.size()) throw DriverFailure("there is no such impact");
    return strikes.strikes[number - 1];
}

}  // namespace carom::reference
