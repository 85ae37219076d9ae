#pragma once

#include "carom/trace/recording.hpp"

#include <string>

namespace carom {

/// What a scene draws, moving, as one self-contained glTF 2.0 asset for Blender, browsers and other 3D
/// programs. Points and balls are spheres, circles of the plane are discs, segments and polylines are rods,
/// each with its own node that the animation moves; a trace is the complete path as a line, since lines
/// cannot grow in glTF. Keys of the animation are the frames and the impacts, time counts from the start of
/// the run in seconds, lengths are in m. glTF has y up: spatial scenes are turned by their root node.
/// Non-finite positions are shown at the origin.
enum class GltfForm {
    Text,    ///< .gltf: JSON, the numbers in it as base64
    Binary,  ///< .glb
};

[[nodiscard]] std::string to_gltf(const Recording& recording, GltfForm form = GltfForm::Text);

}  // namespace carom
