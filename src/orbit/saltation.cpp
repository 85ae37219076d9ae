#include "saltation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

/// Causes of one instant that stay at one instant whatever the data.
bool move_together(const std::vector<Rows>& instants)
{
    constexpr double same = 1e-7;
    return std::ranges::all_of(instants, [&](const Rows& other) {
        const Rows& first = instants.front();
        return (other - first).cwiseAbs().maxCoeff() <= same * (1e-3 + first.cwiseAbs().maxCoeff());
    });
}

}  // namespace

bool Saltation::lose(std::string kind, int contact, std::string words)
{
    loss = Loss{.kind = std::move(kind), .contact = contact, .words = std::move(words)};
    return false;
}

bool Saltation::cross(const SeriesInstant& instant, const VariationalPiece& before, const Rows& X,
                      Differentiated* until)
{
    percussions.clear();
    grazes.clear();
    loss.reset();
    stopped_.clear();
    opposed_.clear();
    slid_.clear();
    for (const VariationalPiece::Reaction& one : before.reactions) {
        if (one.dimension == 3 && one.slides && instant.jumps.empty()) slid_.push_back(one.contact);
    }
    t_before_s_ = t_s_;
    t_s_ = instant.t_s;
    std::vector<Rows> instants;
    if (!instant_moves(instant, before, X, until, instants)) return false;
    dt = instants.empty() ? Rows::Zero(1, X.cols()) : instants.front();

    // from a fixed time to the instant that moves (OR-4)
    const int n = system_.coordinates();
    q_ = before.q;
    D_.resize(system_.columns() + 1, X.cols());
    D_.topRows(X.rows()) = X;
    remember_kind(instant);
    if (!move_together(instants)) {
        D_.bottomRows(1).setZero();
        Du_minus = Du_plus = X.middleRows(n, n);
        return split(instant, before, X, instants);
    }
    D_.topRows(n) += before.u * dt;
    D_.middleRows(n, n) += before.a * dt;
    D_.bottomRows(1) = dt;
    if (!stopped_.empty() && !take_out_slip(before)) return false;
    Du_minus = Du_plus = D_.middleRows(n, n);
    if (!std::ranges::all_of(instant.jumps, [&](const SeriesJump& one) { return jump(one); })) return false;
    if (instant.causes.size() == 1 && instant.causes.front().kind == SeriesCause::Kind::Accumulation)
        extrapolate(instant);
    return true;
}

void Saltation::forget_instant()
{
    percussions.clear();
    loss.reset();
    stopped_.clear();
    opposed_.clear();
    slid_.clear();
    bounces_.clear();
    struck_alone_ = -1;
}

bool Saltation::proceed(const SeriesInstant& instant)
{
    forget_instant();
    return std::ranges::all_of(instant.jumps, [&](const SeriesJump& one) { return jump(one); });
}

bool Saltation::begin(const SeriesInstant& instant, const Eigen::VectorXd& q, const Rows& X)
{
    forget_instant();
    t_s_ = instant.t_s;
    q_ = q;
    dt.setZero(1, X.cols());
    D_.setZero(system_.columns() + 1, X.cols());
    D_.topRows(X.rows()) = X;
    Du_minus = Du_plus = D_.middleRows(system_.coordinates(), system_.coordinates());
    for (const SeriesJump& one : instant.jumps) {
        // a start that only just touches: another one would touch later, or begin inside
        for (std::size_t k = 0; k < one.contacts.size(); ++k) {
            Differentiated& gap = system_.contacts[static_cast<std::size_t>(one.contacts[k])].gap;
            gap.at(system_.place(t_s_, q_, one.u_minus).point(), work_);
            if (along(gap).cwiseAbs().maxCoeff() > 0) {
                return lose("start", one.contacts[k],
                            "the run begins with an impact that depends on the initial state");
            }
        }
        if (!jump(one)) return false;
    }
    return true;
}

void Saltation::begin_moving(double t_s, const Eigen::VectorXd& q, const Rows& D, const Rows& moves)
{
    forget_instant();
    t_s_ = t_s;
    q_ = q;
    dt = moves;
    D_.setZero(system_.columns() + 1, D.cols());
    D_.topRows(D.rows()) = D;
    D_.bottomRows(1) = dt;
    Du_minus = Du_plus = D_.middleRows(system_.coordinates(), system_.coordinates());
}

void Saltation::leave(const Eigen::VectorXd& u_plus, const Eigen::VectorXd& a_plus, Rows& X)
{
    const int n = system_.coordinates();
    u_plus_ = u_plus;
    a_plus_ = a_plus;
    remember_bounce();
    X = D_.topRows(X.rows());
    X.topRows(n) -= u_plus * dt;
    X.middleRows(n, n) -= a_plus * dt;
}

/// dt = -dg / g' for each cause (OR-3).
bool Saltation::instant_moves(const SeriesInstant& instant, const VariationalPiece& before, const Rows& X,
                              Differentiated* until, std::vector<Rows>& instants)
{
    for (const SeriesCause& cause : instant.causes) {
        if (cause.touches && is_one_sided && instant.jumps.empty()) {
            static_cast<void>(graze(cause.contact, before, X));
            loss.reset();
            continue;
        }
        if (!root_moves(cause, before, X, until, instants.emplace_back())) return false;
    }
    return true;
}

bool Saltation::quotient(double rate, double scale, const Rows& dg, int contact, Rows& out)
{
    if (!(std::abs(rate) > 1e-13 * scale)) {
        return lose("threshold", contact,
                    "the function whose zero defines this instant has zero slope there");
    }
    out = -dg / rate;
    return true;
}

/// The function whose root the instant is, its derivative at fixed time and its rate.
bool Saltation::root_moves(const SeriesCause& cause, const VariationalPiece& before, const Rows& X,
                           Differentiated* until, Rows& out)
{
    using Kind = SeriesCause::Kind;
    const int n = system_.coordinates();
    const auto place = system_.place(t_s_, before.q, before.u);
    const auto of_functions = [&](Differentiated& functions, Eigen::Index row) {
        functions.at(place.point(), work_);
        const auto slope = functions.slope.row(row);
        Eigen::VectorXd motion(slope.size());
        motion.setZero();
        motion.head(n) = before.u;
        motion.segment(n, n) = before.a;
        motion[motion.size() - 1] = 1;
        const double rate = slope.dot(motion), scale = slope.cwiseAbs().dot(motion.cwiseAbs());
        return quotient(rate, scale, Rows(slope.head(X.rows()) * X), cause.contact, out);
    };
    const auto reaction =
        std::ranges::find(before.reactions, cause.contact, &VariationalPiece::Reaction::contact);
    switch (cause.kind) {
    case Kind::Gap:
        if (cause.touches) return graze(cause.contact, before, X);
        return of_functions(system_.contacts[static_cast<std::size_t>(cause.contact)].gap, 0);
    case Kind::SlipEnd: {
        auto& contact = system_.contacts[static_cast<std::size_t>(cause.contact)];
        if (contact.dimension == 3) return stop_moves(cause, before, X, out);
        return of_functions(contact.U[0], 1);
    }
    case Kind::Reaction:
        if (reaction == before.reactions.end()) break;
        return quotient(reaction->rate[0], std::abs(reaction->rate[0]), reaction->dr.topRows(1),
                        cause.contact, out);
    case Kind::Threshold:
        if (reaction == before.reactions.end()) break;
        return threshold_moves(cause, *reaction, before, X, out);
    case Kind::Until:
        if (until == nullptr) break;
        return of_functions(*until, 0);
    case Kind::Switch: return of_functions(system_.switches, nearest_switch(before));
    case Kind::Accumulation:
        out = tail_of(cause.contact, {t_before_s_, 0, q_, u_plus_, a_plus_, D_, dt}).dt;
        return true;
    case Kind::Collapse:
        return lose("collapse", cause.contact, "impacts of several contacts accumulate together");
    case Kind::SlipCollapse: return stop_moves(cause, before, X, out);
    }
    return lose("unknown", cause.contact, "the function whose zero defines this instant is not known");
}

/// Friction reaches its bound: f mu r_N + side r_T = 0 in the plane, (mu r_N)^2 = |r_T|^2 in space.
bool Saltation::threshold_moves(const SeriesCause& cause, const VariationalPiece::Reaction& reaction,
                                const VariationalPiece& before, const Rows& X, Rows& out)
{
    const int n = system_.coordinates();
    auto& contact = system_.contacts[static_cast<std::size_t>(cause.contact)];
    contact.coefficients.at(system_.place(t_s_, before.q, before.u).point(), work_);
    const double mu = contact.coefficients.value[1];
    const auto slope = contact.coefficients.slope.row(1);
    const Rows dmu = slope.head(X.rows()) * X;
    const double mu_rate =
        slope.head(n).dot(before.u) + slope.segment(n, n).dot(before.a) + slope[slope.size() - 1];
    const double r = reaction.r[0], bound_rate = mu_rate * r + mu * reaction.rate[0];
    const Rows dbound = dmu * r + mu * reaction.dr.topRows(1);
    if (contact.dimension == 2) {
        const double f = cause.side > 0 ? -contact.low : contact.high;
        const double rate = f * bound_rate + cause.side * reaction.rate[1];
        const double scale = std::abs(f * bound_rate) + std::abs(reaction.rate[1]);
        return quotient(rate, scale, f * dbound + cause.side * reaction.dr.row(1), cause.contact, out);
    }
    const auto r_T = reaction.r.tail(2);
    const double rate = mu * r * bound_rate - r_T.dot(reaction.rate.tail(2));
    return quotient(rate, std::abs(mu * r * bound_rate),
                    Rows(mu * r * dbound - r_T.transpose() * reaction.dr.bottomRows(2)), cause.contact, out);
}

/// The switch that is nearest to its root, in time.
Eigen::Index Saltation::nearest_switch(const VariationalPiece& before)
{
    const int n = system_.coordinates();
    system_.switches.at(system_.place(t_s_, before.q, before.u).point(), work_);
    Eigen::Index best = 0;
    double nearest = INFINITY;
    for (Eigen::Index i = 0; i < system_.switches.value.size(); ++i) {
        const auto slope = system_.switches.slope.row(i);
        const double rate =
            slope.head(n).dot(before.u) + slope.segment(n, n).dot(before.a) + slope[slope.size() - 1];
        const double away = std::abs(system_.switches.value[i] / rate);
        if (!(away < nearest)) continue;
        nearest = away;
        best = i;
    }
    return best;
}

std::string words_of_graze(int order)
{
    return fmt::format(
        "the gap touches zero with order {}: on the striking side the instant goes with the power "
        "1/{} of the data, velocities, percussion and state with {}/{}",
        order, order, order - 1, order);
}

/// A gap that touches zero: on the side that strikes, instants depend like a root on the data (OR-8).
bool Saltation::graze(int contact, const VariationalPiece& before, const Rows& X)
{
    const int order = before.order_of_touch(contact, before.length_s());
    Differentiated& gap = system_.contacts[static_cast<std::size_t>(contact)].gap;
    gap.at(system_.place(t_s_, before.q, before.u).point(), work_);
    lose("grazing", contact, words_of_graze(order));
    loss->order = order;
    grazes.push_back({contact, order, Rows(gap.slope.row(0).head(X.rows()) * X), loss->words});
    return false;
}

}  // namespace carom::detail
