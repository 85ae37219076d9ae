#include "report/orbit_files.hpp"

#include "carom/trace/page.hpp"
#include "core/mistake.hpp"
#include "core/write_file.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom {
namespace {

constexpr int frames_of_a_period = 400;

std::string digits(double x)
{
    return fmt::format("{:.17g}", x);
}

void begin_at(const std::string& name, double q, double u, std::vector<Override>& overrides)
{
    overrides.push_back({fmt::format("coordinate.{}.start", name), digits(q)});
    overrides.push_back({fmt::format("coordinate.{}.start_velocity", name), digits(u)});
}

Expected<std::vector<Override>, Errors> from_recording(const std::string& path, std::optional<double> at_s,
                                                       const char* option)
{
    const auto recording = read_recording(path);
    if (!recording) return Errors{recording.error()};
    const Eigen::Index frames = recording->frames();
    if (frames == 0 || !recording->bodies.names.empty() || recording->u.rows() != frames) {
        return Errors{mistake(ErrorCode::FileMalformed, option,
                              fmt::format("{} holds no frames of coordinates and velocities", path),
                              "record a run of a scene of coordinates, with its velocities")};
    }
    const double first_s = recording->time_s[0], last_s = recording->time_s[frames - 1];
    if (at_s && !(*at_s >= first_s && *at_s <= last_s)) {
        return Errors{mistake(ErrorCode::SettingOutOfRange, option,
                              fmt::format("{} s is outside of {}", *at_s, path),
                              fmt::format("it was recorded from {} to {} s", first_s, last_s))};
    }
    Eigen::Index row = frames - 1;
    if (at_s) (recording->time_s.array() - *at_s).abs().minCoeff(&row);
    std::vector<Override> overrides{{"start_s", digits(recording->time_s[row])}};
    for (std::size_t i = 0; i < recording->coordinates.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        begin_at(recording->coordinates[i].name, recording->q(row, k), recording->u(row, k), overrides);
    }
    return overrides;
}

Expected<std::vector<Override>, Errors> from_json(const std::string& path, const char* option)
{
    std::ifstream file(path);
    if (!file) {
        return Errors{mistake(ErrorCode::FileUnreadable, option, fmt::format("{} cannot be read", path),
                              "check its name and permissions")};
    }
    const auto json = nlohmann::json::parse(file, nullptr, false);
    const bool good = json.is_object() && json.contains("start") && json["start"].is_object() &&
                      json.contains("start_s") && json["start_s"].is_number();
    std::vector<Override> overrides;
    if (good) {
        overrides.push_back({"start_s", digits(json["start_s"])});
        for (const auto& [name, state] : json["start"].items()) {
            if (!state.contains("q") || !state.contains("u") || !state["q"].is_number() ||
                !state["u"].is_number())
                break;
            begin_at(name, state["q"], state["u"], overrides);
        }
        if (overrides.size() == 1 + 2 * json["start"].size()) return overrides;
    }
    return Errors{mistake(ErrorCode::FileMalformed, option, fmt::format("{} holds no orbit", path),
                          "write it with `carom orbit SCENE ... -o ORBIT.json`")};
}

/// One period: time, coordinates, velocities.
ResultTable period_table(const Recording& record)
{
    ResultTable table;
    table.columns.push_back({.name = "time_s"});
    for (const char* what : {"", "'"}) {
        for (const Coordinate& coordinate : record.coordinates) {
            table.columns.push_back({.name = coordinate.name + what});
        }
    }
    for (Eigen::Index row = 0; row < record.frames(); ++row) {
        Row cells{record.time_s[row]};
        for (const RowMatrix* columns : {&record.q, &record.u}) {
            for (Eigen::Index i = 0; i < columns->cols(); ++i) {
                cells.emplace_back((*columns)(row, i));
            }
        }
        table.add(cells);
    }
    return table;
}

/// The first coordinate in its phase plane and over the time.
Diagram period_diagram(const Scene& scene, const Orbit& orbit, const Recording& record)
{
    const Coordinate& first = scene.model.system().coordinates.front();
    DiagramPanel phase{.title = scene.title,
                       .x_label = first.name,
                       .x_unit = first.unit,
                       .y_label = first.name + "'",
                       .y_unit = first.unit + "/s"};
    DiagramPanel time{.x_label = "t", .x_unit = "s", .y_label = first.name, .y_unit = first.unit};
    const std::string label = fmt::format("period {:.6g} s, {}", orbit.period_s, stability_of(orbit));
    DiagramCurve loop{
        .label = label, .colour = diagram_colour(0), .points = {}, .dashed = is_unstable(orbit)};
    DiagramCurve wave{.label = "", .colour = diagram_colour(0), .points = {}, .dashed = is_unstable(orbit)};
    for (Eigen::Index row = 0; row < record.frames(); ++row) {
        loop.points.push_back({record.q(row, 0), record.u(row, 0)});
        wave.points.push_back({record.time_s[row], record.q(row, 0)});
    }
    phase.curves = {loop};
    time.curves = {wave};
    return {.title = scene.title, .panels = {phase, time}};
}

Errors wrong_ending(const std::string& file, const char* endings)
{
    return {mistake(ErrorCode::NotAllowedHere, "-o",
                    fmt::format("{} has none of the endings {}", file, endings),
                    "the ending says what is written")};
}

}  // namespace

Expected<std::vector<Override>, Errors> start_from(const std::string& text, const char* option)
{
    if (text.ends_with(".json")) return from_json(text, option);
    const std::size_t at = text.rfind('@');
    if (at == std::string::npos) return from_recording(text, std::nullopt, option);
    double time_s = 0;
    const char *begin = text.data() + at + 1, *end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(begin, end, time_s);
    if (problem != std::errc() || stop != end) {
        return Errors{mistake(ErrorCode::WrongType, option, fmt::format("{} is not FILE@TIME", text),
                              "give a time in seconds after @")};
    }
    return from_recording(text.substr(0, at), time_s, option);
}

Expected<Scene, Errors> scene_of_orbit(const Scene& scene, const Orbit& orbit,
                                       const std::vector<Override>& parameters)
{
    std::vector<Override> overrides = parameters;
    const auto& coordinates = scene.model.system().coordinates;
    overrides.push_back({"integrator.kind", "series"});
    overrides.push_back({"start_s", digits(orbit.start.t_s)});
    overrides.push_back({"duration_s", digits(orbit.period_s)});
    overrides.push_back({"integrator.time_step_s", digits(orbit.period_s / frames_of_a_period)});
    overrides.push_back({"record.every_s", digits(orbit.period_s / frames_of_a_period)});
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        begin_at(coordinates[i].name, orbit.start.q[k], orbit.start.u[k], overrides);
    }
    auto one = read_scene_text(scene.text, scene.title, overrides);
    if (one) one->plan.until = {};
    return one;
}

Errors write_whole_file(const std::string& file, const std::string& text)
{
    if (auto written = write_file(file, text); !written) return {written.error()};
    return {};
}

Errors write_orbit(const Scene& scene, const OrbitOptions& options, const Orbit& orbit,
                   const std::string& file)
{
    if (file.ends_with(".json")) return write_whole_file(file, json_of(scene, options, orbit));
    const auto ends = [&](const char* ending) { return file.ends_with(ending); };
    const bool recording = ends(".h5") || ends(".hdf5");
    if (!recording && !ends(".html") && !ends(".csv") && !ends(".svg") && !ends(".pdf"))
        return wrong_ending(file, ".h5, .csv, .json, .svg, .pdf, .html");
    const auto one = scene_of_orbit(scene, orbit);
    if (!one) return one.error();
    const auto run = carom::run(*one, {.recording = recording ? file : std::string(), .columns = !recording});
    if (!run) return run.error();
    if (recording) return run->not_written;
    // the page: the orbit with its multipliers, and its motion to be opened
    return write_result({.table = [&] { return period_table(run->record); },
                         .json = [&] { return json_of(scene, options, orbit); },
                         .page =
                             [&] {
                                 return to_orbit_page(scene.title, json_of(scene, options, orbit),
                                                      {.data = {run_of_point(0, run->record)}, .note = {}});
                             },
                         .diagram = [&] { return period_diagram(scene, orbit, run->record); }},
                        file);
}

Errors write_result(const ResultFile& result, const std::string& file)
{
    if (file.ends_with(".csv")) {
        const ResultTable table = result.table();
        std::string text = csv_header(table);
        for (std::size_t i = 0; i < table.rows(); ++i) {
            text += csv_line(table.row(i));
        }
        return write_whole_file(file, text);
    }
    if (file.ends_with(".h5") || file.ends_with(".hdf5")) {
        auto written = write_table_hdf5(file, result.table());
        return written ? Errors{} : Errors{written.error()};
    }
    if (file.ends_with(".json")) return write_whole_file(file, result.json());
    if (file.ends_with(".html")) {
        const auto page = result.page();
        return page ? write_whole_file(file, *page) : Errors{page.error()};
    }
    const bool svg = file.ends_with(".svg");
    if (!svg && !file.ends_with(".pdf")) return wrong_ending(file, ".csv, .h5, .json, .svg, .pdf, .html");
    return write_whole_file(file,
                            draw_diagram(result.diagram(), svg ? FigureFormat::Svg : FigureFormat::Pdf));
}

Errors write_branches(const Scene& scene, const std::vector<FollowedBranch>& branches,
                      const std::string& file, const std::atomic<bool>* stop)
{
    return write_result({.table = [&] { return table_of(scene, branches); },
                         .json = [&] { return json_of(scene, branches); },
                         .page = [&] { return page_of(scene, branches, stop); },
                         .diagram = [&] { return diagram_of(scene, branches); }},
                        file);
}

}  // namespace carom
