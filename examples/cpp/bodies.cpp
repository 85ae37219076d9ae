// A ball rolls down a ramp of 30 degrees, as bodies; a listener sees the contacts of every step.

#include <carom/carom.hpp>

#include <cstdio>

constexpr const char* text = R"(
duration_s = 1
gravity_m_s2 = [4.905, 0, -8.4957]
material = [{ name = "rubber", friction = 0.6 }]
[[body]]
name = "ramp"
shape = "plane"
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.1
mass_kg = 2
position_m = [0, 0, 0.1]
)";

int main()
{
    using namespace carom;
    const auto scene = read_scene_text(text, "ramp");
    if (!scene) return std::fputs(to_text(scene.error().front()).c_str(), stderr), 2;
    double largest_N = 0;
    const auto listener = [&](const StepRecord& step) {
        for (const StepContact& contact : step.contacts())
            largest_N = std::max(largest_N, contact.percussion_Ns[0] / step.step_s());
        return true;
    };
    const auto result = run(*scene, {.listener = listener});
    if (!result) return 2;
    std::printf("%s: x = %.4f m, 5/7 of free sliding is 1.7518 m; the ramp pushes with %.2f N\n",
                name_of(result->status).data(), result->at_end.q[0], largest_N);
    return result->status == RunStatus::Certified ? 0 : 1;
}
