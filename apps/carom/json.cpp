#include "core/text.hpp"
#include "results.hpp"

#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

Json state_of(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    // names are different: none is looked for among those before, which would take the square of their number
    Json state = Json::object();
    auto& entries = state.get_ref<Json::object_t&>();
    entries.reserve(static_cast<std::size_t>(model.coordinates()));
    for (int i = 0; i < model.coordinates(); ++i) {
        entries.emplace_back(model.system().coordinates[static_cast<std::size_t>(i)].name,
                             Json{{"q", q[i]}, {"u", u[i]}});
    }
    return state;
}

Json snapshots_of(const Results& results)
{
    const Model& model = results.scene.model;
    Json list = Json::array();
    for (const Snapshot& snapshot : results.run.snapshots) {
        Json item = {{"time_s", snapshot.time_s}, {"reached", snapshot.reached}};
        if (snapshot.reached) {
            item["state"] = state_of(model, snapshot.q, snapshot.u);
            item["values"] = Json::object();
            for (std::size_t i = 0; i < snapshot.probes.size(); ++i)
                item["values"][model.system().probes[i].name] = snapshot.probes[i];
        }
        list.push_back(std::move(item));
    }
    return list;
}

/// The probes where the run ended.
Json values_of(const Results& results)
{
    const Model& model = results.scene.model;
    const std::vector<double>& values = results.run.probes;
    Json object = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i)
        object[model.system().probes[i].name] = values[i];
    return object;
}

Json warnings_of(const Results& results)
{
    Json list = Json::array();
    for (const Error& warning : results.scene.warnings)
        list.push_back({{"where", warning.where}, {"message", warning.message}, {"hint", warning.hint}});
    return list;
}

Json events_of(const Results& results)
{
    Json list = Json::array();
    for (const RunEvent& event : results.run.events) {
        list.push_back({{"time_s", event.time_s},
                        {"step", event.step},
                        {"kind", name_of(event.kind)},
                        {event.of_constraint ? "constraint" : "contact", event.place},
                        {"percussion_Ns", event.percussion_Ns},
                        {"velocity_before_m_s", event.velocity_before_m_s},
                        {"velocity_after_m_s", event.velocity_after_m_s},
                        {"energy_J", event.energy_J},
                        {"status_before", event.status_before},
                        {"status_after", event.status_after}});
        if (event.kind == EventKind::Slip && !event.of_constraint) list.back()["slip_rad"] = event.slip_rad;
    }
    return list;
}

Json certificate_of(const Certificate& certificate)
{
    Json energy = Json::object();
    for (const auto& [name, value] : lines_of(certificate.energy))
        energy[std::string(name)] = value;
    return {{"max_residual", certificate.max_residual},
            {"max_residual_time_s", certificate.max_residual_time_s},
            {"max_penetration_m", certificate.max_penetration_m},
            {"max_violation", certificate.max_violation},
            {"max_cone_violation", certificate.max_cone_violation_Ns},
            {"energy_balance_J", certificate.energy_balance_J},
            {"energy_error", certificate.energy_error},
            {"energy_error_time_s", certificate.energy_error_time_s},
            {"energy", energy},
            {"unsolved_steps", certificate.unsolved_steps},
            {"selected_steps", certificate.selected_steps},
            {"unexamined_steps", certificate.unexamined_steps}};
}

/// Percussions of every constraint in the last step.
Json reactions_of(const Model& model, const State& state)
{
    Json reactions = Json::object();
    for (int j = 0; j < model.constraints(); ++j) {
        Json& list = reactions[model.system().constraints[static_cast<std::size_t>(j)].name] = Json::array();
        for (int i = model.first_part(j); i < model.first_part(j + 1); ++i) {
            for (int k = 0; k < model.dimension(i); ++k) {
                list.push_back(state.percussion_Ns[static_cast<std::size_t>(model.offset(i) + k)]);
            }
        }
    }
    return reactions;
}

Json diagnosis_of(const Run& run)
{
    Json list = Json::array();
    for (const Finding& finding : run.findings) {
        list.push_back({{"code", finding.code},
                        {"time_s", finding.time_s},
                        {"message", finding.message},
                        {"count", finding.count},
                        {"uncertifies", finding.uncertifies}});
    }
    return list;
}

/// One line; numbers read back to the same bits, and what is no number is null.
std::string written(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const Results& results)
{
    const Certificate& certificate = results.run.certificate;
    const double wall_s = results.run.wall_s;
    return written(
        {{"status", name_of(results.run.status)},
         {"end", end_of(results)},
         {"time_s", results.run.at_end.t_s},
         {"steps", certificate.steps},
         {"state", state_of(results.scene.model, results.run.at_end.q, results.run.at_end.u)},
         {"values", values_of(results)},
         {"reactions_Ns", reactions_of(results.scene.model, results.run.at_end)},
         {"probes", snapshots_of(results)},
         {"events", events_of(results)},
         {"certificate", certificate_of(certificate)},
         {"diagnosis", diagnosis_of(results.run)},
         {"warnings", warnings_of(results)},
         {"timing",
          {{"wall_s", wall_s},
           {"steps_per_s", wall_s > 0 ? static_cast<double>(results.run.steps_now) / wall_s : 0.0}}}});
}

std::string to_json(const Errors& errors)
{
    Json list = Json::array();
    for (const Error& error : errors) {
        list.push_back({{"code", name_of(error.code)},
                        {"where", error.where},
                        {"message", error.message},
                        {"hint", error.hint}});
    }
    return written({{"status", "bad_input"}, {"errors", list}});
}

std::string failure_json(std::string_view message)
{
    Json list = Json::array();
    list.push_back({{"code", "internal_error"}, {"where", "carom"}, {"message", message}, {"hint", ""}});
    return written({{"status", "failed"}, {"errors", list}});
}

}  // namespace carom::app
