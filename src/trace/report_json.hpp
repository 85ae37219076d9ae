#pragma once

#include "carom/run/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carom::detail {

/// How a run ended, as JSON text: status, end, certificate, findings; the events have their own datasets.
/// Numbers that JSON cannot write (infinite, NaN) are null.
[[nodiscard]] std::string to_json(const RunReport& report);

/// The report without events; empty when the text is something else. null becomes NaN.
[[nodiscard]] std::optional<RunReport> report_from_json(const std::string& text);

/// Findings as a JSON list.
[[nodiscard]] std::string to_json(const std::vector<Finding>& findings);
[[nodiscard]] std::optional<std::vector<Finding>> findings_from_json(const std::string& text);

/// The kinds of events in the order of their numbers, as a JSON list.
[[nodiscard]] std::string event_kind_names();

/// What a probe is called and where its values are.
struct ProbeName {
    std::string name, unit, dataset;
};

[[nodiscard]] std::string to_json(const std::vector<ProbeName>& probes);
[[nodiscard]] std::optional<std::vector<ProbeName>> probes_from_json(const std::string& text);

}  // namespace carom::detail
