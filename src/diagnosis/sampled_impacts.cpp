#include "state_samples.hpp"

#include "convex/nonnegative_qp.hpp"
#include "core/dense.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace carom {
namespace {

constexpr int impacts_per_place = 24;
constexpr std::size_t max_places = 40;

/// Restitutions of the closed contacts for one velocity before.
Eigen::VectorXd restitutions(const Model& model, std::span<const int> contacts, const Eigen::VectorXd& q,
                             const Eigen::VectorXd& u_minus, double t_s)
{
    Workspace work;
    Eigen::VectorXd e(static_cast<Eigen::Index>(contacts.size()));
    for (std::size_t k = 0; k < contacts.size(); ++k)
        e[static_cast<Eigen::Index>(k)] = model.restitution(contacts[k], {view(q), view(u_minus), t_s}, work);
    return e;
}

/// The velocity of kinetic length as small as possible that goes with the obstacles; empty: they close on each
/// other.
Eigen::VectorXd with_obstacles(const Model& model, const Metric& A, const Eigen::MatrixXd& H,
                               std::span<const int> contacts, const Eigen::VectorXd& q, double t_s)
{
    Workspace work;
    Eigen::VectorXd b(H.rows());
    Eigen::VectorXd rest = Eigen::VectorXd::Zero(q.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        std::vector<double> row(model.support(contacts[k]).size());
        b[static_cast<Eigen::Index>(k)] =
            model.gap_gradient(contacts[k], {view(q), view(rest), t_s}, row, work);
    }
    if (b.isZero(0)) return rest;
    const Eigen::MatrixXd G = A.whitened_covectors(H.transpose());
    const Eigen::VectorXd v = A.unwhitened(LeastSquares(G.transpose()).solve(-b));
    return (H * v + b).norm() <= 1e-9 * b.norm() ? v : Eigen::VectorXd{};
}

/// What the laws of the contacts make of u-: 0 <= P perp U+ + e min(U-, 0) >= 0, as a step of the schemes
/// does.
Eigen::VectorXd after_laws(const Metric& A, const Eigen::MatrixXd& H, const Eigen::VectorXd& e,
                           const Eigen::VectorXd& u_minus)
{
    const Eigen::MatrixXd G = A.whitened_covectors(H.transpose());
    const Eigen::VectorXd U_minus = H * u_minus;
    const Eigen::VectorXd b = U_minus + e.cwiseProduct(U_minus.cwiseMin(0.0));
    Eigen::VectorXd P = Eigen::VectorXd::Zero(H.rows());
    solve_nonnegative_qp(G.transpose() * G, b, {}, P);
    return u_minus + A.solve(H.transpose() * P);
}

/// A velocity of kinetic length 1 that comes from outside: in -V. Empty when there is hardly one.
Eigen::VectorXd arriving_velocity(const Metric& A, const PolyhedralCone& V, detail::Dice& dice,
                                  Eigen::Index n)
{
    Eigen::VectorXd u = A.unwhitened(dice.vector(n));
    u = -V.prox(A, u).x;
    const double length = A.norm(u);
    if (!(length > 1e-6)) return {};
    return u / length;
}

void keep_worst(const Admissibility& here, Admissibility& worst)
{
    // written so that NaN, from a map that gives no number, is kept
    const auto keep = [](double x, double& largest) {
        if (!(x <= largest)) largest = x;
    };
    keep(here.leaves_V_m_s, worst.leaves_V_m_s);
    keep(here.outside_N, worst.outside_N);
    keep(here.energy_gained_J, worst.energy_gained_J);
}

}  // namespace

ImpactLawDiagnosis sample_impacts(const Model& model, const State& start,
                                  std::span<const ClosedConfiguration> places)
{
    ImpactLawDiagnosis result;
    result.lowest_e = 1;
    const bool has_map = static_cast<bool>(model.system().impact_map);
    result.canonical = !has_map;
    detail::Dice dice(5);
    const std::vector<int> different = different_contacts(model);
    for (const ClosedConfiguration& place : places.first(std::min(places.size(), max_places))) {
        const auto A = metric_at(model, place.q);
        // contacts that are written several times change nothing of an impact, unless a map sees them
        std::vector<int> contacts;
        if (has_map)
            contacts = place.contacts;
        else
            std::ranges::set_intersection(place.contacts, different, std::back_inserter(contacts));
        const Eigen::MatrixXd H = gap_gradients_at(model, place.q, contacts, start.t_s);
        const auto V = PolyhedralCone::from_inequalities(-H);
        if (!A || !V || contacts.empty() || !place.vanishing.empty()) continue;
        const Eigen::VectorXd v = with_obstacles(model, *A, H, contacts, place.q, start.t_s);
        if (v.size() == 0) continue;
        for (int k = 0; k < impacts_per_place; ++k) {
            const Eigen::VectorXd arriving = arriving_velocity(*A, *V, dice, place.q.size());
            if (arriving.size() == 0) continue;
            const Eigen::VectorXd u_minus = v + arriving;
            ++result.impacts;
            Impact after;
            const ImpactContacts closed = impact_contacts_at(model, place.q, u_minus, contacts, start.t_s);
            if (has_map) {
                const ImpactSite site{
                    .A = *A, .H = H, .closed = closed, .contacts = contacts, .q = place.q, .t_s = start.t_s};
                after = model.system().impact_map(site, u_minus);
            } else {
                const Eigen::VectorXd e = restitutions(model, contacts, place.q, u_minus, start.t_s);
                if (!(e.minCoeff() >= result.lowest_e)) result.lowest_e = e.minCoeff();
                if (!(e.maxCoeff() <= result.highest_e)) result.highest_e = e.maxCoeff();
                if (!(e.maxCoeff() - e.minCoeff() <= 1e-14)) result.canonical = false;
                after = after_laws(*A, H, e, arriving);
                after.u_plus += v;
            }
            const bool usable = after.u_plus.size() == u_minus.size() && after.u_plus.allFinite();
            const double nan = std::nan("");
            keep_worst(!usable                 ? Admissibility{nan, nan, nan}
                       : closed.has_friction() ? admissibility(*A, closed, u_minus, after)
                                               : admissibility(*A, H, arriving, after.u_plus - v),
                       result.worst);
        }
    }
    if (has_map || result.impacts == 0) result.lowest_e = result.highest_e = 0;
    return result;
}

}  // namespace carom
