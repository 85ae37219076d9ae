#include "corner_system.hpp"
#include "drivers.hpp"

#include "carom/system/lagrangian/geometry.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace carom::reference {
namespace {

constexpr int floor_contact = 0;

/// Whether an output needs the particle to climb the wall and come back.
bool asks_for_return(const Answers& answers)
{
    const auto patterns = {"*t_highest*", "s_max_along_wall", "t_return_to_corner", "v1_after_return"};
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const char* pattern) { return !answers.asked(pattern).empty(); });
}

/// From the corner with the velocity (w, 0): up the wall, back to the corner, away along the floor; twice as
/// long as until the return, and at least until last_s.
Trajectory climb(const Model& model, const State& start, double h_s, double last_s)
{
    return run_until(model, start, h_s, [&](const Trajectory& so_far) {
        const auto returns = impacts_of(so_far, floor_contact);
        return !returns.empty() && so_far.end_s() >= std::max(last_s, 2 * returns.front().time_s);
    });
}

}  // namespace

/// M83-CORNER: a particle slides along the floor into the corner with a wall (Moreau 1983, example of 5). The
/// shock by impact_at; the motion by simulate from the corner, with the velocity before the shock.
void drive_corner(const Task& task, Answers& answers)
{
    SystemText text = corner_system("e");
    text.potential = "g*q2";
    const Model model = model_of(text, task);
    const Eigen::Vector2d corner(0, 0), u_minus(task.number("w"), 0);
    const Impact shock = value_of(impact_at(model, corner, u_minus, task.number("e")));
    answers.give("v_plus", Means::Exact, [&] { return list_of(shock.u_plus); });
    answers.give("energy_loss", Means::Exact, [&] { return Json(shock.energy_loss_J); });

    const State start = make_state(model, corner, u_minus);
    const double h_s = task.step_s(1e-4);
    const double last_s =
        std::max(last_instant(answers.asked("q(t=*)")), last_instant(answers.asked("q#(t=*)"), 1));
    const bool returns = asks_for_return(answers);
    if (!returns && last_s == 0) return;
    const Trajectory motion = returns ? climb(model, start, h_s, last_s) : run_for(model, start, h_s, last_s);

    std::map<std::string, double> instants;  // that names of outputs may use
    if (returns) {
        // the vertical velocity is linear in time on the wall, so its zero is exact
        const double t_highest_s =
            first_fall_to_zero(motion, 0, [](const State& state) { return state.u[1]; });
        const Event back = impacts_of(motion, floor_contact).front();
        instants = {{"t_highest", t_highest_s}, {"t_return_to_corner", back.time_s}};
        answers.give("t_highest", Means::TimeStepping, [&] { return Json(t_highest_s); });
        answers.give("s_max_along_wall", Means::TimeStepping,
                     [&] { return Json(state_at(motion, t_highest_s).q.norm()); });
        answers.give("t_return_to_corner", Means::TimeStepping, [&] { return Json(back.time_s); });
        answers.give("v1_after_return", Means::TimeStepping,
                     [&] { return Json(motion.states[static_cast<std::size_t>(back.step)].u[0]); });
    }
    answers.give("q(t=*)", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(state_at(motion, number_in(p[0], instants)).q); });
    answers.give("q#(t=*)", Means::TimeStepping, [&](const Pieces& p) {
        const std::size_t coordinate = count_in(p[0]);
        if (coordinate > 2) throw DriverFailure("the particle has two coordinates");
        return Json(state_at(motion, number_in(p[1], instants)).q[static_cast<Eigen::Index>(coordinate - 1)]);
    });
}

}  // namespace carom::reference
