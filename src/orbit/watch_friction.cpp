#include "watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::detail {

/// Slip that goes on the other way: how fast.
void Watch::look_at_reversal(const SeriesPiece& piece, const SeriesStatus& status)
{
    near.push_back({.kind = Nearness::Kind::Reversal,
                    .contact = status.contact,
                    .time_s = piece.t_s,
                    .value = std::abs(slip(piece, status.contact, 0).rate),
                    .q = {},
                    .u = {},
                    .slope = {}});
}

Watch::Slip Watch::slip(const SeriesPiece& piece, int contact, double s)
{
    const int n = system_.coordinates();
    const auto stride = static_cast<std::size_t>(piece.order) + 1;
    piece.at(s, q_, u_);
    auto& functions = system_.contacts[static_cast<std::size_t>(contact)];
    functions.U[0].at(system_.place(piece.t_s + s, q_, u_).point(), work_);
    const auto slope = functions.U[0].slope.row(1);
    double rate = slope[slope.size() - 1];
    for (int i = 0; i < n; ++i) {
        const double* u = piece.u.data() + static_cast<std::size_t>(i) * stride;
        rate += slope[i] * u_[i] + slope[n + i] * series_rate(u, piece.order, s);
    }
    return {.U = functions.U[0].value[1], .rate = rate};
}

/// Slip that is slowest inside the piece, where it could stick instead; and slip that comes to its end: how
/// fast, since where that vanishes it does not stop any more.
void Watch::look_at_slip(const SeriesPiece& piece, const SeriesStatus& status)
{
    constexpr double rounding = 1e-9;
    const double side = slip(piece, status.contact, piece.h_s / 2).U > 0 ? 1 : -1;
    const auto add = [&](Nearness::Kind kind, double s, double value) {
        near.push_back({.kind = kind,
                        .contact = status.contact,
                        .time_s = piece.t_s + s,
                        .value = value,
                        .q = q_,
                        .u = u_,
                        .slope = {}});
    };
    double fastest = 0;
    for_each_root(
        piece.h_s,
        [&](double s) {
            const Slip now = slip(piece, status.contact, s);
            fastest = std::max(fastest, std::abs(now.U));
            return side * now.rate;
        },
        [&](double s, bool rises) {
            const double U = side * slip(piece, status.contact, s).U;
            if (rises && U > rounding * fastest) add(Nearness::Kind::Slip, s, U);
        });
    const Slip end = slip(piece, status.contact, piece.h_s);
    if (std::abs(end.U) <= rounding * fastest) add(Nearness::Kind::Stop, piece.h_s, std::abs(end.rate));
}

/// What friction has left of its bound while the contact sticks: f mu_s r_N + side r_T in the plane,
/// mu_s r_N - |r_T| in space, and its rate (OR-3).
Watch::Margin Watch::margin(const SeriesPiece& piece, const SeriesStatus& status, int side, double s)
{
    const int n = system_.coordinates();
    const auto stride = static_cast<std::size_t>(piece.order) + 1;
    auto& contact = system_.contacts[static_cast<std::size_t>(status.contact)];
    const auto found = std::ranges::find(piece.reactions, status.contact, &SeriesPiece::Reaction::contact);
    std::array<double, 3> r{}, rate{};
    for (int i = 0; i < found->dimension; ++i) {
        const double* row = found->r.data() + static_cast<std::size_t>(i) * stride;
        r[static_cast<std::size_t>(i)] = series_value(row, piece.order - 1, s);
        rate[static_cast<std::size_t>(i)] = series_rate(row, piece.order - 1, s);
    }
    piece.at(s, q_, u_);
    contact.coefficients.at(system_.place(piece.t_s + s, q_, u_).point(), work_);
    const double mu = contact.coefficients.value[1];
    const auto slope = contact.coefficients.slope.row(1);
    double mu_rate = slope[slope.size() - 1];
    for (int i = 0; i < n; ++i) {
        const double* u = piece.u.data() + static_cast<std::size_t>(i) * stride;
        mu_rate += slope[i] * u_[i] + slope[n + i] * series_rate(u, piece.order, s);
    }
    Margin left{.value = 0, .rate = 0, .by_mu = r[0], .by_reaction = Eigen::RowVectorXd(found->dimension)};
    double friction = side * r[1], friction_rate = side * rate[1];
    if (found->dimension == 3) {
        friction = -std::hypot(r[1], r[2]);
        const double size = friction < 0 ? -friction : 1;
        friction_rate = -(r[1] * rate[1] + r[2] * rate[2]) / size;
        left.by_reaction << mu, -r[1] / size, -r[2] / size;
    } else {
        const double f = side > 0 ? -contact.low : contact.high;
        left.by_mu *= f;
        left.by_reaction << f * mu, side;
    }
    left.value = left.by_reaction[0] * r[0] + friction;
    left.rate = left.by_mu * mu_rate + left.by_reaction[0] * rate[0] + friction_rate;
    return left;
}

/// Friction that comes nearest to its bound inside the piece, where slip could begin instead; and friction
/// that reaches it: how fast, since where that vanishes slip does not begin any more.
void Watch::look_at_stick(const SeriesPiece& piece, const SeriesStatus& status, bool begins)
{
    constexpr double rounding = 1e-9;
    auto& contact = system_.contacts[static_cast<std::size_t>(status.contact)];
    const auto acts = std::ranges::find(piece.reactions, status.contact, &SeriesPiece::Reaction::contact);
    if (!contact.friction || contact.rough || acts == piece.reactions.end()) return;
    const auto add = [&](Nearness::Kind kind, double s, double value) {
        near.push_back({.kind = kind,
                        .contact = status.contact,
                        .time_s = piece.t_s + s,
                        .value = value,
                        .q = q_,
                        .u = u_,
                        .slope = {}});
    };
    for (const int side : {1, -1}) {
        if (status.dimension == 3 && side < 0) break;
        const auto value = [&](double s) { return margin(piece, status, side, s).value; };
        for_each_root(
            piece.h_s, [&](double s) { return margin(piece, status, side, s).rate; },
            [&](double s, bool rises) {
                const Margin left = margin(piece, status, side, s);
                if (!rises || !(left.value > rounding * std::abs(left.by_reaction[0]) * left.by_mu)) return;
                holds_.push_back({near.size(), left.by_mu, left.by_reaction});
                add(Nearness::Kind::Hold, s, left.value);
            });
        look_at_ends(piece, Nearness::Kind::Hold, status.contact, value, begins);
        const Margin end = margin(piece, status, side, piece.h_s);
        const double bound = std::max(value(0), value(piece.h_s / 2));
        if (end.rate < 0 && std::abs(end.value) <= rounding * bound)
            add(Nearness::Kind::Onset, piece.h_s, -end.rate);
    }
}

}  // namespace carom::detail
