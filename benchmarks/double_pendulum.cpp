// The double pendulum with an obstacle: from its scene, and by a loop written for this system alone.

#include "support.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using Pair = std::array<double, 2>;

/// The numbers of scenes/double_pendulum_obstacle.toml.
constexpr double l1 = 1.0, l2 = 0.8, m1 = 1.0, m2 = 0.7, k1 = 2.0, k2 = 1.5, lambda = 1.0, e = 0.5;
constexpr double a11 = (m1 / 3 + m2) * l1 * l1, a22 = m2 * l2 * l2 / 3, k = m2 * l1 * l2 / 2;

/// Kinetic matrix [a11 a12; a12 a22] with its inverse.
struct Metric {
    double a12, inverse_det;
    explicit Metric(double cos_difference) : a12(k * cos_difference), inverse_det(1 / (a11 * a22 - a12 * a12))
    {
    }
    [[nodiscard]] Pair solve(const Pair& x) const
    {
        return {(a22 * x[0] - a12 * x[1]) * inverse_det, (a11 * x[1] - a12 * x[0]) * inverse_det};
    }
};

/// Up to two closed contacts: rows of H and A^-1 H^T.
struct Contacts {
    int count = 0;
    std::array<Pair, 2> H{}, AH{};

    void add(const Metric& A, const Pair& row)
    {
        H[count] = row;
        AH[count] = A.solve(row);
        ++count;
    }
    [[nodiscard]] double W(int i, int j) const { return H[i][0] * AH[j][0] + H[i][1] * AH[j][1]; }
    [[nodiscard]] double velocity(int i, const Pair& u) const { return H[i][0] * u[0] + H[i][1] * u[1]; }

    /// 0 <= P perp W P + b >= 0, all four cases.
    [[nodiscard]] Pair solve(const Pair& b) const
    {
        if (count == 1) return {std::max(0.0, -b[0] / W(0, 0)), 0};
        if (b[0] >= 0 && b[1] >= 0) return {0, 0};
        const double w00 = W(0, 0), w01 = W(0, 1), w11 = W(1, 1);
        const double alone0 = -b[0] / w00, alone1 = -b[1] / w11;
        if (alone0 >= 0 && w01 * alone0 + b[1] >= 0) return {alone0, 0};
        if (alone1 >= 0 && w01 * alone1 + b[0] >= 0) return {0, alone1};
        const double det = w00 * w11 - w01 * w01;
        return {(w01 * b[1] - w11 * b[0]) / det, (w01 * b[0] - w00 * b[1]) / det};
    }
    void push(const Pair& P, Pair& x) const
    {
        for (int i = 0; i < count; ++i) {
            x[0] += AH[i][0] * P[i];
            x[1] += AH[i][1] * P[i];
        }
    }
};

/// h K / A at one velocity.
Pair impulse(const Metric& A, double sin_difference, const Pair& q, const Pair& u, double h)
{
    const double K1 = (lambda * l1 - k * u[1] * u[1]) * sin_difference - k1 * q[0] + k2 * (q[1] - q[0]);
    const double K2 = k * u[0] * u[0] * sin_difference - k2 * (q[1] - q[0]);
    return A.solve({h * K1, h * K2});
}

/// (MS-5) for the contacts that stay.
void correct(const std::array<bool, 2>& stays, double activation_gap, Pair& q)
{
    const double s1 = std::sin(q[0]), s2 = std::sin(q[1]);
    const Pair gap{l1 * s1, l1 * s1 + l2 * s2};
    const double violation = std::max(stays[0] ? -gap[0] : 0.0, stays[1] ? -gap[1] : 0.0);
    if (!(violation > 1e-3 * activation_gap)) return;
    const double c1 = std::cos(q[0]), c2 = std::cos(q[1]);
    const Metric A(std::cos(q[0] - q[1]));
    Contacts contacts;
    Pair b{};
    if (stays[0]) b[contacts.count] = gap[0], contacts.add(A, {l1 * c1, 0});
    if (stays[1]) b[contacts.count] = gap[1], contacts.add(A, {l1 * c1, l2 * c2});
    contacts.push(contacts.solve(b), q);
}

/// One step of Moreau's scheme, two force passes and correction.
void step(double h, double activation_gap, Pair& q, Pair& u)
{
    const Pair q_mid{q[0] + h / 2 * u[0], q[1] + h / 2 * u[1]};
    const double s1 = std::sin(q_mid[0]), s2 = std::sin(q_mid[1]);
    const bool joint = l1 * s1 <= activation_gap, tip = l1 * s1 + l2 * s2 <= activation_gap;

    // free velocity, forces at the mean of both velocities in the second pass
    const double d = q_mid[0] - q_mid[1], sin_d = std::sin(d);
    const Metric A(std::cos(d));
    Pair change = impulse(A, sin_d, q_mid, u, h);
    change = impulse(A, sin_d, q_mid, {u[0] + change[0] / 2, u[1] + change[1] / 2}, h);
    Pair u_end{u[0] + change[0], u[1] + change[1]};

    // percussions
    std::array<bool, 2> stays{};
    if (joint || tip) {
        const double c1 = std::cos(q_mid[0]), c2 = std::cos(q_mid[1]);
        Contacts contacts;
        std::array<int, 2> which{};
        if (joint) which[contacts.count] = 0, contacts.add(A, {l1 * c1, 0});
        if (tip) which[contacts.count] = 1, contacts.add(A, {l1 * c1, l2 * c2});
        Pair U_minus{}, U_free{}, b{};
        for (int i = 0; i < contacts.count; ++i) {
            U_minus[i] = contacts.velocity(i, u);
            U_free[i] = contacts.velocity(i, u_end);
            b[i] = U_free[i] + e * std::min(U_minus[i], 0.0);
        }
        const Pair P = contacts.solve(b);
        contacts.push(P, u_end);
        for (int i = 0; i < contacts.count; ++i) {
            const double met = std::abs(U_minus[i]) + std::abs(U_free[i]) + contacts.W(i, i) * P[i];
            stays[which[i]] = P[i] > 0 && std::abs(contacts.velocity(i, u_end)) <= 1e-9 * met;
        }
    }
    q = {q_mid[0] + h / 2 * u_end[0], q_mid[1] + h / 2 * u_end[1]};
    u = u_end;
    if (stays[0] || stays[1]) correct(stays, activation_gap, q);
}

Pair run_by_hand(const carom::Scene& scene)
{
    const auto& settings = std::get<carom::MoreauSettings>(scene.integrator);
    const int steps = static_cast<int>(std::lround(carom::bench::steps_of(scene)));
    Pair q{scene.start.q[0], scene.start.q[1]}, u{scene.start.u[0], scene.start.u[1]};
    for (int n = 0; n < steps; ++n) {
        step(settings.time_step_s, settings.activation_gap_m, q, u);
    }
    return q;
}

void double_pendulum_scene(benchmark::State& run)
{
    const carom::Scene scene = carom::bench::scene_of("scenes/double_pendulum_obstacle.toml");
    for (auto _ : run) {
        benchmark::DoNotOptimize(carom::bench::run_scene(scene).q[0]);
    }
    run.counters["steps"] = carom::bench::steps_of(scene);
}

void double_pendulum_by_hand(benchmark::State& run)
{
    const carom::Scene scene = carom::bench::scene_of("scenes/double_pendulum_obstacle.toml");
    const Pair end = run_by_hand(scene);
    // both round differently in 40 000 steps of a system that amplifies errors mildly
    carom::bench::demand_same_end("double pendulum", carom::bench::run_scene(scene), {end[0], end[1]}, 1e-9);
    for (auto _ : run) {
        benchmark::DoNotOptimize(run_by_hand(scene));
    }
    run.counters["steps"] = carom::bench::steps_of(scene);
}

}  // namespace

BENCHMARK(double_pendulum_scene)->Unit(benchmark::kMillisecond);
BENCHMARK(double_pendulum_by_hand)->Unit(benchmark::kMillisecond);
