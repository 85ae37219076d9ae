#include "small_island.hpp"

#include "small_dense.hpp"
#include "small_island_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace carom {

/// Alart's and Curnier's function and its derivatives, in the plane, in space, and where nothing slides
/// (SO-8).
void SmallIsland::friction(const Member& member, char& status, const double* x, const double* u, double* F,
                           double* E, double* C) const
{
    const int d = member.size;
    island::set_zero(E, d);
    island::set_zero(C, d);
    const double tau_N = x[0] - member.rho_N * u[0];
    if (keep_ ? status == island::open : !(tau_N > 0)) {
        status = island::open;
        std::copy_n(x, d, F);
        island::set_identity(E, d);
        return;
    }
    F[0] = member.rho_N * u[0];
    C[0] = member.rho_N;
    std::array<double, 2> tau{};
    for (int k = 1; k < d; ++k) {
        tau[k - 1] = x[k] - member.rho_T * u[k];
    }
    const double size = d == 2 ? std::abs(tau[0]) : island::length_of(tau[0], tau[1]);
    const bool plane = member.kind == Kind::Plane;
    const bool inside =
        member.kind == Kind::Rough ||
        (plane ? tau[0] >= member.low * tau_N && tau[0] <= member.high * tau_N : size <= member.high * tau_N);
    const bool holds = inside && (member.high > member.low || member.kind == Kind::Rough);
    if (keep_ ? status == island::sticks : holds) {
        status = island::sticks;
        for (int k = 1; k < d; ++k) {
            F[k] = member.rho_T * u[k];
            C[k * d + k] = member.rho_T;
        }
        return;
    }
    if (plane) {
        const bool up = keep_ ? status == island::slides : tau[0] > 0;
        const double bound = up ? member.high : member.low;
        status = up ? island::slides : island::slides_back;
        F[1] = x[1] - bound * tau_N;
        E[d + 1] = 1;
        E[d] = -bound;
        C[d] = bound * member.rho_N;
        return;
    }
    status = island::slides;
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
    if (member.kind != Kind::Disc || d != 3 || status != island::slides || !(member.high > 0)) return;
    constexpr double smallest = 1e-3;  // of the bound: friction has a direction
    const double size = island::length_of(x[1], x[2]), mu = member.high, rho = member.rho_T;
    const double against = x[1] * (x[1] - rho * u[1]) + x[2] * (x[2] - rho * u[2]);
    if (!(x[0] > 0 && size > smallest * mu * x[0] && against > 0)) return;
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
    const double size = d == 2 ? std::abs(tau[1]) : island::length_of(tau[1], tau[2]);
    double mu = member.high;
    if (member.kind == Kind::Plane && tau[1] < 0) mu = -member.low;
    const bool rough = member.kind == Kind::Rough;
    island::set_zero(E, d);
    island::set_zero(C, d);

    // inside the cone: u = 0
    if (rough ? tau[0] > 0 : size <= mu * tau[0]) {
        status = island::sticks;
        for (int k = 0; k < d; ++k) {
            F[k] = rho * u[k];
            C[k * d + k] = rho;
        }
        return;
    }
    // below it: x = 0
    if (rough || mu * size <= -tau[0]) {
        status = island::open;
        std::copy_n(x, d, F);
        island::set_identity(E, d);
        return;
    }
    // beside it: the nearest generator
    status = tau[1] < 0 && d == 2 ? island::slides_back : island::slides;
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
            below = status == island::open;
            above = status == island::slides;
        }
        status = below ? island::open : above ? island::slides : island::sticks;
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
        status = island::slides;
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

}  // namespace carom
