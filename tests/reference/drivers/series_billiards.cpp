#include "expression/workspace.hpp"
#include "series_drivers.hpp"
#include "series_support.hpp"
#include "shared_systems.hpp"

#include <algorithm>
#include <cmath>

/// Billiards and collisions that are counted, by the series integrator.
namespace carom::reference {

void series_collision_count(const Task& task, Answers& answers)
{
    const auto collisions = [&](const Pieces& p) {
        const Model model = model_of({.coordinates = {"small", "big"},
                                      .kinetic = "small'^2/2 + M/2*big'^2",
                                      .contacts = {{"wall", "small", "1"}, {"between", "big - small", "1"}}},
                                     task, {{"M", number_in(p[0])}});
        SeriesMotion motion(model,
                            make_state(model, Eigen::Vector2d(task.number("x_small"), task.number("x_big")),
                                       Eigen::Vector2d(0, task.number("v_big"))),
                            0.5);
        const double still = 1e-12 * std::abs(task.number("v_big"));
        motion.until([&] {
            const Eigen::VectorXd& u = motion.state().u;
            return u[0] >= -still && u[1] - u[0] >= -still;
        });
        return std::pair(motion.events(EventKind::Impact).size(), motion.state().u);
    };
    answers.give("number_of_impacts(M=#)", Means::Exact,
                 [&](const Pieces& p) { return Json(collisions(p).first); });
    answers.give("final_velocities(M=#) small,big", Means::Exact,
                 [&](const Pieces& p) { return list_of(collisions(p).second); });
}

void series_square_billiard(const Task& task, Answers& answers)
{
    const Model model = square_billiard(task);
    SeriesMotion motion(model, make_state(model, task.vector("x0"), task.vector("v")), 1);
    motion.until_s(task.number("T"));
    answers.give("x(T)", Means::Exact, [&] { return list_of(motion.state().q); });
    answers.give("v(T)", Means::Exact, [&] { return list_of(motion.state().u); });
    answers.give("bounces", Means::Exact, [&] { return Json(motion.events(EventKind::Impact).size()); });
}

void series_triangle_billiard(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .contacts = {{"base", "y", "1"},
                                               {"left", "sqrt(3)/2*x - y/2", "1"},
                                               {"right", "sqrt(3)/2*(1 - x) - y/2", "1"}}},
                                 task);
    const Eigen::Vector2d base(0.5, 0), side(0.75, std::sqrt(3.0) / 4);
    const State start = make_state(model, base, (side - base).normalized());
    SeriesMotion motion(model, start, 0.5);
    motion.until_s(std::max(3.0, last_of(answers, {"position at t=*", "bounces up to t=*"})));
    answers.give("period", Means::Exact, [&] {
        for (const Event& impact : motion.events(EventKind::Impact)) {
            const State after = motion.at(impact.time_s);
            if ((after.q - start.q).norm() < 1e-6 && (after.u - start.u).norm() < 1e-6)
                return Json(impact.time_s);
        }
        throw DriverFailure("the motion did not come back to its start");
    });
    answers.give("position at t=*", Means::Exact,
                 [&](const Pieces& p) { return list_of(motion.at(number_in(p[0])).q); });
    answers.give("bounces up to t=*", Means::Exact, [&](const Pieces& p) {
        const auto impacts = motion.events(EventKind::Impact);
        return Json(std::ranges::count_if(
            impacts, [&](const Event& impact) { return impact.time_s <= number_in(p[0]); }));
    });
}

void series_parabola(const Task& task, Answers& answers)
{
    const Model model = parabola_billiard(task);
    const State start =
        make_state(model, Eigen::Vector2d(task.number("x0"), task.number("y0")), task.vector("v0"));
    SeriesMotion motion(model, start, 1);
    const auto count = static_cast<std::size_t>(task.number("bounces"));
    motion.until([&] { return motion.events(EventKind::Impact).size() >= count; });
    const auto impacts = motion.events(EventKind::Impact);
    answers.give("impact_# (t,x,vx+,vy+)", Means::Exact, [&](const Pieces& p) {
        const double t_s = impacts[count_in(p[0]) - 1].time_s;
        const State after = motion.at(t_s);
        return Json({t_s, after.q[0], after.u[0], after.u[1]});
    });
    answers.give("energy_drift", Means::Exact, [&] {
        Workspace work;
        const auto energy_J = [&](const State& state) {
            return model.kinetic_energy(point_of(state), work) +
                   model.potential_energy(point_of(state), work);
        };
        double drift = 0;
        for (const Event& impact : impacts) {
            drift = std::max(drift, std::abs(energy_J(motion.at(impact.time_s)) - energy_J(start)));
        }
        return Json(drift);
    });
}

}  // namespace carom::reference
