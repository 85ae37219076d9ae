#include "input.hpp"

#include "carom/report/json.hpp"

namespace carom::app {

Error mistake(ErrorCode code, std::string where, std::string message, std::string hint)
{
    return {.code = code,
            .where = std::move(where),
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

ExitStatus refuse(const Errors& errors, bool json)
{
    print_errors(errors);
    if (json) static_cast<void>(print_result(to_json(errors)));
    return ExitStatus::BadInput;
}

std::vector<Override> read_sets(const std::vector<std::string>& sets, Errors& errors)
{
    std::vector<Override> overrides;
    for (const std::string& text : sets) {
        auto set = parse_override(text);
        if (set)
            overrides.push_back(std::move(*set));
        else
            errors.push_back(set.error());
    }
    return overrides;
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
