#include "carom/law/impact.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Nearest point of the set of percussions of every law, in place.
void project(const ImpactContacts& contacts, Eigen::VectorXd& P)
{
    const std::span<double> flat(P.data(), static_cast<std::size_t>(P.size()));
    for (int k = 0; k < contacts.size(); ++k) {
        project_on_set(contacts.laws[static_cast<std::size_t>(k)],
                       flat.subspan(static_cast<std::size_t>(contacts.offsets[k]),
                                    static_cast<std::size_t>(contacts.dimension(k))));
    }
}

}  // namespace

Eigen::VectorXd percussions_of_jump(const Metric& A, const ImpactContacts& contacts,
                                    const Eigen::VectorXd& jump)
{
    // minimise  |A^-1 rows^T P - jump|^2 / 2  over the cones: projected gradient, one contact at a time
    const Eigen::MatrixXd G = A.whitened_covectors(contacts.rows.transpose());
    const Eigen::MatrixXd W = G.transpose() * G;
    const Eigen::VectorXd U = contacts.rows * jump;
    Eigen::VectorXd P = Eigen::VectorXd::Zero(U.size());
    constexpr int max_sweeps = 20000;
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        double change = 0;
        for (int k = 0; k < contacts.size(); ++k) {
            const int at = contacts.offsets[k], d = contacts.dimension(k);
            const double stiffness = W.block(at, at, d, d).trace();
            if (!(stiffness > 0)) continue;
            Eigen::VectorXd moved =
                P.segment(at, d) - (W.middleRows(at, d) * P - U.segment(at, d)) / stiffness;
            project_on_set(contacts.laws[static_cast<std::size_t>(k)],
                           {moved.data(), static_cast<std::size_t>(d)});
            change = std::max(change, (moved - P.segment(at, d)).cwiseAbs().maxCoeff());
            P.segment(at, d) = moved;
        }
        if (change <= 1e-15 * P.cwiseAbs().maxCoeff()) break;
    }
    return P;
}

Admissibility admissibility(const Metric& A, const ImpactContacts& contacts, const Eigen::VectorXd& u_minus,
                            const Impact& impact)
{
    Admissibility result;
    const Eigen::VectorXd jump = impact.u_plus - u_minus;
    Eigen::VectorXd P = impact.percussions_Ns.size() == contacts.rows.rows()
                            ? impact.percussions_Ns
                            : percussions_of_jump(A, contacts, jump);
    const double brought_in = -P.dot(contacts.b);
    project(contacts, P);
    result.outside_N = A.norm(A.solve(contacts.rows.transpose() * P) - jump);
    const Eigen::VectorXd U = contacts.normal_velocities(impact.u_plus);
    result.leaves_V_m_s = U.size() > 0 ? std::max(0.0, -U.minCoeff()) : 0.0;
    const double gained = (A.dot(impact.u_plus, impact.u_plus) - A.dot(u_minus, u_minus)) / 2;
    result.energy_gained_J = std::max(0.0, gained - brought_in);
    return result;
}

}  // namespace carom
