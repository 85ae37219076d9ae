#pragma once

#include "reference_case.hpp"
#include "support/constraint_text.hpp"
#include "support/contact_text.hpp"

#include "carom/run/run.hpp"
#include "carom/system/lagrangian/model.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace carom::reference {

/// What several drivers need: a model from formulas, a run that is kept, and instants measured on it.

/// The value, or the error as a DriverFailure.
template <class T>
[[nodiscard]] T value_of(Expected<T> expected)
{
    if (!expected) throw DriverFailure(expected.error().where + ": " + expected.error().message);
    return std::move(*expected);
}

/// A Lagrangian system as texts, the way a scene writes it. Restitutions are formulas too.
struct SystemText {
    std::vector<std::string> coordinates;
    std::string kinetic;
    std::string potential = "0";
    std::vector<std::string> forces = {};  ///< one per coordinate, or none
    std::vector<test::ContactText> contacts = {};
    std::vector<test::ConstraintText> constraints = {};
    std::vector<std::string> angles = {};  ///< coordinates in rad; the others are lengths
};

/// The model; formulas may use every parameter of the case that is a number, and `constants` beside them.
[[nodiscard]] Model model_of(const SystemText& text, const Task& task,
                             const std::map<std::string, double>& constants = {});

/// `simulate` from a checked start, with checked settings; DriverFailure unless the run is certified.
RunReport run(const Model& model, const MoreauSettings& settings, double duration_s, State& state,
              const StepListener& listener = {});

/// A run with every state kept: states[n] is the one after n steps, and an event's `step` is such an n.
struct Trajectory {
    double h_s = 0;
    std::vector<State> states;
    std::vector<Event> events;
    RunReport report;  ///< of the whole run, once it is over

    [[nodiscard]] double end_s() const { return states.back().t_s; }
};

/// True when the run may end; asked after every step.
using Finished = std::function<bool(const Trajectory&)>;

/// Runs with the usual settings but the step; DriverFailure also when it was not finished after a million
/// steps.
[[nodiscard]] Trajectory run_until(const Model& model, const State& start, double h_s,
                                   const Finished& finished);

/// The same for a given time.
[[nodiscard]] Trajectory run_for(const Model& model, const State& start, double h_s, double duration_s);

/// Impacts in the order of time, of one contact or (contact < 0) of all; and how many there are.
[[nodiscard]] std::vector<Event> impacts_of(const Trajectory& trajectory, int contact = -1);
[[nodiscard]] std::size_t impact_count(const Trajectory& trajectory, int contact = -1);

/// Instants of the first `count` impacts; DriverFailure when there were fewer.
[[nodiscard]] std::vector<double> first_impact_times(const Trajectory& trajectory, std::size_t count);

/// Configuration linear within the step, velocity its right limit, that of the end of the step (MS-6).
[[nodiscard]] State state_at(const Trajectory& trajectory, double t_s);

/// The first instant after from_s at which a function of the state falls from above zero to zero or below,
/// linear within the step; DriverFailure when it does not.
[[nodiscard]] double first_fall_to_zero(const Trajectory& trajectory, double from_s,
                                        const std::function<double(const State&)>& value);

/// Greatest values of a coordinate after each of the first `count` impacts: where its velocity changes sign.
[[nodiscard]] std::vector<double> maxima_after_impacts(const Trajectory& trajectory, int coordinate,
                                                       std::size_t count);

/// The instant from which a contact stays closed to the end of the run: that of the last ContactMade that is
/// not lost. DriverFailure when it is open at the end.
[[nodiscard]] double closed_for_good_since(const Trajectory& trajectory, int contact);

/// Whether the contact is closed now, and has been during the last `steps` steps.
[[nodiscard]] bool has_stayed_closed(const Trajectory& trajectory, int contact, std::size_t steps);

/// Steps by which a contact that will stay is told from one that bounces once more: the shortest bounce takes
/// two.
inline constexpr std::size_t settled_steps = 100;

}  // namespace carom::reference
