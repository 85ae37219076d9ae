// The play operator: a point between two ends that move with a sine. By hand, by catching_up in C++, and from
// the scene.

#include "carom/scene/sweeping_scene.hpp"
#include "support.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace {

constexpr double duration_s = 40;
constexpr int steps = 40'000;

double run_by_hand()
{
    double u = 0;
    for (int k = 1; k <= steps; ++k) {
        const double input = std::sin(std::numbers::pi * (duration_s * k / steps));
        u = std::clamp(u, input - 0.4, input + 0.4);
    }
    return u;
}

/// Steps and distance of every point to its set, as a report of catching_up has them.
double swept_by(const carom::MovingSet& set)
{
    Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
    const auto report =
        carom::catching_up({.set = set}, {.time_step_s = duration_s / steps}, 0, duration_s, u);
    if (!report || report->end != carom::SweepEnd::Finished || std::abs(u[0] - run_by_hand()) > 1e-12) {
        std::fputs("the play does not end where the loop by hand does\n", stderr);
        std::exit(2);
    }
    return u[0];
}

void play_by_hand(benchmark::State& run)
{
    for (auto _ : run) {
        benchmark::DoNotOptimize(run_by_hand());
    }
    run.counters["steps"] = steps;
}

void play_swept(benchmark::State& run, const carom::MovingSet& set)
{
    Eigen::VectorXd u(1);
    swept_by(set);
    for (auto _ : run) {
        u.setZero();
        auto report = carom::catching_up({.set = set}, {.time_step_s = duration_s / steps}, 0, duration_s, u);
        benchmark::DoNotOptimize(report);
    }
    run.counters["steps"] = steps;
}

void play_in_cpp(benchmark::State& run)
{
    const auto interval = carom::MovingInterval::make([](double t_s) -> carom::MovingInterval::Ends {
        const double input = std::sin(std::numbers::pi * t_s);
        return {input - 0.4, input + 0.4};
    });
    play_swept(run, *interval);
}

void play_scene(benchmark::State& run)
{
    const auto any = carom::read_scene(CAROM_SOURCE_DIR "/scenes/play.toml");
    if (!any) carom::bench::give_up(any.error());
    play_swept(run, *any->sweeping->set);
}

}  // namespace

BENCHMARK(play_by_hand)->Unit(benchmark::kMillisecond);
BENCHMARK(play_in_cpp)->Unit(benchmark::kMillisecond);
BENCHMARK(play_scene)->Unit(benchmark::kMillisecond);
