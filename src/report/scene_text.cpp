#include "report/text_parts.hpp"

#include "core/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom {
namespace {

/// The text in lines of at most `width` bytes, the first with a heading before it.
std::string paragraph(std::string_view heading, std::string_view text, std::size_t width = 100)
{
    std::string out;
    while (text.size() > width) {
        const std::size_t blank = text.rfind(' ', width);
        if (blank == std::string_view::npos || blank == 0) break;
        out += row(out.empty() ? heading : "", text.substr(0, blank));
        text.remove_prefix(blank + 1);
    }
    return out + row(out.empty() ? heading : "", text);
}

std::vector<std::string> closed_names(const Model& model, const SceneInspection& inspection)
{
    std::vector<std::string> names;
    for (const int contact : inspection.theory.start.contacts)
        names.push_back(model.system().contacts[static_cast<std::size_t>(contact)].name);
    return names;
}

std::string start_row(const Model& model, const SceneInspection& inspection)
{
    const WellPosedness& theory = inspection.theory;
    const std::vector<std::string> names = closed_names(model, inspection);
    std::string text = theory.condition > 0
                           ? fmt::format("condition number of the kinetic matrix {:.3g}; ", theory.condition)
                           : "";
    if (names.empty()) return row("start", text + "no contact is closed");
    const std::size_t shown = std::min<std::size_t>(names.size(), 8);
    text += fmt::format("closed: {}{}; rank {} of {}; ",
                        fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                        shown < names.size() ? ", ..." : "", theory.start.cone.rank, names.size());
    text += theory.start.cone.has_interior() ? "V(q) has interior points" : "V(q) has no interior point";
    return row("start", text);
}

/// "floor: active, decided at order 0 by 9.81; slip, at order 2 by 0.5".
std::string status_in_words(const StatusDecision& one, const Model& model)
{
    const auto decided = [](int order, double leading) {
        return order < 0 ? std::string() : fmt::format(", decided at order {} by {:.6g}", order, leading);
    };
    std::string text =
        fmt::format("{}: {}{}", model.system().contacts[static_cast<std::size_t>(one.contact)].name,
                    one.normal, decided(one.normal_order, one.normal_leading));
    if (!one.friction.empty()) {
        text += fmt::format("; {}{}", one.friction, decided(one.friction_order, one.friction_leading));
    }
    return text;
}

std::string_view heading_of(Bearing bearing)
{
    switch (bearing) {
    case Bearing::Holds: return "holds";
    case Bearing::Unrefuted: return "not refuted";
    case Bearing::Condition: return "condition";
    case Bearing::CostsUniqueness: return "several?";
    case Bearing::CostsExistence: return "none?";
    case Bearing::CostsEternity: return "ends?";
    }
    return {};
}

}  // namespace

std::string promise_in_words(const WellPosedness& theory)
{
    const bool conditions = std::ranges::any_of(
        theory.hypotheses, [](const Hypothesis& h) { return h.bearing == Bearing::Condition; });
    switch (theory.promise) {
    case Promise::OneSolution:
        return fmt::format("one solution, {}{}",
                           theory.for_all_time_shown ? "for all time"
                           : theory.for_all_time     ? "for all time as far as tested"
                                                     : "for as long as it exists",
                           conditions ? ", under conditions" : "");
    case Promise::NoObstacleFound:
        return fmt::format("no obstacle to one solution found{}{}",
                           theory.for_all_time ? ", for all time as far as tested" : ", but it may end",
                           conditions ? ", under conditions" : "");
    case Promise::PossiblySeveral: return "possibly several solutions";
    case Promise::NonePromised: return "no guarantee of a solution";
    }
    return {};
}

std::string to_text(const Scene& scene, const SceneInspection& inspection, Paint paint)
{
    const WellPosedness& theory = inspection.theory;
    const Tone tone = theory.well_posed() ? Tone::Good : Tone::Doubtful;
    std::string out =
        paint(printable(scene.title), Tone::Title) + "\n" + paint(promise_in_words(theory), tone) + "\n\n";
    out += row("system", fmt::format("{} of freedom, {}{}", counted(scene.model.coordinates(), "degree"),
                                     counted(scene.model.contacts(), "contact"),
                                     scene.model.constraints() > 0
                                         ? ", " + counted(scene.model.constraints(), "constraint")
                                         : ""));
    out += start_row(scene.model, inspection);
    for (const StatusDecision& one : inspection.statuses) {
        out += row("status", printable(status_in_words(one, scene.model)));
    }

    // what costs the promise first, what holds last
    for (const Bearing bearing : {Bearing::CostsExistence, Bearing::CostsUniqueness, Bearing::CostsEternity,
                                  Bearing::Condition, Bearing::Unrefuted, Bearing::Holds}) {
        for (const Hypothesis& hypothesis : theory.hypotheses) {
            if (hypothesis.bearing != bearing) continue;
            out += paragraph(heading_of(bearing),
                             printable(fmt::format("{} [{}]", hypothesis.message, hypothesis.theory)));
        }
    }
    return out + "\n" +
           paragraph("",
                     "'Holds' means proved, by structure or intervals. 'Not refuted' means tested without a "
                     "failure: in the initial state, in sampled states around it, and where searches closed "
                     "contacts or lost rank.");
}

}  // namespace carom
