#pragma once

#include "carom/scene/scene.hpp"
#include "run/body_run.hpp"

#include <string>
#include <vector>

namespace carom {

/// The bodies of a scene that has them; its model and start then show them as coordinates (body_run.hpp).
struct SceneBodies {
    BodyModel model;
    BodyState start;
    MoreauSettings integrator;
    std::vector<ContactForceProbe> probes = {};  ///< of contact forces, for recordings
    std::vector<std::string> colours = {};       ///< one per body, of core/palette.hpp, for pictures
};

}  // namespace carom
