#include "law/frictional_impact.hpp"

#include "impact_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom {

namespace detail {

Expected<LocalImpact> local_impact(const Metric& A, const ImpactContacts& contacts,
                                   const Eigen::VectorXd& u_minus, std::optional<double> restitution)
{
    const bool fits = contacts.rows.cols() == u_minus.size() && A.fits(u_minus.size()) &&
                      contacts.rows.rows() == contacts.offsets.back() &&
                      contacts.b.size() == contacts.rows.rows() && contacts.rows.allFinite() &&
                      contacts.b.allFinite() && u_minus.allFinite();
    if (!fits) {
        return Error{.code = ErrorCode::WrongSize,
                     .where = "impact",
                     .message = fmt::format("rows with {} columns and a velocity with {} entries, or numbers "
                                            "that are not finite",
                                            contacts.rows.cols(), u_minus.size()),
                     .hint = "give one column of the rows and one entry of u- per coordinate of the metric",
                     .excerpt = {}};
    }
    LocalImpact result;
    for (const Law& law : contacts.laws) {
        const Law used = restitution ? Law{Unilateral{*restitution}} : law;
        if (auto checked = check(law); !checked) return checked.error();
        if (auto checked = check(used); !checked) return checked.error();
        result.restitution.push_back(carom::restitution(used));
    }
    const Eigen::MatrixXd G = A.whitened_covectors(contacts.rows.transpose());
    result.W = G.transpose() * G;
    result.U = contacts.rows * u_minus + contacts.b;
    result.P = Eigen::VectorXd::Zero(result.U.size());
    result.nothing_m_s = 1e-14 * (result.U.size() > 0 ? result.U.cwiseAbs().maxCoeff() : 0.0);
    return result;
}

Impact finished(const Metric& A, const ImpactContacts& contacts, const Eigen::VectorXd& u_minus,
                const Eigen::VectorXd& P, int collisions)
{
    Impact result(u_minus + A.solve(contacts.rows.transpose() * P));
    result.percussions_Ns = P;
    result.energy_loss_J = (A.dot(u_minus, u_minus) - A.dot(result.u_plus, result.u_plus)) / 2;
    result.collisions = collisions;
    return result;
}

}  // namespace detail

namespace {

/// Row-major copy of the block of one contact.
std::vector<double> own_block(const ImpactContacts& contacts, const Eigen::MatrixXd& W, int k)
{
    const int at = contacts.offsets[k], d = contacts.dimension(k);
    std::vector<double> block;
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            block.push_back(W(at + i, at + j));
        }
    }
    return block;
}

Error endless(int contact, int collisions, bool wedged)
{
    return {.code = ErrorCode::SettingOutOfRange,
            .where = "EnergeticSettings::max_collisions",
            .message = wedged ? fmt::format("contact {} is wedged: no percussion ends its approach", contact)
                              : fmt::format("contacts still approach after {} collisions", collisions),
            .hint = wedged ? "the contact can move in no direction that friction allows; reduce its friction"
                           : "allow more collisions, or use the canonical law: with e < 1 there can be "
                             "infinitely many",
            .excerpt = {}};
}

}  // namespace

Expected<Impact> energetic_impact(const Metric& A, const ImpactContacts& contacts,
                                  const Eigen::VectorXd& u_minus, const EnergeticSettings& settings)
{
    auto local = detail::local_impact(A, contacts, u_minus, settings.restitution);
    if (!local) return local.error();
    int collisions = 0;
    for (;;) {
        // the first contact that approaches
        int k = 0;
        while (k < contacts.size() && !(local->U[contacts.offsets[k]] < -local->nothing_m_s)) {
            ++k;
        }
        if (k == contacts.size()) break;
        if (collisions == settings.max_collisions) return endless(k, collisions, false);

        // collides as if it were alone
        const int at = contacts.offsets[k], d = contacts.dimension(k);
        const auto size = static_cast<std::size_t>(d);
        const Eigen::VectorXd U = local->U.segment(at, d);
        const Collision collision =
            collide(contacts.laws[static_cast<std::size_t>(k)], own_block(contacts, local->W, k),
                    {U.data(), size}, local->restitution[static_cast<std::size_t>(k)]);
        if (!collision.ended) return endless(k, collisions, true);
        const Eigen::VectorXd P = Eigen::Map<const Eigen::VectorXd>(collision.P.data(), d);
        local->P.segment(at, d) += P;
        local->U += local->W.middleCols(at, d) * P;
        ++collisions;
    }
    return detail::finished(A, contacts, u_minus, local->P, collisions);
}

ImpactMap energetic_map(const EnergeticSettings& settings)
{
    return [settings](const ImpactSite& site, const Eigen::VectorXd& u_minus) {
        return impact_or_nan(energetic_impact(site.A, site.closed, u_minus, settings), u_minus.size());
    };
}

ImpactMap lzb_map(const LzbSettings& settings)
{
    return [settings](const ImpactSite& site, const Eigen::VectorXd& u_minus) {
        LzbSettings here = settings;
        here.stiffness.clear();
        for (const int contact : site.contacts) {
            const auto c = static_cast<std::size_t>(contact);
            here.stiffness.push_back(c < settings.stiffness.size() ? settings.stiffness[c] : 1.0);
        }
        return impact_or_nan(lzb_impact(site.A, site.closed, u_minus, here), u_minus.size());
    };
}

}  // namespace carom
