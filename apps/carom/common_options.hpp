#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace carom::app {

/// Options that several commands have, each described once: help, manual page and completions say the same.

/// How the program ends, for the end of a help text.
inline constexpr const char* exit_statuses =
    "Exit status: 0 certified, 1 uncertified, 2 bad input, 3 failed, 130 interrupted.\n"
    "Results go to standard output, messages and progress to standard error.";

/// RUN: a recording to read.
void add_recording(CLI::App& command, std::string& recording);

/// SCENE: a scene file; optional where something else can stand for it.
CLI::Option* add_scene(CLI::App& command, std::string& scene);

/// -o with the help and kind of file; an empty name, of a variable that a shell does not know, is a mistake.
void add_output(CLI::App& command, std::string& output, const std::string& help, const char* type = "FILE");

/// -o of commands that make one file from a recording; `what` is that file: "page".
void add_made_output(CLI::App& command, std::string& output, const std::string& what);

/// An option that may be given as often as needed, with one value each.
void add_repeated(CLI::App& command, const char* name, std::vector<std::string>& values,
                  const std::string& help, const char* type);

/// --set: `help` says what it may replace.
void add_set(CLI::App& command, std::vector<std::string>& sets,
             const std::string& help = "replace a value of the scene; can be repeated");

/// --at: `help` says what is done with the times.
void add_times(CLI::App& command, std::vector<std::string>& times, const std::string& help);

/// --threads of one run; nothing given: the cores that the process may use.
void add_threads(CLI::App& command, std::optional<long>& threads);

/// --json
void add_json(CLI::App& command, bool& json, const std::string& instead_of = "the summary");

/// --quiet
void add_quiet(CLI::App& command, bool& quiet);

/// --no-svg
void add_no_svg(CLI::App& command, bool& svg);

}  // namespace carom::app
