#include "drivers.hpp"
#include "simulation.hpp"
#include "stepping/scratch.hpp"

namespace carom::reference {
namespace {

ConePoint cone_point_of(const std::string& text)
{
    if (text == "q_M") return ConePoint::Midpoint;
    if (text == "q_I+h*u_I") return ConePoint::End;
    throw DriverFailure("cone_point is " + text + ", known are q_M and q_I+h*u_I");
}

}  // namespace

/// M88-SCHEME-1: a falling unit mass, step by step, by moreau_step with the settings of the paper to the
/// letter (Moreau 1988, 11 and remark 11.1).
void drive_falling_steps(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"q"}, .kinetic = "q'^2/2", .potential = "g*q", .contacts = {{"floor", "q"}}}, task);

    // equality counts as contact; the gap that roundoff may leave of an exact zero does too
    const MoreauSettings settings{.time_step_s = task.number("h"),
                                  .activation_gap_m = 1e-12,
                                  .force_passes = 1,
                                  .correction = false,
                                  .cone_point = cone_point_of(task.text("cone_point"))};
    if (auto checked = check(settings); !checked) throw DriverFailure(checked.error().message);

    State state = make_state(model, Eigen::VectorXd::Constant(1, task.number("q0")),
                             Eigen::VectorXd::Constant(1, task.number("u0")));
    Scratch scratch(model);
    std::vector<State> after{state};
    const std::size_t steps = largest_count(answers.asked("step_#"));
    while (after.size() <= steps) {
        const StepReport report = moreau_step(model, settings, {}, state, scratch);
        if (report.status != StepStatus::Solved) throw DriverFailure("a step was not solved");
        after.push_back(state);
    }
    answers.give("step_#", Means::Exact, [&](const Pieces& p) {
        const State& found = after[count_in(p[0])];
        return Json({found.q[0], found.u[0]});
    });
}

}  // namespace carom::reference
