#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/convex/polyhedra.hpp"
#include "carom/law/impact.hpp"

namespace carom::reference {

/// M83-SHOCK: one impact for a kinetic matrix A, gradients G of the active f <= 0 and a velocity z (Moreau
/// 1983, 5). Uses canonical_impact, whose H are gradients of gaps, -G; and PolyhedralCone for the two
/// projections.
void drive_shock(const Task& task, Answers& answers)
{
    const Metric A = value_of(Metric::from_matrix(task.matrix("A")));
    const Eigen::MatrixXd G = task.matrix("G");
    const Eigen::VectorXd z = task.vector("z");
    const auto impact = [&](double e) { return value_of(canonical_impact(A, -G, z, e)); };

    answers.give("v_plus", Means::Exact, [&] { return list_of(impact(0).u_plus); });
    answers.give("multipliers_mu", Means::Exact, [&] { return list_of(impact(0).percussions_Ns); });
    answers.give("energy_loss", Means::Exact, [&] { return Json(impact(0).energy_loss_J); });
    answers.give("y=prox(N,z)", Means::Exact,
                 [&] { return list_of(value_of(PolyhedralCone::from_inequalities(G)).prox(A, z).y); });
    answers.give("v_plus_canonical_e=*", Means::Exact,
                 [&](const Pieces& p) { return list_of(impact(number_in(p[0])).u_plus); });
}

}  // namespace carom::reference
