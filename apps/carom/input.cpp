#include "input.hpp"

#include "carom/report/json.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

namespace carom::app {

ExitStatus refuse(const Errors& errors, bool json)
{
    print_errors(errors);
    if (json) static_cast<void>(print_result(to_json(errors)));
    return ExitStatus::BadInput;
}

std::vector<Override> read_sets(const std::vector<std::string>& sets, Errors& errors)
{
    std::vector<Override> overrides;
    read_all(sets, parse_override, overrides, errors);
    return overrides;
}

std::vector<double> read_times(const std::vector<std::string>& texts, Errors& errors)
{
    const auto read_time = [](const std::string& text) -> Expected<double> {
        if (const auto number = number_of(text)) return *number;
        return mistake(ErrorCode::WrongType, "--at", fmt::format("{} is not a number", carom::quoted(text)),
                       "give times in seconds, separated by commas: --at 0.5,1.0");
    };
    std::vector<double> times;
    read_all(texts, read_time, times, errors);
    return times;
}

std::vector<ProblemFile> read_problems(const std::vector<std::string>& paths, Errors& errors)
{
    std::vector<ProblemFile> files;
    read_all(paths, read_problem, files, errors);
    return files;
}

std::optional<Scene> read_scene_with(const std::string& file, const std::vector<Override>& overrides,
                                     Errors& errors)
{
    auto scene = read_scene(file, overrides);
    if (!scene) errors.insert(errors.end(), scene.error().begin(), scene.error().end());
    if (!errors.empty()) return std::nullopt;
    return std::move(*scene);
}

}  // namespace carom::app
