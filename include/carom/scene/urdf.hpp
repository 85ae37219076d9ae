#pragma once

#include "carom/core/expected.hpp"

#include <filesystem>
#include <string>

namespace carom {

/// How a robot becomes a scene.
struct UrdfSettings {
    bool floating = false;  ///< the root link moves; else it is fixed
    bool hold = false;      ///< motors hold all joints still, as strong as their effort
};

/// The scene of a robot in URDF, as text that was read and can be run: links that fixed joints join are one
/// body; revolute, continuous, prismatic and planar joints with limits, friction and damping; mimic joints as
/// gears. Masses, centres and inertias as given. Collision shapes are shapes, several of one link a compound,
/// meshes their convex hulls; a link without any touches nothing. The robot stands with its joints at zero,
/// or as near to it as their limits let it.
///
/// Errors: FileUnreadable; FileMalformed for what is no URDF, for XML with a document type or entities, for
/// numbers that are not finite; NotAllowedHere for what scenes cannot say.
[[nodiscard]] Expected<std::string, Errors> import_urdf(const std::filesystem::path& file,
                                                        const UrdfSettings& settings = {});

}  // namespace carom
