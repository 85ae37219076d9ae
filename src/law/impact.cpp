#include "carom/law/impact.hpp"

#include "carom/convex/polyhedra.hpp"
#include "carom/law/law.hpp"
#include "core/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

Expected<void> check_sizes(const Metric& A, const Eigen::MatrixXd& H, const Eigen::VectorXd& u_minus)
{
    if (H.cols() == u_minus.size() && A.fits(u_minus.size()) && H.allFinite() && u_minus.allFinite())
        return {};
    return Error{.code = ErrorCode::WrongSize,
                 .where = "impact",
                 .message =
                     fmt::format("gradients with {} columns and a velocity with {} entries, or numbers that "
                                 "are not finite",
                                 H.cols(), u_minus.size()),
                 .hint = "give one column of H and one entry of u- per coordinate of the metric",
                 .excerpt = {}};
}

double kinetic_energy(const Metric& A, const Eigen::VectorXd& u)
{
    return A.dot(u, u) / 2;
}

/// V = { u : H u >= 0 }.
Expected<PolyhedralCone> velocity_cone(const Eigen::MatrixXd& H)
{
    return PolyhedralCone::from_inequalities(-H);
}

}  // namespace

Expected<Impact> canonical_impact(const Metric& A, const Eigen::MatrixXd& H, const Eigen::VectorXd& u_minus,
                                  double restitution)
{
    if (auto sizes = check_sizes(A, H, u_minus); !sizes) return sizes.error();
    if (auto law = check(Law{Unilateral{restitution}}); !law) return law.error();
    const auto V = velocity_cone(H);
    if (!V) return V.error();

    // u- = x + y with x in V, y in N: the standard inelastic shock keeps x, restitution gives -e y back
    const ConeProjection split = V->prox(A, u_minus);
    Impact result;
    result.u_plus = split.x - restitution * split.y;
    result.percussions_Ns = (1 + restitution) * split.multipliers;
    result.energy_loss_J = kinetic_energy(A, u_minus) - kinetic_energy(A, result.u_plus);
    result.collisions = split.multipliers.size() > 0 && split.multipliers.maxCoeff() > 0 ? 1 : 0;
    return result;
}

Expected<Impact> sequential_impact(const Metric& A, const Eigen::MatrixXd& H, const Eigen::VectorXd& u_minus,
                                   const SequentialSettings& settings)
{
    if (auto sizes = check_sizes(A, H, u_minus); !sizes) return sizes.error();
    if (auto law = check(Law{Unilateral{settings.restitution}}); !law) return law.error();

    Impact result;
    result.u_plus = u_minus;
    result.percussions_Ns = Eigen::VectorXd::Zero(H.rows());

    // velocities below roundoff of the ones that came in do not collide
    const Eigen::VectorXd speed = (H * u_minus).cwiseAbs();
    const double nothing = 1e-14 * (speed.size() > 0 ? speed.maxCoeff() : 0.0);
    for (;;) {
        Eigen::Index c = 0;
        while (c < H.rows() && !(H.row(c).dot(result.u_plus) < -nothing)) {
            ++c;
        }
        if (c == H.rows()) break;
        if (result.collisions == settings.max_collisions) {
            return Error{.code = ErrorCode::SettingOutOfRange,
                         .where = "SequentialSettings::max_collisions",
                         .message =
                             fmt::format("contacts still approach after {} collisions", result.collisions),
                         .hint = "allow more collisions, or use the canonical law: with e < 1 there can be "
                                 "infinitely many",
                         .excerpt = {}};
        }

        // one contact alone: its own velocity is turned by -e
        const Eigen::VectorXd direction = A.solve(H.row(c).transpose());
        const double compliance = H.row(c).dot(direction);
        const double P = -(1 + settings.restitution) * H.row(c).dot(result.u_plus) / compliance;
        result.u_plus += P * direction;
        result.percussions_Ns[c] += P;
        ++result.collisions;
    }
    result.energy_loss_J = kinetic_energy(A, u_minus) - kinetic_energy(A, result.u_plus);
    return result;
}

Admissibility admissibility(const Metric& A, const Eigen::MatrixXd& H, const Eigen::VectorXd& u_minus,
                            const Eigen::VectorXd& u_plus)
{
    Admissibility result;
    const Eigen::VectorXd U = H * u_plus;
    result.leaves_V_m_s = U.size() > 0 ? std::max(0.0, -U.minCoeff()) : 0.0;
    result.energy_gained_J = std::max(0.0, kinetic_energy(A, u_plus) - kinetic_energy(A, u_minus));

    // u- - u+ must be in N: what its projection on V keeps is what no contact can give
    const auto V = velocity_cone(H);
    if (!V) throw InternalError("gradients of an impact that are not finite");
    result.outside_N = A.norm(V->prox(A, u_minus - u_plus).x);
    return result;
}

Eigen::VectorXd ImpactContacts::normal_velocities(const Eigen::VectorXd& u) const
{
    Eigen::VectorXd U(size());
    for (int k = 0; k < size(); ++k) {
        U[k] = rows.row(offsets[k]).dot(u) + b[offsets[k]];
    }
    return U;
}

Expected<ImpactContacts> make_impact_contacts(Eigen::MatrixXd rows, std::vector<Law> laws)
{
    ImpactContacts result;
    for (const Law& law : laws) {
        if (auto checked = check(law); !checked) return checked.error();
        result.offsets.push_back(result.offsets.back() + dimension(law));
    }
    if (rows.rows() != result.offsets.back()) {
        return Error{
            .code = ErrorCode::WrongSize,
            .where = "make_impact_contacts",
            .message = fmt::format("{} rows for laws with {} components", rows.rows(), result.offsets.back()),
            .hint = "give one row per component: the normal one, then the tangential ones",
            .excerpt = {}};
    }
    result.b = Eigen::VectorXd::Zero(rows.rows());
    result.rows = std::move(rows);
    result.laws = std::move(laws);
    return result;
}

Impact impact_or_nan(const Expected<Impact>& impact, Eigen::Index size)
{
    return impact ? *impact : Impact(Eigen::VectorXd::Constant(size, std::nan("")));
}

namespace {

/// What a frictionless map answers, with percussions for all rows: nothing acts along the tangential ones.
Impact with_all_rows(Impact impact, const ImpactContacts& contacts)
{
    const Eigen::VectorXd normal = std::move(impact.percussions_Ns);
    impact.percussions_Ns = Eigen::VectorXd::Zero(contacts.rows.rows());
    for (Eigen::Index k = 0; k < normal.size(); ++k) {
        impact.percussions_Ns[contacts.offsets[static_cast<std::size_t>(k)]] = normal[k];
    }
    return impact;
}

/// A map for obstacles at rest, where they move: with the velocity w that follows them, H w + b = 0, it turns
/// u- - w, so that H (u - w) = U (IM-12). Not a number where no velocity follows them all.
template <class Map>
Impact beside_obstacles(const ImpactSite& site, const Eigen::VectorXd& u_minus, const Map& map)
{
    const Eigen::VectorXd b = site.closed.normal_velocities(Eigen::VectorXd::Zero(u_minus.size()));
    if (b.isZero(0)) return with_all_rows(impact_or_nan(map(u_minus), u_minus.size()), site.closed);
    Eigen::MatrixXd AiHt(u_minus.size(), site.H.rows());
    for (Eigen::Index k = 0; k < site.H.rows(); ++k) {
        AiHt.col(k) = site.A.solve(site.H.row(k).transpose());
    }
    const Eigen::VectorXd w = AiHt * LeastSquares(site.H * AiHt).solve(-b);
    if (!((site.H * w + b).norm() <= 1e-9 * b.norm()))
        return with_all_rows(impact_or_nan(Error{}, u_minus.size()), site.closed);
    Impact impact = impact_or_nan(map(u_minus - w), u_minus.size());
    impact.u_plus += w;
    impact.energy_loss_J = kinetic_energy(site.A, u_minus) - kinetic_energy(site.A, impact.u_plus);
    return with_all_rows(std::move(impact), site.closed);
}

}  // namespace

ImpactMap canonical_map(double restitution)
{
    return [restitution](const ImpactSite& site, const Eigen::VectorXd& u_minus) {
        return beside_obstacles(site, u_minus, [&](const Eigen::VectorXd& relative) {
            return canonical_impact(site.A, site.H, relative, restitution);
        });
    };
}

ImpactMap sequential_map(const SequentialSettings& settings)
{
    return [settings](const ImpactSite& site, const Eigen::VectorXd& u_minus) {
        return beside_obstacles(site, u_minus, [&](const Eigen::VectorXd& relative) {
            return sequential_impact(site.A, site.H, relative, settings);
        });
    };
}

}  // namespace carom
