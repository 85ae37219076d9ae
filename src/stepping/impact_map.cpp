#include "impact_map.hpp"

#include "carom/convex/polyhedra.hpp"
#include "carom/system/lagrangian/geometry.hpp"
#include "step_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

std::optional<Impact> call_impact_map(const ImpactMap& map, const ImpactSite& site,
                                      const Eigen::VectorXd& u_minus, StepReport& report)
{
    Impact impact = map(site, u_minus);
    if (impact.u_plus.size() != u_minus.size() || !impact.u_plus.allFinite()) return std::nullopt;
    const ImpactContacts& closed = site.closed;
    const Eigen::Index rows = closed.rows.rows(), given = impact.percussions_Ns.size();
    if (given != rows) {
        Eigen::VectorXd P;
        if (given == site.H.rows()) {  // those of the normal rows only
            P.setZero(rows);
            for (Eigen::Index k = 0; k < given; ++k)
                P[closed.offsets[static_cast<std::size_t>(k)]] = impact.percussions_Ns[k];
        }
        impact.percussions_Ns = P;
    }
    const bool plain = !closed.has_friction() && closed.b.isZero(0);
    const Admissibility found = plain ? admissibility(site.A, site.H, u_minus, impact.u_plus)
                                      : admissibility(site.A, closed, u_minus, impact);
    report.map.leaves_V_m_s = std::max(report.map.leaves_V_m_s, found.leaves_V_m_s);
    report.map.outside_N = std::max(report.map.outside_N, found.outside_N);
    report.map.energy_gained_J += found.energy_gained_J;
    report.map_acted = true;
    if (impact.percussions_Ns.size() == rows) return impact;

    // those that the map does not name: the nearest that the contacts can give
    if (!plain) {
        impact.percussions_Ns = percussions_of_jump(site.A, closed, impact.u_plus - u_minus);
        return impact;
    }
    const auto V = PolyhedralCone::from_inequalities(-site.H);
    if (!V) return std::nullopt;
    impact.percussions_Ns = V->prox(site.A, u_minus - impact.u_plus).multipliers;
    return impact;
}

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
    const auto struck = call_impact_map(model.system().impact_map, site, s.u_start, report);
    if (!struck) return false;
    s.map_P.assign(struck->percussions_Ns.begin(), struck->percussions_Ns.end());
    s.u_minus = struck->u_plus;
    return true;
}

void judge_map(const StepReport& report, double time_s, double scale_J, Certifier& certifier)
{
    const double speed = std::sqrt(scale_J);  // kinetic norm of the velocities in the game
    if (report.map.energy_gained_J > 1e-9 * scale_J) {
        certifier.add_finding(
            "map_creates_energy", time_s,
            fmt::format("the impact map created {:.6g} J: correct the map", report.map.energy_gained_J));
    }
    if (report.map.outside_N > 1e-6 * speed) {
        certifier.add_finding(
            "map_outside_normal_cone", time_s,
            fmt::format("the impact map changed the velocity by {:.3g} J^1/2 in a direction that "
                        "no closed contact can push: correct the map, or use integrator.kind = "
                        "\"series\", which calls it at the place of the impact",
                        report.map.outside_N));
    }
    if (report.map.leaves_V_m_s > 1e-9) {
        certifier.add_finding(
            "map_leaves_velocity_cone", time_s,
            fmt::format(
                "after the impact map a closed contact still approaches at {:.3g} m/s: correct the map",
                report.map.leaves_V_m_s));
    }
}

}  // namespace carom
