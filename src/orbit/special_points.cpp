#include "special_points.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

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
    return (M + Eigen::MatrixXd::Identity(M.rows(), M.cols())).determinant();
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
    case Nearness::Kind::Gap: return "grazing";
    case Nearness::Kind::Reaction: return "contact_lost";
    case Nearness::Kind::Reversal: break;
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
    std::vector<double> s{0}, f{like.value}, value{from.value}, time{like.time_s};
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
    // parameter and instant as polynomials of what vanishes, through the last points
    const std::size_t first = i >= 4 ? i - 4 : 0;
    const auto at_zero = [&](const std::vector<double>& y) {
        double sum = 0;
        for (std::size_t j = first; j <= i; ++j) {
            double weight = 1;
            for (std::size_t m = first; m <= i; ++m) {
                if (m != j) weight *= -f[m] / (f[j] - f[m]);
            }
            sum += weight * y[j];
        }
        return sum;
    };
    double way = 0;  // d value / d f there
    for (std::size_t j = first; j <= i; ++j) {
        for (std::size_t m = first; m <= i; ++m) {
            if (m == j) continue;
            double weight = 1 / (f[j] - f[m]);
            for (std::size_t l = first; l <= i; ++l) {
                if (l != j && l != m) weight *= -f[l] / (f[j] - f[l]);
            }
            way += weight * value[j];
        }
    }
    OneSided result;
    result.value = at_zero(value);
    result.time_s = at_zero(time);
    result.slope = 1 / way;
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

BranchNode reversed(BranchNode node)
{
    node.dz = -node.dz;
    node.dT = -node.dT;
    node.dvalue = -node.dvalue;
    return node;
}

}  // namespace

void add_special_points(BranchWalk& walk, const BranchNode& a, const BranchNode& b, double step,
                        Branch& branch)
{
    const auto add = [&](const char* kind, const Test& test) {
        if (auto node = located(walk, a, b, step, test)) branch.special.push_back(special(kind, *node));
    };
    if (sequence(a.orbit) != sequence(b.orbit)) {
        // the side that lacks the events sees what vanishes
        auto point = vanishing_ahead(walk, a, step);
        if (!point) point = vanishing_ahead(walk, reversed(b), step);
        branch.special.push_back(point ? std::move(*point) : special("events", b));
        return;
    }
    if (a.dvalue * b.dvalue < 0) add("fold", [](const BranchNode& node) { return node.dvalue; });
    if (doubling(a) * doubling(b) < 0) add("period_doubling", doubling);
    const auto turn_a = turning(a), turn_b = turning(b);
    if (turn_a && turn_b && *turn_a * *turn_b < 0) {
        add("torus", [](const BranchNode& node) { return turning(node).value_or(0); });
    }
}

}  // namespace carom::detail
