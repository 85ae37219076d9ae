#include "solver/poisson_impact.hpp"

#include "law/bounded_percussions.hpp"

#include <fmt/format.h>

#include <limits>

namespace carom {
namespace {

Error unsolved(const char* phase, double residual)
{
    return {.code = ErrorCode::SettingOutOfRange,
            .where = "poisson_impact",
            .message = fmt::format("the {} phase has no solution that could be found (error {:.1e})", phase,
                                   residual),
            .hint = "reduce the friction, or use energetic_impact",
            .excerpt = {}};
}

/// The laws without restitution, and the restitution of each.
Expected<std::vector<Law>> split(const ImpactContacts& contacts, const PoissonSettings& settings,
                                 Eigen::VectorXd& e)
{
    std::vector<Law> soft;
    e.resize(contacts.size());
    for (int k = 0; k < contacts.size(); ++k) {
        Law law = contacts.laws[static_cast<std::size_t>(k)];
        e[k] = settings.restitution.value_or(restitution(law));
        if (auto checked = check(Law{Unilateral{e[k]}}); !checked) return checked.error();
        if (auto* unilateral = std::get_if<Unilateral>(&law)) unilateral->restitution = 0;
        if (auto* coulomb = std::get_if<Coulomb>(&law))
            coulomb->restitution = coulomb->tangential_restitution = 0;
        soft.push_back(std::move(law));
    }
    return soft;
}

}  // namespace

Expected<Impact> poisson_impact(const Metric& A, const ImpactContacts& contacts,
                                const Eigen::VectorXd& u_minus, const PoissonSettings& settings)
{
    if (contacts.rows.cols() != u_minus.size() || !A.fits(u_minus.size()) || !u_minus.allFinite()) {
        return Error{.code = ErrorCode::WrongSize,
                     .where = "poisson_impact",
                     .message = fmt::format("rows with {} columns and a velocity with {} entries",
                                            contacts.rows.cols(), u_minus.size()),
                     .hint = "give one column of the rows and one entry of u- per coordinate of the metric",
                     .excerpt = {}};
    }
    Eigen::VectorXd e;
    auto soft = split(contacts, settings, e);
    if (!soft) return soft.error();

    // compression: the one-step problem without restitution
    const Eigen::MatrixXd G = A.whitened_covectors(contacts.rows.transpose());
    const Eigen::MatrixXd W = G.transpose() * G;
    const Eigen::VectorXd U = contacts.rows * u_minus + contacts.b;
    const auto problem = make_problem(W, U, U, *std::move(soft));
    if (!problem) return problem.error();
    Eigen::VectorXd P_C = Eigen::VectorXd::Zero(U.size());
    const SolveReport report =
        solve(*problem, {.tolerance = 1e-13}, {P_C.data(), static_cast<std::size_t>(P_C.size())});
    if (!is_solved(report.residual, 1e-9)) return unsolved("compression", solved_to(report.residual));

    // restitution: every contact gives back at least e times what it took
    PercussionBounds bounds{
        Eigen::VectorXd(contacts.size()),
        Eigen::VectorXd::Constant(contacts.size(), std::numeric_limits<double>::infinity())};
    for (int k = 0; k < contacts.size(); ++k) {
        bounds.low_Ns[k] = e[k] * P_C[contacts.offsets[k]];
    }
    Eigen::VectorXd P_R = Eigen::VectorXd::Zero(U.size());
    if (bounds.low_Ns.size() > 0 && bounds.low_Ns.maxCoeff() > 0 &&
        !solve_bounded(contacts, W, W * P_C + U, bounds, P_R)) {
        return unsolved("restitution", 1);
    }

    Impact result(u_minus + A.solve(contacts.rows.transpose() * (P_C + P_R)));
    result.percussions_Ns = P_C + P_R;
    result.energy_loss_J = (A.dot(u_minus, u_minus) - A.dot(result.u_plus, result.u_plus)) / 2;
    result.collisions = P_C.size() > 0 && P_C.cwiseAbs().maxCoeff() > 0 ? 1 : 0;
    return result;
}

ImpactMap poisson_map(const PoissonSettings& settings)
{
    return [settings](const ImpactSite& site, const Eigen::VectorXd& u_minus) {
        return impact_or_nan(poisson_impact(site.A, site.closed, u_minus, settings), u_minus.size());
    };
}

}  // namespace carom
