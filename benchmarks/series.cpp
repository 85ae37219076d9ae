// The series integrator on two systems with events, whole runs; series_scipy.py computes the same ones.

#include "support.hpp"

#include <benchmark/benchmark.h>

namespace {

/// From a model to the end of its run: the programs on series are made anew each time.
void run_by_series(benchmark::State& run, std::string_view path, std::string_view duration_s)
{
    const std::string duration(duration_s);
    const std::vector<carom::Override> one_report{
        {"integrator.kind", "series"}, {"integrator.time_step_s", duration}, {"duration_s", duration}};
    const carom::Scene scene = carom::bench::scene_of(path, one_report);
    for (auto _ : run) {
        benchmark::DoNotOptimize(carom::bench::run_scene(scene).q[0]);
    }
    run.counters["steps"] = 1;
}

void series_chain(benchmark::State& run)
{
    run_by_series(run, "benchmarks/scenes/spring_chain.toml", "8.0");
}

void series_double_pendulum(benchmark::State& run)
{
    run_by_series(run, "scenes/double_pendulum_obstacle.toml", "4.0");
}

}  // namespace

BENCHMARK(series_chain)->Unit(benchmark::kMicrosecond);
BENCHMARK(series_double_pendulum)->Unit(benchmark::kMicrosecond);
