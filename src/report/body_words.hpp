#pragma once

#include "carom/scene/scene.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carom {

class BodyModel;
struct BodySetup;

/// What a scene of bodies consists of, one line each.

/// The laws of materials that meet in this scene, "wood on floor: friction 0.5, restitution 0".
[[nodiscard]] std::vector<std::string> laws_of(const BodyModel& model);

/// "left_guide: prismatic, left and hand, from -0.02 m, to 0.04 m".
[[nodiscard]] std::vector<std::string> joints_of(const BodySetup& setup);

/// Coordinates that stand beside the bodies, and where they start.
[[nodiscard]] std::vector<std::string> coordinates_beside(const Scene& scene);

/// Contacts and constraints of formulas.
[[nodiscard]] std::vector<std::string> formulas_beside(const Scene& scene);

inline constexpr std::string_view theory_in_words =
    "with friction or redundant contacts several solutions are possible; each step is checked by the "
    "residual of the laws and the energy ledger";

}  // namespace carom
