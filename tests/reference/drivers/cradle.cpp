#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/system/lagrangian/geometry.hpp"

#include <fmt/format.h>

namespace carom::reference {
namespace {

/// n unit masses on a line, each touching the next.
Model row_of_balls(int n, const Task& task)
{
    SystemText text;
    for (int i = 1; i <= n; ++i) {
        text.coordinates.push_back(fmt::format("x{}", i));
        text.kinetic += fmt::format("{}x{}'^2/2", i > 1 ? " + " : "", i);
        if (i > 1)
            text.contacts.push_back({fmt::format("gap{}", i - 1), fmt::format("x{} - x{}", i, i - 1), "0"});
    }
    return model_of(text, task);
}

}  // namespace

/// B-CRADLE: impact of a row of equal balls (Ballard 2002, 3.2.2). The canonical law by impact_at, binary
/// elastic collisions by sequential_impact.
void drive_cradle(const Task& task, Answers& answers)
{
    const Eigen::VectorXd v_minus = task.vector("v_minus");
    const int n = static_cast<int>(v_minus.size());
    if (n != task.number("n")) throw DriverFailure("v_minus has not n entries");
    const Model model = row_of_balls(n, task);
    const Eigen::VectorXd q = Eigen::VectorXd::Zero(n);
    const Metric metric = value_of(metric_at(model, q));

    const Impact canonical = value_of(impact_at(model, q, v_minus, task.number("e")));
    answers.give("v_plus_canonical", Means::Exact, [&] { return list_of(canonical.u_plus); });
    answers.give("momentum", Means::Exact, [&] { return Json(metric.lower(canonical.u_plus).sum()); });
    answers.give("kinetic_energy_after", Means::Exact,
                 [&] { return Json(metric.dot(canonical.u_plus, canonical.u_plus) / 2); });

    const auto contacts = closed_contacts_at(model, q);
    const Eigen::MatrixXd H = gap_gradients_at(model, q, contacts);
    const Impact sequential = value_of(sequential_impact(metric, H, v_minus, {.restitution = 1.0}));
    answers.give("v_plus_sequential_elastic", Means::Exact, [&] { return list_of(sequential.u_plus); });
    answers.give("number_of_binary_impacts", Means::Exact, [&] { return Json(sequential.collisions); });
}

}  // namespace carom::reference
