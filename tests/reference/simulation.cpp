#include "simulation.hpp"

#include "expression/parse.hpp"
#include "run/step_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

/// Every state is kept: some hundred megabytes at most.
constexpr double max_steps = 1e6;

void add_parameters(const Task& task, const std::map<std::string, double>& constants, Vocabulary& vocabulary)
{
    for (const auto& [name, value] : constants) {
        if (auto added = vocabulary.add_parameter(name, value); !added)
            throw DriverFailure(added.error().message);
    }
    // parameters that are no numbers, or whose names formulas cannot use, are not for formulas
    for (const auto& [name, value] : task.parameters.items()) {
        if (value.is_number() && !constants.contains(name)) {
            static_cast<void>(vocabulary.add_parameter(name, value.get<double>()));
        }
    }
}

bool is_impact(const Event& event, int contact)
{
    return event.kind == EventKind::Impact && (contact < 0 || event.contact == contact);
}

void require_certified(const RunReport& report)
{
    if (report.status == RunStatus::Certified) return;
    std::string message =
        fmt::format("the run is {}, it ended by {}", name_of(report.status), name_of(report.end));
    for (const Finding& finding : report.findings) {
        message += fmt::format("; at {} s: {}", finding.time_s, finding.message);
    }
    throw DriverFailure(message);
}

}  // namespace

Model model_of(const SystemText& text, const Task& task, const std::map<std::string, double>& constants)
{
    LagrangianSystem system;
    Vocabulary vocabulary;
    for (const std::string& name : text.coordinates) {
        static_cast<void>(value_of(vocabulary.add_coordinate(name)));
        const bool is_angle = std::ranges::find(text.angles, name) != text.angles.end();
        system.coordinates.push_back({.name = name, .unit = is_angle ? "rad" : "m"});
    }
    add_parameters(task, constants, vocabulary);

    system.kinetic = value_of(parse_formula(text.kinetic, vocabulary, "kinetic"));
    system.potential = value_of(parse_formula(text.potential, vocabulary, "potential"));
    for (const std::string& force : text.forces) {
        system.forces.push_back(value_of(parse_formula(force, vocabulary, "force")));
    }
    Vocabulary point;
    for (const char* axis : {"x", "y", "z"}) {
        static_cast<void>(value_of(point.add_coordinate(axis)));
    }
    add_parameters(task, constants, point);
    for (const auto& contact : text.contacts) {
        const auto read = [&](const Vocabulary& names) {
            return [&](const std::string& formula) {
                return value_of(parse_formula(formula, names, contact.name));
            };
        };
        system.contacts.push_back(test::contact_of(contact, read(vocabulary), read(point)));
    }
    for (const auto& constraint : text.constraints) {
        system.constraints.push_back(test::constraint_of(constraint, [&](const std::string& formula) {
            return value_of(parse_formula(formula, vocabulary, constraint.name));
        }));
    }
    auto model = make_model(std::move(system));
    if (!model) throw DriverFailure(model.error().front().where + ": " + model.error().front().message);
    return std::move(*model);
}

RunReport run(const Model& model, const MoreauSettings& settings, double duration_s, State& state,
              const StepListener& listener)
{
    const RunPlan plan{.duration_s = duration_s, .until = {}};
    if (auto checked = check(settings); !checked) throw DriverFailure(checked.error().message);
    if (auto checked = check(plan); !checked) throw DriverFailure(checked.error().message);
    const Errors mistakes = check_start(model, state, settings.activation_gap_m);
    if (!mistakes.empty()) throw DriverFailure(mistakes.front().where + ": " + mistakes.front().message);

    RunReport report = simulate(model, settings, {}, plan, state, listener);
    require_certified(report);
    return report;
}

Trajectory run_until(const Model& model, const State& start, double h_s, const Finished& finished)
{
    Trajectory result;
    result.h_s = h_s;
    result.states.push_back(start);
    bool is_finished = false;
    State state = start;
    result.report = run(model, {.time_step_s = h_s}, max_steps * h_s, state, [&](const StepView& view) {
        result.states.push_back(view.after);
        result.events.insert(result.events.end(), view.events.begin(), view.events.end());
        is_finished = finished(result);
        return !is_finished;
    });
    if (!is_finished) {
        throw DriverFailure(
            fmt::format("what the outputs ask for had not happened after {} s", result.end_s()));
    }
    return result;
}

Trajectory run_for(const Model& model, const State& start, double h_s, double duration_s)
{
    const double end_s = start.t_s + duration_s;
    return run_until(model, start, h_s,
                     [&](const Trajectory& so_far) { return so_far.end_s() >= end_s - 1e-9 * h_s; });
}

std::vector<Event> impacts_of(const Trajectory& trajectory, int contact)
{
    std::vector<Event> result;
    std::copy_if(trajectory.events.begin(), trajectory.events.end(), std::back_inserter(result),
                 [&](const Event& event) { return is_impact(event, contact); });
    return result;
}

std::size_t impact_count(const Trajectory& trajectory, int contact)
{
    const auto count = std::count_if(trajectory.events.begin(), trajectory.events.end(),
                                     [&](const Event& event) { return is_impact(event, contact); });
    return static_cast<std::size_t>(count);
}

std::vector<double> first_impact_times(const Trajectory& trajectory, std::size_t count)
{
    const auto impacts = impacts_of(trajectory);
    if (impacts.size() < count) {
        throw DriverFailure(fmt::format("there were {} impacts, {} are asked for", impacts.size(), count));
    }
    std::vector<double> result(count);
    std::transform(impacts.begin(), impacts.begin() + static_cast<std::ptrdiff_t>(count), result.begin(),
                   [](const Event& event) { return event.time_s; });
    return result;
}

State state_at(const Trajectory& trajectory, double t_s)
{
    const auto& states = trajectory.states;
    const double roundoff_s = 1e-9 * trajectory.h_s;
    if (!(t_s >= states.front().t_s - roundoff_s && t_s <= trajectory.end_s() + roundoff_s)) {
        throw DriverFailure(fmt::format("the instant {} s is outside the run", t_s));
    }
    // the step that begins at or before t and ends after it, up to the roundoff of instants; at the end the
    // last one
    const auto later = std::find_if(states.begin() + 1, states.end() - 1,
                                    [&](const State& state) { return state.t_s > t_s + roundoff_s; });
    const State& before = *(later - 1);
    State result = *later;
    const double part = std::clamp((t_s - before.t_s) / (later->t_s - before.t_s), 0.0, 1.0);
    result.q = before.q + part * (later->q - before.q);
    result.t_s = t_s;
    return result;
}

double first_fall_to_zero(const Trajectory& trajectory, double from_s,
                          const std::function<double(const State&)>& value)
{
    const auto& states = trajectory.states;
    for (std::size_t n = 1; n < states.size(); ++n) {
        if (states[n - 1].t_s < from_s) continue;
        const double before = value(states[n - 1]), after = value(states[n]);
        if (before > 0 && after <= 0) {
            return states[n - 1].t_s + before / (before - after) * (states[n].t_s - states[n - 1].t_s);
        }
    }
    throw DriverFailure(fmt::format("the turning point after {} s was not reached", from_s));
}

std::vector<double> maxima_after_impacts(const Trajectory& trajectory, int coordinate, std::size_t count)
{
    const auto impacts = impacts_of(trajectory);
    if (impacts.size() < count) {
        throw DriverFailure(fmt::format("there were {} impacts, {} are asked for", impacts.size(), count));
    }
    std::vector<double> result;
    for (std::size_t k = 0; k < count; ++k) {
        const double t_s = first_fall_to_zero(trajectory, impacts[k].time_s,
                                              [&](const State& state) { return state.u[coordinate]; });
        result.push_back(state_at(trajectory, t_s).q[coordinate]);
    }
    return result;
}

double closed_for_good_since(const Trajectory& trajectory, int contact)
{
    if (!trajectory.states.back().closed[contact])
        throw DriverFailure("the contact is open at the end of the run");
    const auto made =
        std::find_if(trajectory.events.rbegin(), trajectory.events.rend(), [&](const Event& event) {
            return event.kind == EventKind::ContactMade && event.contact == contact;
        });
    return made == trajectory.events.rend() ? trajectory.states.front().t_s : made->time_s;
}

bool has_stayed_closed(const Trajectory& trajectory, int contact, std::size_t steps)
{
    const auto& states = trajectory.states;
    return states.size() > steps &&
           std::all_of(states.end() - static_cast<std::ptrdiff_t>(steps), states.end(),
                       [&](const State& state) { return state.closed[contact] != 0; });
}

}  // namespace carom::reference
