#include "impact_map.hpp"

#include "carom/convex/polyhedral_cone.hpp"
#include "carom/model/geometry.hpp"

#include <algorithm>

namespace carom {

bool apply_impact_map(const Model& model, const State& state, double t_s, Scratch& s, StepReport& report)
{
    s.map_P.assign(s.rows.b.size(), 0.0);
    if (!model.system().impact_map) return true;
    bool collision = false;
    local_velocities(model, s.rows, view(s.u_start), s.U_start);
    for (int k = 0; k < s.rows.size(); ++k) {
        const double U_minus = s.U_start[s.rows.offsets[k]];
        collision = collision || (U_minus < 0 && !state.closed[s.rows.contacts[k]]);
    }
    if (!collision) return true;

    // the map sees the closed contacts and the metric where the step takes them
    const auto A = metric_at(model, s.q_cone);
    if (!A) return true;  // the free velocity will say that the metric is singular
    const Eigen::MatrixXd H = gap_gradients_at(model, s.q_cone, s.rows.contacts, t_s);
    const ImpactSite site{.A = *A, .H = H, .contacts = s.rows.contacts, .q = s.q_cone, .t_s = t_s};
    const Eigen::VectorXd after = model.system().impact_map(site, s.u_start);
    if (after.size() != s.u_start.size() || !after.allFinite()) return false;
    report.map_acted = true;
    report.map = admissibility(*A, H, s.u_start, after);

    // percussions with  A (u+ - u-) = H^T P: the multipliers of u- - u+ in N
    const auto V = PolyhedralCone::from_inequalities(-H);
    if (!V) return false;
    const ConeProjection split = V->prox(*A, s.u_start - after);
    for (int k = 0; k < s.rows.size(); ++k) {
        s.map_P[s.rows.offsets[k]] = split.multipliers[k];
    }
    s.u_minus = after;
    return true;
}

}  // namespace carom
