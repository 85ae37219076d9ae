#pragma once

#include "carom/scene/scene.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace carom::bench {

/// A benchmark that cannot begin says why and ends the program.
[[noreturn]] inline void give_up(const Errors& errors)
{
    for (const Error& error : errors) {
        std::fputs(to_text(error).c_str(), stderr);
    }
    std::exit(2);
}

/// A scene of the project, by its path from the top folder.
inline Scene scene_of(std::string_view path, std::span<const Override> overrides = {})
{
    auto scene = read_scene(std::string(CAROM_SOURCE_DIR "/").append(path), overrides);
    if (!scene) give_up(scene.error());
    return *std::move(scene);
}

/// The whole run of a scene as `carom run` computes it, certificate included, recording not; the state at its
/// end.
inline State run_scene(const Scene& scene)
{
    State state = scene.start;
    const RunReport report = simulate(scene.model, scene.integrator, scene.solver, scene.plan, state);
    if (report.status != RunStatus::Certified) {
        std::fprintf(stderr, "%s: %s\n", scene.title.c_str(), std::string(name_of(report.status)).c_str());
        std::exit(2);
    }
    return state;
}

/// Steps of the whole run.
inline double steps_of(const Scene& scene)
{
    return scene.plan.duration_s / time_step_s(scene.integrator);
}

/// A loop by hand stands for the scheme only when it ends where the engine does.
inline void demand_same_end(std::string_view what, const State& state, std::initializer_list<double> q,
                            double tolerance)
{
    Eigen::Index i = 0;
    for (const double q_i : q) {
        const double error = std::abs(state.q[i] - q_i);
        if (!(error <= tolerance)) {
            std::fprintf(stderr, "%s: coordinate %d is %.17g by hand and %.17g from the scene\n",
                         std::string(what).c_str(), static_cast<int>(i), q_i, state.q[i]);
            std::exit(2);
        }
        ++i;
    }
}

}  // namespace carom::bench
