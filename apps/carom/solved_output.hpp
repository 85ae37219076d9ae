#pragma once

#include "carom/door/comparison.hpp"

#include <string>
#include <vector>

namespace carom::app {

/// A problem file and what its solve gave.
struct SolvedFile {
    const ProblemFile& file;
    SolvedProblem solved;
};

/// A table for people, with what was found below it.
[[nodiscard]] std::string summary(const std::vector<SolvedFile>& problems);

/// One JSON object: that of the problem when there is one, else {status, problems}.
[[nodiscard]] std::string to_json(const std::vector<SolvedFile>& problems);

/// Solvers beside each other.
[[nodiscard]] std::string in_words(const Comparison& comparison, const Profile& profile);
[[nodiscard]] std::string to_json(const Comparison& comparison, const Profile& profile);
[[nodiscard]] std::string to_csv(const Comparison& comparison);
[[nodiscard]] std::string to_svg(const Profile& profile);

}  // namespace carom::app
