#include "report/orbit_files.hpp"

#include "carom/trace/page.hpp"
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

Error bad_file(ErrorCode code, const char* option, std::string message, std::string hint)
{
    return {
        .code = code, .where = option, .message = std::move(message), .hint = std::move(hint), .excerpt = {}};
}

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
        return Errors{bad_file(ErrorCode::FileMalformed, option,
                               fmt::format("{} holds no frames of coordinates and velocities", path),
                               "record a run of a scene of coordinates, with its velocities")};
    }
    const double first_s = recording->time_s[0], last_s = recording->time_s[frames - 1];
    if (at_s && !(*at_s >= first_s && *at_s <= last_s)) {
        return Errors{bad_file(ErrorCode::SettingOutOfRange, option,
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
        return Errors{bad_file(ErrorCode::FileUnreadable, option, fmt::format("{} cannot be read", path),
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
    return Errors{bad_file(ErrorCode::FileMalformed, option, fmt::format("{} holds no orbit", path),
                           "write it with `carom orbit SCENE ... -o ORBIT.json`")};
}

Errors wrong_ending(const std::string& file, const char* endings)
{
    return {bad_file(ErrorCode::NotAllowedHere, "-o",
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
        return Errors{bad_file(ErrorCode::WrongType, option, fmt::format("{} is not FILE@TIME", text),
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
    const bool page = file.ends_with(".html");
    if (!page && !file.ends_with(".h5") && !file.ends_with(".hdf5"))
        return wrong_ending(file, ".h5, .html, .json");
    const auto one = scene_of_orbit(scene, orbit);
    if (!one) return one.error();
    const auto run = carom::run(*one, {.recording = page ? std::string() : file, .columns = page});
    if (!run) return run.error();
    if (!page) return run->not_written;
    // the orbit with its multipliers, and its motion to be opened
    const auto text = to_orbit_page(scene.title, json_of(scene, options, orbit),
                                    {.data = {run_of_point(0, run->record)}, .note = {}});
    return text ? write_whole_file(file, *text) : Errors{text.error()};
}

Errors write_branches(const Scene& scene, const std::vector<FollowedBranch>& branches,
                      const std::string& file, const std::atomic<bool>* stop)
{
    const ResultTable table = table_of(scene, branches);
    if (file.ends_with(".csv")) {
        std::string text = csv_header(table);
        for (std::size_t i = 0; i < table.rows(); ++i) {
            text += csv_line(table.row(i));
        }
        return write_whole_file(file, text);
    }
    if (file.ends_with(".h5") || file.ends_with(".hdf5")) {
        auto written = write_table_hdf5(file, table);
        return written ? Errors{} : Errors{written.error()};
    }
    if (file.ends_with(".json")) return write_whole_file(file, json_of(scene, branches));
    if (file.ends_with(".html")) {
        const auto page = page_of(scene, branches, stop);
        return page ? write_whole_file(file, *page) : Errors{page.error()};
    }
    const bool svg = file.ends_with(".svg");
    if (!svg && !file.ends_with(".pdf")) return wrong_ending(file, ".csv, .h5, .json, .svg, .pdf, .html");
    return write_whole_file(
        file, draw_diagram(diagram_of(scene, branches), svg ? FigureFormat::Svg : FigureFormat::Pdf));
}

}  // namespace carom
