#pragma once

#include "carom/door/inspect.hpp"

#include <string>

namespace carom::app {

/// What `carom inspect` says, for people and for programs.
[[nodiscard]] std::string in_words(const Scene& scene, const SceneInspection& inspection);
[[nodiscard]] std::string in_words(const Scene& scene, const BodyInspection& inspection);
[[nodiscard]] std::string in_words(const Scene& scene, const SweepInspection& inspection);
[[nodiscard]] std::string in_words(const Recording& recording, const RunInspection& inspection);
[[nodiscard]] std::string to_json(const Scene& scene, const SceneInspection& inspection);
[[nodiscard]] std::string to_json(const Scene& scene, const BodyInspection& inspection);
[[nodiscard]] std::string to_json(const Scene& scene, const SweepInspection& inspection);
[[nodiscard]] std::string to_json(const Recording& recording, const RunInspection& inspection);

/// The promise as people read it: "one solution, for all time".
[[nodiscard]] std::string promise_in_words(const WellPosedness& theory);

}  // namespace carom::app
