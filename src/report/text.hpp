#pragma once

#include "carom/report/json.hpp"
#include "report/orbit_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// Results as pages of text for people, beside what to_json() gives to programs.

enum class Tone { Bad, Good, Doubtful, Title };

/// Makes words stand out where a page is shown; plain() leaves them as they are.
using Paint = std::string (*)(std::string_view text, Tone tone);
[[nodiscard]] std::string plain(std::string_view text, Tone tone);

/// What a run left behind.
struct Results {
    const Scene& scene;
    const Run& run;
    std::string picture;  ///< where it is; empty: there is none
    Paint paint = plain;
};
[[nodiscard]] std::string to_text(const Results& results);

/// What a scene means, and what a recording proved.
[[nodiscard]] std::string to_text(const Scene& scene, const SceneInspection& inspection, Paint paint = plain);
[[nodiscard]] std::string to_text(const Scene& scene, const BodyInspection& inspection, Paint paint = plain);
[[nodiscard]] std::string to_text(const Scene& scene, const SweepInspection& inspection, Paint paint = plain);
[[nodiscard]] std::string to_text(const Recording& recording, const RunInspection& inspection,
                                  Paint paint = plain);

/// A table of problems, with what was found below it; solvers beside each other.
[[nodiscard]] std::string to_text(const std::vector<SolvedFile>& problems, Paint paint = plain);
[[nodiscard]] std::string to_text(const Comparison& comparison, const Profile& profile);

/// Counts, then orders, distributions or the rows themselves, as far as they fit a page; basins.
[[nodiscard]] std::string to_text(const StudyResults& results);
[[nodiscard]] std::string to_text(const Study& study, const Basins& basins);

/// Tables of parts of a study that were merged into a file, and what is missing.
[[nodiscard]] std::string to_text(const MergeReport& merged, const std::string& file);

/// Derivatives and orbits; of branches the first one, and those that were switched to.
[[nodiscard]] std::string to_text(const Scene& scene, const Sensitivities& result);
[[nodiscard]] std::string to_text(const Scene& scene, const OrbitOptions& options, const Orbit& orbit);
[[nodiscard]] std::string to_text(const Scene& scene, const std::vector<FollowedBranch>& branches);
[[nodiscard]] std::string to_text(const Scene& scene, const EquilibriumOptions& options,
                                  const Equilibria& found);
[[nodiscard]] std::string to_text(const Scene& scene, const Lyapunov& result);

/// "3 s", "2 min 05 s", "1 h 12 min".
[[nodiscard]] std::string in_words(double seconds);

/// "1 impact", "2 impacts"; with a plural of its own "1 onset of slip", "2 onsets of slip".
[[nodiscard]] std::string counted(long count, std::string_view one, std::string_view many = "");

}  // namespace carom
