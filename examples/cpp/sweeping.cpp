// Play: a point is swept by an interval that moves to and fro. The scene is changed by overrides, and
// inspected first.

#include <carom/carom.hpp>

#include <cstdio>

constexpr const char* text = R"(
duration_s = 4
[parameters]
slack = 0.4
[[coordinate]]
name = "u"
start = 0
[[set]]
name = "window"
kind = "interval"
lower = ["sin(pi*t) - slack"]
upper = ["sin(pi*t) + slack"]
[sweeping]
set = "window"
time_step_s = 1e-3
)";

int main()
{
    using namespace carom;
    const std::vector<Override> overrides{{.path = "parameters.slack", .value = "0.25"}};
    const auto scene = read_scene_text(text, "play", overrides);
    if (!scene) return std::fputs(to_text(scene.error().front()).c_str(), stderr), 2;
    const bool one_solution = is_good(inspect(*scene));
    const auto result = run(*scene, {.at_s = {0.5, 1.5}});
    if (!result) return 2;
    std::printf("%s, %s: u(0.5) = %.3f, u(1.5) = %.3f\n", name_of(result->status).data(),
                one_solution ? "one solution" : "perhaps several", result->snapshots[0].q[0],
                result->snapshots[1].q[0]);
    return result->status == RunStatus::Certified ? 0 : 1;
}
