#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carom::detail {

/// A sheet of paper with lines, areas and texts on it; knows nothing of mechanics. Lengths in points of 1/72
/// inch, x to the right and y down from the upper left corner.

using SheetPoint = std::array<double, 2>;

struct SheetBox {
    double left = 0, top = 0, width = 0, height = 0;

    [[nodiscard]] double right() const noexcept { return left + width; }
    [[nodiscard]] double bottom() const noexcept { return top + height; }
};

struct SheetPath {
    std::vector<std::vector<SheetPoint>> lines;  ///< each a polyline
    bool closed = false;
    std::string stroke;  ///< "#RRGGBB"; empty: no line
    std::string fill;    ///< the same; empty: no area
    double width = 1;
    bool dashed = false;
    double opacity = 1;            ///< of line and area
    std::optional<SheetBox> clip;  ///< what is outside is not drawn
};

struct SheetDisc {
    SheetPoint centre{};
    double radius = 1;
    std::string stroke, fill;
    double width = 1;
    double opacity = 1;
    std::optional<SheetBox> clip;
};

enum class Anchor { Start, Middle, End };

struct SheetText {
    SheetPoint at{};  ///< on the base line
    std::string text;
    double size = 9;
    Anchor anchor = Anchor::Start;
    bool upwards = false;  ///< turned by a quarter, to be read from the right
    std::string colour = "#222222";
};

using SheetItem = std::variant<SheetPath, SheetDisc, SheetText>;

struct Sheet {
    double width = 100, height = 100;
    std::string title;  ///< for readers of the file, not drawn
    std::vector<SheetItem> items;
};

/// One SVG with its font inside; the same text for the same sheet.
[[nodiscard]] std::string sheet_to_svg(const Sheet& sheet);

/// One page of PDF 1.7 with its font inside; texts can be searched and copied. The same bytes for the same
/// sheet.
[[nodiscard]] std::string sheet_to_pdf(const Sheet& sheet);

/// A picture of dots, drawn with grey edges at so many dots per inch, on white. The same bytes for the same
/// sheet.
[[nodiscard]] std::string sheet_to_png(const Sheet& sheet, double dots_per_inch);

/// Where a text begins on the base line, seen along it.
[[nodiscard]] double text_start(const SheetText& text);

}  // namespace carom::detail
