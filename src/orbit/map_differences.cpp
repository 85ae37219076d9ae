#include "map_differences.hpp"

#include "core/dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace carom::detail {
namespace {

constexpr int levels = 6;
constexpr double first_step = 1.0 / 32, shortest_step = 1e-7;  ///< as parts of the data
constexpr double settled_to = 1e-9;

double relative(const Eigen::MatrixXd& direction, const Eigen::MatrixXd& at)
{
    const double size = at.size() > 0 ? at.cwiseAbs().maxCoeff() : 0;
    const double moves = direction.size() > 0 ? direction.cwiseAbs().maxCoeff() : 0;
    return moves == 0 ? 0 : moves / (size > 0 ? size : moves);
}

/// By which part of themselves the data move along the direction.
double speed_of(const MapData& at, const MapData& direction)
{
    const Eigen::VectorXd U = at.rows * at.u + at.b;
    const Eigen::VectorXd DU = direction.rows * at.u + at.rows * direction.u + direction.b;
    return std::max({relative(direction.A, at.A), relative(direction.rows, at.rows), relative(DU, U),
                     direction.e.cwiseAbs().maxCoeff(), direction.mu.cwiseAbs().maxCoeff()});
}

/// Neville's table, one entry per level; ratio: by which the error of each order falls from level to level.
struct Extrapolation {
    std::array<Eigen::VectorXd, levels> row;
    Eigen::VectorXd best;
    double error = INFINITY;

    void add(int level, Eigen::VectorXd value, double first_ratio, double ratio)
    {
        if (level == 0) best = value;
        double power = first_ratio;
        for (int k = 0; k < level; ++k, power *= ratio) {
            const auto i = static_cast<std::size_t>(k);
            Eigen::VectorXd next = value + (value - row[i]) / (power - 1);
            const double error_here =
                std::max((next - value).cwiseAbs().maxCoeff(), (next - row[i]).cwiseAbs().maxCoeff());
            row[i] = std::move(value);
            value = std::move(next);
            if (error_here < error) {
                error = error_here;
                best = value;
            }
        }
        row[static_cast<std::size_t>(level)] = std::move(value);
    }
};

}  // namespace

MapData MapData::moved(const MapData& direction, double by) const
{
    return {.A = A + by * direction.A,
            .rows = rows + by * direction.rows,
            .b = b + by * direction.b,
            .u = u + by * direction.u,
            .e = e + by * direction.e,
            .mu = mu + by * direction.mu};
}

MapDifferences::MapDifferences(const ImpactMap& map, ImpactContacts like, std::vector<int> contacts,
                               std::vector<char> touched, Eigen::VectorXd q, double t_s)
    : map_(map),
      like_(std::move(like)),
      contacts_(std::move(contacts)),
      touched_(std::move(touched)),
      q_(std::move(q)),
      t_s_(t_s)
{
}

/// Rows of slip that is zero and stays so to first order.
std::vector<int> MapDifferences::still(const MapData& at, const MapData& direction) const
{
    constexpr double rounding = 1e-9;
    const Eigen::VectorXd U = at.rows * at.u + at.b;
    const Eigen::VectorXd DU = direction.rows * at.u + at.rows * direction.u + direction.b;
    const Eigen::VectorXd size = direction.rows.cwiseAbs() * at.u.cwiseAbs() +
                                 at.rows.cwiseAbs() * direction.u.cwiseAbs() + direction.b.cwiseAbs();
    std::vector<int> result;
    for (int row = 0; row < static_cast<int>(U.size()); ++row) {
        const bool normal = std::ranges::find(like_.offsets, row) != like_.offsets.end();
        if (!normal && std::abs(U[row]) <= rounding * U.cwiseAbs().maxCoeff() &&
            std::abs(DU[row]) <= rounding * size[row])
            result.push_back(row);
    }
    return result;
}

std::optional<Eigen::VectorXd> MapDifferences::percussions(const MapData& data,
                                                           const std::vector<int>& at_rest) const
{
    const auto A = Metric::from_matrix(data.A);
    if (!A) return std::nullopt;
    ImpactContacts closed = like_;
    closed.rows = data.rows;
    closed.b = data.b;
    Eigen::MatrixXd H(closed.size(), data.u.size());
    std::vector<int> kept = at_rest;
    for (int k = 0; k < closed.size(); ++k) {
        H.row(k) = data.rows.row(closed.offsets[static_cast<std::size_t>(k)]);
        if (touched_[static_cast<std::size_t>(k)] != 0)
            kept.push_back(closed.offsets[static_cast<std::size_t>(k)]);
        Law& law = closed.laws[static_cast<std::size_t>(k)];
        if (auto* unilateral = std::get_if<Unilateral>(&law)) unilateral->restitution = data.e[k];
        if (auto* coulomb = std::get_if<Coulomb>(&law)) {
            coulomb->restitution = data.e[k];
            coulomb->friction = data.mu[k];
        }
        if (!check(law)) return std::nullopt;
    }
    // a contact that touched stays so: U_N = 0 to all orders, not to the first alone; so does one that rolls
    Eigen::VectorXd u = data.u;
    if (!kept.empty()) {
        Eigen::MatrixXd G(static_cast<Eigen::Index>(kept.size()), u.size());
        Eigen::VectorXd approach(G.rows());
        for (Eigen::Index i = 0; i < G.rows(); ++i) {
            const int row = kept[static_cast<std::size_t>(i)];
            G.row(i) = data.rows.row(row);
            approach[i] = G.row(i).dot(u) + data.b[row];
        }
        const Eigen::MatrixXd AiGt = Ldlt(data.A).solve(G.transpose());
        const Eigen::MatrixXd W = G * AiGt;
        u -= AiGt * LeastSquares(W).solve(approach);
    }
    const ImpactSite site{.A = *A, .H = H, .closed = closed, .contacts = contacts_, .q = q_, .t_s = t_s_};
    Impact impact = map_(site, u);
    if (!impact.u_plus.allFinite()) return std::nullopt;
    if (impact.percussions_Ns.size() == data.rows.rows()) return std::move(impact.percussions_Ns);
    return percussions_of_jump(*A, closed, impact.u_plus - u);
}

/// (P(s) - P(-s)) / 2 s and (P(s) - 2 P(0) + P(-s)) / s, extrapolated to s = 0: the derivative, and zero.
std::optional<MapDifferences::Slope> MapDifferences::both_sides(const MapData& at, const MapData& direction,
                                                                double step) const
{
    const auto rest = still(at, direction);
    const auto here = percussions(at, rest);
    if (!here) return std::nullopt;
    Extrapolation slope, kink;
    for (int level = 0; level < levels; ++level, step /= 2) {
        const auto ahead = percussions(at.moved(direction, step), rest),
                   behind = percussions(at.moved(direction, -step), rest);
        if (!ahead || !behind) return std::nullopt;
        slope.add(level, (*ahead - *behind) / (2 * step), 4, 4);
        kink.add(level, (*ahead - 2 * *here + *behind) / step, 2, 4);
    }
    return Slope{.value = slope.best, .error = slope.error, .kink = kink.best.cwiseAbs().maxCoeff()};
}

/// (P(s) - P(0)) / s, on the side that the laws allow.
std::optional<MapDifferences::Slope> MapDifferences::one_side(const MapData& at, const MapData& direction,
                                                              double step) const
{
    const auto rest = still(at, direction);
    const auto here = percussions(at, rest);
    if (!here) return std::nullopt;
    const double side = percussions(at.moved(direction, step), rest) ? 1 : -1;
    Extrapolation slope;
    for (int level = 0; level < levels; ++level, step /= 2) {
        const auto there = percussions(at.moved(direction, side * step), rest);
        if (!there) return std::nullopt;
        slope.add(level, side * (*there - *here) / step, 2, 2);
    }
    return Slope{.value = slope.best, .error = slope.error};
}

/// With steps as long as nothing else happens within them.
std::optional<MapDifferences::Slope> MapDifferences::settled(const MapData& at,
                                                             const MapData& direction) const
{
    const double speed = speed_of(at, direction);
    const auto here = percussions(at);
    if (!here) return std::nullopt;
    if (speed == 0) return Slope{.value = Eigen::VectorXd::Zero(here->size())};
    const double size = here->cwiseAbs().maxCoeff() * speed;
    std::optional<Slope> best;
    for (double part = first_step; part > shortest_step; part /= 8) {
        auto slope = both_sides(at, direction, part / speed);
        if (!slope) slope = one_side(at, direction, part / speed);
        if (!slope) continue;
        if (!best || slope->error < best->error) best = slope;
        if (slope->error <= settled_to * size) break;
    }
    if (best) {
        best->error /= size > 0 ? size : 1;
        best->kink /= size > 0 ? size : 1;
    }
    return best;
}

std::optional<MapDifferences::Slope> MapDifferences::along(const MapData& at, const MapData& direction) const
{
    // restitution and friction apart, since they may be at an end of what is allowed
    MapData moves = direction, laws = direction;
    moves.e.setZero();
    moves.mu.setZero();
    laws.A.setZero();
    laws.rows.setZero();
    laws.b.setZero();
    laws.u.setZero();
    auto slope = settled(at, moves);
    const auto by_laws = settled(at, laws);
    if (!slope || !by_laws) return std::nullopt;
    slope->value += by_laws->value;
    slope->error = std::max(slope->error, by_laws->error);
    slope->kink = std::max(slope->kink, by_laws->kink);
    return slope;
}

}  // namespace carom::detail
