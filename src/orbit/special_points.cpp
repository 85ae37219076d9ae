#include "special_points.hpp"

#include "core/dense.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Test = std::function<double(const BranchNode&)>;

Eigen::MatrixXd reduced(const BranchNode& node)
{
    return node.orbit.tangent.transpose() * node.orbit.monodromy * node.orbit.tangent;
}

double doubling(const BranchNode& node)
{
    const Eigen::MatrixXd M = reduced(node);
    return Lu(M + Eigen::MatrixXd::Identity(M.rows(), M.cols())).determinant();
}

/// |m|^2 - 1 of the largest pair of complex multipliers; nothing: there is none.
std::optional<double> turning(const BranchNode& node)
{
    for (const auto& m : node.orbit.multipliers) {
        if (std::abs(m.imag()) > 1e-9) return std::norm(m) - 1;
    }
    return std::nullopt;
}

/// The kinds of events and their contacts, in their order.
std::vector<std::pair<EventKind, int>> sequence(const Orbit& orbit)
{
    std::vector<std::pair<EventKind, int>> result;
    for (const SensitiveEvent& one : orbit.events) {
        if (one.event.time_s > orbit.start.t_s) result.emplace_back(one.event.kind, one.event.contact);
    }
    return result;
}

/// The root of a test function between two nodes, by false position with halved weights (Illinois).
std::optional<BranchNode> located(BranchWalk& walk, const BranchNode& a, const BranchNode& b, double step,
                                  const Test& test)
{
    double low = 0, high = step, f_low = test(a), f_high = test(b);
    std::optional<BranchNode> best;
    for (int k = 0; k < 60; ++k) {
        const double s = (low * f_high - high * f_low) / (f_high - f_low);
        auto node = walk.ahead(a, s);
        if (!node) return best;
        const double f = test(*node);
        const double before = best ? best->value : INFINITY;
        best = std::move(node);
        if (f == 0 || high - low < 1e-14 * step || std::abs(best->value - before) < 1e-15 * walk.range())
            break;
        if ((f < 0) == (f_low < 0)) {
            low = s;
            f_low = f;
            f_high /= 2;
        } else {
            high = s;
            f_high = f;
            f_low /= 2;
        }
    }
    return best;
}

SpecialPoint special(std::string kind, const BranchNode& node)
{
    return {.kind = std::move(kind), .value = node.value, .orbit = node.orbit, .place = {}};
}

std::string kind_of(Nearness::Kind kind)
{
    switch (kind) {
    case Nearness::Kind::Gap:
    case Nearness::Kind::Impact: return "grazing";
    case Nearness::Kind::Reaction: return "contact_lost";
    case Nearness::Kind::Reversal:
    case Nearness::Kind::Slip:
    case Nearness::Kind::Stop: break;
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
        if (one.kind != like.kind || one.contact != like.contact) continue;
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

/// From a node on, on one side: where the nearness vanishes, by secants that stay on this side.
struct OneSided {
    BranchNode node;   ///< the last one before the point
    double value = 0;  ///< of the parameter at the point
    double time_s = 0, slope = 0;
    Nearness near;
};

std::optional<OneSided> vanishes_ahead(BranchWalk& walk, const BranchNode& from, const Nearness& like,
                                       double reach)
{
    const auto kinds = sequence(from.orbit);
    std::vector<double> s{0}, f{like.value}, value{from.value}, time{like.time_s}, slopes{slope_of(like)};
    std::vector<BranchNode> nodes{from};
    double next = reach / 64;
    for (int k = 0; k < 40; ++k) {
        auto node = walk.ahead(from, next);
        const Nearness* here = node ? same_at(*node, from, like) : nullptr;
        const bool good = here != nullptr && sequence(node->orbit) == kinds && here->value > 0;
        if (!good) {
            next = s.back() + (next - s.back()) / 2;
            if (std::abs(next - s.back()) < 1e-14 * reach) break;
            continue;
        }
        s.push_back(next);
        f.push_back(here->value);
        value.push_back(node->value);
        time.push_back(here->time_s);
        slopes.push_back(slope_of(*here));
        nodes.push_back(std::move(*node));
        const std::size_t i = s.size() - 1;
        const double slope = (f[i] - f[i - 1]) / (s[i] - s[i - 1]);
        if (!(slope < 0)) return std::nullopt;
        const double root = s[i] - f[i] / slope;
        if (root > 8 * reach) return std::nullopt;
        if (f[i] < 1e-7 * f[0] || std::abs(root - s[i]) < 1e-12 * reach) break;
        next = s[i] + 0.9 * (root - s[i]);
        if (i > 3) next = s[i] + 0.99 * (root - s[i]);
    }
    const std::size_t i = s.size() - 1;
    if (i < 2 || f[i] > 1e-2 * f[0]) return std::nullopt;
    // parameter, instant and slope as polynomials of what vanishes, through the last points
    const std::size_t first = i >= 4 ? i - 4 : 0;
    const auto last = [&](const std::vector<double>& y) { return std::span(y).subspan(first); };
    OneSided result;
    result.value = at_zero(last(f), last(value));
    result.time_s = at_zero(last(f), last(time));
    result.slope =
        std::isnan(slopes[i]) ? 1 / rate_at_zero(last(f), last(value)) : at_zero(last(f), last(slopes));
    result.node = std::move(nodes[i]);
    return result;
}

}  // namespace

std::optional<SpecialPoint> vanishing_ahead(BranchWalk& walk, const BranchNode& node, double reach)
{
    std::optional<SpecialPoint> nearest;
    for (const Nearness& one : node.orbit.near) {
        if (!(one.value > 0)) continue;
        const auto found = vanishes_ahead(walk, node, one, reach);
        if (!found) continue;
        SpecialPoint point = special(kind_of(one.kind), found->node);
        point.value = found->value;
        point.time_s = found->time_s;
        point.slope = found->slope;
        point.place = walk.scene().model.system().contacts[static_cast<std::size_t>(one.contact)].name;
        if (!nearest || std::abs(point.value - node.value) < std::abs(nearest->value - node.value))
            nearest = std::move(point);
    }
    return nearest;
}

namespace {

/// The same events in the same order, wherever in it the period begins.
bool same_cycle(const BranchNode& a, const BranchNode& b)
{
    const auto of_a = sequence(a.orbit);
    auto of_b = sequence(b.orbit);
    if (of_a.size() != of_b.size()) return false;
    for (std::size_t i = 0; i < std::max<std::size_t>(of_b.size(), 1); ++i) {
        if (of_a == of_b) return true;
        std::ranges::rotate(of_b, of_b.begin() + 1);
    }
    return false;
}

/// Two events of different contacts that change their order between two nodes, and nothing else: their places
/// in the sequence of the first node.
std::optional<std::pair<std::size_t, std::size_t>> exchanged(const BranchNode& a, const BranchNode& b)
{
    const auto of_a = sequence(a.orbit), of_b = sequence(b.orbit);
    if (of_a.size() != of_b.size()) return std::nullopt;
    const auto differs = std::ranges::mismatch(of_a, of_b).in1;
    const auto i = static_cast<std::size_t>(differs - of_a.begin());
    if (i + 1 >= of_a.size() || of_a[i].second == of_a[i + 1].second) return std::nullopt;
    auto swapped = of_a;
    std::swap(swapped[i], swapped[i + 1]);
    if (swapped != of_b) return std::nullopt;
    return std::pair{i, i + 1};
}

/// The corner of a multiple impact: the time between two events vanishes.
std::optional<SpecialPoint> corner(BranchWalk& walk, const BranchNode& a, const BranchNode& b, double step)
{
    const auto places = exchanged(a, b);
    if (!places) return std::nullopt;
    const auto order = sequence(a.orbit);
    const auto first = order[places->first], second = order[places->second];
    const std::size_t at = places->first;
    const Test between = [first, at](const BranchNode& node) {
        double t_first = NAN, t_second = NAN;
        std::size_t place = 0;
        for (const SensitiveEvent& one : node.orbit.events) {
            if (!(one.event.time_s > node.orbit.start.t_s)) continue;
            const std::pair kind{one.event.kind, one.event.contact};
            if (place >= at && place <= at + 1) (kind == first ? t_first : t_second) = one.event.time_s;
            ++place;
        }
        return t_second - t_first;
    };
    auto node = located(walk, a, b, step, between);
    if (!node) return std::nullopt;
    // where an event leaves the period at one end and comes back at the other, the time jumps and does not
    // vanish
    if (!(std::abs(between(*node)) <= 1e-3 * std::max(std::abs(between(a)), std::abs(between(b)))))
        return std::nullopt;
    SpecialPoint point = special("corner", *node);
    const auto& contacts = walk.scene().model.system().contacts;
    point.place = contacts[static_cast<std::size_t>(first.second)].name + ", " +
                  contacts[static_cast<std::size_t>(second.second)].name;
    for (const SensitiveEvent& one : node->orbit.events) {
        if (std::pair{one.event.kind, one.event.contact} == first) point.time_s = one.event.time_s;
    }
    return point;
}

}  // namespace

bool add_special_points(BranchWalk& walk, const BranchNode& a, const BranchNode& b, double step,
                        Branch& branch)
{
    const auto add = [&](const char* kind, const Test& test) {
        if (auto node = located(walk, a, b, step, test)) branch.special.push_back(special(kind, *node));
    };
    if (auto point = corner(walk, a, b, step)) {
        branch.special.push_back(std::move(*point));
        return true;
    }
    if (!same_cycle(a, b)) {
        // the side that lacks the events sees what vanishes
        auto point = vanishing_ahead(walk, a, step);
        if (!point) point = vanishing_ahead(walk, reversed(b), step);
        if (!point) return false;
        branch.special.push_back(std::move(*point));
        return true;
    }
    if (a.dvalue * b.dvalue < 0) add("fold", [](const BranchNode& node) { return node.dvalue; });
    if (doubling(a) * doubling(b) < 0) add("period_doubling", doubling);
    const auto turn_a = turning(a), turn_b = turning(b);
    if (turn_a && turn_b && *turn_a * *turn_b < 0) {
        add("torus", [](const BranchNode& node) { return turning(node).value_or(0); });
    }
    return true;
}

}  // namespace carom::detail
