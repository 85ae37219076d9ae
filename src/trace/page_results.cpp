#include "carom/trace/page.hpp"

#include "carom/core/version.hpp"
#include "core/text.hpp"
#include "page_shell.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace carom {
namespace {

using Json = nlohmann::ordered_json;
using detail::page_with;
using detail::palette_json;
using detail::script_safe;

/// What the page of an orbit or a branch reads: missing parts are told here and not in the browser.
bool is_orbit(const Json& json)
{
    const auto has = [&](const char* key, auto is) { return json.contains(key) && (json.at(key).*is)(); };
    return has("converged", &Json::is_boolean) && has("residual", &Json::is_number) &&
           has("period_s", &Json::is_number) && has("start", &Json::is_object) &&
           has("stable", &Json::is_boolean) && has("multipliers", &Json::is_array);
}

bool is_branch(const Json& json)
{
    const auto is_point = [](const Json& point) {
        return point.is_object() && point.contains("value") && point.contains("period_s") &&
               point.contains("multipliers") && point.contains("min") && point.contains("max");
    };
    const auto is_special = [](const Json& point) {
        return point.is_object() && point.contains("kind") && point.contains("value") &&
               point.contains("orbit") && is_orbit(point.at("orbit"));
    };
    return json.contains("over") && json.contains("end") && json.contains("points") &&
           json.contains("special") && json.at("points").is_array() && json.at("special").is_array() &&
           std::ranges::all_of(json.at("points"), is_point) &&
           std::ranges::all_of(json.at("special"), is_special);
}

/// The page with its head, and the runs that its points open.
std::string with_runs(const char* id, const Json& head, const PointRuns& runs)
{
    std::string data =
        fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, script_safe(head));
    for (const std::string& run : runs.data)
        data += run;
    return page_with(data);
}

}  // namespace

std::string to_study_page(const PageTable& table, const PointRuns& runs)
{
    Json columns = Json::array();
    for (const TableColumn& column : table.table->columns) {
        Json one = {{"name", column.name}};
        if (column.kind == CellKind::Number)
            one["numbers"] = column.numbers;
        else
            one["texts"] = column.texts;
        columns.push_back(std::move(one));
    }
    const Json head = {{"format", "carom-study"}, {"title", table.name}, {"carom_version", version},
                       {"columns", columns},      {"note", runs.note},   {"palette", palette_json()}};
    return with_runs("carom-study", head, runs);
}

Expected<std::string> to_orbit_page(const std::string& name, const std::string& text, const PointRuns& runs)
{
    const Json json = Json::parse(text, nullptr, false);
    const bool branch = json.is_object() && is_branch(json), orbit = json.is_object() && is_orbit(json);
    if (!branch && !orbit)
        return Error{.code = ErrorCode::FileMalformed,
                     .where = printable(name),
                     .message = "this is neither an orbit nor a branch of orbits",
                     .hint = "write one with carom orbit --json or carom branch --json, and redirect it: "
                             "carom branch ... --json > branch.json",
                     .excerpt = {}};
    const std::string title = json.value("title", name);
    const Json head = {{"format", branch ? "carom-branch" : "carom-orbit"},
                       {"title", title},
                       {"carom_version", version},
                       {"note", runs.note},
                       {"palette", palette_json()},
                       {"data", json}};
    return with_runs("carom-orbits", head, runs);
}

}  // namespace carom
