#include "core/dense.hpp"
#include "saltation.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {

/// The velocity jump, differentiated on the branch of the law that it took (OR-5):
///
///     A (Du+ - Du-) - H^T DP = -D(A) (u+ - u-) + D(H^T) P,     rows of the law: linear in Du+ and DP
bool Saltation::jump(const SeriesJump& one)
{
    if (one.soft || system_.impact_map.empty()) return jump_by_laws(one, {});
    if (system_.has_map_of_formulas) return jump_by_formulas(one);
    if (system_.impact_map == "sequential") return jump_in_sequence(one);
    if (system_.impact_map == "canonical") return jump_by_laws(one, system_.map_restitution);
    // one contact alone: every map turns its velocity by a restitution
    if (turns_by_its_law(one)) return jump_by_laws(one, {});
    return jump_by_map(one);
}

bool Saltation::turns_by_its_law(const SeriesJump& one)
{
    if (one.contacts.size() != 1 || one.P.size() != 1) return false;
    auto& contact = system_.contacts[static_cast<std::size_t>(one.contacts.front())];
    contact.coefficients.at(system_.place(t_s_, q_, one.u_minus).point(), work_);
    const double left = one.U_plus[0] + contact.coefficients.value[2] * one.U_minus[0];
    return std::abs(left) <= 1e-12 * std::abs(one.U_minus[0]);
}

bool Saltation::jump_by_laws(const SeriesJump& one, std::optional<double> map_restitution)
{
    const int n = system_.coordinates();
    const auto size = static_cast<int>(one.P.size());
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n + size, n + size);
    Rows right = Rows::Zero(n + size, D_.cols());
    auto place = system_.place(t_s_, q_, one.u_plus);
    for (int i = 0; i < n; ++i) {
        place.q[static_cast<std::size_t>(system_.acceleration_at(i))] = one.u_plus[i] - one.u_minus[i];
    }
    system_.kinetic.at(place.point(), work_);
    right.topRows(n) = -along(system_.kinetic);
    M.topLeftCorner(n, n) = kinetic_matrix(system_, place, work_);
    right.topRows(n) += M.topLeftCorner(n, n) * D_.middleRows(n, n);
    const double largest = size > 0 ? one.P.cwiseAbs().maxCoeff() : 0;
    std::vector<std::optional<ImpactFriction>> friction;
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        const LawRows rows = rows_of(one, k, map_restitution);
        loss = add_law_rows(rows, largest, n, M, right);
        if (loss) return false;
        friction.push_back(friction_of(rows));
    }
    const Rows solution = LeastSquares(M).solve(right);
    const Rows before = D_.middleRows(n, n);
    Du_plus = solution.topRows(n);
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        record_percussion(one, k, solution.row(n + one.offsets[k]), before, Du_plus);
        percussions.back().friction = friction[k];
    }
    D_.middleRows(n, n) = Du_plus;
    if (one.soft) close_gaps(one);
    return true;
}

/// One contact of a jump. A map has a restitution of its own and no friction.
LawRows Saltation::rows_of(const SeriesJump& one, std::size_t k, std::optional<double> map_restitution)
{
    const int n = system_.coordinates(), c = one.contacts[k], at = one.offsets[k],
              d = one.offsets[k + 1] - at;
    auto& contact = system_.contacts[static_cast<std::size_t>(c)];
    LawRows rows{.contact = &contact, .index = c, .first = n + at};
    rows.P = one.P.segment(at, d);
    rows.U_minus = one.U_minus.segment(at, d);
    rows.U_plus = one.U_plus.segment(at, d);

    // H^T DP and D(H^T) P of the balance
    auto place = system_.place(t_s_, q_, one.u_plus);
    const std::size_t frame = d == 3 ? frame_of(model_, c, contact, place, work_) : 0;
    for (int i = 0; i < d; ++i) {
        place.q[static_cast<std::size_t>(system_.reaction_at(contact.offset + i))] = rows.P[i];
    }
    contact.HT_r[frame].at(place.point(), work_);
    rows.HT_P = along(contact.HT_r[frame]);

    // U+ = H u+ + b and U-, along the data
    const auto before = system_.place(t_s_, q_, one.u_minus);
    contact.U[frame].at(before.point(), work_);
    rows.DU_minus = along(contact.U[frame]);
    contact.U[frame].at(place.point(), work_);
    rows.H = contact.U[frame].slope.middleCols(n, n);
    rows.DU_rest = along(contact.U[frame]) - rows.H * D_.middleRows(n, n);

    // the law: a contact that touched before has no restitution
    contact.coefficients.at(before.point(), work_);
    const Rows D_coefficients = along(contact.coefficients);
    const Rows none = Rows::Zero(1, D_.cols());
    const bool restitutes = one.touched[k] == 0 && !one.soft;
    rows.e = !restitutes ? 0 : map_restitution.value_or(contact.coefficients.value[2]);
    rows.De = !restitutes || map_restitution ? none : Rows(D_coefficients.row(2));
    rows.mu = map_restitution ? 0 : contact.coefficients.value[0];
    rows.Dmu = map_restitution ? none : Rows(D_coefficients.row(0));
    rows.e_T = one.soft || map_restitution ? 0 : contact.coefficients.value[3];
    rows.De_T = one.soft || map_restitution ? none : Rows(D_coefficients.row(3));
    return rows;
}

/// A contact that strikes alone at velocity u, frictionless, with restitution e.
SeriesJump Saltation::alone(int c, const Eigen::VectorXd& u, double e)
{
    const int n = system_.coordinates();
    auto& contact = system_.contacts[static_cast<std::size_t>(c)];
    auto place = system_.place(t_s_, q_, u);
    contact.U[0].at(place.point(), work_);
    const Eigen::VectorXd H = contact.U[0].slope.row(0).segment(n, n).transpose();
    const Eigen::VectorXd response = Ldlt(kinetic_matrix(system_, place, work_)).solve(H);
    SeriesJump one{.contacts = {c}, .touched = {0}, .offsets = {0, contact.dimension}};
    one.P = Eigen::VectorXd::Zero(contact.dimension);
    one.u_minus = u;
    one.U_minus = contact.U[0].value;
    one.P[0] = -(1 + e) * one.U_minus[0] / H.dot(response);
    one.u_plus = u + one.P[0] * response;
    contact.U[0].at(system_.place(t_s_, q_, one.u_plus).point(), work_);
    one.U_plus = contact.U[0].value;
    return one;
}

/// The sequential map (IM-4): collisions of one contact after the other, the first that approaches first.
bool Saltation::jump_in_sequence(const SeriesJump& one)
{
    constexpr int max_collisions = 10000;
    const std::size_t told_before = percussions.size();
    Eigen::VectorXd u = one.u_minus;
    const auto approach = [&](int c) {
        auto& contact = system_.contacts[static_cast<std::size_t>(c)];
        contact.U[0].at(system_.place(t_s_, q_, u).point(), work_);
        return contact.U[0].value[0];
    };
    double speed = 0;
    for (const int c : one.contacts) {
        speed = std::max(speed, std::abs(approach(c)));
    }
    for (int k = 0; k < max_collisions; ++k) {
        const auto next =
            std::ranges::find_if(one.contacts, [&](int c) { return approach(c) < -1e-14 * speed; });
        if (next == one.contacts.end()) break;
        const SeriesJump single = alone(*next, u, system_.map_restitution);
        if (!jump_by_laws(single, system_.map_restitution)) return false;
        u = single.u_plus;
    }
    if ((u - one.u_plus).norm() > 1e-9 * (1e-300 + one.u_minus.norm()))
        return lose("map", one.contacts.front(), "the order of the collisions is not known");
    add_up_percussions(told_before);
    return true;
}

/// Several percussions of a contact at one instant are given as one.
void Saltation::add_up_percussions(std::size_t from)
{
    std::vector<Percussion> sums(percussions.begin(),
                                 percussions.begin() + static_cast<std::ptrdiff_t>(from));
    for (std::size_t i = from; i < percussions.size(); ++i) {
        const Percussion& one = percussions[i];
        const auto first = sums.begin() + static_cast<std::ptrdiff_t>(from);
        const auto known =
            std::find_if(first, sums.end(), [&](const Percussion& it) { return it.contact == one.contact; });
        if (known == sums.end()) {
            sums.push_back(one);
            continue;
        }
        known->P += one.P;
        known->dP += one.dP;
        known->U_plus = one.U_plus;
        known->dU_plus = one.dU_plus;
    }
    percussions = std::move(sums);
}

void Saltation::record_percussion(const SeriesJump& one, std::size_t k, const Rows& dP, const Rows& Du_before,
                                  const Rows& Du_after)
{
    const int n = system_.coordinates();
    auto& contact = system_.contacts[static_cast<std::size_t>(one.contacts[k])];
    Percussion percussion{.contact = one.contacts[k],
                          .P = one.P[one.offsets[k]],
                          .U_minus = one.U_minus[one.offsets[k]],
                          .U_plus = one.U_plus[one.offsets[k]],
                          .dt = dt,
                          .dP = dP,
                          .dU_minus = {},
                          .dU_plus = {}};
    const Rows before = D_;
    for (const bool after : {false, true}) {
        contact.U[0].at(system_.place(t_s_, q_, after ? one.u_plus : one.u_minus).point(), work_);
        D_.middleRows(n, n) = after ? Du_after : Du_before;
        (after ? percussion.dU_plus : percussion.dU_minus) = along(contact.U[0]).topRows(1);
    }
    D_ = before;
    percussions.push_back(std::move(percussion));
}

/// Behind an accumulation its contacts are closed: what is left of the last flights goes (OR-7).
void Saltation::close_gaps(const SeriesJump& one)
{
    const int n = system_.coordinates();
    auto place = system_.place(t_s_, q_, one.u_plus);
    const Eigen::MatrixXd A = kinetic_matrix(system_, place, work_);
    for (const int c : one.contacts) {
        Differentiated& gap = system_.contacts[static_cast<std::size_t>(c)].gap;
        gap.at(place.point(), work_);
        const Eigen::VectorXd H = gap.slope.row(0).head(n).transpose();
        const Eigen::VectorXd response = Ldlt(A).solve(H);
        const Rows left = along(gap);
        D_.topRows(n) -= response / H.dot(response) * left;
    }
}

}  // namespace carom::detail
