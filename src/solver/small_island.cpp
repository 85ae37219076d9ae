#include "small_island.hpp"

#include "carom/onestep/residual.hpp"
#include "small_dense.hpp"
#include "solver/one_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom {
namespace {

/// The compliance that stands for a vanishing one, beside W of size one: loads that W does not determine come
/// out to eps_of_machine / vanishing of themselves.
constexpr double vanishing = 1e-6;

/// Compliances on the way down.
constexpr std::array compliances{1.0, 1e-1, 1e-2, 1e-4, vanishing};

/// Pivots of W below this part of the largest are rounding.
constexpr double min_pivot = 1e-11;

constexpr int max_full_steps = 15, max_newton_steps = 30, max_newton_halvings = 12, max_refinements = 8;

/// Sweeps that mostly find the statuses, and those after which there is little hope that more would.
constexpr int few_sweeps = 20, many_sweeps = 100;

/// Shortened steps that hardly help, one after the other, before another way is taken.
constexpr int max_poor_steps = 4;
constexpr double poor = 0.8;

double largest(std::span<const double> x)
{
    double result = 0;
    for (const double value : x) {
        result = std::max(result, std::abs(value));
    }
    return result;
}

double length_of(double a, double b)
{
    return std::sqrt(a * a + b * b);
}

double norm2(std::span<const double> x)
{
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

}  // namespace

void SmallIsland::load(const OneStepProblem& problem, std::span<const int> members)
{
    // D: the mean of trace W_cc / dim over the contacts; constraints have units of their own
    double sum = 0;
    int contacts = 0;
    const auto mean_diagonal = [&](int c) {
        const auto W = problem.W.diagonal(c);
        const auto d = static_cast<std::size_t>(problem.W.dimension(c));
        double trace = 0;
        for (std::size_t k = 0; k < d; ++k) {
            trace += W[k * d + k];
        }
        return trace / static_cast<double>(d);
    };
    for (const int c : members) {
        if (!is_unilateral(problem.laws[c])) continue;
        sum += mean_diagonal(c);
        ++contacts;
    }
    const auto scale_of = [&](int c) {
        const double D = is_unilateral(problem.laws[c]) ? sum / contacts : mean_diagonal(c);
        return D > 0 ? 1 / std::sqrt(D) : 1.0;
    };

    n_ = 0;
    members_.resize(members.size());
    scale_.clear();
    int blocks = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
        Member& member = members_[k];
        member.size = problem.W.dimension(members[k]);
        member.first = n_;
        member.from = problem.offsets[members[k]];
        member.block = blocks;
        n_ += member.size;
        blocks += member.size * member.size;
        scale_.insert(scale_.end(), static_cast<std::size_t>(member.size), scale_of(members[k]));
    }
    const auto n = static_cast<std::size_t>(n_);
    W_.assign(n * n, 0.0);
    W_columns_.assign(n * n, 0.0);
    for (std::size_t k = 0; k < members.size(); ++k) {
        load_rows(problem, members, k);
    }
    q_.resize(n);
    has_friction_ = false;
    for (std::size_t m = 0; m < members.size(); ++m) {
        load_member(problem, members[m], members_[m]);
    }
    q_size_ = std::sqrt(norm2(q_));
    for (auto* vector : {&u_, &F_, &dx_, &trial_, &centre_, &start_, &before_}) {
        vector->resize(n);
    }
    zero_.assign(n, 0.0);
    E_.resize(static_cast<std::size_t>(blocks));
    C_.resize(static_cast<std::size_t>(blocks));
    status_.resize(members.size());
    status_before_.resize(members.size());
    status_factor_.resize(members.size());
    eps_factor_ = -1;
}

/// The rows of W of one member, scaled.
void SmallIsland::load_rows(const OneStepProblem& problem, std::span<const int> members, std::size_t k)
{
    const Member& row = members_[k];
    const int c = members[k];
    const auto n = static_cast<std::size_t>(n_);
    const double of_row = scale_[row.first];  // one number per interaction
    std::size_t j = 0;
    for (const auto& entry : problem.W.row(c)) {
        while (j < members.size() && members[j] < entry.column) {
            ++j;
        }
        if (j == members.size()) return;
        if (members[j] != entry.column) continue;
        const Member& column = members_[j];
        const double of_column = scale_[column.first];
        const double* source = problem.W.block(c, entry).data();
        double* W = W_.data() + static_cast<std::size_t>(row.first) * n + column.first;
        double* W_columns = W_columns_.data() + static_cast<std::size_t>(column.first) * n + row.first;
        for (int r = 0; r < row.size; ++r, source += column.size, W += n, ++W_columns) {
            if (column.size == 3) {  // most of them: contacts in space
                W_columns[0] = W[0] = of_row * source[0] * of_column;
                W_columns[n] = W[1] = of_row * source[1] * of_column;
                W_columns[2 * n] = W[2] = of_row * source[2] * of_column;
                continue;
            }
            for (int i = 0; i < column.size; ++i) {
                W_columns[static_cast<std::size_t>(i) * n] = W[i] = of_row * source[i] * of_column;
            }
        }
    }
}

/// The set of an interaction, the free velocity with what restitution asks for, and the steps of (SO-8).
void SmallIsland::load_member(const OneStepProblem& problem, int c, Member& member)
{
    const Law& law = problem.laws[c];
    const int first = member.first;
    const double d = scale_[first];
    member.law = &law;
    member.U_minus = problem.part(std::span<const double>(problem.U_minus), c);
    member.low = member.high = 0;
    for (int k = 0; k < member.size; ++k) {
        q_[first + k] = d * problem.U_free[member.from + k];
    }
    member.kind = Kind::Other;
    if (std::holds_alternative<Unilateral>(law)) member.kind = Kind::HalfLine;
    if (std::holds_alternative<Bilateral>(law)) member.kind = Kind::Line;
    if (const auto* limited = std::get_if<Limited>(&law)) {
        member.kind = Kind::Bounds;
        member.low = limited->low / d;
        member.high = limited->high / d;
    }
    has_friction_ = has_friction_ || std::holds_alternative<Resisting>(law);
    if (const auto* coulomb = std::get_if<Coulomb>(&law)) {
        has_friction_ = has_friction_ || coulomb->friction > 0;
        const auto* interval = std::get_if<FrictionInterval>(&coulomb->shape);
        if (interval != nullptr) {
            member.kind = Kind::Plane;
            member.low = coulomb->friction * interval->low;
            member.high = coulomb->friction * interval->high;
        } else if (std::holds_alternative<FrictionDisc>(coulomb->shape)) {
            member.kind = Kind::Disc;
            member.high = coulomb->friction;
        } else if (std::holds_alternative<FrictionRough>(coulomb->shape)) {
            member.kind = Kind::Rough;
            has_friction_ = true;
        }
        if (member.kind != Kind::Other) {
            for (int k = 1; k < member.size; ++k) {
                q_[first + k] += d * coulomb->tangential_restitution * member.U_minus[k];
            }
        }
    }
    if (member.kind != Kind::Other) q_[first] += d * restitution(law) * std::min(member.U_minus[0], 0.0);

    const auto W = [&](int i, int j) { return W_[static_cast<std::size_t>((first + i) * n_ + first + j)]; };
    double tangential = 0;
    if (member.size == 2) tangential = W(1, 1);
    if (member.size == 3) {
        const double mean = (W(1, 1) + W(2, 2)) / 2;
        tangential = mean + length_of((W(1, 1) - W(2, 2)) / 2, (W(1, 2) + W(2, 1)) / 2);
    }
    member.rho_N = W(0, 0) > 0 ? 1 / W(0, 0) : 1.0;
    member.rho_T = tangential > 0 ? 1 / tangential : member.rho_N;
}

int SmallIsland::rank()
{
    J_.assign(W_.begin(), W_.end());
    column_.resize(static_cast<std::size_t>(n_));
    return static_cast<int>(
        detail::rank_of(J_.data(), static_cast<std::size_t>(n_), min_pivot, column_.data()));
}

bool SmallIsland::is_unique()
{
    if (!has_friction_) return true;

    // mu^2 trace (W^-1)_NN times a norm of W_TT, over the contacts with friction
    double mu = 0, tangential = 0;
    for (const Member& member : members_) {
        if (member.size == 1) continue;
        if (member.kind != Kind::Plane && member.kind != Kind::Disc) return false;
        mu = std::max({mu, std::abs(member.low), std::abs(member.high)});
        for (int r = member.first + 1; r < member.first + member.size; ++r) {
            double sum = 0;
            for (const Member& other : members_) {
                for (int i = other.first + 1; other.size > 1 && i < other.first + other.size; ++i) {
                    sum += std::abs(W_[static_cast<std::size_t>(r * n_ + i)]);
                }
            }
            tangential = std::max(tangential, sum);
        }
    }
    std::fill(E_.begin(), E_.end(), 0.0);
    for (const Member& member : members_) {
        double* C = C_.data() + member.block;
        for (int i = 0; i < member.size * member.size; ++i) {
            C[i] = i % (member.size + 1) == 0 ? 1.0 : 0.0;
        }
    }
    if (!factorise(0)) return false;
    double inverse = 0;
    for (const Member& member : members_) {
        if (member.size == 1) continue;
        std::fill(dx_.begin(), dx_.end(), 0.0);
        dx_[member.first] = 1;
        solve(dx_);
        inverse += std::max(dx_[member.first], 0.0);
    }
    eps_factor_ = -1;
    return mu * mu * inverse * tangential < 1;
}

bool SmallIsland::may_have_several()
{
    for (const Member& member : members_) {
        if (!is_unilateral(*member.law) || member.size == 1) continue;
        if (member.kind != Kind::Plane && member.kind != Kind::Disc) return true;
        const double* W = W_.data() + static_cast<std::size_t>(member.first * n_ + member.first);
        const double mu = std::max(std::abs(member.low), std::abs(member.high));
        const double coupling = member.size == 2 ? std::abs(W[1]) : length_of(W[1], W[2]);
        if (!(mu * coupling < W[0] / 2)) return true;
    }

    // a velocity of W that is inside all dual cones, u_N > mu |u_T|, by corrections in turn: percussions in
    // the cones do work on it, so that none of them balance each other
    constexpr int max_rounds = 10;
    std::fill(dx_.begin(), dx_.end(), 0.0);
    for (int round = 0; round < max_rounds; ++round) {
        bool inside = true;
        for (const Member& member : members_) {
            if (!is_unilateral(*member.law)) continue;
            const double* u = dx_.data() + member.first;
            std::array<double, 3> g{1, 0, 0};
            const double slip = member.size == 3   ? length_of(u[1], u[2])
                                : member.size == 2 ? std::abs(u[1])
                                                   : 0.0;
            const double mu = std::max(std::abs(member.low), std::abs(member.high));
            if (u[0] > 1.01 * mu * slip && u[0] > 0) continue;
            inside = false;
            for (int k = 1; k < member.size && slip > 0; ++k) {
                g[k] = -mu * u[k] / slip;
            }
            for (int k = 0; k < member.size; ++k) {
                const double* row = W_.data() + static_cast<std::size_t>((member.first + k) * n_);
                for (int j = 0; j < n_; ++j) {
                    dx_[j] += g[k] * row[j];
                }
            }
        }
        if (inside) return false;
    }
    return true;
}

void SmallIsland::gather(std::span<const double> P, std::span<double> x) const
{
    for (const Member& member : members_) {
        for (int k = 0; k < member.size; ++k) {
            const double value = P[member.from + k];
            x[member.first + k] = std::isfinite(value) ? value / scale_[member.first + k] : 0.0;
        }
    }
}

void SmallIsland::scatter(std::span<const double> x, std::span<double> P) const
{
    for (const Member& member : members_) {
        for (int k = 0; k < member.size; ++k) {
            P[member.from + k] = x[member.first + k] * scale_[member.first + k];
        }
    }
}

void SmallIsland::velocity(std::span<const double> x, std::span<double> u) const
{
    std::copy(q_.begin(), q_.end(), u.begin());
    detail::add_product(W_columns_.data(), static_cast<std::size_t>(n_), x.data(), u.data());
}

namespace {

constexpr char open = 0, sticks = 1, slides = 2, slides_back = 3;

/// A block of contacts, which have two or three components: no call for so little.
void set_zero(double* A, int d)
{
    A[0] = A[1] = A[2] = A[3] = 0;
    if (d == 3) A[4] = A[5] = A[6] = A[7] = A[8] = 0;
}

void set_identity(double* A, int d)
{
    set_zero(A, d);
    for (int k = 0; k < d; ++k) {
        A[k * d + k] = 1;
    }
}

}  // namespace

/// Alart's and Curnier's function and its derivatives, in the plane, in space, and where nothing slides
/// (SO-8).
void SmallIsland::friction(const Member& member, char& status, const double* x, const double* u, double* F,
                           double* E, double* C) const
{
    const int d = member.size;
    set_zero(E, d);
    set_zero(C, d);
    const double tau_N = x[0] - member.rho_N * u[0];
    if (keep_ ? status == open : !(tau_N > 0)) {
        status = open;
        std::copy_n(x, d, F);
        set_identity(E, d);
        return;
    }
    F[0] = member.rho_N * u[0];
    C[0] = member.rho_N;
    std::array<double, 2> tau{};
    for (int k = 1; k < d; ++k) {
        tau[k - 1] = x[k] - member.rho_T * u[k];
    }
    const double size = d == 2 ? std::abs(tau[0]) : length_of(tau[0], tau[1]);
    const bool plane = member.kind == Kind::Plane;
    const bool inside =
        member.kind == Kind::Rough ||
        (plane ? tau[0] >= member.low * tau_N && tau[0] <= member.high * tau_N : size <= member.high * tau_N);
    const bool holds = inside && (member.high > member.low || member.kind == Kind::Rough);
    if (keep_ ? status == sticks : holds) {
        status = sticks;
        for (int k = 1; k < d; ++k) {
            F[k] = member.rho_T * u[k];
            C[k * d + k] = member.rho_T;
        }
        return;
    }
    if (plane) {
        const bool up = keep_ ? status == slides : tau[0] > 0;
        const double bound = up ? member.high : member.low;
        status = up ? slides : slides_back;
        F[1] = x[1] - bound * tau_N;
        E[d + 1] = 1;
        E[d] = -bound;
        C[d] = bound * member.rho_N;
        return;
    }
    status = slides;
    const double mu = member.high, k_slip = mu > 0 ? mu * tau_N / size : 0.0;
    if (!(mu > 0)) {  // without friction: nothing to divide by
        for (int i = 1; i < d; ++i) {
            F[i] = x[i];
            E[i * d + i] = 1;
        }
        return;
    }
    const std::array<double, 2> along{tau[0] / size, tau[1] / size};
    for (int i = 1; i < d; ++i) {
        F[i] = x[i] - k_slip * tau[i - 1];
        E[i * d] = -mu * along[i - 1];
        C[i * d] = mu * member.rho_N * along[i - 1];
        for (int j = 1; j < d; ++j) {
            const double across = (i == j ? 1.0 : 0.0) - along[i - 1] * along[j - 1];
            E[i * d + j] = (i == j ? 1.0 : 0.0) - k_slip * across;
            C[i * d + j] = k_slip * member.rho_T * across;
        }
    }
}

/// Sliding on a disc without the direction of the velocity (SO-35): |x_T| = mu x_N, and u_T has no part
/// across x_T. Statuses, and all else, as in friction().
void SmallIsland::crossed(const Member& member, char& status, const double* x, const double* u, double* F,
                          double* E, double* C) const
{
    friction(member, status, x, u, F, E, C);
    const int d = member.size;
    if (member.kind != Kind::Disc || d != 3 || status != slides || !(member.high > 0)) return;
    constexpr double least = 1e-3;  // of the bound: friction has a direction
    const double size = length_of(x[1], x[2]), mu = member.high, rho = member.rho_T;
    const double against = x[1] * (x[1] - rho * u[1]) + x[2] * (x[2] - rho * u[2]);
    if (!(x[0] > 0 && size > least * mu * x[0] && against > 0)) return;
    const std::array<double, 2> along{x[1] / size, x[2] / size}, across{-along[1], along[0]};
    const double slip = along[0] * u[1] + along[1] * u[2];
    F[1] = size - mu * x[0];
    F[2] = rho * (across[0] * u[1] + across[1] * u[2]);
    std::fill_n(E + d, 2 * d, 0.0);
    std::fill_n(C + d, 2 * d, 0.0);
    E[d] = -mu;
    for (int k = 1; k < d; ++k) {
        E[d + k] = along[k - 1];
        E[2 * d + k] = -rho * slip / size * across[k - 1];
        C[2 * d + k] = rho * across[k - 1];
    }
}

/// x - proj_K(x - rho u) for the cone of a disc or an interval, and its derivatives.
void SmallIsland::cone(const Member& member, char& status, const double* x, const double* u, double* F,
                       double* E, double* C) const
{
    const int d = member.size;
    const double rho = std::min(member.rho_N, member.rho_T);
    std::array<double, 3> tau{};
    for (int k = 0; k < d; ++k) {
        tau[k] = x[k] - rho * u[k];
    }
    const double size = d == 2 ? std::abs(tau[1]) : length_of(tau[1], tau[2]);
    double mu = member.high;
    if (member.kind == Kind::Plane && tau[1] < 0) mu = -member.low;
    const bool rough = member.kind == Kind::Rough;
    set_zero(E, d);
    set_zero(C, d);

    // inside the cone: u = 0
    if (rough ? tau[0] > 0 : size <= mu * tau[0]) {
        status = sticks;
        for (int k = 0; k < d; ++k) {
            F[k] = rho * u[k];
            C[k * d + k] = rho;
        }
        return;
    }
    // below it: x = 0
    if (rough || mu * size <= -tau[0]) {
        status = open;
        std::copy_n(x, d, F);
        set_identity(E, d);
        return;
    }
    // beside it: the nearest generator
    status = tau[1] < 0 && d == 2 ? slides_back : slides;
    const double onto = (tau[0] + mu * size) / (1 + mu * mu);
    std::array<double, 3> g{1, 0, 0};
    for (int k = 1; k < d; ++k) {
        g[k] = mu * tau[k] / size;
    }
    for (int i = 0; i < d; ++i) {
        F[i] = x[i] - onto * g[i];
        for (int j = 0; j < d; ++j) {
            double slope = g[i] * g[j] / (1 + mu * mu);
            if (d == 3 && i > 0 && j > 0)
                slope += onto * mu / size * ((i == j ? 1.0 : 0.0) - tau[i] * tau[j] / (size * size));
            E[i * d + j] = (i == j ? 1.0 : 0.0) - slope;
            C[i * d + j] = rho * slope;
        }
    }
}

/// The natural map of any set, with differences for its derivatives (SO-22).
void SmallIsland::differences(Equations equations, const Member& member, const double* x, const double* u,
                              double* F, double* E, double* C) const
{
    const int d = member.size;
    const auto size = static_cast<std::size_t>(d);
    const double scale = scale_[member.first];
    const double rho = member.rho_N;
    using Rows = std::array<double, max_components>;
    const auto map = [&](const Rows& x_c, const Rows& u_c) {
        Rows U{}, s{}, y{};
        for (std::size_t k = 0; k < size; ++k) {
            U[k] = u_c[k] / scale;
        }
        velocity_shift(*member.law, member.U_minus, std::span(U).first(size), std::span(s).first(size));
        if (equations == Equations::Associated)
            s[0] = restitution(*member.law) * std::min(member.U_minus[0], 0.0);
        for (std::size_t k = 0; k < size; ++k) {
            y[k] = scale * (x_c[k] - rho * (u_c[k] + scale * s[k]));
        }
        project_on_set(*member.law, std::span(y).first(size));
        for (std::size_t k = 0; k < size; ++k) {
            y[k] = x_c[k] - y[k] / scale;
        }
        return y;
    };
    Rows x_c{}, u_c{};
    double largest_entry = std::numeric_limits<double>::min();
    for (std::size_t k = 0; k < size; ++k) {
        x_c[k] = x[k];
        u_c[k] = u[k];
        largest_entry = std::max({largest_entry, std::abs(x[k]), rho * std::abs(u[k])});
    }
    const Rows here = map(x_c, u_c);
    std::copy_n(here.begin(), size, F);
    const double step = 1e-7 * largest_entry;
    for (std::size_t k = 0; k < size; ++k) {
        Rows moved = x_c;
        moved[k] += step;
        const Rows by_x = map(moved, u_c);
        moved = u_c;
        moved[k] += step / rho;
        const Rows by_u = map(x_c, moved);
        for (std::size_t i = 0; i < size; ++i) {
            E[i * size + k] = (by_x[i] - here[i]) / step;
            C[i * size + k] = rho * (by_u[i] - here[i]) / step;
        }
    }
}

void SmallIsland::evaluate_member(Equations equations, const Member& member, char& status,
                                  std::span<const double> x)
{
    const double* x_c = x.data() + member.first;
    const double* u_c = u_.data() + member.first;
    double* F = F_.data() + member.first;
    double* E = E_.data() + member.block;
    double* C = C_.data() + member.block;
    switch (member.kind) {
    case Kind::Line:
    case Kind::HalfLine:
    case Kind::Bounds: {
        const double tau = x_c[0] - member.rho_N * u_c[0];
        const bool bounded = member.kind == Kind::Bounds;
        bool below = bounded ? tau < member.low : member.kind == Kind::HalfLine && !(tau > 0);
        bool above = bounded && tau > member.high;
        if (keep_) {
            below = status == open;
            above = status == slides;
        }
        status = below ? open : above ? slides : sticks;
        F[0] = below ? x_c[0] - member.low : above ? x_c[0] - member.high : member.rho_N * u_c[0];
        E[0] = below || above ? 1.0 : 0.0;
        C[0] = below || above ? 0.0 : member.rho_N;
        return;
    }
    case Kind::Plane:
    case Kind::Disc:
    case Kind::Rough:
        if (equations == Equations::Coulomb)
            friction(member, status, x_c, u_c, F, E, C);
        else if (equations == Equations::Crossed)
            crossed(member, status, x_c, u_c, F, E, C);
        else
            cone(member, status, x_c, u_c, F, E, C);
        return;
    case Kind::Other:
        status = slides;
        differences(equations, member, x_c, u_c, F, E, C);
        return;
    }
}

void SmallIsland::evaluate(Equations equations, double eps, std::span<const double> centre,
                           std::span<const double> x)
{
    velocity(x, u_);
    if (eps > 0) {
        for (std::size_t k = 0; k < x.size(); ++k) {
            u_[k] += eps * (x[k] - centre[k]);
        }
    }
    for (std::size_t m = 0; m < members_.size(); ++m) {
        evaluate_member(equations, members_[m], status_[m], x);
    }
}

namespace {

/// out = the rows of W, n long, times c, one after the other.
void set_combination(const double* c, int rows, const double* W, std::size_t n, double* __restrict out)
{
    const bool none = std::all_of(c, c + rows, [](double value) { return value == 0; });
    if (none) {
        std::fill_n(out, n, 0.0);
    } else if (rows == 3) {  // most of them: contacts in space
        const double c0 = c[0], c1 = c[1], c2 = c[2];
        for (std::size_t j = 0; j < n; ++j) {
            out[j] = c0 * W[j] + c1 * W[n + j] + c2 * W[2 * n + j];
        }
    } else {
        for (std::size_t j = 0; j < n; ++j) {
            out[j] = c[0] * W[j];
        }
        for (int k = 1; k < rows; ++k) {
            detail::add_multiple(c[k], W + static_cast<std::size_t>(k) * n, n, out);
        }
    }
}

}  // namespace

/// J = E + C (W + eps) by rows, and its factors with the largest pivots of the columns.
bool SmallIsland::factorise(double eps)
{
    const auto n = static_cast<std::size_t>(n_);
    J_.resize(n * n);
    for (const Member& member : members_) {
        const int d = member.size;
        const double* E = E_.data() + member.block;
        const double* C = C_.data() + member.block;
        const double* W = W_.data() + static_cast<std::size_t>(member.first) * n;
        for (int r = 0; r < d; ++r, C += d, E += d) {
            double* row = J_.data() + static_cast<std::size_t>(member.first + r) * n;
            set_combination(C, d, W, n, row);
            for (int j = 0; j < d; ++j) {
                row[member.first + j] += C[j] * eps + E[j];
            }
        }
    }
    pivot_.resize(n);
    return detail::eliminate(J_.data(), n, pivot_.data());
}

void SmallIsland::solve(std::span<double> b) const
{
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t k = 0; k < n; ++k) {
        std::swap(b[k], b[static_cast<std::size_t>(pivot_[k])]);
    }
    double* const x = b.data();
    for (std::size_t i = 1; i < n; ++i) {
        const double* const row = J_.data() + i * n;
        double sum = x[i];
        for (std::size_t k = 0; k < i; ++k) {
            sum -= row[k] * x[k];
        }
        x[i] = sum;
    }
    for (std::size_t k = n; k-- > 0;) {
        const double* const row = J_.data() + k * n;
        double sum = x[k];
        for (std::size_t j = k + 1; j < n; ++j) {
            sum -= row[j] * x[j];
        }
        x[k] = sum / row[k];
    }
}

/// The equations are not linear while the statuses stay.
bool SmallIsland::bends() const
{
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const Kind kind = members_[m].kind;
        if (kind == Kind::Other || (kind == Kind::Disc && status_[m] == slides)) return true;
    }
    return false;
}

/// The factors are those of the equations as they were last evaluated, but for sliding that has turned.
bool SmallIsland::is_factor_of(Equations equations, double eps) const
{
    return eps_factor_ == eps && equations_factor_ == equations && status_ == status_factor_;
}

/// Full steps have come back to statuses that they had left. Where the equations are linear while statuses
/// stay, these say where the next step leads, and it goes on like that for ever; sliding that turns may end
/// it, and is given a second round.
bool SmallIsland::goes_in_circles()
{
    const auto size = static_cast<std::ptrdiff_t>(status_.size());
    const auto last = history_.end() - size;
    if (std::equal(status_.begin(), status_.end(), last)) return false;
    int met = 0;
    for (auto known = history_.begin(); known != last; known += size) {
        met += std::equal(status_.begin(), status_.end(), known) ? 1 : 0;
    }
    history_.insert(history_.end(), status_.begin(), status_.end());
    return met > (bends() ? 1 : 0);
}

bool SmallIsland::newton(Equations equations, double eps, std::span<const double> centre, std::span<double> x)
{
    // full steps first: they change statuses as a pivoting method does, and mostly end in a few
    before_.assign(x.begin(), x.end());
    if (newton(equations, eps, centre, x, max_full_steps, 1)) return true;
    std::copy(before_.begin(), before_.end(), x.begin());
    return newton(equations, eps, centre, x, max_newton_steps, max_newton_halvings);
}

bool SmallIsland::newton(Equations equations, double eps, std::span<const double> centre, std::span<double> x,
                         int max_steps, int max_halvings)
{
    constexpr double settled = 1e-7, rounding = 1e-14, decrease = 1e-4, slow = 0.1;
    evaluate(equations, eps, centre, x);
    history_.assign(status_.begin(), status_.end());
    int poor_steps = 0;
    double merit = norm2(F_), last_length = std::numeric_limits<double>::infinity();
    for (int step = 0; step < max_steps; ++step) {
        if (!std::isfinite(merit)) return false;

        // the factors of the last step serve while the equations are linear and the same
        bool reuses = is_factor_of(equations, eps) && (step > 0 || !bends());
        for (;; reuses = false) {
            if (!reuses) {
                eps_factor_ = -1;
                if (!factorise(eps)) return false;
                eps_factor_ = eps;
                equations_factor_ = equations;
                status_factor_ = status_;
            }
            dx_.assign(F_.begin(), F_.end());
            solve(dx_);
            if (!reuses || !bends() || largest(dx_) <= slow * last_length) break;
        }
        last_length = largest(dx_);
        status_before_ = status_;
        const double size = std::max(largest(x), largest(q_)), length = largest(dx_);
        if (!std::isfinite(length)) return false;
        const double noise = rounding * size * rounding * size * n_;
        double part = 1, there = 0;
        int halvings = 0;
        for (; halvings < max_halvings; ++halvings, part /= 2) {
            for (std::size_t k = 0; k < x.size(); ++k) {
                trial_[k] = x[k] - part * dx_[k];
            }
            evaluate(equations, eps, centre, trial_);
            there = norm2(F_);
            if (max_halvings == 1) break;
            if (there <= (1 - 2 * decrease * part) * merit || there <= noise) break;
        }
        if (halvings == max_halvings && !insists_) {
            evaluate(equations, eps, centre, x);
            return merit <= 1e4 * noise;
        }
        std::copy(trial_.begin(), trial_.end(), x.begin());
        if (part == 1 && status_ == status_before_ && length <= settled * size) return true;
        if (part == 1 && status_ == status_before_ && !bends() && there <= noise) return true;
        if (max_halvings == 1 && goes_in_circles()) return false;
        poor_steps = there > poor * merit && there > noise ? poor_steps + 1 : 0;
        if (max_halvings > 1 && poor_steps == max_poor_steps && !insists_) return false;
        merit = there;
    }
    return false;
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
    const double F = std::sqrt(norm2(F_)), u = std::sqrt(norm2(u_)), size = std::max(q_size_, u);
    if (!std::isfinite(F)) return {1, 1};
    const double most = std::max(size, std::sqrt(norm2(x)));
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
    constexpr std::array path{Compliance{1e-2, false}, Compliance{1e-4, true}, Compliance{vanishing, false}};
    for (const auto& [eps, shortened_first] : path) {
        const auto full = [&, this] { return newton(Equations::Coulomb, eps, zero_, x, max_full_steps, 1); };
        const auto shortened = [&, this] {
            return newton(Equations::Coulomb, eps, zero_, x, max_newton_steps, max_newton_halvings);
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
    if (!is_factor_of(Equations::Coulomb, vanishing) && !factorise(vanishing)) return false;
    eps_factor_ = -1;
    keep_ = true;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < max_refinements; ++k) {
        centre_.assign(x.begin(), x.end());
        evaluate(Equations::Coulomb, vanishing, centre_, x);
        dx_.assign(F_.begin(), F_.end());
        solve(dx_);
        if (k > 0 && bends() && largest(dx_) > 0.1 * last) {
            if (!factorise(vanishing)) break;
            dx_.assign(F_.begin(), F_.end());
            solve(dx_);
        }
        last = largest(dx_);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] -= dx_[i];
        }
        if (!(largest(dx_) > 1e-9 * std::max(largest(x), largest(q_)))) break;
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
        if (!newton(equations, vanishing, centre_, x)) return false;
        double change = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            change = std::max(change, std::abs(x[i] - centre_[i]));
        }
        // what is left is the compliance times the change: rounding, soon
        const double size = std::max(largest(x), largest(q_));
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
    if (!newton(Equations::Coulomb, vanishing, zero_, x, max_full_steps, 1)) {
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
    evaluate(Equations::Coulomb, vanishing, zero_, x);
    if (!factorise(vanishing)) return true;
    eps_factor_ = -1;
    dx_.assign(F_.begin(), F_.end());
    solve(dx_);
    for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] -= dx_[k];
    }
    evaluate(Equations::Coulomb, vanishing, zero_, x);
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
    if (largest(x) > 0) return false;
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
        char place = sticks;
        switch (member.kind) {
        case Kind::Line: break;
        case Kind::Bounds:
            if (!(x_c[0] > member.low)) place = open;
            if (!(x_c[0] < member.high)) place = slides;
            break;
        case Kind::Plane:
            if (x_c[1] >= at_bound * member.high * x_c[0]) place = slides;
            if (x_c[1] <= at_bound * member.low * x_c[0]) place = slides_back;
            break;
        case Kind::Disc:
            if (length_of(x_c[1], x_c[2]) >= at_bound * member.high * x_c[0]) place = slides;
            break;
        case Kind::HalfLine:
        case Kind::Rough:
        case Kind::Other: break;
        }
        const bool pushes = member.kind != Kind::Line && member.kind != Kind::Bounds;
        if (pushes && is_unilateral(*member.law) && !(x_c[0] > 0)) place = open;
        out[m] = place;
    }
}

}  // namespace carom
