#pragma once

#include "carom/scene/scene.hpp"
#include "terminal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom::app {

/// What commands share that read scenes and options, and refuse them.

[[nodiscard]] Error mistake(ErrorCode code, std::string where, std::string message, std::string hint);

/// Bad input: says so, with `json` as an object on standard output too. It is bad input whether or not
/// anybody reads it.
[[nodiscard]] ExitStatus refuse(const Errors& errors, bool json = false);

/// The values of --set; what is no PATH=VALUE goes to `errors`.
[[nodiscard]] std::vector<Override> read_sets(const std::vector<std::string>& sets, Errors& errors);

/// A scene with these values. What is wrong with it goes to `errors`; nothing where there are any.
[[nodiscard]] std::optional<Scene> read_scene_with(const std::string& file,
                                                   const std::vector<Override>& overrides, Errors& errors);

}  // namespace carom::app
