#include "carom/report/json.hpp"

#include "carom/scene/sweeping_scene.hpp"
#include "report/body_words.hpp"
#include "report/certificate_json.hpp"
#include "scene/scene_bodies.hpp"

#include <map>

namespace carom {
namespace {

using detail::Json;
using detail::one_line;

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
    case Singularity::Reach::Touched: return "touched";
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

Json probes_json(const Recording& recording)
{
    Json probes = Json::object();
    for (const RecordedSeries& probe : recording.probes) {
        if (probe.values.size() == 0) continue;
        probes[probe.name] = {{"unit", probe.unit},
                              {"end", probe.values[probe.values.size() - 1]},
                              {"lowest", probe.values.minCoeff()},
                              {"highest", probe.values.maxCoeff()}};
    }
    return probes;
}

}  // namespace

std::map<std::string_view, long> events_by_kind(const Recording& recording)
{
    std::map<std::string_view, long> counts;
    for (const Event& event : recording.events)
        ++counts[name_of(event.kind)];
    return counts;
}

std::string_view reason_of(const SweepInspection& inspection)
{
    return inspection.one_solution
               ? "the set is convex and does not depend on the point: two motions separate no faster than "
                 "the "
                 "drift does"
               : "the set depends on the point: it is evaluated at the beginning of each step, and theory "
                 "guarantees uniqueness only for some such sets";
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
    return one_line(json);
}

std::string to_json(const Scene& scene, const BodyInspection& inspection)
{
    const auto& bodies = scene.model.bodies()->setup().bodies;
    const bool overlap = inspection.deepest_m > 0;
    const auto name = [&](int i) { return Json(bodies[static_cast<std::size_t>(i)].name); };
    const Json json = {
        {"status", inspection.overlaps ? "overlap" : "no_overlap"},
        {"kind", "bodies"},
        {"bodies", bodies.size()},
        {"motions", inspection.motions},
        {"shapes", inspection.shapes},
        {"flat", scene.model.bodies()->is_flat()},
        {"degrees_of_freedom", inspection.degrees_of_freedom},
        {"mass_kg", inspection.mass_kg},
        {"lightest_kg", inspection.lightest_kg},
        {"heaviest_kg", inspection.heaviest_kg},
        {"length_m", scene.length_m},
        {"surfaces", laws_of(*scene.model.bodies())},
        {"joints", joints_of(scene.model.bodies()->setup())},
        {"coordinates", coordinates_beside(scene)},
        {"formulas", formulas_beside(scene)},
        {"held_by_joints", inspection.held},
        {"independent", inspection.rank},
        {"start",
         {{"contacts", inspection.closed},
          {"pairs", inspection.pairs},
          {"unknowns", inspection.unknowns},
          {"deepest_overlap_m", inspection.deepest_m},
          {"overlap", overlap ? Json::array({name(inspection.deepest_first), name(inspection.deepest_second)})
                              : Json::array()},
          {"kinetic_J", inspection.kinetic_J},
          {"potential_J", inspection.potential_J}}},
        {"theory", theory_in_words}};
    return one_line(json);
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
                       {"theory", reason_of(inspection)}};
    return one_line(json);
}

std::string to_json(const Scene& scene, const Inspection& inspection)
{
    return std::visit([&](const auto& one) { return to_json(scene, one); }, inspection);
}

std::string to_json(const Recording& recording, const RunInspection& run)
{
    const Certificate& certificate = run.certificate;
    Json events = Json::object();
    for (const auto& [kind, count] : events_by_kind(recording))
        events[std::string(kind)] = count;
    const auto& report = recording.report;
    const Json json = {{"status", run.status},
                       {"end", report ? Json(name_of(report->end)) : Json(nullptr)},
                       {"complete", is_finished(recording)},
                       {"start_s", recording.start_s},
                       {"reached_s", run.reached_s},
                       {"duration_s", recording.duration_s},
                       {"time_step_s", recording.time_step_s},
                       {"steps", certificate.steps},
                       {"tolerance", run.tolerance ? Json(*run.tolerance) : Json(nullptr)},
                       {"certificate", detail::certificate_json(certificate, run.worst_step)},
                       {"events", events},
                       {"probes", probes_json(recording)},
                       {"diagnosis", detail::findings_json(run.findings)},
                       {"promise", run.theory ? Json(name_of(run.theory->promise)) : Json(nullptr)},
                       {"carom_version", recording.carom_version}};
    return one_line(json);
}

}  // namespace carom
