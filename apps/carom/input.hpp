#pragma once

#include "carom/door/problem.hpp"
#include "carom/scene/scene.hpp"
#include "core/mistake.hpp"
#include "terminal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom::app {

/// What commands share that read scenes and options, and refuse them.

/// Bad input: says so, with `json` as an object on standard output too. It is bad input whether or not
/// anybody reads it.
[[nodiscard]] ExitStatus refuse(const Errors& errors, bool json = false);

/// Reads each text, and keeps all mistakes.
template <class Read, class Value>
void read_all(const std::vector<std::string>& texts, Read read, std::vector<Value>& values, Errors& errors)
{
    for (const std::string& text : texts) {
        auto value = read(text);
        if (value)
            values.push_back(std::move(*value));
        else
            errors.push_back(value.error());
    }
}

/// The values of --set; what is no PATH=VALUE goes to `errors`.
[[nodiscard]] std::vector<Override> read_sets(const std::vector<std::string>& sets, Errors& errors);

/// The numbers of --at; what is none goes to `errors`.
[[nodiscard]] std::vector<double> read_times(const std::vector<std::string>& texts, Errors& errors);

/// One-step problems of files; what is wrong with them goes to `errors`.
[[nodiscard]] std::vector<ProblemFile> read_problems(const std::vector<std::string>& paths, Errors& errors);

/// A scene with these values. What is wrong with it goes to `errors`; nothing where there are any.
[[nodiscard]] std::optional<Scene> read_scene_with(const std::string& file,
                                                   const std::vector<Override>& overrides, Errors& errors);

}  // namespace carom::app
