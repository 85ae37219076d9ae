#pragma once

#include "report/text.hpp"

namespace carom {

/// What several pages of text have.

/// A line: a heading and what is said of it.
[[nodiscard]] std::string row(std::string_view heading, std::string_view text);

/// "contact_made" without its underscores.
[[nodiscard]] std::string spaced(std::string_view name);

/// Why a run whose steps are all solved is not certified: the first finding that stands against it.
[[nodiscard]] std::string reason_against(const std::vector<Finding>& findings);

/// The lines of the ledger, those that nothing wrote to only if asked for.
[[nodiscard]] std::string ledger_rows(const Certificate& certificate, bool all);

/// What theory said about the run.
[[nodiscard]] std::string finding_rows(const std::vector<Finding>& findings);

/// The promise as people read it: "one solution, for all time".
[[nodiscard]] std::string promise_in_words(const WellPosedness& theory);

}  // namespace carom
