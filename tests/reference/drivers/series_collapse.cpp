#include "series_drivers.hpp"
#include "series_support.hpp"
#include "shared_systems.hpp"

#include "carom/system/lagrangian/geometry.hpp"

#include <array>

/// Inelastic collapse, by the series integrator.
namespace carom::reference {

namespace {

/// Three unit masses on a line that strike with the restitution r.
Model three_masses(const Task& task, double r)
{
    return model_of({.coordinates = {"a", "b", "c"},
                     .kinetic = "(a'^2 + b'^2 + c'^2)/2",
                     .contacts = {{"left", "b - a", "r"}, {"right", "c - b", "r"}}},
                    task, {{"r", r}});
}

/// Velocities after one round of impacts, left then right, as a linear map.
Eigen::MatrixXd round_of_impacts(const Model& model, double r)
{
    const auto A = value_of(metric_at(model, Eigen::Vector3d::Zero()));
    Eigen::MatrixXd product = Eigen::MatrixXd::Identity(3, 3);
    for (const int contact : {0, 1}) {
        const Eigen::MatrixXd H = gap_gradients_at(model, Eigen::Vector3d::Zero(), std::array{contact});
        // linear on approaching velocities: a basis of them
        Eigen::MatrixXd before(3, 3), after(3, 3);
        const Eigen::VectorXd approach = -H.row(0).transpose();
        for (int i = 0; i < 3; ++i) {
            before.col(i) = 10 * approach + Eigen::Vector3d::Unit(i);
            after.col(i) = value_of(canonical_impact(A, H, before.col(i), r)).u_plus;
        }
        product = after * before.inverse() * product;
    }
    return product;
}

}  // namespace

void series_collapse(const Task& task, Answers& answers)
{
    const auto start = [&](const Model& model) {
        return make_state(model, task.vector("x"), task.vector("v"));
    };
    // impacts go on for ever where the round of impacts has real multipliers on relative velocities: they
    // then keep approaching in turns
    answers.give("r_c", Means::Exact, [&] {
        double low = 0, high = 1;
        for (int i = 0; i < 60; ++i) {
            const double r = (low + high) / 2;
            const Eigen::MatrixXd M = round_of_impacts(three_masses(task, r), r);
            // one multiplier is 1, that of the common velocity: the other two from trace and determinant
            const double trace = M.trace() - 1, determinant = M.determinant();
            (trace * trace - 4 * determinant >= 0 && trace > 0 ? low : high) = r;
        }
        return Json(low);
    });
    const auto collapsed = [&](const std::string& r) {
        const Model model = three_masses(task, number_in(r));
        SeriesMotion motion(model, start(model), 0.5);
        motion.until_s(2);
        const double t_s = first_accumulation_s(motion);
        return motion.at(t_s);
    };
    answers.give("accumulation_time(r=#)", Means::Exact,
                 [&](const Pieces& p) { return Json(collapsed(p[0]).t_s); });
    answers.give("accumulation_point(r=#)", Means::Exact,
                 [&](const Pieces& p) { return Json(collapsed(p[0]).q[1]); });
    answers.give("limit_velocity(r=#) of all three", Means::Exact,
                 [&](const Pieces& p) { return Json(collapsed(p[0]).u.cwiseAbs().maxCoeff()); });
    const auto finished = [&](const std::string& r) {
        const Model model = three_masses(task, number_in(r));
        SeriesMotion motion(model, start(model), 100);
        motion.until_s(1e4);
        return std::pair(motion.events(EventKind::Impact).size(), motion.state().u);
    };
    answers.give("impacts(r=#)", Means::Exact, [&](const Pieces& p) { return Json(finished(p[0]).first); });
    answers.give("final_velocities(r=#)", Means::Exact,
                 [&](const Pieces& p) { return list_of(finished(p[0]).second); });
}

}  // namespace carom::reference
