#include "solver/flat_problem.hpp"

#include "core/parallel.hpp"
#include "onestep/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom {
namespace {

bool is_flat(const Law& law) noexcept
{
    if (gives_way(law) || std::holds_alternative<Resisting>(law)) return false;
    const auto* coulomb = std::get_if<Coulomb>(&law);
    if (coulomb == nullptr || std::holds_alternative<FrictionDisc>(coulomb->shape)) return true;
    const auto* interval = std::get_if<FrictionInterval>(&coulomb->shape);
    return interval != nullptr && interval->low == -1 && interval->high == 1;
}

FlatKind kind_of(const Law& law) noexcept
{
    if (std::holds_alternative<Bilateral>(law)) return FlatKind::Bilateral;
    const auto* coulomb = std::get_if<Coulomb>(&law);
    return coulomb != nullptr && coulomb->friction > 0 ? FlatKind::Friction : FlatKind::Unilateral;
}

/// acc += block * x, with the dimension known to the compiler.
template <int D>
inline void add_product(const double* block, const double* x, double* acc) noexcept
{
    for (int r = 0; r < D; ++r) {
        double sum = 0;
        for (int k = 0; k < D; ++k) {
            sum += block[r * D + k] * x[k];
        }
        acc[r] += sum;
    }
}

template <int D>
inline void drive_of(const FlatProblem& p, int c, const double* x, double* b) noexcept
{
    double acc[D];
    for (int r = 0; r < D; ++r) {
        acc[r] = p.q[static_cast<std::size_t>(c * D + r)];
    }
    const double* block = p.W_off.data() + static_cast<std::size_t>(p.row_begin[c]) * D * D;
    for (int k = p.row_begin[c]; k < p.row_begin[c + 1]; ++k, block += D * D) {
        add_product<D>(block, x + p.column[k] * D, acc);
    }
    for (int r = 0; r < D; ++r) {
        b[r] = acc[r];
    }
}

/// Squared natural map of one contact with step rho.
double natural_map_squared(const FlatProblem& p, int c, const double* x, const double* u, double rho) noexcept
{
    double y[3];
    double slip2 = 0;
    for (int k = 1; k < p.d; ++k) {
        slip2 += u[k] * u[k];
    }
    const double shift = p.kind[c] == FlatKind::Friction ? p.mu[c] * std::sqrt(slip2) : 0.0;
    for (int k = 0; k < p.d; ++k) {
        y[k] = x[k] - rho * (u[k] + (k == 0 ? shift : 0.0));
    }
    p.project(c, y);
    double sum = 0;
    for (int k = 0; k < p.d; ++k) {
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    }
    return sum;
}

}  // namespace

bool FlatProblem::takes(const OneStepProblem& problem) noexcept
{
    return std::all_of(problem.laws.begin(), problem.laws.end(), is_flat);
}

void FlatProblem::load(const OneStepProblem& problem)
{
    all_.resize(static_cast<std::size_t>(problem.interactions()));
    std::iota(all_.begin(), all_.end(), 0);
    load(problem, all_);
}

void FlatProblem::load(const OneStepProblem& problem, std::span<const int> interactions)
{
    interaction.assign(interactions.begin(), interactions.end());
    const std::size_t m = interaction.size();
    if (place_.size() != problem.laws.size()) place_.assign(problem.laws.size(), -1);
    d = 1;
    for (std::size_t c = 0; c < m; ++c) {
        place_[interaction[c]] = static_cast<int>(c);
        d = std::max(d, problem.W.dimension(interaction[c]));
    }
    const auto block = static_cast<std::size_t>(d * d);
    kind.resize(m);
    mu.assign(m, 0.0);
    scale.resize(m);
    q.assign(m * static_cast<std::size_t>(d), 0.0);
    W_cc.assign(m * block, 0.0);
    row_begin.assign(1, 0);
    column.clear();
    W_off.clear();
    floor = {};
    load_laws(problem);
    load_blocks(problem);
    for (const int from : interaction) {
        place_[from] = -1;
    }
}

/// Laws, scales and free velocities with the shifts that do not depend on U.
void FlatProblem::load_laws(const OneStepProblem& problem)
{
    for (std::size_t c = 0; c < interaction.size(); ++c) {
        const int from = interaction[c], rows = problem.W.dimension(from), at = problem.offsets[from];
        const Law& law = problem.laws[from];
        kind[c] = kind_of(law);
        const auto W = problem.W.diagonal(from);
        double trace = 0;
        for (int k = 0; k < rows; ++k) {
            trace += W[static_cast<std::size_t>(k * rows + k)];
        }
        scale[c] = trace > 0 ? 1 / std::sqrt(trace / rows) : 1.0;
        const int used = kind[c] == FlatKind::Friction ? rows : 1;
        for (int k = 0; k < used; ++k) {
            q[c * d + k] = problem.U_free[at + k];
        }
        q[c * d] += restitution(law) * std::min(problem.U_minus[at], 0.0);
        if (kind[c] == FlatKind::Friction) {
            const auto& coulomb = std::get<Coulomb>(law);
            mu[c] = coulomb.friction;
            for (int k = 1; k < rows; ++k) {
                q[c * d + k] += coulomb.tangential_restitution * problem.U_minus[at + k];
            }
        }
        for (int k = 0; k < used; ++k) {
            q[c * d + k] *= scale[c];
        }
    }
}

/// Blocks, scaled; frictionless interactions take part with their normal row alone.
void FlatProblem::load_blocks(const OneStepProblem& problem)
{
    const auto block = static_cast<std::size_t>(d * d);
    std::size_t blocks = 0;
    for (const int from : interaction) {
        blocks += problem.W.row(from).size();
    }
    column.reserve(blocks);
    W_off.reserve(blocks * block);

    for (std::size_t c = 0; c < interaction.size(); ++c) {
        const int from = interaction[c], rows = problem.W.dimension(from);
        const int used_rows = kind[c] == FlatKind::Friction ? rows : 1;
        for (const auto& entry : problem.W.row(from)) {
            const int j = place_[entry.column];
            if (j < 0) continue;
            const auto source = problem.W.block(from, entry);
            const int columns = problem.W.dimension(entry.column);
            const int used_columns = kind[j] == FlatKind::Friction ? columns : 1;
            const bool diagonal = j == static_cast<int>(c);
            double* target = W_cc.data() + c * block;
            if (!diagonal) {
                column.push_back(j);
                W_off.resize(W_off.size() + block, 0.0);
                target = W_off.data() + W_off.size() - block;
            }
            for (int r = 0; r < used_rows; ++r) {
                for (int k = 0; k < used_columns; ++k) {
                    target[r * d + k] =
                        scale[c] * source[static_cast<std::size_t>(r * columns + k)] * scale[j];
                }
            }
        }
        for (int k = used_rows; k < d; ++k) {
            W_cc[c * block + static_cast<std::size_t>(k * d + k)] = 1;
        }
        row_begin.push_back(static_cast<int>(column.size()));
    }
}

void FlatProblem::gather(const OneStepProblem& problem, std::span<const double> P, std::span<double> x) const
{
    std::fill(x.begin(), x.end(), 0.0);
    for (std::size_t c = 0; c < interaction.size(); ++c) {
        const int from = interaction[c], rows = problem.W.dimension(from), at = problem.offsets[from];
        const int used = kind[c] == FlatKind::Friction ? rows : 1;
        for (int k = 0; k < used; ++k) {
            x[c * d + k] = std::isfinite(P[at + k]) ? P[at + k] / scale[c] : 0.0;
        }
    }
}

void FlatProblem::scatter(const OneStepProblem& problem, std::span<const double> x, std::span<double> P) const
{
    for (std::size_t c = 0; c < interaction.size(); ++c) {
        const int from = interaction[c], rows = problem.W.dimension(from), at = problem.offsets[from];
        for (int k = 0; k < rows; ++k) {
            P[at + k] = x[c * d + k] * scale[c];
        }
    }
}

void FlatProblem::drive(int c, const double* x, double* b) const noexcept
{
    if (d == 3) return drive_of<3>(*this, c, x, b);
    if (d == 2) return drive_of<2>(*this, c, x, b);
    drive_of<1>(*this, c, x, b);
}

void FlatProblem::velocity(int c, const double* x, double* u) const noexcept
{
    drive(c, x, u);
    const double* W = W_cc.data() + static_cast<std::size_t>(c) * d * d;
    const double* x_c = x + static_cast<std::size_t>(c) * d;
    if (d == 3) return add_product<3>(W, x_c, u);
    if (d == 2) return add_product<2>(W, x_c, u);
    add_product<1>(W, x_c, u);
}

void FlatProblem::velocity(std::span<const double> x, std::span<double> u) const noexcept
{
    for (int c = 0; c < contacts(); ++c) {
        velocity(c, x.data(), u.data() + static_cast<std::size_t>(c) * d);
    }
}

void FlatProblem::project(int c, double* x) const noexcept
{
    if (kind[c] != FlatKind::Friction) {
        if (kind[c] == FlatKind::Unilateral) x[0] = std::max(x[0], 0.0);
        for (int k = 1; k < d; ++k) {
            x[k] = 0;
        }
        return;
    }
    const double m = mu[c];
    const double t = d == 3 ? std::sqrt(x[1] * x[1] + x[2] * x[2]) : std::abs(x[1]);
    if (t <= m * x[0]) return;
    if (m * t <= -x[0]) {
        std::fill(x, x + d, 0.0);
        return;
    }
    const double n = (x[0] + m * t) / (1 + m * m), onto = m * n / t;
    x[0] = n;
    for (int k = 1; k < d; ++k) {
        x[k] *= onto;
    }
}

void FlatProblem::project(std::span<double> x) const noexcept
{
    for (int c = 0; c < contacts(); ++c) {
        project(c, x.data() + static_cast<std::size_t>(c) * d);
    }
}

FlatError FlatProblem::error(std::span<const double> x, std::span<double> u) const noexcept
{
    velocity(x, u);
    return error_at(x, u);
}

namespace {

/// Sums of squares that the errors are made of, of some contacts.
struct ErrorSums {
    double F_d = 0, F_v = 0, F_s = 0, x_d = 0, u_d = 0, q_s = 0, x_s = 0, u_s = 0;

    ErrorSums& operator+=(const ErrorSums& other) noexcept
    {
        F_d += other.F_d;
        F_v += other.F_v;
        F_s += other.F_s;
        x_d += other.x_d;
        u_d += other.u_d;
        q_s += other.q_s;
        x_s += other.x_s;
        u_s += other.u_s;
        return *this;
    }

    void add(const FlatProblem& problem, int c, const double* x, const double* u, double velocities) noexcept
    {
        const double* q_c = problem.q.data() + static_cast<std::size_t>(c) * problem.d;
        const double s2 = problem.scale[c] * problem.scale[c];
        double x2 = 0, u2 = 0, q2 = 0;
        for (int k = 0; k < problem.d; ++k) {
            x2 += x[k] * x[k];
            u2 += u[k] * u[k];
            q2 += q_c[k] * q_c[k];
        }
        const double part = natural_map_squared(problem, c, x, u, 1.0), size = std::sqrt(x2);
        F_d += part;
        if (size > velocities && velocities > 0) {  // percussions made as small as velocities (OS-9)
            const double lambda = velocities / size;
            F_v += lambda * lambda * natural_map_squared(problem, c, x, u, 1 / lambda);
        } else {
            F_v += part;
        }
        F_s += s2 * natural_map_squared(problem, c, x, u, 1 / s2);
        x_d += x2;
        u_d += u2;
        x_s += s2 * x2;
        u_s += u2 / s2;
        q_s += q2 / s2;
    }
};

}  // namespace

FlatError FlatProblem::error_at(std::span<const double> x, std::span<const double> u) const noexcept
{
    constexpr std::size_t in_block = 1024;
    double q_d = 0;
    for (const double free : q) {
        q_d += free * free;
    }
    const double own = std::sqrt(q_d), velocities = std::max(own, floor.velocity);
    const auto sums = sum_of_blocks<ErrorSums>(
        static_cast<std::size_t>(contacts()), in_block, [&](std::size_t begin, std::size_t end) {
            ErrorSums part;
            for (std::size_t c = begin; c < end; ++c) {
                const std::size_t at = c * static_cast<std::size_t>(d);
                part.add(*this, static_cast<int>(c), x.data() + at, u.data() + at, velocities);
            }
            return part;
        });
    const auto& [F_d, F_v, F_s, x_d, u_d, q_s, x_s, u_s] = sums;
    if (!std::isfinite(F_d + F_v + F_s + q_d + x_d + u_d + q_s + x_s + u_s)) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return {infinity, infinity, infinity};
    }
    const double by_d = std::max(std::sqrt(std::max({q_d, x_d, u_d})), floor.unit_free);
    const double by_s = std::max(std::sqrt(std::max({q_s, x_s, u_s})), floor.siconos);
    const double by_v = std::max(own, floor.unit_free);
    const auto relative = [](double F2, double size) { return F2 > 0 ? std::sqrt(F2) / size : 0.0; };
    const double F_velocity = above_rounding(std::sqrt(F_v), std::sqrt(x_d), by_v);
    return {relative(F_d, by_d), relative(F_s, by_s), by_v > 0 ? F_velocity / by_v : 0.0};
}

int Islands::root(int c) noexcept
{
    while (parent_[c] != c) {
        parent_[c] = parent_[parent_[c]];
        c = parent_[c];
    }
    return c;
}

void Islands::find(const OneStepProblem& problem)
{
    const int m = problem.interactions();
    parent_.resize(static_cast<std::size_t>(m));
    std::iota(parent_.begin(), parent_.end(), 0);
    for (int c = 0; c < m; ++c) {
        for (const auto& entry : problem.W.row(c)) {
            const int a = root(c), b = root(entry.column);
            if (a == b) continue;
            const auto block = problem.W.block(c, entry);
            if (std::all_of(block.begin(), block.end(), [](double w) { return w == 0; })) continue;
            parent_[std::max(a, b)] = std::min(a, b);
        }
    }

    // number them by their first member, then sort by counting
    label_.assign(static_cast<std::size_t>(m), -1);
    begin_.assign(1, 0);
    for (int c = 0; c < m; ++c) {
        const int top = root(c);
        if (top == c) {
            label_[c] = static_cast<int>(begin_.size()) - 1;
            begin_.push_back(0);
        }
        ++begin_[label_[top] + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    members_.resize(static_cast<std::size_t>(m));
    for (int c = 0; c < m; ++c) {
        members_[begin_[label_[root(c)]]++] = c;
    }
    for (std::size_t k = begin_.size() - 1; k > 0; --k) {
        begin_[k] = begin_[k - 1];
    }
    begin_[0] = 0;
}

}  // namespace carom
