#include "drivers.hpp"
#include "status_walk.hpp"
#include "stepping/scratch.hpp"

#include <algorithm>
#include <limits>

namespace carom::reference {
namespace {

constexpr double h_s = 1e-3;

/// The greatest work of a contact in a step of a motion with located changes of status.
double greatest_work(const Model& model, const State& start, double duration_s)
{
    double result = -std::numeric_limits<double>::infinity();
    StatusWalk walk(model, start, h_s, [&](const State&, const State&, const Scratch& scratch) {
        for (const ContactStep& contact : scratch.contacts) {
            result = std::max(result, contact.energy_J + contact.friction_J);
        }
    });
    walk.until_s(duration_s);
    if (result == -std::numeric_limits<double>::infinity()) throw DriverFailure("nothing was in contact");
    return result;
}

/// A particle on coupled springs that lands, slides both ways, sticks and leaves.
double on_springs(const Task& task, double restitution, double friction)
{
    const Model model = model_of({.coordinates = {"a", "b"},
                                  .kinetic = "(a'^2 + b'^2)/2",
                                  .potential = "2*a^2 + 1.5*a*b + 1.5*b^2 - a - 1.2*b",
                                  .contacts = {{.name = "obstacle",
                                                .gap = "-b",
                                                .restitution = "restitution",
                                                .friction = "friction",
                                                .sliding = {"a'"}}}},
                                 task, {{"restitution", restitution}, {"friction", friction}});
    const State start = make_state(model, Eigen::Vector2d(-1.2, -0.3), Eigen::Vector2d(0, 0));
    return greatest_work(model, start, 8);
}

/// Two particles joined by a spring, thrown over a floor.
double thrown_pair(const Task& task, double restitution, double friction)
{
    const auto floor = [](const std::string& i) {
        return test::ContactText{.name = "floor" + i,
                                 .gap = "y" + i,
                                 .restitution = "restitution",
                                 .friction = "friction",
                                 .sliding = {"x" + i + "'"}};
    };
    const Model model = model_of({.coordinates = {"x1", "y1", "x2", "y2"},
                                  .kinetic = "(x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)",
                                  .potential = "9.81*(y1 + 2*y2) + 15*(x2 - x1 - 1)^2 + 5*(y2 - y1)^2",
                                  .contacts = {floor("1"), floor("2")}},
                                 task, {{"restitution", restitution}, {"friction", friction}});
    const State start = make_state(model, Eigen::Vector4d(0, 0.4, 0.8, 0.3), Eigen::Vector4d(2, 0, 1, 0.5));
    return greatest_work(model, start, 4);
}

}  // namespace

/// CB-ENERGY: no contact gives energy, neither by its normal percussion nor by friction, in any step (Charles
/// & Ballard 2014, corollary 4.3). By moreau_step with located changes of status, for frictions and
/// restitutions from 0 to 1.
void drive_contact_work(const Task& task, Answers& answers)
{
    answers.give("max contact work", Means::Exact, [&] {
        double worst = -std::numeric_limits<double>::infinity();
        for (const double e : {0.0, 0.5, 1.0}) {
            for (const double mu : {0.0, 0.2, 0.4, 1.0}) {
                worst = std::max({worst, on_springs(task, e, mu), thrown_pair(task, e, mu)});
            }
        }
        return Json(worst);
    });
}

}  // namespace carom::reference
