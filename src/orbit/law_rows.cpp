#include "law_rows.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace carom::detail {
namespace {

Loss at_threshold(int contact, const char* words)
{
    return {.kind = "threshold", .contact = contact, .words = words};
}

/// U_T + e_T U_T^-, which friction opposes.
Eigen::VectorXd opposed(const LawRows& rows)
{
    const Eigen::Index d = rows.P.size() - 1;
    return rows.U_plus.tail(d) + rows.e_T * rows.U_minus.tail(d);
}

/// Friction at its bound, as a part of mu P_N; nothing: inside.
std::optional<Eigen::VectorXd> at_bound(const LawRows& rows)
{
    const Eigen::Index d = rows.P.size() - 1;
    const double bound = rows.mu * rows.P[0];
    if (rows.contact->rough) return std::nullopt;
    if (!(bound > 0)) {
        // none: that of a little friction
        const Eigen::VectorXd V = opposed(rows);
        if (d == 2) return Eigen::VectorXd(V.norm() > 0 ? Eigen::VectorXd(-V / V.norm()) : V);
        const double end = V[0] > 0 ? rows.contact->low : V[0] < 0 ? rows.contact->high : 0;
        return Eigen::VectorXd::Constant(1, end);
    }
    Eigen::VectorXd part = rows.P.tail(d) / bound;
    if (d == 2) {
        if (part.norm() < 1 - rows.rounding) return std::nullopt;
        return part;
    }
    for (const double end : {rows.contact->low, rows.contact->high}) {
        if (std::abs(part[0] - end) <= rows.rounding) return Eigen::VectorXd::Constant(1, end);
    }
    return std::nullopt;
}

}  // namespace

std::optional<Loss> add_law_rows(const LawRows& rows, double largest_P, int n, Eigen::MatrixXd& M,
                                 Rows& right)
{
    const auto d = static_cast<int>(rows.P.size());
    const int at = rows.first;
    M.block(0, at, n, d) = -rows.H.transpose();
    right.topRows(n) += rows.HT_P;

    const double speed = rows.U_minus.cwiseAbs().sum() + rows.U_plus.cwiseAbs().sum();
    const bool acts = rows.P[0] > rows.rounding * largest_P;
    const double leaves = rows.U_plus[0] + rows.e * std::min(rows.U_minus[0], 0.0) + rows.shift;
    if (!acts && std::abs(leaves) <= rows.rounding * speed && speed > 0)
        return at_threshold(rows.index, "the contact neither pushes nor leaves: a status at its threshold");
    if (!acts) {
        M.block(at, at, d, d).setIdentity();
        return std::nullopt;
    }

    // normal: D(U+) = -D(e U-) - D(shift)
    M.block(at, 0, 1, n) = rows.H.topRows(1);
    right.row(at) = -rows.DU_rest.row(0);
    if (rows.U_minus[0] < 0) right.row(at) -= rows.e * rows.DU_minus.row(0) + rows.U_minus[0] * rows.De;
    if (rows.Dshift.size() > 0) right.row(at) -= rows.Dshift;
    if (d == 1) return std::nullopt;

    const Eigen::VectorXd V = opposed(rows);
    const double bound = rows.mu * rows.P[0];
    const auto slides = at_bound(rows);
    if (slides && bound > 0 && V.norm() <= rows.rounding * speed)
        return at_threshold(rows.index, "friction is at its bound while the contact sticks");
    if (!slides) {
        M.block(at + 1, 0, d - 1, n) = rows.H.bottomRows(d - 1);
        right.middleRows(at + 1, d - 1) = -rows.DU_rest.bottomRows(d - 1) -
                                          rows.e_T * rows.DU_minus.bottomRows(d - 1) -
                                          rows.U_minus.tail(d - 1) * rows.De_T;
        return std::nullopt;
    }
    // slides: P_T = mu P_N s with the direction s against V
    const Eigen::VectorXd& s = *slides;
    M.block(at + 1, at + 1, d - 1, d - 1).setIdentity();
    M.block(at + 1, at, d - 1, 1) = -rows.mu * s;
    right.middleRows(at + 1, d - 1) = rows.P[0] * s * rows.Dmu;
    if (d == 3 && bound > 0) {
        const Eigen::MatrixXd rotation =
            bound / V.norm() * (Eigen::MatrixXd::Identity(2, 2) - s * s.transpose());
        M.block(at + 1, 0, 2, n) += rotation * rows.H.bottomRows(2);
        right.middleRows(at + 1, 2) -=
            rotation * (rows.DU_rest.bottomRows(2) + rows.e_T * rows.DU_minus.bottomRows(2) +
                        rows.U_minus.tail(2) * rows.De_T);
    }
    return std::nullopt;
}

std::optional<ImpactFriction> friction_of(const LawRows& rows)
{
    const Eigen::Index d = rows.P.size() - 1;
    const double bound = rows.mu * rows.P[0];
    if (d == 0 || rows.contact->rough || !(bound > 0)) return std::nullopt;
    if (at_bound(rows)) {
        const Eigen::VectorXd V = opposed(rows);
        return ImpactFriction{.slides = d == 1 && V[0] < 0 ? -1 : 1, .left = V.norm()};
    }
    const double left =
        d == 2 ? bound - rows.P.tail(2).norm()
               : std::min(rows.P[1] - bound * rows.contact->low, bound * rows.contact->high - rows.P[1]);
    return ImpactFriction{.slides = 0, .left = left};
}

std::size_t frame_of(const Model& model, int c, VariationalSystem::ContactFunctions& contact,
                     const VariationalSystem::Place& place, Workspace& work)
{
    if (contact.U.size() == 1) return 0;
    const auto n = static_cast<Eigen::Index>(model.coordinates());
    const auto support = model.support(c);
    std::vector<double> H(3 * support.size()), b(3);
    const auto of_model = [&](const std::vector<double>& all) {
        return std::span(all).first(static_cast<std::size_t>(n));
    };
    model.contact_rows(c, {of_model(place.q), of_model(place.u), place.t_s}, H, b, work);
    double away[2] = {0, 0};
    for (std::size_t frame = 0; frame < 2; ++frame) {
        contact.U[frame].at(place.point(), work);
        for (std::size_t i = 0; i < H.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i / support.size());
            away[frame] += std::abs(contact.U[frame].slope(row, n + support[i % support.size()]) - H[i]);
        }
    }
    return away[1] < away[0] ? 1 : 0;
}

Eigen::MatrixXd kinetic_matrix(VariationalSystem& system, VariationalSystem::Place& place, Workspace& work)
{
    const int n = system.coordinates();
    Eigen::MatrixXd A(n, n);
    const auto at = [&](int j) -> double& {
        return place.q[static_cast<std::size_t>(system.acceleration_at(j))];
    };
    const std::vector<double> kept = place.q;
    for (int j = 0; j < n; ++j) {
        at(j) = 0;
    }
    for (int j = 0; j < n; ++j) {
        at(j) = 1;
        system.kinetic.at(place.point(), work);
        A.col(j) = system.kinetic.value;
        at(j) = 0;
    }
    place.q = kept;
    return A;
}

}  // namespace carom::detail
