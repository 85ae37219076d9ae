// A chain of n masses and strings falls on a floor: cost of a step against the number of constraints.

#include "run/one_step.hpp"
#include "stepping/scratch.hpp"
#include "support.hpp"

#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <cmath>

namespace {

using namespace carom;

/// n masses of 0.1 kg in a wavy row, each tied to the next by a string, each above the floor: 2 n - 1
/// constraints.
std::string chain_text(int n)
{
    constexpr double length = 0.1;
    std::string text = "title = \"Falling chain\"\nduration_s = 0.4\n[integrator]\ntime_step_s = 1e-3\n";
    std::string kinetic, potential;
    for (int i = 0; i < n; ++i) {
        const double x = 0.9 * length * i, y = 0.15 + 0.3 * length * std::sin(0.7 * i);
        text += fmt::format(
            "[[coordinate]]\nname = \"x{0}\"\nstart = {1}\n[[coordinate]]\nname = \"y{0}\"\nstart = {2}\n", i,
            x, y);
        text += fmt::format("[[contact]]\nname = \"floor{0}\"\ngap = \"y{0}\"\n"
                            "law = {{ kind = \"unilateral\", restitution = 0.3 }}\n",
                            i);
        kinetic += fmt::format("{0}0.05*x{1}'^2 + 0.05*y{1}'^2", i > 0 ? " + " : "", i);
        potential += fmt::format("{0}0.981*y{1}", i > 0 ? " + " : "", i);
        if (i == 0) continue;
        text += fmt::format("[[string]]\nname = \"string{0}\"\nlength_m = {1}\n"
                            "points = [[\"x{2}\", \"y{2}\"], [\"x{0}\", \"y{0}\"]]\n",
                            i, length, i - 1);
    }
    return text + fmt::format("[lagrangian]\nkinetic = \"{}\"\npotential = \"{}\"\n", kinetic, potential);
}

void falling_chain(benchmark::State& run)
{
    const int n = static_cast<int>(run.range(0));
    const auto scene = read_scene_text(chain_text(n), "chain");
    if (!scene) bench::give_up(scene.error());
    const auto steps = static_cast<int>(std::lround(bench::steps_of(*scene)));
    double active = 0, factorisations = 0;
    for (auto _ : run) {
        active = factorisations = 0;
        State state = scene->start;
        Scratch scratch(scene->model);
        for (int k = 0; k < steps; ++k) {
            const StepReport report = step(scene->model, scene->integrator, scene->solver, state, scratch);
            if (report.status != StepStatus::Solved) run.SkipWithError("a step was not solved");
            active += static_cast<double>(scratch.contacts.size());
            factorisations += report.solve.iterations;
        }
    }
    run.counters["steps"] = steps;
    run.counters["constraints"] = scene->model.contacts();
    run.counters["active"] = active / steps;
    run.counters["factorisations"] = factorisations / steps;
}

}  // namespace

BENCHMARK(falling_chain)->Arg(10)->Arg(30)->Arg(100)->Arg(300)->Arg(1000)->Unit(benchmark::kMillisecond);
