// A ball from a scene file, 10 000 steps with its certificate; siconos_ball.py computes the same system.

#include "support.hpp"

#include <benchmark/benchmark.h>

namespace {

void bouncing_ball_scene(benchmark::State& run)
{
    const carom::Scene scene = carom::bench::scene_of("benchmarks/scenes/bouncing_ball.toml");
    for (auto _ : run) {
        benchmark::DoNotOptimize(carom::bench::run_scene(scene).q[0]);
    }
    run.counters["steps"] = carom::bench::steps_of(scene);
}

}  // namespace

BENCHMARK(bouncing_ball_scene)->Unit(benchmark::kMillisecond);
