#pragma once

#include "carom/core/expected.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace carom::app {

/// The words of a command line, the name of the program first.
using Words = std::span<char* const>;

/// `--json` stands there: then there is an object on standard output whatever happens.
[[nodiscard]] bool wants_json(Words words);

/// A command or option that does not exist, with the one that was probably meant; nothing where all exist.
[[nodiscard]] std::optional<Error> unknown_word(const CLI::App& app, Words words);

}  // namespace carom::app
