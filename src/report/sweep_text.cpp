#include "report/text_parts.hpp"

#include "carom/scene/sweeping_scene.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

namespace carom {
std::string to_text(const Scene& scene, const SweepInspection& inspection, Paint paint)
{
    const SweepingPlan& plan = *scene.sweeping;
    const bool promised = inspection.one_solution;
    std::string out = paint(printable(scene.title), Tone::Title) + "\n" +
                      paint(promised ? "one solution, as long as the motion of the set has bounded variation"
                                     : "possibly several solutions",
                            promised ? Tone::Good : Tone::Doubtful) +
                      "\n\n";
    out += row("process", fmt::format("{} coordinates swept by a convex set{}", scene.model.coordinates(),
                                      plan.F ? ", with a drift" : ""));
    out += row("method", printable(plan.in_words));
    if (!plan.jumps_s.empty()) out += row("jumps", fmt::format("at {} s", fmt::join(plan.jumps_s, ", ")));
    return out + row("theory", reason_of(inspection));
}

}  // namespace carom
