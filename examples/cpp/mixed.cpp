// Bodies and coordinates in one system: a block on a rough floor, and a controller with an equation of its own.

#include <carom/carom.hpp>

#include <cmath>
#include <cstdio>

constexpr const char* text = R"(
duration_s = 6
gravity_m_s2 = [0, 0, -9.81]
material = [{ name = "steel", friction = 0.3 }]
# T s'' = v - x' - s': the sum of what is missing of the speed v
coordinate = [{ name = "sum", start = 0, start_velocity = 0 }]
[lagrangian]
kinetic = "sum'^2/2"
forces = { sum = "(0.5 - block_x' - sum')/0.05" }
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "block"
shape = "box"
size_m = [0.4, 0.2, 0.2]
mass_kg = 2
position_m = [0, 0, 0.1]
[[load]]
body = "block"
force_N = ["20*sum + 8*sum'", 0, 0]
)";

int main()
{
    const auto scene = carom::read_scene_text(text, "controlled block");
    const auto result = scene ? carom::run(*scene) : scene.error();
    if (!result) return std::fputs(to_text(result.error().front()).c_str(), stderr), 2;
    const double speed_m_s = result->at_end.u[0], push_N = 20 * result->at_end.q.tail<1>()[0];
    std::printf("%s: %.4f m/s, pushed by %.3f N\n", name_of(result->status).data(), speed_m_s, push_N);
    return std::abs(speed_m_s - 0.5) < 1e-3 && std::abs(push_N - 0.3 * 2 * 9.81) < 1e-2 ? 0 : 1;
}
