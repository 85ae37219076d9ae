#include "drivers.hpp"
#include "refined_impacts.hpp"

#include <algorithm>
#include <numeric>

namespace carom::reference {
namespace {

/// A corner at (X, Y) of the slider against the wall on its side: sign 1 is the upper wall.
test::ContactText corner(const std::string& name, const std::string& X, const std::string& Y, int sign)
{
    const std::string side = sign > 0 ? "-" : "+";
    const std::string height = "(" + X + "*sin(th3) + " + Y + "*cos(th3))";
    return {.name = name,
            .gap = "b + c " + side + " (l1*sin(th1) + l2*sin(th2) + " + height + ")",
            .restitution = "eN",
            .friction = "mu",
            .sliding = {"-l1*sin(th1)*th1' - l2*sin(th2)*th2' - " + height + "*th3'"}};
}

/// Crank, rod and slider as three angles.
Model slider_crank(const Task& task)
{
    return model_of(
        {.coordinates = {"th1", "th2", "th3"},
         .kinetic = "(J1 + m1*l1^2/4 + (m2 + m3)*l1^2)/2*th1'^2 + (J2 + m2*l2^2/4 + m3*l2^2)/2*th2'^2"
                    " + (m2/2 + m3)*l1*l2*cos(th1 - th2)*th1'*th2' + J3/2*th3'^2",
         .potential = "g*((m1/2 + m2 + m3)*l1*sin(th1) + (m2/2 + m3)*l2*sin(th2))",
         .contacts = {corner("corner_1", "(-a)", "b", 1), corner("corner_2", "a", "b", 1),
                      corner("corner_3", "(-a)", "(-b)", -1), corner("corner_4", "a", "(-b)", -1)}},
        task);
}

/// Energy that the impacts at one instant take.
double energy_loss_J(const Strike& strike)
{
    return -std::accumulate(strike.events.begin(), strike.events.end(), 0.0,
                            [](double sum, const Event& event) { return sum + event.energy_J; });
}

}  // namespace

/// C-CRANK: a slider-crank whose slider has play in its guide. By refined
/// steps: by what the first-order scheme is late at one impact it is later at the next.
void drive_slider_crank(const Task& task, Answers& answers)
{
    const Model model = slider_crank(task);
    const State start = make_state(model, Eigen::Vector3d::Zero(), Eigen::Vector3d(150, -75, 0));
    std::size_t count = 1;
    for (const char* pattern : {"impact_#_time", "impact_#_corners", "impact_#_angles",
                                "impact_#_velocities_after", "impact_#_energy_loss"}) {
        count = std::max(count, largest_count(answers.asked(pattern)));
    }
    const Strikes motion = refined_strikes(model, start, task.step_s(1e-6), [&](const Strikes& so_far) {
        return so_far.strikes.size() >= count;
    });
    const auto strike = [&](const Pieces& p) -> const Strike& { return strike_of(motion, count_in(p[0])); };

    answers.give("impact_#_time", Means::TimeStepping,
                 [&](const Pieces& p) { return Json(strike(p).time_s()); });
    answers.give("impact_#_corners", Means::Exact, [&](const Pieces& p) {
        Json list = Json::array();
        for (const Event& event : strike(p).events) {
            list.push_back(event.contact + 1);
        }
        return list;
    });
    answers.give("impact_#_angles", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(strike(p).before.q); });
    answers.give("impact_#_velocities_after", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(strike(p).after.u); });
    answers.give("impact_#_energy_loss", Means::Exact,
                 [&](const Pieces& p) { return Json(energy_loss_J(strike(p))); });
}

}  // namespace carom::reference
