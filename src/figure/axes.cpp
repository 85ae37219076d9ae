#include "axes.hpp"

#include "font.hpp"
#include "trace/palette.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr double tick_size = 7.5, label_size = 8.5;

SheetPath line(SheetPoint from, SheetPoint to, const char* colour, double width)
{
    return {.lines = {{from, to}}, .stroke = colour, .fill = {}, .width = width, .clip = {}};
}

/// Whether the numbers of ticks fit side by side below an axis of this length.
bool fit_side_by_side(const Ticks& ticks, Range range, int exponent, double length)
{
    double widest = 0;
    for (const double value : ticks.at) {
        widest = std::max(widest, Font::get().width(tick_label(value, ticks.step, exponent)));
    }
    return widest * tick_size + 4 <= ticks.step / (range.high - range.low) * length;
}

/// Ticks at some distance on the sheet, at least three of them where their numbers fit.
Ticks ticks_of(Range range, bool across, int exponent, double length)
{
    const int wanted = std::max(2, static_cast<int>(length / (across ? 48 : 28)));
    Ticks ticks = round_ticks(range, wanted);
    for (int more = wanted + 1; ticks.at.size() < 3 && more <= 3 * wanted; ++more) {
        const Ticks closer = round_ticks(range, more);
        if (across && !fit_side_by_side(closer, range, exponent, length)) break;
        ticks = closer;
    }
    return ticks;
}

}  // namespace

void Axes::draw_ticks(bool across, int exponent, Sheet& sheet) const
{
    const Range& range = across ? x_ : y_;
    const double length = across ? box_.width : box_.height;
    const Ticks ticks = ticks_of(range, across, exponent, length);
    for (const double value : ticks.at) {
        const SheetPoint p = across ? at(value, y_.low) : at(x_.low, value);
        const char* colour = value == 0 ? zero_colour : grid_colour;
        const std::string text = tick_label(value, ticks.step, exponent);
        if (across) {
            sheet.items.emplace_back(line({p[0], box_.top}, {p[0], box_.bottom()}, colour, 0.5));
            sheet.items.emplace_back(SheetText{
                .at = {p[0], box_.bottom() + 10}, .text = text, .size = tick_size, .anchor = Anchor::Middle});
        } else {
            sheet.items.emplace_back(line({box_.left, p[1]}, {box_.right(), p[1]}, colour, 0.5));
            sheet.items.emplace_back(SheetText{
                .at = {box_.left - 4, p[1] + 2.7}, .text = text, .size = tick_size, .anchor = Anchor::End});
        }
    }
}

void Axes::draw(const std::string& x_label, const std::string& x_unit, const std::string& y_label,
                const std::string& y_unit, Sheet& sheet) const
{
    const int x_exponent = common_exponent(x_), y_exponent = common_exponent(y_);
    draw_ticks(true, x_exponent, sheet);
    draw_ticks(false, y_exponent, sheet);
    const SheetPoint a{box_.left, box_.top}, b{box_.right(), box_.top}, c{box_.right(), box_.bottom()},
        d{box_.left, box_.bottom()};
    sheet.items.emplace_back(SheetPath{.lines = {{a, b, c, d}},
                                       .closed = true,
                                       .stroke = frame_colour,
                                       .fill = {},
                                       .width = 0.7,
                                       .clip = {}});
    sheet.items.emplace_back(SheetText{.at = {box_.left + box_.width / 2, box_.bottom() + 22},
                                       .text = axis_label(x_label, x_unit, x_exponent),
                                       .size = label_size,
                                       .anchor = Anchor::Middle});
    sheet.items.emplace_back(SheetText{.at = {box_.left - 34, box_.top + box_.height / 2},
                                       .text = axis_label(y_label, y_unit, y_exponent),
                                       .size = label_size,
                                       .anchor = Anchor::Middle,
                                       .upwards = true});
}

Range with_margin(Range range)
{
    if (!(range.low <= range.high)) return {};
    const double size = std::max(std::abs(range.low), std::abs(range.high));
    if (size < 1e-290) return {-1, 1};
    const double width = range.high - range.low;
    // roundoff is not drawn as if it were motion
    const double margin = width > 1e-6 * size ? 0.04 * width : width > 0 ? 1e-6 * size : 0.1 * size;
    return {range.low - margin, range.high + margin};
}

void make_scales_equal(const SheetBox& box, Range& x, Range& y)
{
    const double per_point = std::max((x.high - x.low) / box.width, (y.high - y.low) / box.height);
    const auto widen = [&](Range& range, double length) {
        const double more = (per_point * length - (range.high - range.low)) / 2;
        range = {range.low - more, range.high + more};
    };
    widen(x, box.width);
    widen(y, box.height);
}

}  // namespace carom::detail
