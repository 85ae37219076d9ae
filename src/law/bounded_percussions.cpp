#include "law/bounded_percussions.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Tangential part of one contact: a step against U_T, and back into P_N mu S.
void relax_tangential(const Coulomb& law, const Eigen::MatrixXd& W, const Eigen::VectorXd& U_free, int at,
                      int count, Eigen::VectorXd& P)
{
    // W_TT is at most 2 x 2: its trace bounds its largest eigenvalue, and is it in the plane
    const double stiffness = W.block(at, at, count, count).trace();
    auto P_T = P.segment(at, count);
    if (stiffness > 0) P_T -= (W.middleRows(at, count) * P + U_free.segment(at, count)) / stiffness;
    const double P_N = P[at - 1];
    if (!(P_N > 0)) {
        P_T.setZero();
        return;
    }
    project_on_shape(law.shape, law.friction * P_N, {P_T.data(), static_cast<std::size_t>(count)});
}

}  // namespace

bool solve_bounded(const ImpactContacts& contacts, const Eigen::MatrixXd& W, const Eigen::VectorXd& U_free,
                   const PercussionBounds& bounds, Eigen::VectorXd& P, const RelaxationSettings& settings)
{
    double change = 0, size = 0;
    for (int sweep = 0; sweep < settings.max_sweeps; ++sweep) {
        const Eigen::VectorXd before = P;
        for (int k = 0; k < contacts.size(); ++k) {
            const int at = contacts.offsets[k], d = contacts.dimension(k);
            const double U_N = W.row(at).dot(P) + U_free[at];
            const double moved = W(at, at) > 0 ? P[at] - U_N / W(at, at) : P[at];
            P[at] = std::clamp(moved, bounds.low_Ns[k], bounds.high_Ns[k]);
            if (const auto* law = std::get_if<Coulomb>(&contacts.laws[static_cast<std::size_t>(k)])) {
                relax_tangential(*law, W, U_free, at + 1, d - 1, P);
            }
        }
        if (!P.allFinite()) return false;
        if (P.size() == 0) return true;
        change = (P - before).cwiseAbs().maxCoeff();
        size = P.cwiseAbs().maxCoeff();
        if (change <= settings.tolerance * size) return true;
    }
    return change <= 100 * settings.tolerance * size;
}

}  // namespace carom
