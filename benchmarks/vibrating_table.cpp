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

/// The table at one instant: sine and cosine of its angle, and where its point O is.
struct Table {
    double sin_psi, cos_psi, S, C, y_O;

    explicit Table(double t)
        : sin_psi(std::sin(w * t)),
          cos_psi(std::cos(w * t)),
          S(r / a * sin_psi),
          C(std::sqrt(1 - S * S)),
          y_O(a - r + r * cos_psi - a * C)
    {
    }
    [[nodiscard]] double gap(const Space& q) const { return C * q[2] - S * (q[1] - y_O); }
};

struct Particle {
    Space q, u;
};

/// Law of a contact of unit mass: W is the unit matrix, so both parts are closed forms.
void percussion(const Table& table, const Space& q, Space& u)
{
    // material velocity of the table at q, and its frame n = (0, -S, C), t1 = (1, 0, 0), t2 = (0, C, S)
    const double turning = r / a * w * table.cos_psi / table.C;
    const double w_y = -r * w * table.sin_psi + a * table.S * turning - turning * q[2];
    const double w_z = turning * (q[1] - table.y_O);
    const double U_n = -table.S * (u[1] - w_y) + table.C * (u[2] - w_z);
    const double U_1 = u[0], U_2 = table.C * (u[1] - w_y) + table.S * (u[2] - w_z);

    const double P_n = std::max(0.0, -U_n);
    const double sliding = std::sqrt(U_1 * U_1 + U_2 * U_2);
    const double part = sliding > mu * P_n ? mu * P_n / sliding : 1.0;
    u[0] -= part * U_1;
    u[1] += -table.S * P_n - table.C * part * U_2;
    u[2] += table.C * P_n - table.S * part * U_2;
}

/// One step of Moreau's scheme with correction.
void step(double t, double h, double activation_gap, const Space& gravity, Particle& p)
{
    Space q, u;
    for (int i = 0; i < 3; ++i) {
        q[i] = p.q[i] + h / 2 * p.u[i];
        u[i] = p.u[i] + h * gravity[i];
    }
    const Table mid(t + h / 2);
    const bool closed = mid.gap(q) <= activation_gap;
    if (closed) percussion(mid, q, u);
    for (int i = 0; i < 3; ++i) {
        q[i] += h / 2 * u[i];
    }
    if (closed) {
        const Table end(t + h);
        const double gap = end.gap(q);
        if (-gap > 1e-3 * activation_gap) {
            q[1] += end.S * gap;
            q[2] -= end.C * gap;
        }
    }
    p = {q, u};
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
