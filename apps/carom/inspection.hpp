#pragma once

#include "carom/ledger/well_posedness.hpp"
#include "carom/scene/sweeping_scene.hpp"
#include "carom/trace/recording.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace carom::app {

/// What `carom inspect` says about a scene.
struct SceneInspection {
    const Scene& scene;
    WellPosedness theory;
    std::vector<StatusDecision> statuses;  ///< at the start, of scenes that the series integrator runs
};
[[nodiscard]] SceneInspection inspect(const Scene& scene);
[[nodiscard]] std::string in_words(const SceneInspection& inspection);
[[nodiscard]] std::string to_json(const SceneInspection& inspection);

/// The promise as people read it: "one solution, for all time".
[[nodiscard]] std::string promise_in_words(const WellPosedness& theory);

/// What `carom inspect` says about a scene of the sweeping process.
struct SweepInspection {
    const AnyScene& scene;
};
[[nodiscard]] bool is_promised(const SweepInspection& inspection);  ///< exactly one solution
[[nodiscard]] std::string in_words(const SweepInspection& inspection);
[[nodiscard]] std::string to_json(const SweepInspection& inspection);

/// What `carom inspect` says about a scene of bodies: what there is, and what touches at the start.
struct BodyInspection {
    const Scene& scene;
    std::map<std::string, long> motions = {}, shapes = {};  ///< how many bodies of each
    int degrees_of_freedom = 0;
    double mass_kg = 0, lightest_kg = 0, heaviest_kg = 0;  ///< of bodies that forces move
    long closed = 0, pairs = 0, unknowns = 0;              ///< contact points, their bodies and components
    double deepest_m = 0;                                  ///< overlap
    int deepest_first = 0, deepest_second = 0;             ///< bodies
    double kinetic_J = 0, potential_J = 0;
    int held = 0;  ///< positions that joints hold
    int rank = 0;  ///< of those, independent of each other at the start
};
[[nodiscard]] BodyInspection inspect_bodies(const Scene& scene);
[[nodiscard]] bool is_good(const BodyInspection& inspection);  ///< nothing overlaps at the start
[[nodiscard]] std::string in_words(const BodyInspection& inspection);
[[nodiscard]] std::string to_json(const BodyInspection& inspection);

/// What `carom inspect` says about a recording. A run that was killed is judged up to its last checkpoint.
struct RunInspection {
    const Recording& recording;
    std::string_view status;  ///< certified, uncertified, failed, interrupted or unfinished
    Certificate certificate;
    std::vector<Finding> findings;
    long worst_step = 0;  ///< number of the step with the largest residual, from 1; 0: no step was taken
    double reached_s = 0;
    std::optional<double> tolerance;      ///< asked for, where the recorded scene can be read
    std::optional<WellPosedness> theory;  ///< of that scene
    bool is_sweep = false;                ///< of a sweeping process, which has neither contacts nor energies
};
[[nodiscard]] RunInspection inspect(const Recording& recording);
[[nodiscard]] std::string in_words(const RunInspection& inspection);
[[nodiscard]] std::string to_json(const RunInspection& inspection);

}  // namespace carom::app
