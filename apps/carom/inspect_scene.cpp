#include "core/text.hpp"
#include "inspection.hpp"
#include "results.hpp"
#include "terminal.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

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

Json cone_of(const ClosedConfiguration& at, const Model& model)
{
    Json contacts = Json::array(), q = Json::object();
    for (const int contact : at.contacts)
        contacts.push_back(model.system().contacts[static_cast<std::size_t>(contact)].name);
    for (int i = 0; i < model.coordinates(); ++i)
        q[model.system().coordinates[static_cast<std::size_t>(i)].name] = at.q[i];
    const auto list = [](const Eigen::VectorXd& x) { return std::vector<double>(x.begin(), x.end()); };
    return {{"q", q},
            {"closed", contacts},
            {"rank", at.cone.rank},
            {"independent", at.cone.independent() && at.vanishing.empty()},
            {"dependence", list(at.cone.dependence)},
            {"interior", at.cone.has_interior()},
            {"margin", at.cone.margin},
            {"pinch", list(at.cone.pinch)}};
}

std::string_view name_of_reach(Singularity::Reach reach)
{
    switch (reach) {
    case Singularity::Reach::AtStart: return "at_start";
    case Singularity::Reach::Crossed: return "crossed";
    case Singularity::Reach::NotSeen: return "not_seen";
    }
    return {};
}

Json singularities_of(const WellPosedness& theory)
{
    Json list = Json::array();
    for (const Singularity& here : theory.singularities) {
        list.push_back({{"formula", here.formula},
                        {"text", here.text},
                        {"function", here.function},
                        {"kind", here.kind == Singularity::Kind::Kink ? "kink" : "edge"},
                        {"reach", name_of_reach(here.reach)},
                        {"time_only", here.time_only},
                        {"exponent", here.exponent ? Json(*here.exponent) : Json(nullptr)},
                        {"instant_s", here.instant_s ? Json(*here.instant_s) : Json(nullptr)},
                        {"search_cut", here.search_cut}});
    }
    return list;
}

Json growth_of(const Growth& growth)
{
    return {{"by_position", growth.by_position},
            {"by_velocity", growth.by_velocity},
            {"jointly", growth.jointly},
            {"power", growth.power},
            {"potential_drop", growth.potential_drop},
            {"steady_potential", growth.steady_potential},
            {"shown", growth.shown},
            {"fastest", growth.fastest},
            {"rays", growth.rays}};
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

std::string in_words(const Scene& scene, const SceneInspection& inspection)
{
    const WellPosedness& theory = inspection.theory;
    const Colour colour = theory.well_posed() ? Colour::Green : Colour::Yellow;
    std::string out = coloured(printable(scene.title), Colour::Bold, stdout) + "\n" +
                      coloured(promise_in_words(theory), colour, stdout) + "\n\n";
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

std::string to_json(const Scene& scene, const SceneInspection& inspection)
{
    const WellPosedness& theory = inspection.theory;
    const Model& model = scene.model;
    Json hypotheses = Json::array();
    for (const Hypothesis& hypothesis : theory.hypotheses) {
        hypotheses.push_back({{"code", hypothesis.code},
                              {"bearing", name_of(hypothesis.bearing)},
                              {"message", hypothesis.message},
                              {"theory", hypothesis.theory}});
    }
    Json start = cone_of(theory.start, model);
    start["velocity_m_s"] = theory.start_velocity_m_s;
    start["condition"] = theory.condition;
    Json elsewhere = Json::array();
    for (const ClosedConfiguration& at : theory.search.samples)
        elsewhere.push_back(cone_of(at, model));
    const ImpactLawDiagnosis& impacts = theory.impacts;
    Json statuses = Json::array();
    for (const StatusDecision& one : inspection.statuses) {
        statuses.push_back({{"contact", model.system().contacts[static_cast<std::size_t>(one.contact)].name},
                            {"normal", one.normal},
                            {"normal_order", one.normal_order},
                            {"normal_leading", one.normal_leading},
                            {"friction", one.friction},
                            {"friction_order", one.friction_order},
                            {"friction_leading", one.friction_leading}});
    }
    const bool unrefuted = theory.promise == Promise::NoObstacleFound;
    const Json json = {{"status", theory.well_posed() ? "well_posed"
                                  : unrefuted         ? "no_obstacle_found"
                                                      : "not_promised"},
                       {"promise", name_of(theory.promise)},
                       {"for_all_time", theory.for_all_time},
                       {"for_all_time_shown", theory.for_all_time_shown},
                       {"degrees_of_freedom", model.coordinates()},
                       {"contacts", model.contacts()},
                       {"constraints", model.constraints()},
                       {"hypotheses", hypotheses},
                       {"start", start},
                       {"statuses", statuses},
                       {"closed_elsewhere", elsewhere},
                       {"searches", theory.search.searches},
                       {"singularities", singularities_of(theory)},
                       {"growth", growth_of(theory.growth)},
                       {"impacts",
                        {{"canonical", impacts.canonical},
                         {"restitution", {impacts.lowest_e, impacts.highest_e}},
                         {"sampled", impacts.impacts},
                         {"leaves_V", impacts.worst.leaves_V_m_s},
                         {"outside_N", impacts.worst.outside_N},
                         {"energy_gained", 2 * impacts.worst.energy_gained_J}}}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace carom::app
