#pragma once

#include "carom/core/expected.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// What a study consists of: many runs of one scene. Runs are counted from 0: repetitions change fastest,
/// then the levels of the step, then the values of the last axis, and so on to the first.

/// Largest number of rows of a study; checked before memory is allocated.
inline constexpr long max_study_rows = 10'000'000;

/// Values for one key of the scene.
struct Axis {
    std::string path;                 ///< as of --set: parameters.e
    std::vector<std::string> values;  ///< TOML values, or words; at least one
    bool numbers = true;              ///< all of them are numbers
};

/// "PATH=a:b:step", from a to b, both included where the step fits, rounded to 15 digits; or "PATH=v1,v2,..."
/// Errors: SceneSyntax; WrongType; SettingOutOfRange for a range that is empty, endless or has more than
/// max_study_rows values.
[[nodiscard]] Expected<Axis> parse_axis(std::string_view text);

/// Start data perturbed by a random amount, uniform in [-width, width], drawn once per run.
struct Perturbation {
    std::string name;  ///< a coordinate, or its velocity: theta'
    double width = 0;  ///< >= 0, in the unit of the perturbed quantity
};

/// "NAME=width". Errors: SceneSyntax, WrongType, SettingOutOfRange.
[[nodiscard]] Expected<Perturbation> parse_perturbation(std::string_view text);

/// Samples at start + k period_s for k = skip, skip + 1, ... up to the end of the run.
struct Strobe {
    std::string period;  ///< seconds, or the name of a probe whose value at the start is the period
    long skip = 0;       ///< >= 0
};

struct StudyPlan {
    std::vector<Axis> axes;  ///< all combinations are run
    long repeat = 1;         ///< runs of each combination; >= 1
    std::uint64_t seed = 0;  ///< of all that is random

    /// Each run has a uniform step of its own, h - width RND with RND in [0, 1) [Moreau 1988, 15.3]; 0 stands
    /// for a fifth of h.
    std::optional<double> perturb_step_s;
    std::vector<Perturbation> perturbations;

    int levels = 0;            ///< steps h, h/2, h/4, ...: how many; 0: only h
    std::vector<double> at_s;  ///< instants to record
    int impacts = 0;           ///< how many impact instants to keep
    std::optional<Strobe> strobe;
};

/// One of n parts of a study: the runs with index % parts == part.
struct Shard {
    long part = 0;
    long parts = 1;
};

/// "i/n" with i from 1 to n. Errors: SceneSyntax, SettingOutOfRange.
[[nodiscard]] Expected<Shard> parse_shard(std::string_view text);

/// The finite number that the whole text represents.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

}  // namespace carom
