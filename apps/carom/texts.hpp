#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace carom::app {

/// Texts made from the description of the commands, so that none of them can fall behind.

/// For `source` in bash, or as the function _carom of zsh. Shell: "bash" or "zsh".
[[nodiscard]] std::string completion_script(const CLI::App& app, const std::string& shell);

/// carom(1), for man.
[[nodiscard]] std::string manual_page(const CLI::App& app);

/// The words that an option accepts, e.g. csv, svg; empty where it takes anything.
[[nodiscard]] std::vector<std::string> choices_of(const CLI::Option& option);

/// How its value is called, e.g. FILE; empty for flags.
[[nodiscard]] std::string value_name(const CLI::Option& option);

}  // namespace carom::app
