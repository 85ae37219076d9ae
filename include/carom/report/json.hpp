#pragma once

#include "carom/door/inspect.hpp"
#include "carom/door/problem.hpp"
#include "carom/door/run.hpp"
#include "carom/figure/diagram.hpp"
#include "carom/orbit/branch.hpp"
#include "carom/orbit/equilibrium.hpp"
#include "carom/orbit/lyapunov.hpp"
#include "carom/orbit/periodic.hpp"
#include "carom/orbit/sensitivity.hpp"
#include "carom/study/run_study.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// Results as documents for programs: the JSON that the commands of `carom` print with --json, one object
/// each (docs/reference/command_line.md). Numbers read back to the same bits; infinities and NaN are null.

/// Why a run ended, as its document says it: name_of(RunEnd), or "interrupted".
[[nodiscard]] std::string_view end_of(const Run& run);
[[nodiscard]] std::string to_json(const Scene& scene, const Run& run);

/// Input that could not be run, and what carom itself could not finish.
[[nodiscard]] std::string to_json(const Errors& errors);
[[nodiscard]] std::string failure_json(std::string_view message);

/// What inspect() found.
[[nodiscard]] std::string to_json(const Scene& scene, const SceneInspection& inspection);
[[nodiscard]] std::string to_json(const Scene& scene, const BodyInspection& inspection);
[[nodiscard]] std::string to_json(const Scene& scene, const SweepInspection& inspection);
[[nodiscard]] std::string to_json(const Scene& scene, const Inspection& inspection);
[[nodiscard]] std::string to_json(const Recording& recording, const RunInspection& inspection);

/// How often each kind of event was recorded.
[[nodiscard]] std::map<std::string_view, long> events_by_kind(const Recording& recording);

/// What theory says of a sweeping process (SW-2), (SW-9).
[[nodiscard]] std::string_view reason_of(const SweepInspection& inspection);

/// A problem file and what its solve gave.
struct SolvedFile {
    const ProblemFile& file;
    SolvedProblem solved;
};

/// One problem: its object; else {status, problems}.
[[nodiscard]] std::string to_json(const std::vector<SolvedFile>& problems);

/// Comparison of solvers: an object, a table, and the profile as a picture.
[[nodiscard]] std::string to_json(const Comparison& comparison, const Profile& profile);
[[nodiscard]] std::string to_csv(const Comparison& comparison);
[[nodiscard]] std::string to_svg(const Profile& profile);

/// Results of a study.
struct StudyResults {
    const Study& study;
    const StudyResult& result;
    Shard shard;
    std::string output;  ///< file of the table; empty: none
    std::map<std::string, double> exact;
};

[[nodiscard]] std::string study_json(const StudyResults& results);

/// Tables of parts of a study that were merged, and what is missing.
[[nodiscard]] std::string to_json(const MergeReport& merged);

/// Basins of attraction of a study, and the names of the numbers that their points hold.
[[nodiscard]] std::string json_of(const Study& study, const Basins& basins);
[[nodiscard]] std::vector<std::string> state_names(const Study& study);

/// A cell per start, a colour per attractor; grey: no period, white: failed. Errors: NotAllowedHere where the
/// study has not two axes of numbers at equal distances.
[[nodiscard]] Expected<Diagram> diagram_of(const Study& study, const Basins& basins);

/// A branch and what it was followed with.
struct FollowedBranch {
    std::string name;
    BranchOptions options;
    Branch branch;
    std::vector<Curve> curves = {};  ///< of its special points, over a second parameter
    std::string curves_over = {};
};

/// Derivatives, orbits, branches (the first one, and those that were switched to), equilibria, exponents.
[[nodiscard]] std::string json_of(const Scene& scene, const Sensitivities& result);
[[nodiscard]] std::string json_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit);
[[nodiscard]] std::string json_of(const Scene& scene, const std::vector<FollowedBranch>& branches);
[[nodiscard]] std::string json_of(const Scene& scene, const EquilibriumOptions& options,
                                  const Equilibria& found);
[[nodiscard]] std::string json_of(const Scene& scene, const Lyapunov& result);

}  // namespace carom
