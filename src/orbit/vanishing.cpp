#include "vanishing.hpp"

#include "event_sequence.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace carom::detail {

SpecialPoint special(std::string kind, const BranchNode& node)
{
    return {.kind = std::move(kind), .value = node.value, .orbit = node.orbit, .place = {}};
}

namespace {

std::string kind_of(Nearness::Kind kind)
{
    switch (kind) {
    case Nearness::Kind::Gap:
    case Nearness::Kind::Impact: return "grazing";
    case Nearness::Kind::Reaction: return "contact_lost";
    case Nearness::Kind::Hold:
    case Nearness::Kind::Onset:
    case Nearness::Kind::ImpactHold: return "slip";
    case Nearness::Kind::Interval: return "corner";
    case Nearness::Kind::Reversal:
    case Nearness::Kind::Slip:
    case Nearness::Kind::Stop:
    case Nearness::Kind::ImpactSlip: break;
    }
    return "stick";
}

/// The nearness that belongs to `like` at another node: same kind and contact, nearest phase.
const Nearness* same_at(const BranchNode& node, const BranchNode& from, const Nearness& like)
{
    const Nearness* best = nullptr;
    const auto phase = [](const BranchNode& at, const Nearness& one) {
        return (one.time_s - at.start.t_s) / at.period_s;
    };
    for (const Nearness& one : node.orbit.near) {
        if (one.kind != like.kind || one.contact != like.contact || one.before != like.before) continue;
        const double away = std::abs(phase(node, one) - phase(from, like));
        if (best == nullptr || away < std::abs(phase(node, *best) - phase(from, like))) best = &one;
    }
    return best;
}

/// The polynomial through (x, y), at zero.
double at_zero(std::span<const double> x, std::span<const double> y)
{
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        double weight = 1;
        for (std::size_t m = 0; m < x.size(); ++m) {
            if (m != j) weight *= -x[m] / (x[j] - x[m]);
        }
        sum += weight * y[j];
    }
    return sum;
}

/// Its derivative there.
double rate_at_zero(std::span<const double> x, std::span<const double> y)
{
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        for (std::size_t m = 0; m < x.size(); ++m) {
            if (m == j) continue;
            double weight = 1 / (x[j] - x[m]);
            for (std::size_t l = 0; l < x.size(); ++l) {
                if (l != j && l != m) weight *= -x[l] / (x[j] - x[l]);
            }
            sum += weight * y[j];
        }
    }
    return sum;
}

double slope_of(const Nearness& one)
{
    return one.slope.size() > 0 ? one.slope[0] : NAN;
}

/// Where a nearness vanishes, from nodes on one side: parameter, instant and slope as polynomials of what
/// vanishes (OR-14).
class Vanishing {
public:
    void add(const BranchNode& node, const Nearness& here)
    {
        f_.push_back(here.value);
        value_.push_back(node.value);
        time_.push_back(here.time_s);
        slopes_.push_back(slope_of(here));
        if (f_.size() < 3) return;
        // what the last points say, and those without the first of them
        const double now = at_zero(last(f_), last(value_));
        const double error = std::abs(now - at_zero(last(f_).subspan(1), last(value_).subspan(1)));
        if (!(error < error_)) return;
        error_ = error;
        value = now;
        time_s = at_zero(last(f_), last(time_));
        slope = std::isnan(slopes_.back()) ? 1 / rate_at_zero(last(f_), last(value_))
                                           : at_zero(last(f_), last(slopes_));
    }

    [[nodiscard]] double fraction() const { return f_.back() / f_.front(); }
    [[nodiscard]] double error() const { return error_; }

    double value = 0, time_s = 0, slope = 0;

private:
    [[nodiscard]] static std::span<const double> last(const std::vector<double>& of)
    {
        constexpr std::size_t points = 6;
        return std::span(of).subspan(of.size() > points ? of.size() - points : 0);
    }

    std::vector<double> f_, value_, time_, slopes_;
    double error_ = INFINITY;
};

/// From a node on, on one side: where the nearness vanishes, by steps that stay on this side. Each begins at
/// the last node: beside grazing the way of Newton's method is as narrow as the square of what vanishes.
struct OneSided {
    BranchNode node;  ///< the last one before the point
    Vanishing point;
};

std::optional<OneSided> vanishes_ahead(BranchWalk& walk, const BranchNode& from, const Nearness& like,
                                       double reach)
{
    constexpr double largest_part = 0.8, smallest_part = 1e-2, nothing = 1e-7, little = 1e-2,
                     rounding = 1e-15;
    const auto kinds = sequence(from.orbit);
    OneSided found{.node = from, .point = {}};
    found.point.add(from, like);
    Nearness last = like;
    double step = reach / 64, part = largest_part, gone = 0, rest = INFINITY;
    for (int k = 0; k < 60 && last.value > nothing * like.value; ++k) {
        auto node = walk.ahead(found.node, step);
        const Nearness* here = node ? same_at(*node, found.node, last) : nullptr;
        const bool good =
            here != nullptr && sequence(node->orbit) == kinds && here->value > 0 && here->value < last.value;
        if (good) {
            rest = step * here->value / (last.value - here->value);
            gone += step;
            last = *here;
            // once the point is known, steps only bring the orbit to it
            const bool known = found.point.fraction() <= little &&
                               found.point.error() <= rounding * std::abs(found.point.value);
            if (!known) found.point.add(*node, last);
            found.node = std::move(*node);
            if (gone + rest > 8 * reach) return std::nullopt;
            part = std::min(largest_part, 1.5 * part);
            step = part * rest;
            continue;
        }
        if (rest == INFINITY && here != nullptr && here->value >= last.value) return std::nullopt;
        part /= 2;
        step /= 2;
        if (part < smallest_part) break;
    }
    if (!(found.point.fraction() <= little) || !std::isfinite(found.point.error())) return std::nullopt;
    return found;
}

}  // namespace

std::optional<VanishingPoint> vanishing_ahead(BranchWalk& walk, const BranchNode& node, double reach)
{
    std::optional<VanishingPoint> nearest;
    for (const Nearness& one : node.orbit.near) {
        if (!(one.value > 0)) continue;
        const auto found = vanishes_ahead(walk, node, one, reach);
        if (!found) continue;
        SpecialPoint point = special(kind_of(one.kind), found->node);
        point.value = found->point.value;
        point.time_s = found->point.time_s;
        point.slope = found->point.slope;
        const auto& contacts = walk.scene().model.system().contacts;
        point.place = contacts[static_cast<std::size_t>(one.contact)].name;
        if (one.before >= 0)
            point.place = contacts[static_cast<std::size_t>(one.before)].name + ", " + point.place;
        if (!nearest || std::abs(point.value - node.value) < std::abs(nearest->point.value - node.value))
            nearest = {std::move(point), found->point.error()};
    }
    return nearest;
}

}  // namespace carom::detail
