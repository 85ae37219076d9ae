// Any bytes as a scene: a scene or errors, never a crash; a scene that is read can make a few steps.

#include "carom/scene/scene.hpp"

#include <cstdint>

using namespace carom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto scene = read_scene_text(text, "fuzz.toml");
    if (!scene) {
        for (const Error& error : scene.error()) {
            if (error.message.empty()) __builtin_trap();
        }
        if (scene.error().empty()) __builtin_trap();
        return 0;
    }
    State state = scene->start;
    (void)simulate(scene->model, scene->integrator, scene->solver, scene->plan, state,
                   [](const StepView& view) { return view.step < 5; });
    return 0;
}
