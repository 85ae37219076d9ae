#include "drivers.hpp"
#include "simulation.hpp"
#include "stepping/scratch.hpp"

namespace carom::reference {
namespace {

/// The states after 0, 1, 2, ... steps by the settings of the paper to the letter.
std::vector<State> steps_of(const Model& model, const State& start, double h_s, std::size_t steps)
{
    // equality counts as contact; the gap that roundoff may leave of an exact zero does too
    const MoreauSettings settings{
        .time_step_s = h_s, .activation_gap_m = 1e-12, .force_passes = 1, .correction = false};
    if (auto checked = check(settings); !checked) throw DriverFailure(checked.error().message);
    std::vector<State> after{start};
    Scratch scratch(model);
    while (after.size() <= steps) {
        State state = after.back();
        if (moreau_step(model, settings, {}, state, scratch).status != StepStatus::Solved) {
            throw DriverFailure("a step was not solved");
        }
        after.push_back(std::move(state));
    }
    return after;
}

/// (x, y, ux, uy) after the steps asked for.
void give_steps(const Model& model, const State& start, const Task& task, Answers& answers)
{
    const auto after = steps_of(model, start, task.number("h"), largest_count(answers.asked("step_#")));
    answers.give("step_#", Means::Exact, [&](const Pieces& p) {
        const State& found = after[count_in(p[0])];
        return Json({found.q[0], found.q[1], found.u[0], found.u[1]});
    });
}

}  // namespace

/// M88-SCHEME-4: a unit mass thrown on a rough floor in the plane, step by step, by moreau_step with the
/// settings of the paper (Moreau 1988, 15).
void drive_friction_steps(const Task& task, Answers& answers)
{
    const Eigen::VectorXd K = task.vector("K");
    if (K.size() != 2) throw DriverFailure("K is not a force in the plane");
    const Model model =
        model_of({.coordinates = {"x", "y"},
                  .kinetic = "(x'^2 + y'^2)/2",
                  .forces = {"Kx", "Ky"},
                  .contacts = {{.name = "floor", .gap = "y", .friction = "coefficient", .sliding = {"x'"}}}},
                 task, {{"Kx", K[0]}, {"Ky", K[1]}, {"coefficient", task.number("gamma")}});
    give_steps(model, make_state(model, task.vector("q0"), task.vector("u0")), task, answers);
}

/// M88-SCHEME-5: a unit mass on a rough inclined plane in space, step by step (Moreau 1988, 16).
void drive_incline_steps(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y", "z"},
                                  .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                                  .potential = "g*(cos(slope_deg*pi/180)*z - sin(slope_deg*pi/180)*x)",
                                  .contacts = {{.name = "plane",
                                                .gap = "z",
                                                .friction = "mu",
                                                .shape = FrictionDisc{},
                                                .sliding = {"x'", "y'"}}}},
                                 task);
    const Eigen::VectorXd at_origin = Eigen::VectorXd::Zero(3);
    give_steps(model, make_state(model, at_origin, task.vector("u0")), task, answers);
}

}  // namespace carom::reference
