#pragma once

#include "carom/trace/recording.hpp"

#include <string>

namespace carom {

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

}  // namespace carom
