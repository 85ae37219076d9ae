// A ball dropped on a floor, in coordinates: describe, run, read the result.

#include <carom/carom.hpp>

#include <cstdio>

int main()
{
    using namespace carom;
    const SystemSketch ball{.title = "bouncing ball",
                            .coordinates = {{.name = "z", .start = 1}},
                            .kinetic = "m/2*z'^2",
                            .potential = "m*9.81*z",
                            .contacts = {{.name = "floor", .gap = "z", .restitution = 0.8}},
                            .probes = {{.name = "height", .value = "z", .unit = "m"}},
                            .parameters = {{"m", 0.5}},
                            .integrator = MoreauSettings{.time_step_s = 1e-4},
                            .duration_s = 10,
                            .until_rest = true};
    const auto scene = make_scene(ball);
    if (!scene) return std::fputs(to_text(scene.error().front()).c_str(), stderr), 2;
    const auto result = run(*scene);
    if (!result) return 2;

    std::printf(
        "%s: rests after %.3f s, %zu events, first %s at %.4f s, %.4f J lost in impacts, %ld frames\n",
        std::string(name_of(result->status)).c_str(), result->at_end.t_s, result->events.size(),
        result->events.front().place.c_str(), result->events.front().time_s,
        -result->certificate.energy.impact_J, static_cast<long>(result->record.frames()));
    return result->status == RunStatus::Certified ? 0 : 1;
}
