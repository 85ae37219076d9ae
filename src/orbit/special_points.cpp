#include "special_points.hpp"

#include "event_sequence.hpp"
#include "stability.hpp"
#include "vanishing.hpp"

#include "core/dense.hpp"

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
    return Lu(M + Eigen::MatrixXd::Identity(M.rows(), M.cols())).determinant();
}

/// The largest pair of complex multipliers; nothing: there is none.
std::optional<std::complex<double>> largest_pair(const BranchNode& node)
{
    for (const auto& m : node.orbit.multipliers) {
        if (std::abs(m.imag()) > 1e-9) return m;
    }
    return std::nullopt;
}

double turning(const BranchNode& node)
{
    const auto m = largest_pair(node);
    return m ? std::norm(*m) - 1 : 0;
}

/// A pair that is off the circle: those of conservative systems stay on it.
bool can_turn(const BranchNode& node)
{
    const auto m = largest_pair(node);
    return m && !is_on_unit_circle(*m, node.orbit.monodromy, node.scale, node.orbit.residual);
}

/// The root of a test function between two nodes, by false position with halved weights (Illinois); `at_s`: its
/// arclength from the first one.
std::optional<BranchNode> located(BranchWalk& walk, const BranchNode& a, const BranchNode& b, double step,
                                  const Test& test, double* at_s = nullptr)
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
        if (at_s != nullptr) *at_s = s;
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

/// Where branches cross the closure leaves a second direction free: an orbit that is off by eps there has a
/// determinant that is off by eps over the distance. It is taken at points on both sides, and the parameter as a
/// polynomial of it at zero.
void sharpen_crossing(BranchWalk& walk, const BranchNode& a, double step, double at_s, BranchNode& at)
{
    std::vector<double> values, tests;
    for (const int k : {-3, -2, -1, 1, 2, 3}) {
        const auto node = walk.ahead(a, at_s + k * 0.01 * step);
        if (!node) return;
        values.push_back(node->value);
        tests.push_back(node->determinant);
    }
    if (!std::ranges::is_sorted(tests) && !std::ranges::is_sorted(tests, std::greater{})) return;
    for (std::size_t j = 1; j < values.size(); ++j) {  // Neville's scheme
        for (std::size_t i = 0; i + j < values.size(); ++i)
            values[i] = (tests[i] * values[i + 1] - tests[i + j] * values[i]) / (tests[i] - tests[i + j]);
    }
    at.value = values.front();
}

/// Two events of different contacts that change their order between two nodes, and nothing else: their places
/// in the sequence of the first node.
std::optional<std::pair<std::size_t, std::size_t>> exchanged(const BranchNode& a, const BranchNode& b)
{
    const auto of_a = sequence(a.orbit), of_b = sequence(b.orbit);
    if (of_a.size() != of_b.size()) return std::nullopt;
    const auto differs = std::ranges::mismatch(of_a, of_b).in1;
    const auto i = static_cast<std::size_t>(differs - of_a.begin());
    if (i + 1 >= of_a.size() || of_a[i].contact == of_a[i + 1].contact) return std::nullopt;
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
        for (const SensitiveEvent* one : deciding_events(node.orbit)) {
            if (place >= at && place <= at + 1)
                (one->event.contact == first.contact ? t_first : t_second) = one->event.time_s;
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
    point.place = contacts[static_cast<std::size_t>(first.contact)].name + ", " +
                  contacts[static_cast<std::size_t>(second.contact)].name;
    for (const SensitiveEvent& one : node->orbit.events) {
        if (one.event.contact == first.contact && one.event.kind == first.kind)
            point.time_s = one.event.time_s;
    }
    return point;
}

constexpr double straight = 0.8;  ///< the cosine between tangents, or a tangent and a chord, of one step

/// From an orbit at a value to a node, in its units: how long, and how much of it along its tangent.
struct Chord {
    double length = 0, along = 0;

    Chord(const BranchWalk& walk, const Orbit& from, double value, const BranchNode& to)
    {
        Eigen::VectorXd way(to.scale.size());
        way << to.start.q - from.start.q, to.start.u - from.start.u;
        // what closed contacts make of the start by the parameter is no part of the tangent
        const Eigen::MatrixXd& free = to.orbit.tangent;
        way = (free * (free.transpose() * way)).cwiseQuotient(to.scale);
        const double later = (to.period_s - from.period_s) / to.period_s,
                     more = (to.value - value) / walk.range();
        length = std::sqrt(way.squaredNorm() + later * later + more * more);
        along = to.dz.dot(way) + to.dT * later + to.dvalue * more;
    }
};

/// Turns a node so that its way leads away from a point just passed, where the branch may turn round: beside
/// grazing there are both orbits, with the impact and without it, on the same side. False: it is far from
/// there, on another branch, or the branch bends so much in between that it could be either way.
bool leads_away(const BranchWalk& walk, const SpecialPoint& point, BranchNode& b, double step)
{
    constexpr double far = 10, shortest = 1e-5;
    const Chord away(walk, point.orbit, point.value, b);
    if (away.length > far * step) return false;
    // on the last steps the point itself is not known better than that
    if (std::abs(away.along) < straight * away.length && step > shortest) return false;
    if (away.along < 0) b = reversed(std::move(b));
    return true;
}

/// Whether a step has stayed on its branch: neither far beside the tangent nor back to where it began, in much
/// the same direction.
bool goes_on(const BranchWalk& walk, const BranchNode& a, const BranchNode& b, double step)
{
    constexpr double longest = 2, shortest = 0.1;
    const Chord way(walk, a.orbit, a.value, b);
    const Eigen::VectorXd dz = b.dz.cwiseProduct(b.scale).cwiseQuotient(a.scale);
    const double along = a.dz.dot(dz) + a.dT * b.dT + a.dvalue * b.dvalue;
    const double length = std::sqrt(dz.squaredNorm() + b.dT * b.dT + b.dvalue * b.dvalue);
    return way.length <= longest * step && way.length >= shortest * step && along >= straight * length;
}

/// What vanishes between two nodes. Of the side that has an event more it may vanish as a power of the distance,
/// such as the speed of an impact behind a hop that gets shorter: then the other side knows better.
std::optional<VanishingPoint> seen_from_both_sides(BranchWalk& walk, const BranchNode& a, const BranchNode& b,
                                                   double step)
{
    constexpr double known = 1e-10;
    auto ahead = vanishing_ahead(walk, a, step);
    if (ahead && ahead->error <= known * std::abs(ahead->point.value)) return ahead;
    auto behind = vanishing_ahead(walk, reversed(b), step);
    return !ahead || (behind && behind->error < ahead->error) ? behind : ahead;
}

}  // namespace

bool add_special_points(BranchWalk& walk, const BranchNode& a, BranchNode& b, double step, Branch& branch)
{
    const auto add = [&](const char* kind, const Test& test) {
        if (auto node = located(walk, a, b, step, test)) branch.special.push_back(special(kind, *node));
    };
    if (auto point = corner(walk, a, b, step)) {
        branch.special.push_back(std::move(*point));
        return true;
    }
    if (!same_cycle(a, b)) {
        auto found = seen_from_both_sides(walk, a, b, step);
        if (!found || !leads_away(walk, found->point, b, step)) return false;
        branch.special.push_back(std::move(found->point));
        return true;
    }
    // an impact that closes its contact and begins to slide, or to stick, is no event of its own, but the branch
    // may have a corner there
    if (slides_of_landings(a) != slides_of_landings(b)) {
        auto found = seen_from_both_sides(walk, a, b, step);
        if (found && (found->point.kind == "slip" || found->point.kind == "stick") &&
            leads_away(walk, found->point, b, step)) {
            branch.special.push_back(std::move(found->point));
            return true;
        }
    }
    if (!goes_on(walk, a, b, step)) return false;
    if (a.determinant * b.determinant < 0) {
        double at_s = 0;
        auto node = located(walk, a, b, step, [](const BranchNode& one) { return one.determinant; }, &at_s);
        if (node) {
            sharpen_crossing(walk, a, step, at_s, *node);
            branch.special.push_back(special("branching", *node));
        }
    } else if (a.dvalue * b.dvalue < 0)
        add("fold", [](const BranchNode& node) { return node.dvalue; });
    if (doubling(a) * doubling(b) < 0) add("period_doubling", doubling);
    if (turning(a) * turning(b) < 0 && can_turn(a) && can_turn(b)) add("torus", turning);
    return true;
}

}  // namespace carom::detail
