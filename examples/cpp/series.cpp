// Power series: the instant at which infinitely many impacts end, to rounding. Formulas are callables here.

#include <carom/carom.hpp>

#include <cmath>
#include <cstdio>

int main()
{
    using namespace carom;
    const double g = 10, e = 0.5;
    const SystemSketch ball{
        .title = "a ball comes to rest",
        .coordinates = {{.name = "z", .start = 5}},
        .kinetic = [](const auto&, const auto& u, const auto&) { return u[0] * u[0] / 2; },
        .potential = [=](const auto& q, const auto&, const auto&) { return g * q[0]; },
        .contacts = {{.name = "floor", .gap = "z", .restitution = e}},
        .integrator = SeriesSettings{},
        .duration_s = 4};
    const auto scene = make_scene(ball);
    if (!scene) return std::fputs(to_text(scene.error().front()).c_str(), stderr), 2;
    const auto result = run(*scene);
    if (!result) return 2;
    for (const RunEvent& event : result->events) {
        if (event.kind != EventKind::Accumulation) continue;
        const double exact_s = std::sqrt(2 * 5 / g) * (1 + e) / (1 - e);
        std::printf("%s: at rest after %.15g s, exactly %.15g s\n", name_of(result->status).data(),
                    event.time_s, exact_s);
        return std::abs(event.time_s - exact_s) < 1e-12 ? 0 : 1;
    }
    return 1;
}
