#include "small_island.hpp"

#include "carom/onestep/residual.hpp"
#include "convex/nonnegative_qp.hpp"
#include "small_dense.hpp"
#include "small_island_parts.hpp"
#include "solver/one_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace carom {
namespace {

/// Compliances on the way down.
constexpr std::array compliances{1.0, 1e-1, 1e-2, 1e-4, island::vanishing};

constexpr int max_refinements = 8;

/// Sweeps that mostly find the statuses, and those after which there is little hope that more would.
constexpr int few_sweeps = 20, many_sweeps = 100;

}  // namespace

bool SmallIsland::hold(std::span<double> x) const
{
    constexpr int edges = 16;        // of a round cone
    constexpr double still = 1e-11;  // beside the velocities that drive
    std::vector<std::array<double, 3>> generators;
    std::vector<int> of;
    for (int k = 0; k < static_cast<int>(members_.size()); ++k) {
        const Member& member = members_[static_cast<std::size_t>(k)];
        const auto add = [&](std::array<double, 3> generator) {
            generators.push_back(generator);
            of.push_back(k);
        };
        switch (member.kind) {
        case Kind::HalfLine: add({1, 0, 0}); break;
        case Kind::Line:
            add({1, 0, 0});
            add({-1, 0, 0});
            break;
        case Kind::Plane:
            add({1, member.low, 0});
            add({1, member.high, 0});
            break;
        case Kind::Disc:
            for (int i = 0; i < edges; ++i) {
                const double angle = 2 * std::numbers::pi * i / edges;
                add({1, member.high * std::cos(angle), member.high * std::sin(angle)});
            }
            break;
        default: return false;
        }
    }
    const auto columns = static_cast<Eigen::Index>(generators.size());
    Eigen::MatrixXd F = Eigen::MatrixXd::Zero(n_, columns);
    for (Eigen::Index j = 0; j < columns; ++j) {
        const Member& member = members_[static_cast<std::size_t>(of[static_cast<std::size_t>(j)])];
        for (int i = 0; i < n_; ++i) {
            for (int k = 0; k < member.size; ++k) {
                F(i, j) += W_[static_cast<std::size_t>(i * n_ + member.first + k)] *
                           generators[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
            }
        }
    }
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(q_.data(), n_);
    Eigen::VectorXd parts = Eigen::VectorXd::Zero(columns), left = q;
    const auto report = solve_nonnegative_least_squares(F, -q, {}, parts, left);
    if (report.status != QpStatus::Solved || !(left.norm() <= still * q.norm())) return false;
    std::fill(x.begin(), x.end(), 0.0);
    for (Eigen::Index j = 0; j < columns; ++j) {
        const Member& member = members_[static_cast<std::size_t>(of[static_cast<std::size_t>(j)])];
        for (int k = 0; k < member.size; ++k) {
            x[static_cast<std::size_t>(member.first + k)] +=
                parts[j] * generators[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
        }
    }
    return true;
}

void SmallIsland::project(std::span<double> x) const
{
    std::array<double, max_components> P{};
    for (const Member& member : members_) {
        const double scale = scale_[member.first];
        double* x_c = x.data() + member.first;
        const auto size = static_cast<std::size_t>(member.size);
        for (std::size_t k = 0; k < size; ++k) {
            P[k] = scale * x_c[k];
        }
        project_on_set(*member.law, std::span(P).first(size));
        for (std::size_t k = 0; k < size; ++k) {
            x_c[k] = P[k] / scale;
        }
        if (member.kind == Kind::Rough && !(x_c[0] > 0)) std::fill_n(x_c, size, 0.0);
    }
}

SmallIsland::Error SmallIsland::error(std::span<const double> x)
{
    evaluate(Equations::Coulomb, 0, zero_, x);
    const double F = std::sqrt(island::norm2(F_)), u = std::sqrt(island::norm2(u_)),
                 size = std::max(q_size_, u);
    if (!std::isfinite(F)) return {1, 1};
    const double most = std::max(size, std::sqrt(island::norm2(x)));
    return {F > 0 ? F / most : 0.0, F > 0 && size > 0 ? F / size : 0.0};
}

bool SmallIsland::is_still_solution(std::span<const double> x, double tolerance)
{
    bool acts = false;
    for (const Member& member : members_) {
        acts = acts || (x[member.first] > 0 && is_unilateral(*member.law));
    }
    if (!acts) return false;
    const Error now = error(x);
    if (!(now.unit_free <= tolerance && now.velocity <= tolerance)) return false;
    return std::all_of(members_.begin(), members_.end(), [&](const Member& member) {
        if (!is_unilateral(*member.law) || x[member.first] > 0) return true;
        return u_[member.first] > 1e-9 * std::abs(q_[member.first]);
    });
}

int SmallIsland::search(const Budget& budget, std::span<double> x)
{
    // solutions with a compliance are starts, those in the middle first; then hardly any compliance
    constexpr std::array path{1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5};
    constexpr std::array<std::size_t, 4> order{3, 5, 1, 0};
    constexpr std::array next_to_none{1e-10, 1e-8, 1e-12};
    constexpr int max_repeats = 3;
    const auto error_of = [&](std::span<const double> y) {
        const Error now = error(y);
        return solved_to(now.unit_free, now.velocity);
    };
    // a short step that brings nothing changes a status all the same
    insists_ = true;
    double best = error_of(x);
    int attempts = 0;
    std::array<std::vector<double>, path.size()> starts;
    std::vector<double> y, centre;
    for (const Equations equations : {Equations::Coulomb, Equations::Crossed}) {
        y.assign(x.size(), 0.0);
        for (std::size_t k = 0; k < path.size(); ++k) {
            (void)newton(equations, path[k], zero_, y);
            starts[k] = y;
        }
        for (const std::size_t start : order) {
            for (const double eps : next_to_none) {
                y = starts[start];
                for (int repeat = 0; repeat < max_repeats; ++repeat) {
                    if (best <= 0.1 * budget.tolerance || budget.expired()) {
                        insists_ = false;
                        return attempts;
                    }
                    ++attempts;
                    centre = y;
                    const bool settled = newton(equations, eps, centre, y);
                    centre = y;
                    project(centre);
                    if (const double now = error_of(centre); now < best) {
                        best = now;
                        std::copy(centre.begin(), centre.end(), x.begin());
                    }
                    if (!settled) break;
                }
            }
        }
    }
    insists_ = false;
    return attempts;
}

/// Gauss-Seidel with exact local solutions (SO-3), of the problem with a compliance.
void SmallIsland::sweep(double eps, std::span<double> x, int sweeps)
{
    std::array<double, 9> W{};
    std::array<double, 3> b{};
    std::vector<double>& last = trial_;
    for (int k = 0; k < sweeps; ++k) {
        last.assign(x.begin(), x.end());
        for (const Member& member : members_) {
            const int d = member.size, first = member.first;
            if (member.kind == Kind::Other || d > 3) continue;
            for (int i = 0; i < d; ++i) {
                const double* row = W_.data() + static_cast<std::size_t>((first + i) * n_);
                double sum = q_[first + i];
                for (int j = 0; j < first; ++j) {
                    sum += row[j] * x[j];
                }
                for (int j = first + d; j < n_; ++j) {
                    sum += row[j] * x[j];
                }
                b[i] = sum;
                for (int j = 0; j < d; ++j) {
                    W[i * d + j] = row[first + j] + (i == j ? eps : 0.0);
                }
            }
            const auto rows = static_cast<std::size_t>(d);
            if (const auto* coulomb = std::get_if<Coulomb>(member.law)) {
                (void)solve_one_contact(*coulomb, std::span(W).first(rows * rows), std::span(b).first(rows),
                                        x.subspan(static_cast<std::size_t>(first), rows));
                continue;
            }
            double& x_c = x[first];
            x_c = -b[0] / W[0];
            if (member.kind == Kind::HalfLine) x_c = std::max(x_c, 0.0);
            if (member.kind == Kind::Bounds) x_c = std::clamp(x_c, member.low, member.high);
        }
        if (std::equal(last.begin(), last.end(), x.begin())) return;  // it goes on like that
    }
}

bool SmallIsland::follow_compliance(Equations equations, std::span<double> x)
{
    for (const double eps : compliances) {
        if (newton(equations, eps, zero_, x)) continue;
        if (equations == Equations::Coulomb) {
            // contact after contact finds statuses where Newton's method goes round in circles
            sweep(eps, x, many_sweeps);
            if (newton(equations, eps, zero_, x)) continue;
        }
        std::fill(x.begin(), x.end(), 0.0);
        if (!newton(equations, eps, zero_, x)) return false;
    }
    return true;
}

/// Coulomb's law with less and less compliance, from statuses of the step before. Steps that are shortened
/// find those of contacts that change: they come first where the compliance is neither so large that any
/// start will do nor so small that full steps do.
bool SmallIsland::press_softly(std::span<double> x)
{
    struct Compliance {
        double eps;
        bool shortened_first;
    };
    constexpr std::array path{Compliance{1e-2, false}, Compliance{1e-4, true},
                              Compliance{island::vanishing, false}};
    for (const auto& [eps, shortened_first] : path) {
        const auto full = [&, this] {
            return newton(Equations::Coulomb, eps, zero_, x, island::max_full_steps, 1);
        };
        const auto shortened = [&, this] {
            return newton(Equations::Coulomb, eps, zero_, x, island::max_newton_steps,
                          island::max_newton_halvings);
        };
        before_.assign(x.begin(), x.end());
        if (shortened_first ? shortened() : full()) continue;
        std::copy(before_.begin(), before_.end(), x.begin());
        if (shortened_first ? full() : shortened()) continue;
        sweep(eps, x, few_sweeps);
        if (!full()) return false;
    }
    return true;
}

/// Proximal points with every contact in the place that it has: linear equations, but for sliding that turns.
/// Contacts that do not push, by a hair, stay without load. The equations with the smallest compliance have
/// been evaluated at x; afterwards those without one have.
bool SmallIsland::settle_in_place(std::span<double> x)
{
    if (!is_factor_of(Equations::Coulomb, island::vanishing) && !factorise(island::vanishing)) return false;
    eps_factor_ = -1;
    keep_ = true;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < max_refinements; ++k) {
        centre_.assign(x.begin(), x.end());
        evaluate(Equations::Coulomb, island::vanishing, centre_, x);
        dx_.assign(F_.begin(), F_.end());
        solve(dx_);
        if (k > 0 && bends() && island::largest(dx_) > 0.1 * last) {
            if (!factorise(island::vanishing)) break;
            dx_.assign(F_.begin(), F_.end());
            solve(dx_);
        }
        last = island::largest(dx_);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] -= dx_[i];
        }
        if (!(island::largest(dx_) > 1e-9 * std::max(island::largest(x), island::largest(q_)))) break;
    }
    keep_ = false;
    project(x);
    return error(x).unit_free <= 1e-12;
}

bool SmallIsland::settle(Equations equations, std::span<double> x)
{
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < max_refinements; ++k) {
        centre_.assign(x.begin(), x.end());
        if (!newton(equations, island::vanishing, centre_, x)) return false;
        double change = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            change = std::max(change, std::abs(x[i] - centre_[i]));
        }
        // what is left is the compliance times the change: rounding, soon
        const double size = std::max(island::largest(x), island::largest(q_));
        if (change <= 1e-9 * size || !(change < last)) break;
        last = change;
    }
    project(x);
    return true;
}

bool SmallIsland::select(std::span<double> x)
{
    // the compliance is pressed by everything, then only by what it has not yet carried (SO-32)
    start_.assign(x.begin(), x.end());
    if (!newton(Equations::Coulomb, island::vanishing, zero_, x, island::max_full_steps, 1)) {
        std::copy(start_.begin(), start_.end(), x.begin());
        if (!press_softly(x)) {
            std::copy(start_.begin(), start_.end(), x.begin());
            if (!follow_compliance(Equations::Coulomb, x)) return false;
        }
    }
    start_.assign(x.begin(), x.end());
    if (!settle_in_place(x)) {
        std::copy(start_.begin(), start_.end(), x.begin());
        return settle(Equations::Coulomb, x);
    }

    // where sliding turns with the loads, loads are selected once more among those of the solution itself
    if (!bends()) return true;
    start_.assign(x.begin(), x.end());
    evaluate(Equations::Coulomb, island::vanishing, zero_, x);
    if (!factorise(island::vanishing)) return true;
    eps_factor_ = -1;
    dx_.assign(F_.begin(), F_.end());
    solve(dx_);
    for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] -= dx_[k];
    }
    evaluate(Equations::Coulomb, island::vanishing, zero_, x);
    if (!settle_in_place(x)) std::copy(start_.begin(), start_.end(), x.begin());
    return true;
}

double SmallIsland::change(std::span<const double> u) const
{
    double result = 0;
    for (const Member& member : members_) {
        for (int k = 0; k < member.size; ++k) {
            const double before = scale_[member.first + k] * member.U_minus[k];
            result = std::max(result, std::abs(u[member.first + k] - before));
        }
    }
    return result;
}

bool SmallIsland::leaves(std::span<const double> x)
{
    if (island::largest(x) > 0) return false;
    return std::all_of(members_.begin(), members_.end(), [&](const Member& member) {
        return is_unilateral(*member.law) && q_[member.first] > 0;
    });
}

void SmallIsland::places(std::span<const double> x, std::vector<char>& out) const
{
    constexpr double at_bound = 1 - 1e-6;
    out.resize(members_.size());
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const Member& member = members_[m];
        const double* x_c = x.data() + member.first;
        char place = island::sticks;
        switch (member.kind) {
        case Kind::Line: break;
        case Kind::Bounds:
            if (!(x_c[0] > member.low)) place = island::open;
            if (!(x_c[0] < member.high)) place = island::slides;
            break;
        case Kind::Plane:
            if (x_c[1] >= at_bound * member.high * x_c[0]) place = island::slides;
            if (x_c[1] <= at_bound * member.low * x_c[0]) place = island::slides_back;
            break;
        case Kind::Disc:
            if (island::length_of(x_c[1], x_c[2]) >= at_bound * member.high * x_c[0]) place = island::slides;
            break;
        case Kind::HalfLine:
        case Kind::Rough:
        case Kind::Other: break;
        }
        const bool pushes = member.kind != Kind::Line && member.kind != Kind::Bounds;
        if (pushes && is_unilateral(*member.law) && !(x_c[0] > 0)) place = island::open;
        out[m] = place;
    }
}

}  // namespace carom
