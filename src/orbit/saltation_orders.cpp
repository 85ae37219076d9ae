#include "core/dense.hpp"
#include "saltation.hpp"

#include <algorithm>
#include <cmath>

/// Impacts of several contacts at one instant that other data would pull apart (OR-21): they are taken one
/// after the other, in every order. Where all orders end with the same velocity and the same derivatives, the
/// motion is differentiable; otherwise each order has derivatives of its own.
namespace carom::detail {
namespace {

bool nearly_same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double scale)
{
    return (a - b).cwiseAbs().maxCoeff() <= 1e-9 * scale;
}

}  // namespace

/// What an order needs: impacts of laws, contacts that were open, friction only where they do not meet.
bool Saltation::can_be_ordered(const SeriesInstant& instant) const
{
    constexpr std::size_t max_contacts = 3;
    if (instant.jumps.size() != 1 || instant.causes.size() > max_contacts) return false;
    const SeriesJump& joint = instant.jumps.front();
    const bool all_gaps = std::ranges::all_of(instant.causes, [&](const SeriesCause& cause) {
        return cause.kind == SeriesCause::Kind::Gap && !cause.touches &&
               std::ranges::find(joint.contacts, cause.contact) != joint.contacts.end();
    });
    return all_gaps && joint.contacts.size() == instant.causes.size() && !joint.soft &&
           std::ranges::all_of(joint.touched, [](char t) { return t == 0; });
}

/// K(q, u, t), the forces less the velocity terms of inertia.
Eigen::VectorXd Saltation::forces_at(const Eigen::VectorXd& u)
{
    system_.balances.at(system_.place(t_s_, q_, u).point(), work_);
    return system_.balances.value;
}

/// One contact strikes alone, and the state goes on to the same fixed time.
bool Saltation::strike_alone(int c, const SeriesJump& joint, Striking& now)
{
    const int n = system_.coordinates();
    auto& contact = system_.contacts[static_cast<std::size_t>(c)];
    auto place = system_.place(t_s_, q_, now.u);
    contact.gap.at(place.point(), work_);
    const auto slope = contact.gap.slope.row(0);
    const double rate = slope.head(n).dot(now.u) + slope[slope.size() - 1];
    dt = -(slope.head(now.X.rows()) * now.X) / rate;
    D_.topRows(now.X.rows()) = now.X;
    D_.topRows(n) += now.u * dt;
    D_.middleRows(n, n) += now.a * dt;
    D_.bottomRows(1) = dt;

    const bool single = system_.impact_map == "canonical" || system_.impact_map == "sequential";
    const std::optional<double> of_map = single ? std::optional(system_.map_restitution) : std::nullopt;
    contact.coefficients.at(place.point(), work_);
    SeriesJump one = alone(c, now.u, of_map.value_or(contact.coefficients.value[2]));
    if (system_.has_map_of_formulas) {
        one = alone_by_formulas(c, now.u);
    } else if (!system_.impact_map.empty() && !single) {
        auto by_map = alone_by_map(c, now.u);
        if (!by_map) return false;
        one = std::move(*by_map);
    } else if (contact.dimension > 1 && !of_map) {
        // friction: as in the joint impact, if nothing has changed what this contact meets
        const auto k =
            static_cast<std::size_t>(std::ranges::find(joint.contacts, c) - joint.contacts.begin());
        const int at = joint.offsets[k], d = contact.dimension;
        if (!nearly_same(one.U_minus, joint.U_minus.segment(at, d), joint.U_minus.norm())) return false;
        one.P = joint.P.segment(at, d);
        one.U_plus = joint.U_plus.segment(at, d);
        const Eigen::MatrixXd H = contact.U[0].slope.middleCols(n, n);
        one.u_plus = now.u + Ldlt(kinetic_matrix(system_, place, work_)).solve(H.transpose() * one.P);
    }
    if (!jump(one)) return false;
    const Eigen::VectorXd more = forces_at(one.u_plus) - forces_at(now.u);
    now.a += Ldlt(kinetic_matrix(system_, place, work_)).solve(more);
    now.u = one.u_plus;
    now.X = D_.topRows(now.X.rows());
    now.X.topRows(n) -= now.u * dt;
    now.X.middleRows(n, n) -= now.a * dt;
    return true;
}

/// The impacts of one order, and those that they call for; nothing: a law at a threshold.
std::optional<ImpactOrder> Saltation::in_order(const std::vector<int>& wanted, const SeriesJump& joint,
                                               Striking now)
{
    constexpr std::size_t max_impacts = 64;
    const int n = system_.coordinates();
    const double speed = joint.U_minus.cwiseAbs().maxCoeff();
    const auto approaches = [&](int c) {
        auto& contact = system_.contacts[static_cast<std::size_t>(c)];
        contact.U[0].at(system_.place(t_s_, q_, now.u).point(), work_);
        return contact.U[0].value[0] < -1e-9 * speed;
    };
    ImpactOrder order;
    const auto strike = [&](int c) {
        order.contacts.push_back(c);
        return strike_alone(c, joint, now);
    };
    for (const int c : wanted) {
        if (approaches(c) && !strike(c)) return std::nullopt;
    }
    // whoever has been thrown back onto another strikes again; two at once have no order
    for (;;) {
        std::vector<int> next;
        std::ranges::copy_if(wanted, std::back_inserter(next), approaches);
        if (next.empty()) break;
        order.ends = next.size() == 1 && order.contacts.size() < max_impacts;
        if (!order.ends) break;
        if (!strike(next.front())) return std::nullopt;
    }
    order.u_plus = now.u;
    order.X = now.X.topRows(2 * n);
    return order;
}

bool Saltation::split(const SeriesInstant& instant, const VariationalPiece& before, const Rows& X,
                      const std::vector<Rows>& instants)
{
    constexpr const char* at_once = "several events coincide, and their order depends on the data";
    const int n = system_.coordinates();
    const int first = instant.causes.front().contact;
    if (!can_be_ordered(instant)) return lose("simultaneous", first, at_once);
    // reactions of other contacts would change with velocities that forces depend on
    const SeriesJump& joint = instant.jumps.front();
    const Eigen::VectorXd K = forces_at(joint.u_minus);
    if (!before.reactions.empty() && !nearly_same(forces_at(joint.u_plus), K, K.norm()))
        return lose("simultaneous", first, at_once);

    std::vector<int> contacts = joint.contacts;
    std::ranges::sort(contacts);
    std::vector<ImpactOrder> orders;
    std::vector<Percussion> of_first;
    const Rows D_before = D_;
    do {
        percussions.clear();
        D_ = D_before;
        auto order = in_order(contacts, joint, {.u = joint.u_minus, .a = before.a, .X = X});
        if (!order) return lose("simultaneous", first, at_once);
        add_up_percussions(0);
        if (orders.empty()) of_first = percussions;
        const bool known = std::ranges::any_of(
            orders, [&](const ImpactOrder& other) { return other.contacts == order->contacts; });
        if (!known) orders.push_back(std::move(*order));
    } while (std::ranges::next_permutation(contacts).found);

    const double speed = joint.u_minus.norm() + joint.u_plus.norm();
    const bool continues = std::ranges::all_of(orders, [&](const ImpactOrder& order) {
        return order.ends && nearly_same(order.u_plus, joint.u_plus, speed);
    });
    const bool agrees =
        continues && std::ranges::all_of(orders, [&](const ImpactOrder& order) {
            return nearly_same(order.X, orders.front().X, orders.front().X.cwiseAbs().maxCoeff());
        });
    if (agrees) {
        percussions = std::move(of_first);
        dt.setZero(1, X.cols());
        D_ = D_before;
        D_.topRows(2 * n) = orders.front().X;
        D_.bottomRows(1).setZero();
        Du_plus = D_.middleRows(n, n);
        return true;
    }
    lose("simultaneous", first,
         continues ? "impacts of several contacts coincide: later derivatives depend on their order"
                   : "impacts of several contacts coincide: the result depends on their order");
    loss->orders = std::move(orders);
    loss->dt.resize(static_cast<Eigen::Index>(instants.size()), X.cols());
    for (std::size_t i = 0; i < instants.size(); ++i) {
        loss->dt.row(static_cast<Eigen::Index>(i)) = instants[i].row(0);
        loss->struck.push_back(instant.causes[i].contact);
    }
    return false;
}

}  // namespace carom::detail
