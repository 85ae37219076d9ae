#include "carom/orbit/equilibrium.hpp"

#include "core/dense.hpp"
#include "directions.hpp"
#include "flow.hpp"
#include "statics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace carom {
namespace {

using namespace detail;

/// An equilibrium with the direction in which the branch goes on, and what decides about statuses there.
struct RestNode {
    Eigen::VectorXd x;        ///< q, r_N and the parameter
    Eigen::VectorXd tangent;  ///< of length 1, in units
    Equilibrium point;
    std::vector<double> gaps;
    double determinant = 0;  ///< of the equations and a row along the tangent

    [[nodiscard]] double dvalue() const { return tangent[tangent.size() - 1]; }
};

/// Pseudo-arclength continuation of (OR-20), as (OR-13): regular at folds.
class RestWalk {
public:
    RestWalk(const Scene& scene, const SceneSymbols& symbols, const EquilibriumOptions& options,
             std::vector<int> closed, std::vector<int> sides)
        : scene_(scene),
          options_(options),
          closed_(closed),
          sides_(sides),
          statics_(scene, symbols, std::move(closed), std::move(sides))
    {
    }

    /// The equilibrium near q at the value of the scene; it sets the units.
    [[nodiscard]] std::optional<RestNode> first(double value)
    {
        const auto n = scene_.start.q.size(), m = static_cast<Eigen::Index>(closed_.size());
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n + m + 1);
        x.head(n) = scene_.start.q;
        x[n + m] = value;
        unit_ = Eigen::VectorXd::Ones(n + m + 1);
        unit_[n + m] = options_.high - options_.low;
        if (!solve_at_value(x)) return std::nullopt;
        // what unknowns are, or what they become over the range
        statics_.evaluate(x);
        const Eigen::VectorXd over_range =
            FullLu(statics_.J.leftCols(n + m)).solve(-statics_.J.col(n + m)) * unit_[n + m];
        const auto size_of = [&](Eigen::Index from, Eigen::Index count) {
            const double here = x.segment(from, count).cwiseAbs().maxCoeff();
            const double there = over_range.segment(from, count).cwiseAbs().maxCoeff();
            const double size = std::isfinite(there) ? std::max(here, std::min(there, 1e3 * here + 1)) : here;
            return size > 0 ? size : 1.0;
        };
        unit_.head(n).setConstant(size_of(0, n));
        if (m > 0) unit_.segment(n, m).setConstant(size_of(n, m));
        return finished(x, nullptr);
    }

    /// On until the parameter leaves its range, or a status changes; returns why it ended.
    std::string follow(RestNode from, bool upwards, EquilibriumBranch& branch)
    {
        const double longest = 1.0 / options_.steps;
        const std::size_t max_points = branch.points.size() + 50 * static_cast<std::size_t>(options_.steps);
        if ((from.dvalue() > 0) != upwards) {
            from.tangent = -from.tangent;
            from.determinant = -from.determinant;
        }
        double step = longest;
        while (branch.points.size() < max_points) {
            if (from.point.value == options_.low && from.dvalue() < 0) return "range";
            if (from.point.value == options_.high && from.dvalue() > 0) return "range";
            auto node = ahead(from, step);
            constexpr double straight = 0.95;
            if (!node || node->tangent.dot(from.tangent) < straight) {
                step /= 2;
                if (step > 1e-10) continue;
                return fmt::format("no equilibrium is found beyond {:.12g}", from.point.value);
            }
            const bool leaves = node->point.value < options_.low || node->point.value > options_.high;
            if (leaves) node = at_end(from, *node, step);
            if (!node) return fmt::format("no equilibrium is found beyond {:.12g}", from.point.value);
            if (const auto lost = first_change(from, *node, step)) {
                branch.special.push_back(*lost);
                return fmt::format("{} at {:.12g}: {}", lost->kind, lost->value, lost->place);
            }
            add_special(from, *node, step, branch);
            branch.points.push_back(node->point);
            if (leaves) return "range";
            from = std::move(*node);
            step = std::min(2 * step, longest);
        }
        return fmt::format("{} equilibria", max_points);
    }

private:
    /// Newton's method, the parameter being given.
    [[nodiscard]] bool solve_at_value(Eigen::VectorXd& x)
    {
        const auto size = x.size() - 1;
        return newton(x, [&] {
            Eigen::VectorXd by = Eigen::VectorXd::Zero(x.size());
            by.head(size) = FullLu(statics_.J.leftCols(size)).solve(-statics_.residual);
            return by;
        });
    }

    [[nodiscard]] bool newton(Eigen::VectorXd& x, const std::function<Eigen::VectorXd()>& step)
    {
        constexpr int max_iterations = 40;
        double before = INFINITY;
        for (int k = 0; k < max_iterations; ++k) {
            statics_.evaluate(x);
            const Eigen::VectorXd by = step();
            if (!by.allFinite()) return false;
            x += by;
            const double size = by.cwiseQuotient(unit_).cwiseAbs().maxCoeff();
            if (size <= 1e-15) return true;
            if (k > 2 && size >= before && size <= 1e-11) return true;
            before = size;
        }
        return false;
    }

    /// A step along the tangent, and back across it.
    [[nodiscard]] std::optional<RestNode> ahead(const RestNode& from, double step)
    {
        Eigen::VectorXd x = from.x + step * from.tangent.cwiseProduct(unit_);
        const bool good = newton(x, [&] {
            Eigen::VectorXd right = Eigen::VectorXd::Zero(x.size());
            right.head(x.size() - 1) = -statics_.residual;
            return Eigen::VectorXd(FullLu(bordered(from.tangent)).solve(right).cwiseProduct(unit_));
        });
        const double moved = (x - from.x).cwiseQuotient(unit_).norm();
        if (!good || moved > 3 * std::abs(step)) return std::nullopt;
        return finished(x, &from);
    }

    /// Where the parameter leaves its range between two nodes.
    [[nodiscard]] std::optional<RestNode> at_end(const RestNode& from, const RestNode& beyond, double step)
    {
        const double end = beyond.point.value < options_.low ? options_.low : options_.high;
        auto node = located(from, beyond, step, [&](const RestNode& it) { return it.point.value - end; });
        if (!node) return std::nullopt;
        Eigen::VectorXd x = node->x;
        x[x.size() - 1] = end;
        if (!solve_at_value(x)) return node;
        return finished(x, &from);
    }

    /// The equations in units, and a row across which a step is made.
    [[nodiscard]] Eigen::MatrixXd bordered(const Eigen::VectorXd& tangent) const
    {
        Eigen::MatrixXd M(unit_.size(), unit_.size());
        M.topRows(unit_.size() - 1) = statics_.J * unit_.asDiagonal();
        M.bottomRows(1) = tangent.transpose();
        return M;
    }

    [[nodiscard]] RestNode finished(const Eigen::VectorXd& x, const RestNode* like)
    {
        const auto n = scene_.start.q.size();
        RestNode node{.x = x};
        statics_.evaluate(x);
        // rows of the same size, for the sake of their rank
        const Eigen::MatrixXd J = statics_.J * unit_.asDiagonal();
        node.tangent = Svd(J.rowwise().normalized(), Eigen::ComputeFullV).V().rightCols(1);
        if (like != nullptr && node.tangent.dot(like->tangent) < 0) node.tangent = -node.tangent;
        node.determinant = Lu(bordered(node.tangent)).determinant();
        node.gaps = statics_.gaps(x);
        node.point.value = x[x.size() - 1];
        node.point.q = x.head(n);
        node.point.r_N.assign(x.data() + n, x.data() + x.size() - 1);
        if (!sides_.empty()) return node;
        node.point.eigenvalues = statics_.eigenvalues(x);
        const double size = node.point.eigenvalues.empty() ? 0 : std::abs(node.point.eigenvalues.back());
        node.point.stable = std::ranges::all_of(node.point.eigenvalues,
                                                [&](const auto& m) { return m.real() <= 1e-9 * (1 + size); });
        return node;
    }

    using Test = std::function<double(const RestNode&)>;

    /// The root of a test between two nodes, a step apart: false position, halved now and then.
    [[nodiscard]] std::optional<RestNode> located(const RestNode& a, const RestNode& b, double step,
                                                  const Test& test)
    {
        double low = 0, high = step, f_low = test(a), f_high = test(b);
        RestNode at_low = a, at_high = b;
        for (int k = 0; k < 100 && high - low > 1e-15 * step; ++k) {
            double s = (low * f_high - high * f_low) / (f_high - f_low);
            if (k % 3 == 2 || !(s > low && s < high)) s = (low + high) / 2;
            auto node = ahead(a, s);
            if (!node) break;
            const double f = test(*node);
            if (f == 0) return node;
            const bool below = (f < 0) == (f_low < 0);
            (below ? low : high) = s;
            (below ? f_low : f_high) = f;
            (below ? at_low : at_high) = std::move(*node);
        }
        return std::abs(f_low) < std::abs(f_high) ? at_low : at_high;
    }

    /// A reaction that turns into a pull, or a gap that closes, between two nodes: the first of them.
    [[nodiscard]] std::optional<EquilibriumPoint> first_change(const RestNode& a, const RestNode& b,
                                                               double step)
    {
        std::optional<EquilibriumPoint> first;
        double nearest = INFINITY;
        const auto take = [&](const char* kind, int contact, const Test& test) {
            if (!(test(a) >= 0 && test(b) < 0)) return;
            const auto node = located(a, b, step, test);
            const double away = (node->x - a.x).cwiseQuotient(unit_).norm();
            if (!(away < nearest)) return;
            nearest = away;
            first = EquilibriumPoint{
                .kind = kind,
                .value = node->point.value,
                .place = scene_.model.system().contacts[static_cast<std::size_t>(contact)].name};
        };
        for (std::size_t k = 0; k < closed_.size(); ++k) {
            take("contact_lost", closed_[k], [k](const RestNode& node) { return node.point.r_N[k]; });
        }
        for (int c = 0; c < static_cast<int>(a.gaps.size()); ++c) {
            if (std::ranges::find(closed_, c) != closed_.end()) continue;
            take("contact_made", c,
                 [c](const RestNode& node) { return node.gaps[static_cast<std::size_t>(c)]; });
        }
        return first;
    }

    /// Folds, branchings and changes of stability between two nodes.
    void add_special(const RestNode& a, const RestNode& b, double step, EquilibriumBranch& branch)
    {
        const auto add = [&](const char* kind, const Test& test) {
            if (const auto node = located(a, b, step, test))
                branch.special.push_back({.kind = kind, .value = node->point.value, .place = {}});
        };
        if (a.determinant * b.determinant < 0) {
            add("branching", [](const RestNode& node) { return node.determinant; });
        } else if (a.dvalue() * b.dvalue() < 0) {
            add("fold", [](const RestNode& node) { return node.dvalue(); });
        } else if (sides_.empty() && a.point.stable != b.point.stable) {
            add("stability",
                [&](const RestNode& node) { return node.point.stable == a.point.stable ? -1.0 : 1.0; });
        }
    }

    const Scene& scene_;
    const EquilibriumOptions& options_;
    std::vector<int> closed_, sides_;
    Statics statics_;
    Eigen::VectorXd unit_;
};

Error refuse_rest(ErrorCode code, const char* where, std::string message, std::string hint)
{
    return {
        .code = code, .where = where, .message = std::move(message), .hint = std::move(hint), .excerpt = {}};
}

/// Contacts that are closed at the start, and how many of them are rough.
struct ClosedContacts {
    std::vector<int> contacts;
    int rough = 0;
};

/// Forces that depend on the time, or obstacles that move: nothing stays at rest.
Errors check_rest(const Scene& scene, const SceneSymbols& symbols)
{
    constexpr int instants = 8;
    VariationalSystem system(symbols, scene.model);
    Workspace work;
    const State& start = scene.start;
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(start.q.size());
    const auto changes = [&](Differentiated& f, Eigen::Index rows) {
        f.at(system.place(start.t_s, start.q, still).point(), work);
        const Eigen::VectorXd first = f.value.head(rows);
        const double size = f.value.cwiseAbs().sum() + f.slope.cwiseAbs().sum();
        for (int k = 1; k <= instants; ++k) {
            const double t_s = start.t_s + 0.137 * k * scene.plan.duration_s;
            f.at(system.place(t_s, start.q, still).point(), work);
            if ((f.value.head(rows) - first).cwiseAbs().maxCoeff() > 1e-9 * size) return true;
        }
        return false;
    };
    if (system.balances.value.size() > 0 && changes(system.balances, system.balances.value.size())) {
        return {refuse_rest(ErrorCode::NotAllowedHere, "--equilibrium", "forces depend on the time",
                            "follow orbits instead, with --period")};
    }
    for (std::size_t c = 0; c < system.contacts.size(); ++c) {
        auto& contact = system.contacts[c];
        contact.U[0].at(system.place(start.t_s, start.q, still).point(), work);
        const bool moves = contact.U[0].value.cwiseAbs().maxCoeff() > 0;
        if (!moves && !changes(contact.gap, 1) && !changes(contact.U[0], contact.dimension)) continue;
        return {refuse_rest(ErrorCode::NotAllowedHere, "--equilibrium",
                            fmt::format("the obstacle of {} moves", scene.model.system().contacts[c].name),
                            "follow orbits instead, with --period or --section, or fix the obstacle")};
    }
    return {};
}

Expected<ClosedContacts, Errors> closed_at_start(const Scene& scene)
{
    ClosedContacts closed;
    Workspace work;
    const State& start = scene.start;
    const auto n = static_cast<std::size_t>(start.q.size());
    const Point at{{start.q.data(), n}, {start.u.data(), n}, start.t_s};
    for (int c = 0; c < scene.model.contacts(); ++c) {
        if (!(scene.model.gap_m(c, at, work) <= 10 * series_settings(scene).activation_gap_m)) continue;
        closed.contacts.push_back(c);
        if (!scene.model.system().contacts[static_cast<std::size_t>(c)].friction) continue;
        ++closed.rough;
        if (scene.model.dimension(c) == 3 || closed.rough > 8) {
            return Errors{refuse_rest(
                ErrorCode::NotAllowedHere, "--equilibrium",
                "edges of sets of equilibria are followed for up to 8 rough contacts in the plane",
                "describe the system in the plane, or without friction")};
        }
    }
    return closed;
}

}  // namespace

Expected<Equilibria, Errors> follow_equilibria(const Scene& scene, const EquilibriumOptions& options)
{
    if (Errors errors = check_for_orbits(scene); !errors.empty()) return errors;
    const std::array names{options.over};
    const auto symbols = read_symbols(scene, names);
    if (!symbols) return symbols.error();
    const double value = symbols->values.front();
    if (!(options.low <= value && value <= options.high && options.low < options.high) || options.steps < 1) {
        return Errors{
            refuse_rest(ErrorCode::SettingOutOfRange, "--over",
                        fmt::format("{} is {} in the scene, outside {} to {}", options.over, value,
                                    options.low, options.high),
                        "give a range that contains the value of the scene, or set another with --set")};
    }
    if (Errors errors = check_rest(scene, *symbols); !errors.empty()) return errors;
    const auto closed = closed_at_start(scene);
    if (!closed) return closed.error();
    Equilibria result;
    for (const int c : closed->contacts) {
        result.contacts.push_back(scene.model.system().contacts[static_cast<std::size_t>(c)].name);
    }
    for (unsigned edge = 0; edge < (1U << closed->rough); ++edge) {
        std::vector<int> sides;
        for (int i = 0; i < closed->rough; ++i) {
            sides.push_back((edge >> i & 1U) != 0 ? 1 : -1);
        }
        RestWalk walk(scene, *symbols, options, closed->contacts, sides);
        EquilibriumBranch& branch = result.branches.emplace_back();
        branch.sides = sides;
        const auto first = walk.first(value);
        if (!first) {
            branch.end = "no equilibrium is found near the start";
            continue;
        }
        const std::string below = walk.follow(*first, false, branch);
        std::ranges::reverse(branch.points);
        std::ranges::reverse(branch.special);
        branch.points.push_back(first->point);
        const std::string above = walk.follow(*first, true, branch);
        branch.end = fmt::format("below: {}; above: {}", below, above);
    }
    return result;
}

}  // namespace carom
