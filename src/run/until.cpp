#include "until.hpp"

#include "expression/derivative.hpp"
#include "path_pieces.hpp"
#include "run_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carom {
namespace {

/// What a step that `until` ends may differ by from two of half its length, as a part of the motion (MS-11).
constexpr double max_off_by_halves = 0.01;

/// The same of a run that ends in its first step: whatever h is, no other run takes another one.
constexpr double max_off_in_first_step = 1e-6;

double value_at(const Point& at, const Variable& variable)
{
    const auto i = static_cast<std::size_t>(variable.index);
    switch (variable.kind) {
    case Variable::Kind::Coordinate: return at.q[i];
    case Variable::Kind::Velocity: return at.u[i];
    case Variable::Kind::Time: break;
    }
    return at.t_s;
}

}  // namespace

bool is_zero_at_start(const Formula& until, const State& start, Workspace& work)
{
    const Point at = point_of(start);
    const double value = until.value(at, work);
    if (value == 0) return true;
    // what it can be if each number of the start is off by a rounding
    Graph graph;
    const std::array nodes{add_formula(graph, until)};
    const detail::RangeProgram program(graph, nodes);
    path_parts::Ranges ranges;
    for (const Variable& one : program.variables()) {
        const double x = value_at(at, one), off = 4e-16 * std::abs(x);
        ranges.inputs.push_back({x - off, x + off});
    }
    ranges.run(program);
    const detail::Range range = ranges[program.results().front()];
    return range.contains(0) && std::isfinite(range.high - range.low);
}

bool ends_at_start(const Until& until, const State& start, Workspace& work)
{
    return until.formula && until.formula->value(point_of(start), work) > 0 &&
           !is_zero_at_start(*until.formula, start, work);
}

bool crosses_until(const Until& until, const State& before, const State& after, bool first, Workspace& work)
{
    if (!until.formula || !(until.formula->value(point_of(after), work) >= 0)) return false;
    // written this way so that a formula without a value can be followed by one
    if (until.formula->value(point_of(before), work) >= 0) return false;
    return !first || !is_zero_at_start(*until.formula, before, work);
}

void shorten_to(const Formula& until, const StepAgain& again, const State& before, State& after,
                StepReport& report, Workspace& work)
{
    double low = 0, high = report.h_s;
    double f_low = until.value(point_of(before), work);
    double f_high = until.value(point_of(after), work);
    const double fine = 1e-13 * report.h_s + 4e-16 * std::abs(after.t_s);
    State trial = before;
    for (int pass = 0; pass < 80 && high - low > fine && f_high > 0; ++pass) {
        // false position, and every third time the middle
        const bool halves = pass % 3 == 2 || !(f_low < 0);
        const double weight = halves ? 0.5 : f_low / (f_low - f_high);
        const double length = low + std::clamp(weight, 0.01, 0.99) * (high - low);
        const StepReport tried = again(length, trial);
        if (end_of_failed(tried.status)) break;
        const double f = until.value(point_of(trial), work);
        (f >= 0 ? high : low) = length;
        (f >= 0 ? f_high : f_low) = f;
    }
    // once more: the scratch must be that of the step that counts
    StepReport last = again(high, trial);
    after = std::move(trial);
    after.t_s = before.t_s + high;
    report = std::move(last);
}

void judge_located_step(const LocatedStep& located, Certifier& certifier)
{
    const bool first = located.number == 1;
    const double limit = first ? max_off_in_first_step : max_off_by_halves;
    if (!located.strikes && located.off <= limit) return;
    const std::string what =
        located.strikes
            ? "an impact occurs in it, at an instant that the step does not resolve"
            : fmt::format("two steps of half the length end with a velocity that differs by {:.2g} of it",
                          located.off);
    const std::string why =
        first ? fmt::format("No step above {:.1e} s resolves it: take one below {:.1e} s", located.length_s,
                            located.length_s / 10)
              : std::string("The step is too long to find this instant: take a shorter one");
    certifier.add_finding(
        "step_too_long", located.end_s,
        fmt::format("until ends the run within step {}, and {}. {}", located.number, what, why), true);
}

bool ends_by_delay(const Formula& until, const State& before, const State& after, double since_s,
                   Workspace& work)
{
    const double h_s = after.t_s - before.t_s;
    State moved = after;
    moved.q = before.q + since_s * before.u + (h_s - since_s) * after.u;
    const double here = until.value(point_of(moved), work);
    if (!(here < 0)) return false;
    moved.q += h_s * after.u;
    moved.t_s += h_s;
    return !(until.value(point_of(moved), work) > here);
}

Finding end_by_delay(const std::string& struck, double end_s)
{
    return {.code = "impact_instants",
            .time_s = end_s,
            .message = fmt::format("until is satisfied in a step with an impact of {}, only because the "
                                   "velocity before the impact acts for too long: take a shorter step",
                                   struck),
            .count = 1,
            .uncertifies = true,
            .about = {}};
}

}  // namespace carom
