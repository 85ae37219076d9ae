#include "impact_map.hpp"

#include "carom/convex/polyhedral_cone.hpp"
#include "carom/system/lagrangian/geometry.hpp"
#include "step_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

bool apply_impact_map(const Model& model, const State& state, double t_s, Scratch& s, StepReport& report)
{
    set_all(s.rows.b.size(), 0.0, s.map_P);
    if (!model.system().impact_map) return true;
    bool collision = false;
    local_velocities(model, s.rows, view(s.u_start), s.U_start);
    for (int k = 0; k < s.rows.size(); ++k) {
        const double U_minus = s.U_start[s.rows.offsets[k]];
        collision = collision || (U_minus < 0 && !state.closed[s.rows.contacts[k]]);
    }
    if (!collision) return true;

    // the map sees the closed contacts, their laws and the metric where the step takes them
    const auto A = metric_at(model, s.q_cone);
    if (!A) return true;  // the free velocity will say that the metric is singular
    const Eigen::MatrixXd H = gap_gradients_at(model, s.q_cone, s.rows.contacts, t_s);
    const ImpactContacts closed = impact_contacts_at(model, s.q_cone, s.u_start, s.rows.contacts, t_s);
    if (!std::all_of(closed.laws.begin(), closed.laws.end(),
                     [](const Law& law) { return check(law).has_value(); }))
        return false;
    const ImpactSite site{
        .A = *A, .H = H, .closed = closed, .contacts = s.rows.contacts, .q = s.q_cone, .t_s = t_s};
    const Impact impact = model.system().impact_map(site, s.u_start);
    if (impact.u_plus.size() != s.u_start.size() || !impact.u_plus.allFinite()) return false;
    report.map_acted = true;

    // percussions with  A (u+ - u-) = rows^T P: those of the map, or the nearest that the contacts can give
    Eigen::VectorXd P = impact.percussions_Ns;
    if (closed.has_friction() || !closed.b.isZero(0)) {
        report.map = admissibility(*A, closed, s.u_start, impact);
        if (P.size() != closed.rows.rows()) P = percussions_of_jump(*A, closed, impact.u_plus - s.u_start);
    } else {
        report.map = admissibility(*A, H, s.u_start, impact.u_plus);
        const auto V = PolyhedralCone::from_inequalities(-H);
        if (!V) return false;
        if (P.size() != closed.rows.rows()) P = V->prox(*A, s.u_start - impact.u_plus).multipliers;
    }
    s.map_P.assign(P.begin(), P.end());
    s.u_minus = impact.u_plus;
    return true;
}

void judge_map(const StepReport& report, double time_s, double scale_J, Certifier& certifier)
{
    const double speed = std::sqrt(scale_J);  // kinetic norm of the velocities in the game
    if (report.map.energy_gained_J > 1e-9 * scale_J) {
        certifier.add_finding("map_creates_energy", time_s,
                              fmt::format("the impact map created {:.6g} J", report.map.energy_gained_J));
    }
    if (report.map.outside_N > 1e-6 * speed) {
        certifier.add_finding(
            "map_outside_normal_cone", time_s,
            fmt::format("the impact map changed the velocity by {:.3g} J^1/2 in a direction that "
                        "no closed contact can push",
                        report.map.outside_N));
    }
    if (report.map.leaves_V_m_s > 1e-9) {
        certifier.add_finding(
            "map_leaves_velocity_cone", time_s,
            fmt::format("after the impact map a closed contact still approaches at {:.3g} m/s",
                        report.map.leaves_V_m_s));
    }
}

}  // namespace carom
