#pragma once

#include "sheet.hpp"
#include "trace/axis_text.hpp"

#include <string>

namespace carom::detail {

/// The frame of a panel with its scales.
class Axes {
public:
    Axes(SheetBox box, Range x, Range y) : box_(box), x_(x), y_(y) {}

    [[nodiscard]] SheetPoint at(double x, double y) const
    {
        return {box_.left + (x - x_.low) / (x_.high - x_.low) * box_.width,
                box_.bottom() - (y - y_.low) / (y_.high - y_.low) * box_.height};
    }
    [[nodiscard]] const SheetBox& box() const noexcept { return box_; }
    [[nodiscard]] const Range& x() const noexcept { return x_; }
    [[nodiscard]] const Range& y() const noexcept { return y_; }

    /// Points of the sheet for a unit of y.
    [[nodiscard]] double scale() const { return box_.height / (y_.high - y_.low); }

    /// Grid, frame, ticks with their numbers, labels.
    void draw(const std::string& x_label, const std::string& x_unit, const std::string& y_label,
              const std::string& y_unit, Sheet& sheet) const;

private:
    void draw_ticks(bool across, int exponent, Sheet& sheet) const;

    SheetBox box_;
    Range x_, y_;
};

/// A range with a margin that holds all of `range`; one that is too narrow for its numbers becomes wider.
[[nodiscard]] Range with_margin(Range range);

/// Both ranges so large that a unit of x is as long as one of y in a frame of this size.
void make_scales_equal(const SheetBox& box, Range& x, Range& y);

}  // namespace carom::detail
