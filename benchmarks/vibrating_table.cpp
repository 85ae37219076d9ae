// A particle that slides on a vibrating table, in space: from its scene, and by a loop written for it alone.

#include "support.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using Space = std::array<double, 3>;

/// The numbers of scenes/vibrating_table.toml.
constexpr double pi = 3.14159265358979323846, g = 9.81, slope = 13 * pi / 180, r = 0.005, a = 0.5,
                 w = 2 * pi * 10, mu = 0.4;

/// Laid near O the particle slides all the time: every step has its contact.
carom::Scene sliding_particle()
{
    const std::vector<carom::Override> near_O{{"parameters.y0", "0.05"}, {"duration_s", "1.0"}};
    return carom::bench::scene_of("scenes/vibrating_table.toml", near_O);
}

/// The table at one instant: how it leans, where its point O is, and how both change.
struct Table {
    double sin_psi, cos_psi, S, C, y_O;
    double S_t, C_t, y_O_t;  ///< per second

    explicit Table(double t)
        : sin_psi(std::sin(w * t)),
          cos_psi(std::cos(w * t)),
          S(r / a * sin_psi),
          C(std::sqrt(1 - S * S)),
          y_O(a - r + r * cos_psi - a * C),
          S_t(r / a * w * cos_psi),
          C_t(-S * S_t / C),
          y_O_t(-r * w * sin_psi - a * C_t)
    {
    }
    [[nodiscard]] double gap(const Space& q) const { return C * q[2] - S * (q[1] - y_O); }

    /// kappa of (MS-7): what turning and lifting of the table make of U_N per second.
    [[nodiscard]] double curvature(const Space& q, const Space& u) const
    {
        const double S_tt = -w * w * S, C_tt = -(S_t * S_t + S * S_tt + C_t * C_t) / C;
        const double y_O_tt = -r * w * w * cos_psi - a * C_tt;
        return 2 * (C_t * u[2] - S_t * u[1]) + C_tt * q[2] - S_tt * (q[1] - y_O) + 2 * S_t * y_O_t +
               S * y_O_tt;
    }
};

struct Particle {
    Space q, u;
    double P_n = 0;       ///< of a contact that persisted
    bool touches = true;  ///< it is laid on the table, and moves with it
};

/// Velocity at the contact in the frame n = (0, -S, C), t1 = (1, 0, 0), t2 = (0, C, S) of the table.
struct Local {
    double n, t1, t2;

    Local(const Table& table, const Space& q, const Space& u)
    {
        // the table moves at q with (0, w_y, w_z)
        const double turning = table.S_t / table.C;
        const double w_y = -r * w * table.sin_psi + a * table.S * turning - turning * q[2];
        const double w_z = turning * (q[1] - table.y_O);
        n = -table.S * (u[1] - w_y) + table.C * (u[2] - w_z);
        t1 = u[0];
        t2 = table.C * (u[1] - w_y) + table.S * (u[2] - w_z);
    }
};

/// Coulomb's law of a contact of unit mass, whose normal velocity is shifted: W is the unit matrix, so both
/// parts are closed forms. Returns P_N.
double percussion(const Table& table, const Local& U, double shift, Space& u)
{
    const double P_n = std::max(0.0, -(U.n + shift));
    const double sliding = std::sqrt(U.t1 * U.t1 + U.t2 * U.t2);
    const double part = sliding > mu * P_n ? mu * P_n / sliding : 1.0;
    u[0] -= part * U.t1;
    u[1] += -table.S * P_n - table.C * part * U.t2;
    u[2] += table.C * P_n - table.S * part * U.t2;
    return P_n;
}

/// One step of Moreau's scheme with contacts that persist (MS-8), (MS-9) and correction (MS-5).
void step(double t, double h, double activation_gap, const Space& gravity, Particle& p)
{
    Space q, u;
    for (int i = 0; i < 3; ++i) {
        q[i] = p.q[i] + h / 2 * p.u[i];
        u[i] = p.u[i] + h * gravity[i];
    }
    const Table mid(t + h / 2);
    const double gap = mid.gap(q);
    bool persists = false, collides = false;
    if (p.touches || gap <= activation_gap) {
        const Local U_free(mid, q, u);
        if (p.touches) {
            const double U_minus = Local(mid, q, p.u).n, bend = h * mid.curvature(q, p.u);
            const double presses = std::abs(U_free.n - U_minus) + p.P_n, reach = presses + std::abs(bend);
            persists = std::abs(U_minus) <= 2 * reach && gap <= activation_gap + 2 * h * reach;
            if (persists) {
                const double off = gap - h * bend / 8;
                const double beyond = off - std::clamp(off, -activation_gap, activation_gap);
                const double outwards = std::max(0.0, -U_minus) + presses / 2;
                p.P_n = percussion(mid, U_free, std::max(beyond / h + bend / 2, -outwards), u);
            }
        }
        collides = !persists && gap <= activation_gap;
        if (collides) percussion(mid, U_free, 0, u);
    }
    for (int i = 0; i < 3; ++i) {
        q[i] += h / 2 * u[i];
    }
    if (collides) {
        const Table end(t + h);
        const double overlap = -end.gap(q);
        if (overlap > 1e-3 * activation_gap) {
            q[1] -= end.S * overlap;
            q[2] += end.C * overlap;
        }
    }
    // one that does not press is lost; near O none is
    if (!persists) p.P_n = 0;
    p.touches = collides || (persists && p.P_n > 0);
    p.q = q;
    p.u = u;
}

Particle run_by_hand(const carom::Scene& scene)
{
    const auto& settings = std::get<carom::MoreauSettings>(scene.integrator);
    const int steps = static_cast<int>(std::lround(carom::bench::steps_of(scene)));
    const Space gravity{g * std::sin(slope), 0, -g * std::cos(slope)};
    Particle p{};
    for (int i = 0; i < 3; ++i) {
        p.q[i] = scene.start.q[i];
        p.u[i] = scene.start.u[i];
    }
    for (int n = 0; n < steps; ++n) {
        step(n * settings.time_step_s, settings.time_step_s, settings.activation_gap_m, gravity, p);
    }
    return p;
}

void vibrating_table_scene(benchmark::State& run)
{
    const carom::Scene scene = sliding_particle();
    for (auto _ : run) {
        benchmark::DoNotOptimize(carom::bench::run_scene(scene).q[0]);
    }
    run.counters["steps"] = carom::bench::steps_of(scene);
}

void vibrating_table_by_hand(benchmark::State& run)
{
    const carom::Scene scene = sliding_particle();
    const Particle end = run_by_hand(scene);
    // both round differently; friction damps what rounding does
    carom::bench::demand_same_end("vibrating table", carom::bench::run_scene(scene),
                                  {end.q[0], end.q[1], end.q[2]}, 1e-9);
    for (auto _ : run) {
        benchmark::DoNotOptimize(run_by_hand(scene));
    }
    run.counters["steps"] = carom::bench::steps_of(scene);
}

}  // namespace

BENCHMARK(vibrating_table_scene)->Unit(benchmark::kMillisecond);
BENCHMARK(vibrating_table_by_hand)->Unit(benchmark::kMillisecond);
