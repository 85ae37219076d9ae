#include "drivers.hpp"
#include "run/step_view.hpp"
#include "simulation.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

/// The velocity that the only contact gives in the last step in which it acts before the particle is away
/// from it: a jump needs a percussion, the smooth change h K is none.
double last_jump_m_s(const Model& model, const State& start)
{
    // the reaction fades like the time left, so in the last step it gives a velocity of order h^2
    constexpr double h_s = 1e-5, longest_s = 20, away_m = 1e-3;
    const MoreauSettings settings{.time_step_s = h_s};
    double jump_m_s = 0;
    State state = start;
    const auto report = run(model, settings, longest_s, state, [&](const StepView& view) {
        const auto& contacts = view.contacts;
        const bool acts = std::any_of(contacts.begin(), contacts.end(),
                                      [](const ContactStep& contact) { return contact.P[0] > 0; });
        if (acts) jump_m_s = (view.after.u - *view.u_free).norm();
        return view.gap_m[0] < away_m;
    });
    if (report.end != RunEnd::Listener) throw DriverFailure("the particle did not leave the contact");
    return jump_m_s;
}

}  // namespace

/// M88-NOJUMP: a unit mass slides down a smooth cylinder and leaves it (system of M88-LEAVE-1); another
/// swings on a string that goes slack (system of M83-SLACK-1). The greater of the two velocity jumps at
/// separation, by simulate (Moreau 1988, remark 9.2).
void drive_no_jump(const Task& task, Answers& answers)
{
    SystemText text{.coordinates = {"x", "y"},
                    .kinetic = "(x'^2 + y'^2)/2",
                    .potential = "9.81*y",
                    .contacts = {{"cylinder", "sqrt(x^2 + y^2) - 1"}}};
    const Model cylinder = model_of(text, task);
    text.contacts = {{"string", "1 - sqrt(x^2 + y^2)"}};
    const Model string = model_of(text, task);

    answers.give("velocity_jump_at_separation", Means::TimeStepping, [&] {
        const State top = make_state(cylinder, Eigen::Vector2d(0, 1), Eigen::Vector2d(0.5, 0));
        const State bottom =
            make_state(string, Eigen::Vector2d(0, -1), Eigen::Vector2d(std::sqrt(4 * 9.81), 0));
        return Json(std::max(last_jump_m_s(cylinder, top), last_jump_m_s(string, bottom)));
    });
}

}  // namespace carom::reference
