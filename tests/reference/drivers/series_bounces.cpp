#include "double_pendulum_system.hpp"
#include "series_drivers.hpp"
#include "series_support.hpp"
#include "shared_systems.hpp"

#include <cmath>
#include <numbers>

/// Impacts on obstacles, by the series integrator.
namespace carom::reference {
namespace {

using std::numbers::pi;

}  // namespace

void series_pressed_particle(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"q"}, .kinetic = "q'^2/2", .forces = {"f"}, .contacts = {{"obstacle", "-q", "e"}}},
        task);
    SeriesMotion motion(model, make_state(model, one(task.number("q0")), one(task.number("v0"))), 0.25);
    motion.until_s(last_of(answers, {"q(*)", "v(*)", "v+(*)", "reaction density for t>#"}) + 0.5);
    answers.give("q(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).q[0]); });
    answers.give("v(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).u[0]); });
    answers.give("v+(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).u[0]); });
    answers.give("impact times 1..#", Means::Exact, [&](const Pieces& p) {
        return Json(instants_of(motion.events(EventKind::Impact), count_in(p[0])));
    });
    answers.give("t_accumulation", Means::Exact, [&] { return Json(first_accumulation_s(motion)); });
    answers.give("reaction density for t>#", Means::Exact, [&](const Pieces& p) {
        // on the particle: the normal points towards smaller q
        return Json(-motion.reaction_N(0, number_in(p[0]) + 0.25)[0]);
    });
}

void series_bouncing_ball(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"z"}, .kinetic = "z'^2/2", .potential = "g*z", .contacts = {{"floor", "z", "e"}}},
        task);
    SeriesMotion motion(model, make_state(model, one(task.number("h0")), one(0)), 0.5);
    motion.until([&] { return !motion.events(EventKind::Accumulation).empty(); });
    answers.give("impact_times_1..#", Means::Exact, [&](const Pieces& p) {
        return Json(instants_of(motion.events(EventKind::Impact), count_in(p[0])));
    });
    answers.give("apex_heights_1..#", Means::Exact, [&](const Pieces& p) {
        Json list = Json::array();
        for (const double t_s : instants_of(motion.events(EventKind::Impact), count_in(p[0]))) {
            const double top_s = motion.first_fall_s(t_s, [](const State& state) { return state.u[0]; });
            list.push_back(motion.at(top_s).q[0]);
        }
        return list;
    });
    answers.give("t_accumulation", Means::Exact, [&] { return Json(first_accumulation_s(motion)); });
    answers.give("total_energy_lost_per_mass", Means::Exact, [&] { return Json(-motion.energy().impact_J); });
}

void series_double_pendulum(const Task& task, Answers& answers)
{
    SystemText text = double_pendulum_system("e");
    text.potential = "k1/2*q1^2 + k2/2*(q2 - q1)^2";
    text.forces = {"lam*l1*sin(q1 - q2)", "0"};
    const Model model = model_of(text, task);
    SeriesMotion motion(model, make_state(model, task.vector("q0"), task.vector("v0")), 0.5);
    const std::size_t count = largest_count(answers.asked("impact_#_*"));
    motion.until([&] { return motion.events(EventKind::Impact).size() >= count; });
    const auto impacts = motion.events(EventKind::Impact);
    const auto impact = [&](const Pieces& p) { return impacts[count_in(p[0]) - 1]; };
    answers.give("impact_#_time", Means::Exact, [&](const Pieces& p) { return Json(impact(p).time_s); });
    answers.give("impact_#_constraint", Means::Exact,
                 [&](const Pieces& p) { return Json(impact(p).contact + 1); });
    answers.give("impact_#_state_after", Means::Exact, [&](const Pieces& p) {
        const State after = motion.at(impact(p).time_s);
        return Json({after.q[0], after.q[1], after.u[0], after.u[1]});
    });
    answers.give("impact_#_energy_loss", Means::Exact,
                 [&](const Pieces& p) { return Json(-impact(p).energy_J); });
}

void series_impact_oscillator(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x"},
                                  .kinetic = "x'^2/2",
                                  .potential = "x^2/2",
                                  .forces = {"cos(w*t)"},
                                  .contacts = {{"stop", "sigma - x", "e"}}},
                                 task);
    const double period_s = 2 * pi / task.number("w");
    for (int part = 0; part < 8; ++part) {
        SeriesMotion motion(
            model, make_state(model, one(task.number("sigma")), one(-1), part / 8.0 * period_s), period_s);
        motion.until_s(300 * period_s);
        const auto impacts = motion.events(EventKind::Impact);
        if (impacts.size() < 3) continue;
        const Event& last = impacts[impacts.size() - 1];
        const Event& before = impacts[impacts.size() - 2];
        if (std::abs(last.time_s - before.time_s - period_s) > 1e-8) continue;
        answers.give("phase_at_impact", Means::Exact,
                     [&] { return Json(std::fmod(task.number("w") * last.time_s, 2 * pi)); });
        answers.give("v_before", Means::Exact, [&] { return Json(-last.velocity_before_m_s); });
        answers.give("v_after", Means::Exact, [&] { return Json(-last.velocity_after_m_s); });
        answers.give("x_min", Means::Exact, [&] {
            const double t_s =
                motion.first_fall_s(before.time_s, [](const State& state) { return -state.u[0]; });
            return Json(motion.at(t_s).q[0]);
        });
        return;
    }
    throw DriverFailure("no start was attracted by a motion with one impact per period");
}

}  // namespace carom::reference
