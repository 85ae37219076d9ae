#include "carom/scene/sweeping_scene.hpp"
#include "core/text.hpp"
#include "inspection.hpp"
#include "results.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

namespace carom::app {
std::string in_words(const Scene& scene, const SweepInspection& inspection)
{
    const SweepingPlan& plan = *scene.sweeping;
    const bool promised = inspection.one_solution;
    std::string out =
        coloured(printable(scene.title), Colour::Bold, stdout) + "\n" +
        coloured(promised ? "one solution, as long as the motion of the set has bounded variation"
                          : "possibly several solutions",
                 promised ? Colour::Green : Colour::Yellow, stdout) +
        "\n\n";
    out += row("process", fmt::format("{} coordinates swept by a convex set{}", scene.model.coordinates(),
                                      plan.F ? ", with a drift" : ""));
    out += row("method", printable(plan.in_words));
    if (!plan.jumps_s.empty()) out += row("jumps", fmt::format("at {} s", fmt::join(plan.jumps_s, ", ")));
    return out + row("theory", reason_of(inspection));
}

}  // namespace carom::app
