#include "drivers.hpp"
#include "located_walk.hpp"
#include "status_walk.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

constexpr double h_s = 1e-2;                // flights and sliding under constant forces are exact
constexpr double shortest_flight_s = 1e-8;  // shorter ones add less than that together

/// Impacts until they accumulate, each located.
std::vector<LocatedImpact> all_impacts(const Model& model, const State& start, double e)
{
    LocatedWalk walk(model, start, h_s);
    walk.until_impact(1);
    if (e == 0) return walk.impacts();
    for (double flight_s = 1; flight_s > shortest_flight_s;) {
        const double before_s = walk.impacts().back().event.time_s;
        if (walk.impacts().size() > 100'000) throw DriverFailure("the impacts do not accumulate");
        walk.until_impact(walk.impacts().size() + 1);
        flight_s = walk.impacts().back().event.time_s - before_s;
    }
    return walk.impacts();
}

/// The end of sliding, or where the impacts accumulate if it does not slide from there.
State stopped(const Model& model, const State& accumulated)
{
    // what is left of the bounces is over: on the floor, with the velocity along it
    const State start = make_state(model, Eigen::Vector2d(accumulated.q[0], 0),
                                   Eigen::Vector2d(accumulated.u[0], 0), accumulated.t_s);
    StatusWalk walk(model, start, h_s);
    walk.until_s(start.t_s + h_s);
    if (walk.doing()[0] == Doing::Stick && walk.switches().empty()) return start;
    walk.until_switches(1);
    const Switch& end = walk.switches().front();
    if (end.to != Doing::Stick) throw DriverFailure("the mass does not stop");
    State result = end.state;
    result.t_s = end.t_s;
    return result;
}

}  // namespace

/// CB-BOUNCE: a unit mass thrown on a rough floor bounces, slides and stops (Charles & Ballard 2014, problem
/// P_u). By moreau_step with located impacts, and then with a located end of sliding.
void drive_thrown_particle(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "g*y",
         .contacts =
             {{.name = "floor", .gap = "y", .restitution = "e", .friction = "mu", .sliding = {"x'"}}}},
        task);
    const State start =
        make_state(model, Eigen::Vector2d(0, task.number("h0")), Eigen::Vector2d(task.number("vx"), 0));
    const auto impacts = all_impacts(model, start, task.number("e"));
    const auto at_impacts = [&](const Pieces& p, auto&& value) {
        Json list = Json::array();
        for (const double number : numbers_in(p[0])) {
            const auto k = static_cast<std::size_t>(number);
            if (k < 1 || k > impacts.size()) throw DriverFailure("there is no such impact");
            list.push_back(value(impacts[k - 1].after));
        }
        return list;
    };
    answers.give("u_x after impacts *", Means::Exact, [&](const Pieces& p) {
        return at_impacts(p, [](const State& state) { return state.u[0]; });
    });
    answers.give("x at impacts *", Means::Exact, [&](const Pieces& p) {
        return at_impacts(p, [](const State& state) { return state.q[0]; });
    });

    const LocatedImpact& last = impacts.back();
    answers.give("t_accumulation", Means::Exact, [&] { return Json(last.event.time_s); });
    answers.give("u_x at accumulation", Means::Exact, [&] { return Json(last.after.u[0]); });
    answers.give("x at accumulation", Means::Exact, [&] { return Json(last.after.q[0]); });
    const State rest = stopped(model, last.after);
    answers.give("t_stop", Means::Exact, [&] { return Json(rest.t_s); });
    answers.give("x_stop", Means::Exact, [&] { return Json(rest.q[0]); });
}

}  // namespace carom::reference
