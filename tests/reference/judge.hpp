#pragma once

#include "answers.hpp"
#include "reference_case.hpp"

#include <optional>
#include <string>

namespace carom::reference {

/// A computed value beside its reference: one line of the runner's output.
struct Verdict {
    std::string id;
    std::string name;
    Json value;  ///< null where there is none
    Json reference;
    std::optional<double> error;  ///< absolute, worst entry of a list; none where the two cannot be compared
    std::optional<double> tolerance;
    bool pass = false;
    std::string reason = {};  ///< why it fails, beside the numbers
    std::string by = {};      ///< "bodies" or "series" where the runner took that driver by itself
};

/// Compares: a number by its distance, a list entry by entry, a truth value or label by equality (error 0 or
/// 1), an inequality ("<= 1e-9") or an interval by how far the value is outside. NaN passes nothing.
[[nodiscard]] Verdict judge(const std::string& id, const ReferenceValue& reference, const Answer& answer);

/// A verdict without a value.
[[nodiscard]] Verdict failure(const std::string& id, const std::string& name, const Json& reference,
                              std::string reason);

/// One JSON object without line breaks.
[[nodiscard]] std::string to_json_line(const Verdict& verdict);

/// One line for people.
[[nodiscard]] std::string to_text_line(const Verdict& verdict);

}  // namespace carom::reference
