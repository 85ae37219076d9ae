#pragma once

#include "carom/core/expected.hpp"

#include <filesystem>
#include <string>

namespace carom {

/// How a robot becomes a scene.
struct UrdfSettings {
    bool floating = false;  ///< the root link moves; else it is fixed
    bool hold = false;      ///< motors hold all joints, limited by their effort
};

/// The scene of a robot in URDF, as text that is valid and can be run: links joined by fixed joints are one
/// body; revolute, continuous, prismatic and planar joints with limits, friction and damping; mimic joints as
/// gears. Masses, centres and inertias as given. Collision shapes are shapes, several of one link a compound,
/// meshes their convex hulls; a link without one touches nothing. The joints start at zero, or as close to
/// zero as their limits allow.
///
/// Errors: FileUnreadable; FileMalformed for a file that is not URDF, for XML with a document type or
/// entities, for numbers that are not finite; NotAllowedHere for what scenes cannot express.
[[nodiscard]] Expected<std::string, Errors> import_urdf(const std::filesystem::path& file,
                                                        const UrdfSettings& settings = {});

}  // namespace carom
