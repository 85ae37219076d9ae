#pragma once

#include "carom/report/json.hpp"

#include <string>

namespace carom::app {

/// What `carom inspect` says to people.
[[nodiscard]] std::string in_words(const Scene& scene, const SceneInspection& inspection);
[[nodiscard]] std::string in_words(const Scene& scene, const BodyInspection& inspection);
[[nodiscard]] std::string in_words(const Scene& scene, const SweepInspection& inspection);
[[nodiscard]] std::string in_words(const Recording& recording, const RunInspection& inspection);

/// The promise as people read it: "one solution, for all time".
[[nodiscard]] std::string promise_in_words(const WellPosedness& theory);

}  // namespace carom::app
