#pragma once

#include "carom/figure/figure.hpp"

#include <array>
#include <string>
#include <vector>

namespace carom {

/// Diagrams from numbers, drawn like the figures of scenes: branches, multipliers, basins, portraits.

struct DiagramCurve {
    std::string label;                          ///< in the key; empty: not there
    std::string colour;                         ///< "#RRGGBB"
    std::vector<std::array<double, 2>> points;  ///< one that is not finite breaks the line
    bool dashed = false, as_points = false;
};

/// A marked point.
struct DiagramMark {
    std::array<double, 2> at{};
    std::string label;  ///< beside it
    std::string colour;
};

/// A grid of coloured cells, row by row from the lowest x and y; an empty colour is left out.
struct DiagramCells {
    int columns = 0, rows = 0;
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
    std::vector<std::string> colours;
};

struct DiagramPanel {
    std::string title, x_label, x_unit, y_label, y_unit;
    std::vector<DiagramCurve> curves;
    std::vector<DiagramMark> marks;
    DiagramCells cells = {};
};

/// Panels below each other, each of this height.
struct Diagram {
    std::string title;
    double width_mm = 140, panel_height_mm = 80;
    std::vector<DiagramPanel> panels;
};

/// The content of the file: the same bytes for the same numbers.
[[nodiscard]] std::string draw_diagram(const Diagram& diagram, FigureFormat format);

/// Colours of successive curves, easy to distinguish.
[[nodiscard]] std::string diagram_colour(std::size_t index);

}  // namespace carom
