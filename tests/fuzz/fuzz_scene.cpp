// Any bytes as a scene: a scene or errors, never a crash; a scene that is read can make a few steps, of
// bodies or of coordinates, and what it then says about its state are numbers.

#include "carom/scene/scene.hpp"

#include <cmath>
#include <cstdint>

using namespace carom;

namespace {

/// A million copies are allowed, and take their time: not what this looks for.
bool asks_for_many(std::string_view text)
{
    int digits = 0;
    const auto copies = text.find("copies");
    for (std::size_t i = copies; i < text.size(); ++i) {
        digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
        if (digits >= 3 || text[i] == 'e') return true;
        if (text[i] == '\n' && text.find("copies", i) == std::string_view::npos) break;
    }
    return false;
}

void run_bodies(const Scene& scene)
{
    constexpr int most_bodies = 60;
    if (scene.bodies->model.bodies() > most_bodies) return;
    BodyState state = scene.bodies->start;
    RunSoFar run = start_run(scene.model, scene.start);
    const RunReport report =
        go_on(scene.bodies->model, scene.model, scene.bodies->integrator, scene.solver, scene.plan, state,
              run, [](const StepView& view) { return view.step < 5; });
    // a run that lost its numbers says so, and keeps the last state that had some
    for (std::size_t i = 0; i < state.x.size(); ++i) {
        if (!state.x[i].allFinite() || !state.v[i].allFinite() || !state.W[i].allFinite() ||
            !state.R[i].coeffs().allFinite())
            __builtin_trap();
    }
    if (report.status == RunStatus::Certified && !std::isfinite(report.certificate.max_residual))
        __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (asks_for_many(text)) return 0;
    const auto scene = read_scene_text(text, "fuzz.toml", {}, {}, BodiesInScenes::Welcome);
    if (!scene) {
        for (const Error& error : scene.error()) {
            if (error.message.empty()) __builtin_trap();
        }
        if (scene.error().empty()) __builtin_trap();
        return 0;
    }
    if (scene->bodies) {
        run_bodies(*scene);
        return 0;
    }
    State state = scene->start;
    (void)simulate(scene->model, scene->integrator, scene->solver, scene->plan, state,
                   [](const StepView& view) { return view.step < 5; });
    return 0;
}
