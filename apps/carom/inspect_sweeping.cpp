#include "carom/scene/sweeping_scene.hpp"
#include "core/text.hpp"
#include "inspection.hpp"
#include "results.hpp"
#include "terminal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

/// What theory says of the process (SW-2), (SW-9).
std::string_view reason(const SweepInspection& inspection)
{
    return inspection.one_solution
               ? "the set is convex and does not depend on the point: two motions separate no faster than "
                 "the "
                 "drift does"
               : "the set depends on the point: it is evaluated at the beginning of each step, and theory "
                 "guarantees uniqueness only for some such sets";
}

}  // namespace

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
    return out + row("theory", reason(inspection));
}

std::string to_json(const Scene& scene, const SweepInspection& inspection)
{
    const SweepingPlan& plan = *scene.sweeping;
    const Json json = {{"status", inspection.one_solution ? "well_posed" : "not_promised"},
                       {"kind", "sweeping"},
                       {"coordinates", scene.model.coordinates()},
                       {"method", plan.lambda_s ? "yosida" : "catching_up"},
                       {"in_words", plan.in_words},
                       {"time_step_s", plan.settings.time_step_s},
                       {"drift", static_cast<bool>(plan.F)},
                       {"depends_on_point", plan.depends_on_point},
                       {"jumps_s", plan.jumps_s},
                       {"theory", reason(inspection)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace carom::app
