#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/law/impact.hpp"
#include "carom/law/law.hpp"

namespace carom::reference {

/// M88-DISS-1: the same impact with Moreau's dissipation index instead of a restitution (Moreau 1988,
/// remark 10.2). Uses restitution_of_dissipation_index and canonical_impact.
void drive_dissipation_index(const Task& task, Answers& answers)
{
    const Metric A = value_of(Metric::from_matrix(task.matrix("A")));
    const Eigen::MatrixXd G = task.matrix("G");
    const Eigen::VectorXd u_minus = task.vector("u_minus");
    const auto impact = [&](const std::string& delta) {
        const double e = value_of(restitution_of_dissipation_index(number_in(delta)));
        return value_of(canonical_impact(A, -G, u_minus, e));
    };

    answers.give("e(delta) for delta=*", Means::Exact, [&](const Pieces& p) {
        Json list = Json::array();
        for (const double delta : numbers_in(p[0])) {
            list.push_back(value_of(restitution_of_dissipation_index(delta)));
        }
        return list;
    });
    answers.give("u_plus_delta=*", Means::Exact,
                 [&](const Pieces& p) { return list_of(impact(p[0]).u_plus); });
    answers.give("dE_delta=*", Means::Exact,
                 [&](const Pieces& p) { return Json(-impact(p[0]).energy_loss_J); });
}

}  // namespace carom::reference
