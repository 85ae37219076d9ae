#pragma once

#include "carom/analytic/series.hpp"
#include "carom/diagnosis/well_posedness.hpp"
#include "carom/scene/scene.hpp"
#include "carom/trace/recording.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carom {

/// What theory says about a scene before it is run, and about a run afterwards: `carom inspect`.

/// Of a scene of coordinates.
struct SceneInspection {
    WellPosedness theory;
    std::vector<StatusDecision> statuses;  ///< at the start, of scenes that the series integrator runs
};

/// Of a scene of bodies: its contents, and the contacts at the start.
struct BodyInspection {
    std::map<std::string, long> motions = {}, shapes = {};  ///< how many bodies of each
    int degrees_of_freedom = 0;
    double mass_kg = 0, lightest_kg = 0, heaviest_kg = 0;  ///< of bodies that forces move
    long closed = 0, pairs = 0, unknowns = 0;              ///< contact points, their bodies and components
    double deepest_m = 0;                                  ///< overlap
    int deepest_first = 0, deepest_second = 0;             ///< bodies
    double kinetic_J = 0, potential_J = 0;
    int held = 0;           ///< positions that joints hold
    int rank = 0;           ///< how many of them are independent at the start
    bool overlaps = false;  ///< deep enough that the first steps push bodies apart
};

/// Of a sweeping process.
struct SweepInspection {
    bool one_solution = false;  ///< the set does not depend on the point (SW-2); else (SW-9)
};

using Inspection = std::variant<SceneInspection, BodyInspection, SweepInspection>;

/// The inspection of the kind of the scene.
[[nodiscard]] Inspection inspect(const Scene& scene);

/// No objection to the scene: one solution is guaranteed; no bodies overlap at the start.
[[nodiscard]] bool is_good(const Inspection& inspection);

/// Of a recording. A run that was killed is judged up to its last checkpoint.
struct RunInspection {
    std::string_view status;  ///< certified, uncertified, failed, interrupted or unfinished
    Certificate certificate;
    std::vector<Finding> findings;
    long worst_step = 0;  ///< number of the step with the largest residual, from 1; 0: no step was taken
    double reached_s = 0;
    std::optional<double> tolerance;      ///< requested, where the recorded scene can be read
    std::optional<WellPosedness> theory;  ///< of that scene, where it has coordinates
    bool is_sweep = false;                ///< of a sweeping process, which has neither contacts nor energies
};
[[nodiscard]] RunInspection inspect(const Recording& recording);

}  // namespace carom
