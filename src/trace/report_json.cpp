#include "report_json.hpp"

#include "energy_names.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace carom::detail {
namespace {

using Json = nlohmann::ordered_json;

/// Bytes that are not UTF-8 are replaced: a title must not keep a run from being written.
std::string dumped(const Json& json)
{
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

double number(const Json& json)
{
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

/// The enumerator of that name; they begin at 0, and what is none is called unknown.
template <class E>
E named(const Json& json)
{
    const auto name = json.get<std::string>();
    for (int i = 0; name_of(static_cast<E>(i)) != "unknown"; ++i) {
        if (name_of(static_cast<E>(i)) == name) return static_cast<E>(i);
    }
    throw Json::other_error::create(599, "unknown name", &json);
}

Certificate certificate_from(const Json& json)
{
    Certificate result;
    result.max_residual = number(json.at("max_residual"));
    result.max_residual_time_s = number(json.at("max_residual_time_s"));
    result.max_penetration_m = number(json.at("max_penetration_m"));
    result.max_cone_violation_Ns = number(json.at("max_cone_violation_Ns"));
    result.energy_balance_J = number(json.at("energy_balance_J"));
    for (const auto& [name, line] : energy_names) {
        result.energy.*line = number(json.at("energy").at(name));
    }
    result.steps = json.at("steps").get<long>();
    result.unsolved_steps = json.at("unsolved_steps").get<long>();
    if (json.contains("max_violation")) result.max_violation = number(json.at("max_violation"));
    if (json.contains("energy_error")) {
        result.energy_error = number(json.at("energy_error"));
        result.energy_error_time_s = number(json.at("energy_error_time_s"));
    }
    result.selected_steps = json.value("selected_steps", 0L);
    result.unexamined_steps = json.value("unexamined_steps", 0L);
    return result;
}

Json json_of(const Certificate& certificate)
{
    Json energy;
    for (const auto& [name, line] : energy_names) {
        energy[name] = certificate.energy.*line;
    }
    return {{"max_residual", certificate.max_residual},
            {"max_residual_time_s", certificate.max_residual_time_s},
            {"max_penetration_m", certificate.max_penetration_m},
            {"max_cone_violation_Ns", certificate.max_cone_violation_Ns},
            {"energy_balance_J", certificate.energy_balance_J},
            {"energy", energy},
            {"steps", certificate.steps},
            {"unsolved_steps", certificate.unsolved_steps},
            {"max_violation", certificate.max_violation},
            {"energy_error", certificate.energy_error},
            {"energy_error_time_s", certificate.energy_error_time_s},
            {"selected_steps", certificate.selected_steps},
            {"unexamined_steps", certificate.unexamined_steps}};
}

Json json_of(const std::vector<Finding>& findings)
{
    Json list = Json::array();
    for (const Finding& finding : findings) {
        list.push_back({{"code", finding.code},
                        {"time_s", finding.time_s},
                        {"message", finding.message},
                        {"count", finding.count},
                        {"uncertifies", finding.uncertifies}});
        if (!finding.about.empty()) list.back()["about"] = finding.about;
    }
    return list;
}

std::vector<Finding> findings_from(const Json& list)
{
    std::vector<Finding> findings;
    for (const Json& finding : list) {
        findings.push_back({.code = finding.at("code").get<std::string>(),
                            .time_s = number(finding.at("time_s")),
                            .message = finding.at("message").get<std::string>(),
                            .count = finding.at("count").get<long>(),
                            .uncertifies = finding.value("uncertifies", false),
                            .about = finding.value("about", std::string())});
    }
    return findings;
}

}  // namespace

std::string to_json(const RunReport& report)
{
    return dumped({{"status", name_of(report.status)},
                   {"end", name_of(report.end)},
                   {"certificate", json_of(report.certificate)},
                   {"findings", json_of(report.findings)}});
}

std::optional<RunReport> report_from_json(const std::string& text)
try {
    const Json json = Json::parse(text);
    RunReport report;
    report.status = named<RunStatus>(json.at("status"));
    report.end = named<RunEnd>(json.at("end"));
    report.certificate = certificate_from(json.at("certificate"));
    report.findings = findings_from(json.at("findings"));
    return report;
} catch (const Json::exception&) {
    return std::nullopt;
}

std::string to_json(const std::vector<Finding>& findings)
{
    return dumped(json_of(findings));
}

std::optional<std::vector<Finding>> findings_from_json(const std::string& text)
try {
    return findings_from(Json::parse(text));
} catch (const Json::exception&) {
    return std::nullopt;
}

std::string event_kind_names()
{
    Json names = Json::array();
    for (int i = 0; name_of(static_cast<EventKind>(i)) != "unknown"; ++i) {
        names.push_back(name_of(static_cast<EventKind>(i)));
    }
    return names.dump();
}

std::string to_json(const std::vector<ProbeName>& probes)
{
    Json list = Json::array();
    for (const ProbeName& probe : probes) {
        list.push_back({{"name", probe.name}, {"unit", probe.unit}, {"dataset", probe.dataset}});
    }
    return dumped(list);
}

std::optional<std::vector<ProbeName>> probes_from_json(const std::string& text)
try {
    std::vector<ProbeName> probes;
    for (const Json& probe : Json::parse(text)) {
        probes.push_back({.name = probe.at("name").get<std::string>(),
                          .unit = probe.at("unit").get<std::string>(),
                          .dataset = probe.at("dataset").get<std::string>()});
    }
    return probes;
} catch (const Json::exception&) {
    return std::nullopt;
}

}  // namespace carom::detail
