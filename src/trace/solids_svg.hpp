#pragma once

#include "carom/trace/recording.hpp"

#include <string>

namespace carom::detail {

/// Where a picture is on the page.
struct SvgFrame {
    double left_px = 0, top_px = 0, width_px = 100, height_px = 100;
};

/// Bodies at the start, half-way and at the end, side by side, as filled faces from the farthest to the
/// nearest; balls are circles. Empty where there are no bodies, or too many faces for a picture.
[[nodiscard]] std::string solids_svg(const Recording& recording, const SvgFrame& frame);

}  // namespace carom::detail
