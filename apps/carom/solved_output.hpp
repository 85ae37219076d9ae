#pragma once

#include "carom/report/json.hpp"

#include <string>
#include <vector>

namespace carom::app {

/// A table for people, with what was found below it.
[[nodiscard]] std::string summary(const std::vector<SolvedFile>& problems);

/// Solvers beside each other.
[[nodiscard]] std::string in_words(const Comparison& comparison, const Profile& profile);
}  // namespace carom::app
