#pragma once

#include "carom/report/json.hpp"

#include <string>

namespace carom::app {

/// For people: counts, then orders, distributions or the rows themselves, as far as they fit a page.
[[nodiscard]] std::string study_summary(const StudyResults& results);

}  // namespace carom::app
