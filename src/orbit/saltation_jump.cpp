#include "core/dense.hpp"
#include "saltation.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr double status_rounding = 1e-9;  ///< of percussions and velocities that decide a branch

}  // namespace

/// The velocity jump, differentiated on the branch of the law that it took (OR-5):
///
///     A (Du+ - Du-) - H^T DP = -D(A) (u+ - u-) + D(H^T) P,     rows of the law: linear in Du+ and DP
bool Saltation::jump(const SeriesJump& one)
{
    const int n = system_.coordinates();
    if (system_.has_map_of_formulas && !one.soft) return jump_by_formulas(one);
    const bool by_map = !system_.impact_map.empty() && !one.soft;
    if (by_map && system_.impact_map != "canonical")
        return lose("map", one.contacts.front(),
                    "the impact map " + system_.impact_map + " has no derivative");

    const auto rows = static_cast<int>(one.P.size());
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n + rows, n + rows);
    Rows right = Rows::Zero(n + rows, D_.cols());
    auto place = system_.place(t_s_, q_, one.u_plus);
    for (int i = 0; i < n; ++i) {
        place.q[static_cast<std::size_t>(system_.acceleration_at(i))] = one.u_plus[i] - one.u_minus[i];
    }
    system_.kinetic.at(place.point(), work_);
    right.topRows(n) = -along(system_.kinetic);
    M.topLeftCorner(n, n) = kinetic_matrix();
    right.topRows(n) += M.topLeftCorner(n, n) * D_.middleRows(n, n);
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        if (!law_rows(one, k, by_map, M, right)) return false;
    }
    const Rows solution = LeastSquares(M).solve(right);
    const Rows before = D_.middleRows(n, n);
    Du_plus = solution.topRows(n);
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        tell(one, k, solution.row(n + one.offsets[k]), before, Du_plus);
    }
    D_.middleRows(n, n) = Du_plus;
    if (one.soft) close_gaps(one);
    return true;
}

Eigen::MatrixXd Saltation::kinetic_matrix()
{
    const int n = system_.coordinates();
    Eigen::MatrixXd A(n, n);
    auto place = system_.place(t_s_, q_, Eigen::VectorXd::Zero(n));
    for (int j = 0; j < n; ++j) {
        place.q[static_cast<std::size_t>(system_.acceleration_at(j))] = 1;
        system_.kinetic.at(place.point(), work_);
        A.col(j) = system_.kinetic.value;
        place.q[static_cast<std::size_t>(system_.acceleration_at(j))] = 0;
    }
    return A;
}

/// The rows of one contact: what it does with its percussions, by the branch that it took.
bool Saltation::law_rows(const SeriesJump& one, std::size_t k, bool by_map, Eigen::MatrixXd& M, Rows& right)
{
    const int n = system_.coordinates(), c = one.contacts[k], at = one.offsets[k],
              d = one.offsets[k + 1] - at;
    auto& contact = system_.contacts[static_cast<std::size_t>(c)];
    const std::size_t frame = contact.dimension == 3 ? frame_of(contact, one) : 0;
    const Eigen::VectorXd P = one.P.segment(at, d), U_minus = one.U_minus.segment(at, d),
                          U_plus = one.U_plus.segment(at, d);

    // H^T DP and D(H^T) P of the balance
    auto place = system_.place(t_s_, q_, one.u_plus);
    for (int i = 0; i < d; ++i) {
        place.q[static_cast<std::size_t>(system_.reaction_at(contact.offset + i))] = P[i];
    }
    contact.HT_r[frame].at(place.point(), work_);
    right.topRows(n) += along(contact.HT_r[frame]);

    // U+ = H u+ + b and U-, along the data
    contact.coefficients.at(system_.place(t_s_, q_, one.u_minus).point(), work_);
    const Rows D_coefficients = along(contact.coefficients);
    contact.U[frame].at(system_.place(t_s_, q_, one.u_minus).point(), work_);
    Rows DU_minus = along(contact.U[frame]);
    contact.U[frame].at(place.point(), work_);
    const Eigen::MatrixXd H = contact.U[frame].slope.middleCols(n, n);
    Rows DU_rest = along(contact.U[frame]) - H * D_.middleRows(n, n);  // without that of u+
    M.block(0, n + at, n, d) = -H.transpose();

    const double speed = U_minus.cwiseAbs().sum() + U_plus.cwiseAbs().sum();
    const double size = one.P.cwiseAbs().maxCoeff();
    const bool acts = P[0] > status_rounding * size;
    const bool touched = one.touched[k] != 0;
    if (!acts && std::abs(U_plus[0]) <= status_rounding * speed && speed > 0)
        return lose("threshold", c, "the contact neither pushes nor leaves: a status at its threshold");
    if (!acts) {
        M.block(n + at, n + at, d, d).setIdentity();
        return true;
    }

    // normal: D(U+) = -D(e U-)
    const double e = one.soft ? 0 : by_map ? system_.map_restitution : contact.coefficients.value[2];
    M.block(n + at, 0, 1, n) = H.topRows(1);
    right.row(n + at) = -DU_rest.row(0);
    if (!touched && U_minus[0] < 0) {
        right.row(n + at) -= e * DU_minus.row(0);
        if (!one.soft && !by_map) right.row(n + at) -= U_minus[0] * D_coefficients.row(2);
    }
    if (d == 1) return true;
    const double mu = contact.coefficients.value[0], e_T = one.soft ? 0 : contact.coefficients.value[3];
    const Eigen::VectorXd V = U_plus.tail(d - 1) + e_T * U_minus.tail(d - 1);
    const double bound = mu * P[0], P_T = P.tail(d - 1).norm();
    const bool sticks = contact.rough || P_T < bound * (1 - status_rounding);
    if (!sticks && V.norm() <= status_rounding * speed)
        return lose("threshold", c, "friction is at its bound while the contact sticks");
    if (sticks) {
        M.block(n + at + 1, 0, d - 1, n) = H.bottomRows(d - 1);
        right.middleRows(n + at + 1, d - 1) = -DU_rest.bottomRows(d - 1) - e_T * DU_minus.bottomRows(d - 1) -
                                              U_minus.tail(d - 1) * D_coefficients.row(3);
        return true;
    }
    // slides: P_T = mu P_N s with the unit direction s against V
    const Eigen::VectorXd s = P.tail(d - 1) / bound;
    M.block(n + at + 1, n + at + 1, d - 1, d - 1).setIdentity();
    M.block(n + at + 1, n + at, d - 1, 1) = -mu * s;
    right.middleRows(n + at + 1, d - 1) = P[0] * s * D_coefficients.row(0);
    if (d == 3) {
        const Eigen::MatrixXd turn = bound / V.norm() * (Eigen::MatrixXd::Identity(2, 2) - s * s.transpose());
        M.block(n + at + 1, 0, 2, n) += turn * H.bottomRows(2);
        right.middleRows(n + at + 1, 2) -= turn * (DU_rest.bottomRows(2) + e_T * DU_minus.bottomRows(2) +
                                                   U_minus.tail(2) * D_coefficients.row(3));
    }
    return true;
}

/// In space the frame of the impact is that of the normal (CF-3): the one in which U is what the jump says.
std::size_t Saltation::frame_of(VariationalSystem::ContactFunctions& contact, const SeriesJump& one)
{
    if (contact.U.size() == 1) return 0;
    const auto c = static_cast<int>(&contact - system_.contacts.data());
    const auto k = static_cast<std::size_t>(std::ranges::find(one.contacts, c) - one.contacts.begin());
    const Eigen::VectorXd told = one.U_plus.segment(one.offsets[k], 3);
    const auto place = system_.place(t_s_, q_, one.u_plus);
    double away[2] = {0, 0};
    for (std::size_t frame = 0; frame < 2; ++frame) {
        contact.U[frame].at(place.point(), work_);
        away[frame] = (contact.U[frame].value - told).norm();
    }
    return away[1] < away[0] ? 1 : 0;
}

bool Saltation::jump_by_formulas(const SeriesJump& one)
{
    const int n = system_.coordinates();
    system_.map_after.at(system_.place(t_s_, q_, one.u_minus).point(), work_);
    const Rows before = D_.middleRows(n, n);
    Du_plus = along(system_.map_after);
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        tell(one, k, Rows::Constant(1, D_.cols(), NAN), before, Du_plus);
    }
    D_.middleRows(n, n) = Du_plus;
    return true;
}

void Saltation::tell(const SeriesJump& one, std::size_t k, const Rows& dP, const Rows& Du_before,
                     const Rows& Du_after)
{
    const int n = system_.coordinates();
    auto& contact = system_.contacts[static_cast<std::size_t>(one.contacts[k])];
    Percussion told{.contact = one.contacts[k],
                    .P = one.P[one.offsets[k]],
                    .U_minus = one.U_minus[one.offsets[k]],
                    .U_plus = one.U_plus[one.offsets[k]],
                    .dP = dP,
                    .dU_minus = {},
                    .dU_plus = {}};
    const Rows before = D_;
    for (const bool after : {false, true}) {
        contact.U[0].at(system_.place(t_s_, q_, after ? one.u_plus : one.u_minus).point(), work_);
        D_.middleRows(n, n) = after ? Du_after : Du_before;
        (after ? told.dU_plus : told.dU_minus) = along(contact.U[0]).topRows(1);
    }
    D_ = before;
    percussions.push_back(std::move(told));
}

/// Behind an accumulation its contacts are closed: what is left of the last flights goes (OR-7).
void Saltation::close_gaps(const SeriesJump& one)
{
    const int n = system_.coordinates();
    const auto place = system_.place(t_s_, q_, one.u_plus);
    const Eigen::MatrixXd A = kinetic_matrix();
    for (const int c : one.contacts) {
        Differentiated& gap = system_.contacts[static_cast<std::size_t>(c)].gap;
        gap.at(place.point(), work_);
        const Eigen::VectorXd H = gap.slope.row(0).head(n).transpose();
        const Eigen::VectorXd way = Ldlt(A).solve(H);
        const Rows left = along(gap);
        D_.topRows(n) -= way / H.dot(way) * left;
    }
}

}  // namespace carom::detail
