#include "carom/core/text.hpp"
#include "event_statuses.hpp"
#include "results.hpp"

#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

Json state_of(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    Json state = Json::object();
    for (int i = 0; i < model.coordinates(); ++i) {
        state[model.system().coordinates[static_cast<std::size_t>(i)].name] = {{"q", q[i]}, {"u", u[i]}};
    }
    return state;
}

Json snapshots_of(const Results& results)
{
    const Model& model = results.scene.model;
    Json list = Json::array();
    for (const Snapshot& snapshot : results.snapshots) {
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
    Workspace work;
    const Model& model = results.scene.model;
    const auto values = probe_values(model, point_of(results.end), work);
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
    const std::size_t contacts = contacts_with_events(results);
    const auto statuses = event_statuses(results.report.events, static_cast<int>(contacts));
    Json list = Json::array();
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        const Event& event = results.report.events[i];
        const bool of_contact = static_cast<std::size_t>(event.contact) < contacts;
        list.push_back({{"time_s", event.time_s},
                        {"step", event.step},
                        {"kind", name_of(event.kind)},
                        {of_contact ? "contact" : "constraint",
                         results.report.event_names[static_cast<std::size_t>(event.contact)]},
                        {"percussion_Ns", event.percussion_Ns},
                        {"velocity_before_m_s", event.velocity_before_m_s},
                        {"velocity_after_m_s", event.velocity_after_m_s},
                        {"energy_J", event.energy_J},
                        {"status_before", statuses[i].before},
                        {"status_after", statuses[i].after}});
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

Json diagnosis_of(const RunReport& report)
{
    Json list = Json::array();
    for (const Finding& finding : report.findings) {
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
    const Certificate& certificate = results.report.certificate;
    const double wall_s = results.wall_s;
    return written({{"status", name_of(results.report.status)},
                    {"end", end_of(results)},
                    {"time_s", results.end.t_s},
                    {"steps", certificate.steps},
                    {"state", state_of(results.scene.model, results.end.q, results.end.u)},
                    {"values", values_of(results)},
                    {"reactions_Ns", reactions_of(results.scene.model, results.end)},
                    {"probes", snapshots_of(results)},
                    {"events", events_of(results)},
                    {"certificate", certificate_of(certificate)},
                    {"diagnosis", diagnosis_of(results.report)},
                    {"warnings", warnings_of(results)},
                    {"timing",
                     {{"wall_s", wall_s},
                      {"steps_per_s", wall_s > 0 ? static_cast<double>(results.steps_now) / wall_s : 0.0}}}});
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
