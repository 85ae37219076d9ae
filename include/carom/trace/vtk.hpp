#pragma once

#include "carom/trace/recording.hpp"

#include <string>

namespace carom {

/// What a scene draws, for ParaView and other readers of VTK's XML files: one file of poly data per frame,
/// and a collection that gives each its time. Points and circles are vertices, with the array `radius_m` to
/// scale glyphs by; segments and polylines are lines; of a trace the point of the frame is kept. Cells have
/// the arrays `drawing`, which counts the [[draw]] entries, and `contact`, -1 where there is none. Bodies are
/// polygons with `body`, `velocity_m_s` of their centre and `contact_force_N`, the sum of their contacts;
/// contact points of bodies are vertices with `force_N` on the first body. Numbers have single precision and
/// are compressed.

/// Poly data (.vtp) of one frame.
[[nodiscard]] std::string to_vtp(const Recording& recording, Eigen::Index frame);

/// The collection (.pvd) of all frames, which are in `folder` under the names of vtp_name.
[[nodiscard]] std::string to_pvd(const Recording& recording, const std::string& folder);

/// "frame_000042.vtp"
[[nodiscard]] std::string vtp_name(Eigen::Index frame);

}  // namespace carom
