#include "watch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace carom::detail {

double series_rate(const double* x, int order, double s) noexcept
{
    double sum = 0;
    for (int k = order; k >= 1; --k) {
        sum = sum * s + k * x[k];
    }
    return sum;
}

void for_each_root(double h, const std::function<double(double)>& f,
                   const std::function<void(double, bool)>& visit)
{
    constexpr int looks = 24;  // for changes of sign
    double low = 0, f_low = f(0);
    for (int i = 1; i <= looks; ++i) {
        const double high = h * i / looks, f_high = f(high);
        if ((f_low < 0) != (f_high < 0) && f_low != 0) {
            double a = low, b = high;
            for (int k = 0; k < 60 && b - a > 1e-16 * h; ++k) {
                const double middle = (a + b) / 2;
                ((f(middle) < 0) == (f_low < 0) ? a : b) = middle;
            }
            visit((a + b) / 2, f_low < 0);
        }
        low = high;
        f_low = f_high;
    }
}

Watch::Watch(VariationalSystem& system, const State& start)
    : lowest(start.q),
      highest(start.q),
      last_acceleration(Eigen::VectorXd::Zero(start.q.size())),
      system_(system)
{
}

void Watch::look(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    look_at_coordinates(piece);
    const auto before = before_;
    after_event_ = begins_with_event(piece, statuses);
    if (after_event_) near.insert(near.end(), at_end_.begin(), at_end_.end());
    at_end_.clear();
    first_ = near.size();
    holds_.clear();
    piece_s_ = piece.t_s;
    for (int c = 0; c < static_cast<int>(system_.contacts.size()); ++c) {
        const auto status = std::ranges::find(statuses, c, &SeriesStatus::contact);
        if (status == statuses.end()) {
            look_at_gap(piece, c);
            continue;
        }
        const bool begins = std::ranges::find(before, c, &SeriesStatus::contact) == before.end();
        look_at_reaction(piece, c, begins);
        if (status->sticks && status->dimension > 1) look_at_stick(piece, *status, begins);
        if (!status->slides || status->dimension != 2) continue;
        if (status->begins) look_at_reversal(piece, *status);
        look_at_slip(piece, *status);
    }
}

/// Statuses are others, or velocities jump.
bool Watch::begins_with_event(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    constexpr double rounding = 1e-9;
    const auto same = [](const SeriesStatus& a, const SeriesStatus& b) {
        return a.contact == b.contact && a.slides == b.slides && a.sticks == b.sticks && a.side == b.side;
    };
    piece.at(0, q_, u_);
    const bool is_first = u_before_.size() == 0;
    const bool changes =
        !std::ranges::equal(before_, statuses, same) ||
        (!is_first && (u_ - u_before_).cwiseAbs().maxCoeff() >
                          rounding * (u_.cwiseAbs().maxCoeff() + u_before_.cwiseAbs().maxCoeff()));
    before_ = statuses;
    piece.at(piece.h_s, q_, u_before_);
    return changes && !is_first;
}

void Watch::look_at_coordinates(const SeriesPiece& piece)
{
    const auto stride = static_cast<std::size_t>(piece.order) + 1;
    for (Eigen::Index i = 0; i < lowest.size(); ++i) {
        const double* q = piece.q.data() + static_cast<std::size_t>(i) * stride;
        const double* u = piece.u.data() + static_cast<std::size_t>(i) * stride;
        const auto take = [&](double s) {
            const double value = series_value(q, piece.order, s);
            lowest[i] = std::min(lowest[i], value);
            highest[i] = std::max(highest[i], value);
        };
        take(piece.h_s);
        for_each_root(
            piece.h_s, [&](double s) { return series_value(u, piece.order, s); },
            [&](double s, bool) { take(s); });
        last_acceleration[i] = series_rate(u, piece.order, piece.h_s);
    }
}

/// Where a gap, a reaction, slip or what friction has left is smallest its instant does not count: the slope
/// is that at a fixed time. Those of a reversal, of a stop and of an onset are not known.
void Watch::differentiate(const VariationalPiece& piece, const Rows& X)
{
    Rows at(X.rows(), X.cols()), inside;
    for (std::size_t i = first_; i < near.size(); ++i) {
        Nearness& one = near[i];
        const double s = one.time_s - piece_s_;
        if (s == 0) continue;  // at an event, which moves
        if (one.kind == Nearness::Kind::Reaction) one.slope = piece.reaction_at(one.contact, s).row(0);
        const bool of_gap = one.kind == Nearness::Kind::Gap;
        if (!of_gap && one.kind != Nearness::Kind::Slip) continue;
        piece.at(s, inside);
        at = X;
        at.topRows(inside.rows()) = inside;
        auto& contact = system_.contacts[static_cast<std::size_t>(one.contact)];
        Differentiated& function = of_gap ? contact.gap : contact.U[0];
        function.at(system_.place(one.time_s, one.q, one.u).point(), work_);
        const Eigen::Index row = of_gap ? 0 : 1;
        const double side = of_gap || function.value[row] > 0 ? 1 : -1;
        one.slope = side * (function.slope.row(row).head(X.rows()) * at);
    }
    for (const Hold& hold : holds_) {
        Nearness& one = near[hold.near];
        const double s = one.time_s - piece_s_;
        piece.at(s, inside);
        at = X;
        at.topRows(inside.rows()) = inside;
        Differentiated& law = system_.contacts[static_cast<std::size_t>(one.contact)].coefficients;
        law.at(system_.place(one.time_s, one.q, one.u).point(), work_);
        one.slope = hold.by_reaction * piece.reaction_at(one.contact, s) +
                    hold.by_mu * (law.slope.row(1).head(X.rows()) * at);
    }
}

/// U_N of a contact at s.
double Watch::approach(const SeriesPiece& piece, int contact, double s)
{
    piece.at(s, q_, u_);
    auto& functions = system_.contacts[static_cast<std::size_t>(contact)];
    functions.U[0].at(system_.place(piece.t_s + s, q_, u_).point(), work_);
    return functions.U[0].value[0];
}

void Watch::look_at_gap(const SeriesPiece& piece, int contact)
{
    for_each_root(
        piece.h_s, [&](double s) { return approach(piece, contact, s); },
        [&](double s, bool rises) {
            if (!rises) return;
            piece.at(s, q_, u_);
            Differentiated& gap = system_.contacts[static_cast<std::size_t>(contact)].gap;
            gap.at(system_.place(piece.t_s + s, q_, u_).point(), work_);
            near.push_back({.kind = Nearness::Kind::Gap,
                            .contact = contact,
                            .time_s = piece.t_s + s,
                            .value = gap.value[0],
                            .q = q_,
                            .u = u_,
                            .slope = {}});
        });
}

void Watch::look_at_reaction(const SeriesPiece& piece, int contact, bool begins)
{
    const auto found = std::ranges::find(piece.reactions, contact, &SeriesPiece::Reaction::contact);
    if (found == piece.reactions.end()) return;
    const double* r = found->r.data();
    for_each_root(
        piece.h_s, [&](double s) { return series_rate(r, piece.order - 1, s); },
        [&](double s, bool rises) {
            if (!rises) return;
            near.push_back({.kind = Nearness::Kind::Reaction,
                            .contact = contact,
                            .time_s = piece.t_s + s,
                            .value = series_value(r, piece.order - 1, s),
                            .q = {},
                            .u = {},
                            .slope = {}});
        });
    look_at_ends(
        piece, Nearness::Kind::Reaction, contact,
        [&](double s) { return series_value(r, piece.order - 1, s); }, begins);
}

/// What is smallest where a piece begins or ends, at an event; and what a phase begins with, however it goes
/// on: where that vanishes there is no phase.
void Watch::look_at_ends(const SeriesPiece& piece, Nearness::Kind kind, int contact,
                         const std::function<double(double)>& value, bool begins)
{
    constexpr double part = 1e-5, rounding = 1e-9;
    const double h = piece.h_s, first = value(0), last = value(h);
    const double nothing = rounding * std::max({std::abs(first), std::abs(last), std::abs(value(h / 2))});
    const auto at = [&](double s, double smallest) {
        return Nearness{.kind = kind,
                        .contact = contact,
                        .time_s = piece.t_s + s,
                        .value = smallest,
                        .q = {},
                        .u = {},
                        .slope = {}};
    };
    if (after_event_ && first > nothing && (begins || value(part * h) > first)) near.push_back(at(0, first));
    if (last > nothing && value(h - part * h) > last) at_end_.push_back(at(h, last));
}

}  // namespace carom::detail
