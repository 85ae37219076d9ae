#pragma once

#include "carom/scene/scene.hpp"
#include "run/body_run.hpp"

#include <string>
#include <vector>

namespace carom {

/// What a scene of bodies has beside its model, in which they are.
struct SceneBodies {
    BodyState start;
    MoreauSettings integrator;
    std::vector<ContactForceProbe> probes = {};  ///< of contact forces, for recordings
    std::vector<std::string> colours = {};       ///< one per body, of core/palette.hpp, for pictures
};

}  // namespace carom
