#pragma once

#include "carom/door/run.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carom::app {

/// What a run left behind, for those who print it.
struct Results {
    const Scene& scene;
    const Run& run;
    std::string picture;  ///< where it is; empty: there is none
};

/// Why the run ended, as `--json` says it: name_of(RunEnd), or "interrupted".
[[nodiscard]] std::string_view end_of(const Results& results);

/// Why a run whose steps are all solved is not certified: the first finding that stands against it.
[[nodiscard]] std::string reason_against(const std::vector<Finding>& findings);

/// A line of a page for people: a heading and what is said of it.
[[nodiscard]] std::string row(std::string_view heading, std::string_view text);

/// For people: a page of text.
[[nodiscard]] std::string summary(const Results& results);

/// For programs: one JSON object, docs/reference/command_line.md.
[[nodiscard]] std::string to_json(const Results& results);

/// The JSON object of input that could not be run.
[[nodiscard]] std::string to_json(const Errors& errors);

/// The JSON object of what carom itself could not finish.
[[nodiscard]] std::string failure_json(std::string_view message);

}  // namespace carom::app
