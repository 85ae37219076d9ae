#pragma once

#include "carom/trace/recording.hpp"

#include <string>

namespace carom {

/// The frames of a recording as comma-separated values: one line of names, then one line per frame. Columns:
/// time_s, every coordinate, its velocity as name', gap_m.CONTACT, percussion_Ns.CONTACT, where there is
/// friction percussion_t1_Ns.CONTACT and percussion_t2_Ns.CONTACT, residual, the lines
/// of the ledger and the probes, as far as recorded. Numbers round-trip bit for bit; non-finite ones are left
/// empty. Names with commas, quotes or line breaks are quoted.
[[nodiscard]] std::string to_csv(const Recording& recording);

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

/// A picture of a recorded run over time, as SVG text: panels for coordinates, velocities, gaps, probes and
/// energies, one for each unit. Velocity jumps are vertical lines from u- to u+ at the instants of impacts.
/// The text has no scripts and no external references, and stays below 1 MB: where there are more points than
/// columns of pixels, the extremes of each column are kept. Values that are infinite or NaN leave gaps in the
/// lines.

struct SvgSettings {
    double width_px = 960;         ///< at least 400
    double panel_height_px = 180;  ///< of one panel; at least 60
    int max_lines = 8;             ///< in a panel, 1 to 8; the legend counts the others
};

[[nodiscard]] std::string to_svg(const Recording& recording, const SvgSettings& settings = {});

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
