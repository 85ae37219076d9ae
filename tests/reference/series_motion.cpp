#include "series_motion.hpp"
#include "analytic/series_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

int order_of_all = 24;
constexpr long max_reports = 100'000;

}  // namespace

int series_order() noexcept
{
    return order_of_all;
}

void set_series_order(int order) noexcept
{
    order_of_all = order;
}

SeriesMotion::SeriesMotion(const Model& model, const State& start, double report_s)
    : model_(model), state_(start), scratch_(model), report_s_(report_s)
{
    const Errors mistakes = check_for_series(model);
    if (!mistakes.empty()) throw DriverFailure(mistakes.front().where + ": " + mistakes.front().message);
}

void SeriesMotion::report(double h_s)
{
    const SeriesSettings settings{.time_step_s = h_s, .order = order_of_all};
    if (auto checked = check(settings); !checked) throw DriverFailure(checked.error().message);
    last_ = series_step(model_, settings, {}, state_, scratch_);
    const auto pieces = series_pieces(scratch_);
    pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
    events_.insert(events_.end(), scratch_.events.begin(), scratch_.events.end());
    energy_.impact_J += last_.energy.impact_J;
    energy_.friction_J += last_.energy.friction_J;
    failed_ = last_.status != StepStatus::Solved;
    const double balance = std::abs(last_.energy.balance_J());
    const double scale = std::abs(last_.at_end.kinetic_J) + std::abs(last_.at_end.potential_J);
    if (!failed_ && balance > 1e-10 * (scale + last_.energy.magnitude_J())) {
        throw DriverFailure(fmt::format("{:.3e} J are unexplained", balance));
    }
    if (failed_ && !may_fail_) {
        throw DriverFailure(fmt::format("the motion ended as {}: {}", name_of(last_.status),
                                        last_.findings.empty() ? "" : last_.findings.back().message));
    }
}

const StepReport& SeriesMotion::failure() const
{
    if (!failed_) throw DriverFailure("the motion did not end");
    return last_;
}

void SeriesMotion::until_s(double t_s)
{
    const double start_s = state_.t_s;
    for (long n = 1; state_.t_s < t_s && !failed_; ++n) {
        const double end_s = std::min(t_s, start_s + static_cast<double>(n) * report_s_);
        if (!(end_s > state_.t_s)) break;
        report(end_s - state_.t_s);
        if (!failed_) state_.t_s = end_s;
    }
}

void SeriesMotion::until(const std::function<bool()>& finished)
{
    const double start_s = state_.t_s;
    for (long n = 1; !finished() && !failed_; ++n) {
        if (n > max_reports) throw DriverFailure("what the outputs ask for does not happen");
        report(report_s_);
        state_.t_s = start_s + static_cast<double>(n) * report_s_;
    }
}

/// The piece that holds the right limit at t: one that begins within roundings after t is taken, for an event
/// at an instant that is known exactly may be found a rounding later.
const SeriesPiece& SeriesMotion::piece_at(double t_s) const
{
    const double reached_s = t_s + 1e-14 * (1 + std::abs(t_s));
    const auto later = std::upper_bound(pieces_.begin(), pieces_.end(), reached_s,
                                        [](double t, const SeriesPiece& piece) { return t < piece.t_s; });
    if (later == pieces_.begin())
        throw DriverFailure(fmt::format("the instant {} s is outside the run", t_s));
    return *(later - 1);
}

State SeriesMotion::at(double t_s) const
{
    State result = state_;
    const double rounding_s = 1e-14 * (1 + std::abs(t_s));
    if (pieces_.empty() || t_s < pieces_.front().t_s - rounding_s || t_s > state_.t_s + rounding_s)
        throw DriverFailure(fmt::format("the instant {} s is outside the run", t_s));
    if (t_s >= state_.t_s - rounding_s) return state_;
    const SeriesPiece& piece = piece_at(t_s);
    piece.at(std::max(t_s - piece.t_s, 0.0), result.q, result.u);
    result.t_s = t_s;
    return result;
}

std::array<double, 3> SeriesMotion::reaction_N(int contact, double t_s) const
{
    const SeriesPiece& piece = piece_at(t_s);
    return piece.reaction_N(contact, std::max(t_s - piece.t_s, 0.0));
}

std::vector<Event> SeriesMotion::events(EventKind kind, int contact) const
{
    std::vector<Event> result;
    std::ranges::copy_if(events_, std::back_inserter(result), [&](const Event& event) {
        return event.kind == kind && (contact < 0 || event.contact == contact);
    });
    return result;
}

double SeriesMotion::first_fall_s(double from_s, const std::function<double(const State&)>& value) const
{
    constexpr int parts = 16;
    for (const SeriesPiece& piece : pieces_) {
        if (piece.t_s + piece.h_s <= from_s) continue;
        for (int k = 0; k < parts; ++k) {
            double low = std::max(from_s, piece.t_s + piece.h_s * k / parts);
            double high = piece.t_s + piece.h_s * (k + 1) / parts * (1 - 1e-15);
            const auto at_instant = [&](double t_s) {
                State one = state_;
                one.t_s = t_s;
                piece.at(t_s - piece.t_s, one.q, one.u);
                return value(one);
            };
            if (!(low < high) || !(at_instant(low) > 0) || at_instant(high) > 0) continue;
            for (int i = 0; i < 100 && low < high; ++i) {
                const double middle = (low + high) / 2;
                if (middle == low || middle == high) break;
                (at_instant(middle) > 0 ? low : high) = middle;
            }
            return high;
        }
    }
    throw DriverFailure("what is looked for does not happen");
}

}  // namespace carom::reference
