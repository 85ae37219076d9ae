#include "core/dense.hpp"
#include "saltation.hpp"

#include "carom/system/lagrangian/geometry.hpp"

#include <algorithm>
#include <cmath>

/// Impacts by maps of several contacts: by formulas, differentiated as they stand, and those that are known
/// by their values (Poisson, energetic, LZB), by differences (OR-24).
namespace carom::detail {

Saltation::Balance Saltation::balance_of(const SeriesJump& one)
{
    const int n = system_.coordinates();
    auto place = system_.place(t_s_, q_, one.u_plus);
    Balance balance{.A = kinetic_matrix(system_, place, work_),
                    .HT = Eigen::MatrixXd::Zero(n, one.P.size()),
                    .given = {}};
    for (int i = 0; i < n; ++i) {
        place.q[static_cast<std::size_t>(system_.acceleration_at(i))] = one.u_plus[i] - one.u_minus[i];
    }
    system_.kinetic.at(place.point(), work_);
    balance.given = -along(system_.kinetic);
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        const LawRows rows = rows_of(one, k, {});
        balance.HT.middleCols(one.offsets[k], rows.P.size()) = rows.H.transpose();
        balance.given += rows.HT_P;
    }
    return balance;
}

/// The velocities are known, percussions follow from the balance where they make up the whole jump.
bool Saltation::jump_by_formulas(const SeriesJump& one)
{
    const int n = system_.coordinates();
    const Rows before = D_.middleRows(n, n);
    const Balance balance = balance_of(one);
    system_.map_after.at(system_.place(t_s_, q_, one.u_minus).point(), work_);
    Du_plus = along(system_.map_after);
    const Eigen::VectorXd momentum = balance.A * (one.u_plus - one.u_minus);
    const Rows left = balance.A * (Du_plus - before) - balance.given;
    Rows DP = LeastSquares(balance.HT).solve(left);
    const bool all = (momentum - balance.HT * one.P).norm() <= 1e-9 * momentum.norm() &&
                     (left - balance.HT * DP).norm() <= 1e-9 * left.norm();
    if (!all) DP.setConstant(NAN);
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        record_percussion(one, k, DP.row(one.offsets[k]), before, Du_plus);
    }
    D_.middleRows(n, n) = Du_plus;
    return true;
}

/// What the map reads, at the impact itself.
MapData Saltation::data_of(const SeriesJump& one, const ImpactContacts& like)
{
    auto place = system_.place(t_s_, q_, one.u_minus);
    const auto size = static_cast<Eigen::Index>(one.contacts.size());
    MapData data{.A = kinetic_matrix(system_, place, work_),
                 .rows = like.rows,
                 .b = like.b,
                 .u = one.u_minus,
                 .e = Eigen::VectorXd::Zero(size),
                 .mu = Eigen::VectorXd::Zero(size)};
    for (Eigen::Index k = 0; k < size; ++k) {
        const Law& law = like.laws[static_cast<std::size_t>(k)];
        data.e[k] = restitution(law);
        if (const auto* coulomb = std::get_if<Coulomb>(&law)) data.mu[k] = coulomb->friction;
    }
    return data;
}

/// How what the map reads moves, for each column of D.
std::vector<MapData> Saltation::directions_of(const SeriesJump& one, const ImpactContacts& like)
{
    const int n = system_.coordinates();
    const MapData none = data_of(one, like).moved(data_of(one, like), -1);
    std::vector<MapData> directions(static_cast<std::size_t>(D_.cols()), none);
    const auto each = [&](const auto& put) {
        for (Eigen::Index j = 0; j < D_.cols(); ++j) {
            put(directions[static_cast<std::size_t>(j)], j);
        }
    };
    each([&](MapData& direction, Eigen::Index j) { direction.u = D_.middleRows(n, n).col(j); });
    // column by column of A, row by row of H
    auto place = system_.place(t_s_, q_, one.u_minus);
    for (int i = 0; i < n; ++i) {
        double& unit = place.q[static_cast<std::size_t>(system_.acceleration_at(i))];
        unit = 1;
        system_.kinetic.at(place.point(), work_);
        const Rows DA = along(system_.kinetic);
        unit = 0;
        each([&](MapData& direction, Eigen::Index j) { direction.A.col(i) = DA.col(j); });
    }
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        auto& contact = system_.contacts[static_cast<std::size_t>(one.contacts[k])];
        const int at = one.offsets[k], d = one.offsets[k + 1] - at;
        const auto index = static_cast<Eigen::Index>(k);
        const std::size_t frame = d == 3 ? frame_of(model_, one.contacts[k], contact, place, work_) : 0;
        for (int i = 0; i < d; ++i) {
            double& unit = place.q[static_cast<std::size_t>(system_.reaction_at(contact.offset + i))];
            unit = 1;
            contact.HT_r[frame].at(place.point(), work_);
            const Rows DH = along(contact.HT_r[frame]);
            unit = 0;
            each([&](MapData& direction, Eigen::Index j) {
                direction.rows.row(at + i) = DH.col(j).transpose();
            });
        }
        contact.U[frame].at(system_.place(t_s_, q_, Eigen::VectorXd::Zero(n)).point(), work_);
        const Rows Db =
            along(contact.U[frame]) - contact.U[frame].slope.middleCols(n, n) * D_.middleRows(n, n);
        contact.coefficients.at(place.point(), work_);
        const Rows D_law = along(contact.coefficients);
        const auto* coulomb = std::get_if<Coulomb>(&like.laws[k]);
        const Eigen::VectorXd& value = contact.coefficients.value;
        const bool holds = coulomb != nullptr &&
                           std::abs(coulomb->friction - value[1]) < std::abs(coulomb->friction - value[0]);
        each([&](MapData& direction, Eigen::Index j) {
            direction.b.segment(at, d) = Db.col(j);
            direction.e[index] = D_law(2, j);
            if (coulomb != nullptr) direction.mu[index] = D_law(holds ? 1 : 0, j);
        });
    }
    return directions;
}

/// Percussions of the map, by differences along each column; velocities by the balance.
bool Saltation::jump_by_map(const SeriesJump& one)
{
    constexpr double good = 1e-7, smooth = 1e-5;
    const int n = system_.coordinates(), first = one.contacts.front();
    const std::string name = "the impact map " + system_.impact_map;
    const ImpactContacts like = impact_contacts_at(model_, q_, one.u_minus, one.contacts, t_s_);
    const MapDifferences map(model_.system().impact_map, like, one.contacts, one.touched, q_, t_s_);
    const MapData at = data_of(one, like);
    const auto P = map.percussions(at);
    if (!P || (*P - one.P).norm() > 1e-9 * one.P.norm())
        return lose("map", first, name + " gives different percussions when it is called again");
    Rows DP(one.P.size(), D_.cols());
    const std::vector<MapData> directions = directions_of(one, like);
    for (Eigen::Index j = 0; j < D_.cols(); ++j) {
        const auto slope = map.along(at, directions[static_cast<std::size_t>(j)]);
        if (!slope || slope->error > good)
            return lose("map", first, name + " has no derivative here on which finite differences agree");
        if (slope->kink > smooth)
            return lose("threshold", first,
                        name + " has different derivatives on the two sides: a status changes");
        DP.col(j) = slope->value;
    }
    const Balance balance = balance_of(one);
    const Rows before = D_.middleRows(n, n);
    Du_plus = before + Ldlt(balance.A).solve(Rows(balance.HT * DP + balance.given));
    for (std::size_t k = 0; k < one.contacts.size(); ++k) {
        record_percussion(one, k, DP.row(one.offsets[k]), before, Du_plus);
    }
    D_.middleRows(n, n) = Du_plus;
    return true;
}

/// One contact alone, by the map of several; nothing: the map refuses it.
std::optional<SeriesJump> Saltation::alone_by_map(int c, const Eigen::VectorXd& u)
{
    const std::vector<int> contacts{c};
    const ImpactContacts like = impact_contacts_at(model_, q_, u, contacts, t_s_);
    SeriesJump one{.contacts = contacts, .touched = {0}, .offsets = like.offsets};
    one.u_minus = u;
    one.U_minus = like.rows * u + like.b;
    const MapDifferences map(model_.system().impact_map, like, contacts, one.touched, q_, t_s_);
    const MapData at = data_of(one, like);
    const auto P = map.percussions(at);
    if (!P) return std::nullopt;
    one.P = *P;
    one.u_plus = u + Ldlt(at.A).solve(like.rows.transpose() * one.P);
    one.U_plus = like.rows * one.u_plus + like.b;
    return one;
}

SeriesJump Saltation::alone_by_formulas(int c, const Eigen::VectorXd& u)
{
    const std::vector<int> contacts{c};
    const ImpactContacts like = impact_contacts_at(model_, q_, u, contacts, t_s_);
    SeriesJump one{.contacts = contacts, .touched = {0}, .offsets = like.offsets};
    auto place = system_.place(t_s_, q_, u);
    system_.map_after.at(place.point(), work_);
    one.u_minus = u;
    one.u_plus = system_.map_after.value;
    one.U_minus = like.rows * u + like.b;
    one.U_plus = like.rows * one.u_plus + like.b;
    const Eigen::VectorXd momentum = kinetic_matrix(system_, place, work_) * (one.u_plus - u);
    const Eigen::MatrixXd HT = like.rows.transpose();
    one.P = LeastSquares(HT).solve(momentum);
    return one;
}

}  // namespace carom::detail
