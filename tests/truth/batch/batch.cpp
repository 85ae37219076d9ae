// Runs many small scenes in one process, for tests/truth/random_scenes.py. Each line of the standard input is
// the name of a scene's file and, after a tab, instants in seconds, separated by commas; each line of the
// output is the part of the JSON object of `carom run --json` that the script reads, or
// {"status":"bad_input"}.

#include <carom/carom.hpp>

#include <nlohmann/json.hpp>

#include <iostream>
#include <sstream>

namespace {

using namespace carom;
using Json = nlohmann::json;

Json number(double x)
{
    return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json state_of(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    Json result = Json::object();
    for (int i = 0; i < model.coordinates(); ++i)
        result[model.system().coordinates[static_cast<std::size_t>(i)].name] = {{"q", number(q[i])},
                                                                                {"u", number(u[i])}};
    return result;
}

Json values_of(const Model& model, const std::vector<double>& probes)
{
    Json result = Json::object();
    for (std::size_t i = 0; i < probes.size(); ++i)
        result[model.system().probes[i].name] = number(probes[i]);
    return result;
}

Json events_of(const Run& run)
{
    Json list = Json::array();
    for (const RunEvent& event : run.events)
        list.push_back({{"kind", name_of(event.kind)},
                        {"time_s", event.time_s},
                        {"contact", event.place},
                        {"velocity_before_m_s", number(event.velocity_before_m_s)},
                        {"velocity_after_m_s", number(event.velocity_after_m_s)}});
    return list;
}

Json told_of(const Scene& scene, const Run& run)
{
    const Model& model = scene.model;
    Json findings = Json::array(), probes = Json::array();
    for (const Finding& finding : run.findings)
        findings.push_back({{"code", finding.code}});
    for (const Snapshot& at : run.snapshots) {
        Json one{{"time_s", at.time_s}, {"reached", at.reached}};
        if (at.reached) {
            one["state"] = state_of(model, at.q, at.u);
            one["values"] = values_of(model, at.probes);
        }
        probes.push_back(std::move(one));
    }
    return {{"status", name_of(run.status)},
            {"end", name_of(run.end)},
            {"time_s", run.at_end.t_s},
            {"state", state_of(model, run.at_end.q, run.at_end.u)},
            {"values", values_of(model, run.probes)},
            {"probes", std::move(probes)},
            {"events", events_of(run)},
            {"diagnosis", std::move(findings)}};
}

std::vector<double> instants_in(const std::string& text)
{
    std::vector<double> times;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');)
        times.push_back(std::stod(word));
    return times;
}

}  // namespace

int main()
{
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        const auto tab = line.find('\t');
        Json told{{"status", "bad_input"}};
        if (const auto scene = read_scene(line.substr(0, tab))) {
            const auto done =
                carom::run(*scene, {.at_s = instants_in(line.substr(tab + 1)), .columns = false});
            if (done) told = told_of(*scene, *done);
        }
        std::cout << told.dump() << std::endl;
    }
    return 0;
}
