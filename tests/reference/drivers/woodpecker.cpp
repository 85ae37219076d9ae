#include "drivers.hpp"
#include "expression/workspace.hpp"
#include "strikes.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

enum Contacts { Beak, LowerEdge, UpperEdge };
constexpr std::size_t cycles = 12;          // pecks until the motion repeats itself
constexpr std::size_t measured_cycles = 4;  // an even number: it comes to its limit from both sides in turn

/// Height, angle of the sleeve, angle of the woodpecker.
Model woodpecker(const Task& task)
{
    const Eigen::VectorXd e = task.vector("eN");
    if (e.size() != 3) throw DriverFailure("eN has three components");
    return model_of({.coordinates = {"y", "phi_M", "phi_S"},
                     .kinetic = "(mS + mM)/2*y'^2 + (JM + mS*lM^2)/2*phi_M'^2 + (JS + mS*lG^2)/2*phi_S'^2"
                                " + mS*lM*y'*phi_M' + mS*lG*y'*phi_S' + mS*lM*lG*phi_M'*phi_S'",
                     .potential = "c/2*(phi_M - phi_S)^2 + (mS + mM)*g*y + mS*g*(lM*phi_M + lG*phi_S)",
                     .contacts = {{.name = "beak",
                                   .gap = "lM + lG - lS - r0 - hS*phi_S",
                                   .restitution = "e1",
                                   .friction = "mu",
                                   .sliding = {"y' + lM*phi_M' + (lG - lS)*phi_S'"}},
                                  {.name = "lower_edge",
                                   .gap = "rM - r0 + hM*phi_M",
                                   .restitution = "e2",
                                   .friction = "mu",
                                   .sliding = {"y' + rM*phi_M'"}},
                                  {.name = "upper_edge",
                                   .gap = "rM - r0 - hM*phi_M",
                                   .restitution = "e3",
                                   .friction = "mu",
                                   .sliding = {"y' + rM*phi_M'"}}}},
                    task, {{"e1", e[0]}, {"e2", e[1]}, {"e3", e[2]}});
}

/// The published start, the lower edge on the pole.
State published_start(const Task& task, const Model& model)
{
    const double phi_M = -(task.number("rM") - task.number("r0")) / task.number("hM");
    return make_state(model, Eigen::Vector3d(0, phi_M, -0.2788), Eigen::Vector3d(-0.3411, 0, -7.4583));
}

std::vector<Strike> pecks_of(const Strikes& motion)
{
    std::vector<Strike> pecks;
    std::copy_if(motion.strikes.begin(), motion.strikes.end(), std::back_inserter(pecks),
                 [](const Strike& strike) { return strike.has(Beak); });
    return pecks;
}

double total_energy_J(const Model& model, const State& state)
{
    Workspace work;
    return model.kinetic_energy(point_of(state), work) + model.potential_energy(point_of(state), work);
}

}  // namespace

/// C-WOOD: the woodpecker toy, from its published start to its limit cycle, one peck per cycle. By simulate.
void drive_woodpecker(const Task& task, Answers& answers)
{
    const Model model = woodpecker(task);
    const std::size_t asked = largest_count(answers.asked("impact_# (t, contact)"));
    const Strikes motion =
        strikes_until(model, published_start(task, model), task.step_s(1e-5), [&](const Strikes& so_far) {
            return so_far.strikes.size() >= asked && so_far.strikes.back().has(Beak) &&
                   pecks_of(so_far).size() > cycles;
        });

    answers.give("first stick instant", Means::TimeStepping, [&] {
        const auto stick = std::find_if(motion.others.begin(), motion.others.end(),
                                        [](const Event& event) { return event.kind == EventKind::Stick; });
        if (stick == motion.others.end()) throw DriverFailure("nothing sticks");
        return Json(stick->time_s);
    });
    answers.give("impact_# (t, contact)", Means::TimeStepping, [&](const Pieces& p) {
        const Strike& strike = strike_of(motion, count_in(p[0]));
        return Json{strike.time_s(), strike.events.front().contact + 1};
    });
    answers.give("impact_# velocities after (y',phi_M',phi_S')", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(strike_of(motion, count_in(p[0])).after.u); });

    const auto pecks = pecks_of(motion);
    const Strike &first = pecks[pecks.size() - 1 - measured_cycles], &last = pecks.back();
    const auto per_cycle = [](double sum) { return Json(sum / static_cast<double>(measured_cycles)); };
    answers.give("limit_cycle_period", Means::TimeStepping,
                 [&] { return per_cycle(last.time_s() - first.time_s()); });
    answers.give("descent_per_cycle", Means::TimeStepping,
                 [&] { return per_cycle(first.after.q[0] - last.after.q[0]); });
    answers.give("energy lost per cycle*", Means::TimeStepping, [&](const Pieces&) {
        return per_cycle(total_energy_J(model, first.after) - total_energy_J(model, last.after));
    });
}

}  // namespace carom::reference
