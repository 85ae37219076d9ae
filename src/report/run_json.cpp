#include "carom/report/json.hpp"

#include "report/certificate_json.hpp"

namespace carom {
namespace {

using detail::Json;
using detail::one_line;

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

Json snapshots_of(const Scene& scene, const Run& run)
{
    const Model& model = scene.model;
    Json list = Json::array();
    for (const Snapshot& snapshot : run.snapshots) {
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
Json values_of(const Scene& scene, const Run& run)
{
    const Model& model = scene.model;
    const std::vector<double>& values = run.probes;
    Json object = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i)
        object[model.system().probes[i].name] = values[i];
    return object;
}

Json warnings_of(const Scene& scene)
{
    Json list = Json::array();
    for (const Error& warning : scene.warnings)
        list.push_back({{"where", warning.where}, {"message", warning.message}, {"hint", warning.hint}});
    return list;
}

Json events_of(const Run& run)
{
    Json list = Json::array();
    for (const RunEvent& event : run.events) {
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

}  // namespace

std::string_view end_of(const Run& run)
{
    return run.stopped ? "interrupted" : name_of(run.end);
}

std::string to_json(const Scene& scene, const Run& run)
{
    const Certificate& certificate = run.certificate;
    const double wall_s = run.wall_s;
    return one_line({{"status", name_of(run.status)},
                     {"end", end_of(run)},
                     {"time_s", run.at_end.t_s},
                     {"steps", certificate.steps},
                     {"state", state_of(scene.model, run.at_end.q, run.at_end.u)},
                     {"values", values_of(scene, run)},
                     {"reactions_Ns", reactions_of(scene.model, run.at_end)},
                     {"probes", snapshots_of(scene, run)},
                     {"events", events_of(run)},
                     {"certificate", detail::certificate_json(certificate)},
                     {"diagnosis", detail::findings_json(run.findings)},
                     {"warnings", warnings_of(scene)},
                     {"timing",
                      {{"wall_s", wall_s},
                       {"steps_per_s", wall_s > 0 ? static_cast<double>(run.steps_now) / wall_s : 0.0}}}});
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
    return one_line({{"status", "bad_input"}, {"errors", list}});
}

std::string failure_json(std::string_view message)
{
    Json list = Json::array();
    list.push_back({{"code", "internal_error"}, {"where", "carom"}, {"message", message}, {"hint", ""}});
    return one_line({{"status", "failed"}, {"errors", list}});
}

}  // namespace carom
