// Sweeps over a bed of spheres of constant depth, in single precision: as round bodies, and as any other
// bodies.

#include "solver/swept_contacts.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

namespace {

/// Layers of side x side spheres of 0.1 m, every second one shifted by a radius: each lies on four others and
/// touches one beside it.
struct Bed {
    static constexpr int layers = 13;
    static constexpr double radius = 0.05;
    int side;
    std::vector<std::array<int, 2>> pairs;
    std::vector<carom::SweptContact> contacts;
    std::vector<char> moves;

    explicit Bed(int width, bool round)
        : side(width), moves(static_cast<std::size_t>(side * side * layers), 1)
    {
        moves.push_back(0);  // the floor
        for (int k = 0; k < layers * side * side; ++k) {
            const int x = k % side, y = k / side % side, z = k / side / side;
            if (z == 0) touch(k, static_cast<int>(moves.size()) - 1, {0, 0, 1}, round);
            if (x + 1 < side && (x + y) % 2 == 1) touch(k, k + 1, {-1, 0, 0}, round);
            for (int corner = 0; corner < 4 && z + 1 < layers; ++corner) {
                const int dx = corner % 2 - 1 + z % 2, dy = corner / 2 - 1 + z % 2;
                if (x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side) continue;
                const double to_x = corner % 2 == 0 ? 0.5 : -0.5, to_y = corner / 2 == 0 ? 0.5 : -0.5;
                touch(k, k + (side + dy) * side + dx, {to_x, to_y, -std::sqrt(0.5)}, round);
            }
        }
    }

    void touch(int a, int b, const std::array<double, 3>& n, bool round)
    {
        carom::SweptContact contact{.normal = n, .friction = 0.5};
        contact.arm_a[0] = contact.arm_b[0] = radius;
        for (std::size_t k = 0; k < 3 && !round; ++k) {
            contact.arm_a[k] = -radius * n[k];
            contact.arm_b[k] = radius * n[k];
        }
        pairs.push_back({a, b});
        contacts.push_back(contact);
    }

    void load(bool round, carom::SweptContacts<float>& sweeps) const
    {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> uniform(-0.02, 0.02);
        sweeps.begin(pairs, std::vector<char>(pairs.size(), round ? 1 : 0), moves);
        constexpr double inverse_mass = 2, inverse_inertia = inverse_mass / (0.4 * radius * radius);
        for (std::size_t k = 0; k < moves.size(); ++k) {
            if (!moves[k]) {
                sweeps.set_body(k, {});
                continue;
            }
            sweeps.set_body(k, {.v = {uniform(random), uniform(random), -0.04 + uniform(random)},
                                .inverse_mass = inverse_mass,
                                .inverse_inertia = inverse_inertia,
                                .tensor = {inverse_inertia, inverse_inertia, inverse_inertia}});
        }
        for (std::size_t c = 0; c < contacts.size(); ++c) {
            sweeps.set_contact(c, contacts[c]);
        }
        sweeps.start();
    }
};

/// Nanoseconds per contact and sweep, the steps of the conjugate gradients and a look at the error every 32
/// sweeps with them.
void quick_sweeps(benchmark::State& run)
{
    const bool round = run.range(1) != 0;
    const Bed bed(static_cast<int>(run.range(0)), round);
    carom::SweptContacts<float> sweeps;
    bed.load(round, sweeps);
    constexpr int count = 32;
    for (auto _ : run) {
        benchmark::DoNotOptimize(sweeps.run({.tolerance = 1e-30, .max_iterations = count}));
    }
    const double swept =
        static_cast<double>(run.iterations()) * count * static_cast<double>(bed.pairs.size());
    run.counters["contacts"] = static_cast<double>(bed.pairs.size());
    run.counters["s_per_contact_and_sweep"] =
        benchmark::Counter(swept, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(quick_sweeps)->ArgsProduct({{9, 28, 88, 152}, {1, 0}})->Unit(benchmark::kMillisecond);

}  // namespace
