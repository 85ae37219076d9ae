#pragma once

#include "axis_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carom::detail {

/// Drawing of lines over time in panels that share the time axis; knows nothing of mechanics.

struct PlotPoint {
    double x = 0, y = 0;
};

struct PlotLine {
    std::string name;
    std::vector<PlotPoint> points;  ///< x does not decrease; equal x make a vertical line
};

struct PlotPanel {
    std::string title;
    std::string quantity, unit;   ///< of the vertical axis
    std::vector<PlotLine> lines;  ///< at most as many as colours
    std::size_t left_out = 0;     ///< lines that are not shown
    bool include_zero = false;    ///< the vertical axis reaches zero
};

struct PlotSize {
    double width_px = 960;
    double panel_height_px = 180;
    double above_px = 0;  ///< room between the title and the panels
};

/// At most four points for each of `columns` equal parts of the range: the first, the least, the greatest and
/// the last, in their order. Points that are not finite break the line and are kept, one for each break.
[[nodiscard]] std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, Range range,
                                             std::size_t columns);

/// Text for XML: `& < > " '` escaped, control characters and what XML forbids replaced.
[[nodiscard]] std::string escaped(std::string_view text);

/// Top of the room above the panels, and its left edge.
inline constexpr double room_top_px = 46, room_left_px = 40;

/// `above`: SVG that fills that room.
[[nodiscard]] std::string draw(const std::string& title, const std::vector<PlotPanel>& panels,
                               const PlotSize& size, const std::string& above = {});

}  // namespace carom::detail
