#pragma once

#include "cli/support.hpp"

namespace carom::test {

/// A scene of tests/data/defects: each once had a result that was certified or promised wrongly.
inline std::string defect(const std::string& name)
{
    return std::string(CAROM_SOURCE_DIR) + "/tests/data/defects/" + name + ".toml";
}

/// A scene that we hand out.
inline std::string shipped_scene(const std::string& name)
{
    return std::string(CAROM_SOURCE_DIR) + "/scenes/" + name + ".toml";
}

/// What `carom run` says of a scene, with these further arguments.
inline nlohmann::json run_of(const std::string& scene, std::vector<std::string> arguments = {})
{
    arguments.insert(arguments.begin(), {"run", scene, "--json"});
    return carom_program(arguments).json();
}

/// The finding of that code in the JSON object of a run; null if it is not there.
inline nlohmann::json finding(const nlohmann::json& run, const std::string& code)
{
    for (const auto& item : run["diagnosis"]) {
        if (item["code"] == code) return item;
    }
    return nullptr;
}

}  // namespace carom::test
