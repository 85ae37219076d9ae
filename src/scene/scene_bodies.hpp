#pragma once

#include "carom/scene/scene.hpp"
#include "run/force_probe.hpp"

#include <string>
#include <vector>

namespace carom {

/// What a scene of bodies has beside its model, in which they are.
struct SceneBodies {
    std::vector<ContactForceProbe> probes = {};  ///< of contact forces, for recordings
    std::vector<std::string> colours = {};       ///< one per body, of core/palette.hpp, for pictures
};

}  // namespace carom
