#include "plot.hpp"

#include "palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace carom::detail {
namespace {

constexpr double left_px = 92, right_px = 196, top_px = 52, bottom_px = 52, between_px = 34;

/// Points of all lines together: about 12 bytes each, so that the text stays below 1 MB.
constexpr std::size_t point_budget = 60'000;

/// The values of a panel with a margin. Roundoff is not drawn as if it were motion: the range is at least a
/// millionth of the values.
Range vertical_range(const PlotPanel& panel)
{
    Range range{.low = HUGE_VAL, .high = -HUGE_VAL};
    for (const PlotLine& line : panel.lines) {
        for (const PlotPoint& point : line.points) {
            if (!fits_on_axis(point.y)) continue;
            range.low = std::min(range.low, point.y);
            range.high = std::max(range.high, point.y);
        }
    }
    if (range.low > range.high) return {};
    if (panel.include_zero) range = {std::min(range.low, 0.0), std::max(range.high, 0.0)};
    const double size = std::max(std::abs(range.low), std::abs(range.high));
    if (size < 1e-290) return {-1, 1};
    const double smallest = 1e-6 * size;
    double margin = 0.06 * (range.high - range.low);
    if (range.high - range.low < smallest) margin = range.high == range.low ? 0.1 * size : smallest;
    return {range.low - margin, range.high + margin};
}

Range horizontal_range(const std::vector<PlotPanel>& panels)
{
    Range range{.low = HUGE_VAL, .high = -HUGE_VAL};
    for (const PlotPanel& panel : panels) {
        for (const PlotLine& line : panel.lines) {
            for (const PlotPoint& point : line.points) {
                if (!fits_on_axis(point.x)) continue;
                range.low = std::min(range.low, point.x);
                range.high = std::max(range.high, point.x);
            }
        }
    }
    if (range.low > range.high) return {};
    if (range.high - range.low <= 1e-12 * std::abs(range.high)) range.high = range.low + 1;
    return range;
}

/// At most `longest` characters.
std::string shortened(const std::string& text, std::size_t longest)
{
    std::size_t characters = 0, cut = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) continue;
        if (characters == longest - 1) cut = i;
        ++characters;
    }
    return characters <= longest ? text : text.substr(0, cut) + "…";
}

/// One panel at its place in the picture.
class PanelDrawing {
public:
    PanelDrawing(const PlotPanel& panel, Range x, double top, const PlotSize& size, std::size_t columns)
        : panel_(panel),
          x_(x),
          y_(vertical_range(panel)),
          top_(top),
          width_(size.width_px - left_px - right_px),
          height_(size.panel_height_px),
          columns_(columns)
    {
    }

    void draw(std::string& svg, bool with_time) const
    {
        draw_axes(svg, with_time);
        for (std::size_t i = 0; i < panel_.lines.size(); ++i) {
            draw_line(svg, panel_.lines[i], line_colours[i % line_colours.size()]);
        }
        draw_legend(svg);
    }

private:
    [[nodiscard]] double across(double x) const
    {
        return left_px + (x - x_.low) / (x_.high - x_.low) * width_;
    }
    [[nodiscard]] double down(double y) const { return top_ + (y_.high - y) / (y_.high - y_.low) * height_; }

    void draw_axes(std::string& svg, bool with_time) const;
    void draw_line(std::string& svg, const PlotLine& line, const char* colour) const;
    void draw_legend(std::string& svg) const;

    const PlotPanel& panel_;
    Range x_, y_;
    double top_, width_, height_;
    std::size_t columns_;
};

void PanelDrawing::draw_axes(std::string& svg, bool with_time) const
{
    auto out = std::back_inserter(svg);
    const double bottom = top_ + height_, right = left_px + width_;

    // grid and labels of the vertical axis
    const Ticks y_ticks = round_ticks(y_, std::max(2, static_cast<int>(height_ / 40)));
    const int y_exponent = common_exponent(y_);
    for (const double tick : y_ticks.at) {
        fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"{}\"/>\n", left_px, down(tick), right,
                       tick == 0 ? zero_colour : grid_colour);
        fmt::format_to(out,
                       "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" font-size=\"12\">{}</text>\n",
                       left_px - 8, down(tick) + 4, tick_label(tick, y_ticks.step, y_exponent));
    }

    // the time axis: marks in every panel, labels below the last one
    const Ticks x_ticks = round_ticks(x_, std::max(2, static_cast<int>(width_ / 90)));
    const int x_exponent = common_exponent(x_);
    for (const double tick : x_ticks.at) {
        fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"{}\"/>\n", across(tick), top_, bottom,
                       grid_colour);
        fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}v5\" stroke=\"{}\"/>\n", across(tick), bottom,
                       frame_colour);
        if (!with_time) continue;
        fmt::format_to(out,
                       "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"12\">{}</text>\n",
                       across(tick), bottom + 20, tick_label(tick, x_ticks.step, x_exponent));
    }
    if (with_time) {
        fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       left_px + width_ / 2, bottom + 40, escaped(axis_label("time", "s", x_exponent)));
    }

    // frame, title, label of the vertical axis
    fmt::format_to(
        out,
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n",
        left_px, top_, width_, height_, frame_colour);
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n", left_px, top_ - 8,
                   escaped(panel_.title));
    fmt::format_to(
        out, "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        20.0, top_ + height_ / 2,
        escaped(axis_label(shortened(panel_.quantity, 20), panel_.unit, y_exponent)));
}

void PanelDrawing::draw_line(std::string& svg, const PlotLine& line, const char* colour) const
{
    auto out = std::back_inserter(svg);
    std::string path;
    auto to = std::back_inserter(path);
    bool pen_down = false;
    for (const PlotPoint& point : thinned(line.points, x_, columns_)) {
        if (!fits_on_axis(point.x) || !fits_on_axis(point.y)) {
            pen_down = false;
            continue;
        }
        // a line of no length after every start shows a point that stands alone
        const double x = across(point.x), y = down(point.y);
        if (pen_down)
            fmt::format_to(to, "L{:.1f} {:.1f}", x, y);
        else
            fmt::format_to(to, "M{:.1f} {:.1f}h0", x, y);
        pen_down = true;
    }
    if (path.empty()) return;
    fmt::format_to(out,
                   "<path class=\"line\" d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" "
                   "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
                   path, colour);
}

void PanelDrawing::draw_legend(std::string& svg) const
{
    auto out = std::back_inserter(svg);
    const double x = left_px + width_ + 14;
    const std::size_t rows = panel_.lines.size() + (panel_.left_out > 0 ? 1 : 0);
    const double row_px = std::min(20.0, height_ / static_cast<double>(std::max<std::size_t>(rows, 1)));
    double y = top_ + row_px / 2;
    for (std::size_t i = 0; i < panel_.lines.size(); ++i, y += row_px) {
        fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}h20\" stroke=\"{}\" stroke-width=\"3\"/>\n", x, y,
                       line_colours[i % line_colours.size()]);
        fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 27, y + 4.5,
                       escaped(shortened(panel_.lines[i].name, 22)));
    }
    if (panel_.left_out > 0) {
        fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" font-style=\"italic\">and {} more</text>\n",
                       x + 27, y + 4.5, panel_.left_out);
    }
}

}  // namespace

std::string draw(const std::string& title, const std::vector<PlotPanel>& panels, const PlotSize& size,
                 const std::string& above)
{
    std::size_t lines = 1;
    for (const PlotPanel& panel : panels) {
        lines += panel.lines.size();
    }
    const auto pixels = static_cast<std::size_t>(size.width_px - left_px - right_px);
    const std::size_t columns = std::max<std::size_t>(1, std::min(pixels, point_budget / (4 * lines)));
    const Range x = horizontal_range(panels);
    const double step_px = size.panel_height_px + between_px;
    const double height_px = size.above_px + top_px + between_px +
                             static_cast<double>(panels.size()) * step_px + bottom_px - between_px;

    std::string svg =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                    "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
                    "font-size=\"13\" fill=\"{2}\">\n",
                    size.width_px, height_px, text_colour);
    auto out = std::back_inserter(svg);
    fmt::format_to(out, "<title>{}</title>\n", escaped(title));
    fmt::format_to(out, "<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n", ground_colour);
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"30\" font-size=\"18\">{}</text>\n", left_px,
                   escaped(shortened(title, 70)));
    svg += above;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const double top = size.above_px + top_px + between_px + static_cast<double>(i) * step_px - 10;
        PanelDrawing(panels[i], x, top, size, columns).draw(svg, i + 1 == panels.size());
    }
    svg += "</svg>\n";
    return svg;
}

}  // namespace carom::detail
