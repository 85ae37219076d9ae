#include "carom/figure/diagram.hpp"

#include "axes.hpp"
#include "font.hpp"
#include "marks.hpp"
#include "trace/palette.hpp"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using namespace detail;

constexpr double points_a_mm = 72 / 25.4, key_text = 8, key_row = 12, key_sample = 16;

void hold(Range& range, double value)
{
    if (!std::isfinite(value)) return;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
}

Range reach_of(const DiagramPanel& panel, std::size_t axis)
{
    const DiagramCells& cells = panel.cells;
    if (!cells.colours.empty())
        return axis == 0 ? Range{cells.x_low, cells.x_high} : Range{cells.y_low, cells.y_high};
    Range range{.low = HUGE_VAL, .high = -HUGE_VAL};
    for (const DiagramCurve& curve : panel.curves) {
        for (const auto& point : curve.points) {
            if (std::isfinite(point[0]) && std::isfinite(point[1])) hold(range, point[axis]);
        }
    }
    for (const DiagramMark& mark : panel.marks) {
        hold(range, mark.at[axis]);
    }
    return with_margin(range);
}

double room_for_key(const DiagramPanel& panel)
{
    double widest = 0;
    for (const DiagramCurve& curve : panel.curves) {
        if (curve.label.empty()) continue;
        widest = std::max(widest, key_text * Font::get().width(curve.label) + key_sample + 14);
    }
    return widest;
}

void draw_cells(const DiagramCells& cells, const Axes& axes, Sheet& sheet)
{
    if (cells.colours.empty()) return;
    const double dx = (cells.x_high - cells.x_low) / cells.columns;
    const double dy = (cells.y_high - cells.y_low) / cells.rows;
    for (int row = 0; row < cells.rows; ++row) {
        for (int from = 0; from < cells.columns;) {
            const auto colour_at = [&](int column) -> const std::string& {
                return cells.colours[static_cast<std::size_t>(row) * static_cast<std::size_t>(cells.columns) +
                                     static_cast<std::size_t>(column)];
            };
            // neighbours of one colour are one rectangle
            int to = from + 1;
            while (to < cells.columns && colour_at(to) == colour_at(from)) {
                ++to;
            }
            const SheetPoint a = axes.at(cells.x_low + from * dx, cells.y_low + row * dy);
            const SheetPoint c = axes.at(cells.x_low + to * dx, cells.y_low + (row + 1) * dy);
            if (!colour_at(from).empty())
                sheet.items.emplace_back(SheetPath{.lines = {{a, {c[0], a[1]}, c, {a[0], c[1]}}},
                                                   .closed = true,
                                                   .stroke = {},
                                                   .fill = colour_at(from),
                                                   .clip = {}});
            from = to;
        }
    }
}

void draw_line(const DiagramCurve& curve, const Axes& axes, Sheet& sheet)
{
    if (curve.as_points) {
        const double radius = curve.points.size() > 500 ? 0.4 : 1.2;
        for (const auto& point : curve.points) {
            if (!std::isfinite(point[0]) || !std::isfinite(point[1])) continue;
            sheet.items.emplace_back(SheetDisc{.centre = axes.at(point[0], point[1]),
                                               .radius = radius,
                                               .fill = curve.colour,
                                               .clip = axes.box()});
        }
        return;
    }
    SheetPath path{.lines = std::vector<std::vector<SheetPoint>>(1),
                   .stroke = curve.colour,
                   .fill = {},
                   .width = curve.dashed ? 0.9 : 1.4,
                   .dashed = curve.dashed,
                   .clip = axes.box()};
    for (const auto& point : curve.points) {
        const bool finite = std::isfinite(point[0]) && std::isfinite(point[1]);
        if (finite)
            path.lines.back().push_back(axes.at(point[0], point[1]));
        else if (!path.lines.back().empty())
            path.lines.emplace_back();
    }
    if (path.lines.back().empty()) path.lines.pop_back();
    if (!path.lines.empty()) sheet.items.emplace_back(std::move(path));
}

void draw_names(const DiagramPanel& panel, const SheetBox& box, Sheet& sheet)
{
    double y = box.top + key_row / 2;
    const double left = box.right() + 8;
    for (const DiagramCurve& curve : panel.curves) {
        if (curve.label.empty()) continue;
        if (curve.as_points)
            sheet.items.emplace_back(
                SheetDisc{.centre = {left + key_sample / 2, y}, .radius = 2.5, .fill = curve.colour});
        else
            sheet.items.emplace_back(SheetPath{.lines = {{{left, y}, {left + key_sample, y}}},
                                               .stroke = curve.colour,
                                               .fill = {},
                                               .width = 1.4,
                                               .dashed = curve.dashed,
                                               .clip = {}});
        sheet.items.emplace_back(
            SheetText{.at = {left + key_sample + 4, y + 2.8}, .text = curve.label, .size = key_text});
        y += key_row;
    }
}

void draw_part(const DiagramPanel& panel, const SheetBox& box, Sheet& sheet)
{
    const Axes axes(box, reach_of(panel, 0), reach_of(panel, 1));
    draw_cells(panel.cells, axes, sheet);
    axes.draw(panel.x_label, panel.x_unit, panel.y_label, panel.y_unit, sheet);
    if (!panel.title.empty())
        sheet.items.emplace_back(SheetText{.at = {box.left, box.top - 6}, .text = panel.title, .size = 9});
    for (const DiagramCurve& curve : panel.curves) {
        draw_line(curve, axes, sheet);
    }
    std::vector<NamedMark> marks;
    for (const DiagramMark& mark : panel.marks) {
        if (std::isfinite(mark.at[0]) && std::isfinite(mark.at[1]))
            marks.push_back({.at = axes.at(mark.at[0], mark.at[1]), .name = mark.label, .fill = mark.colour});
    }
    draw_marks(marks, points_on_sheet(panel.curves, axes), box, sheet);
    draw_names(panel, box, sheet);
}

}  // namespace

std::string draw_diagram(const Diagram& diagram, FigureFormat format)
{
    constexpr double left = 48, right = 14, top = 20, bottom = 32;
    Sheet sheet;
    sheet.title = diagram.title;
    sheet.width = diagram.width_mm * points_a_mm;
    const double panel_height = diagram.panel_height_mm * points_a_mm;
    sheet.height = panel_height * static_cast<double>(std::max<std::size_t>(1, diagram.panels.size()));
    double key = 0;
    for (const DiagramPanel& panel : diagram.panels) {
        key = std::max(key, room_for_key(panel));
    }
    for (std::size_t i = 0; i < diagram.panels.size(); ++i) {
        const SheetBox box{.left = left,
                           .top = panel_height * static_cast<double>(i) + top,
                           .width = sheet.width - left - right - std::min(key, 0.4 * sheet.width),
                           .height = panel_height - top - bottom};
        draw_part(diagram.panels[i], box, sheet);
    }
    return format == FigureFormat::Svg ? sheet_to_svg(sheet) : sheet_to_pdf(sheet);
}

std::string diagram_colour(std::size_t index)
{
    return line_colours[index % line_colours.size()];
}

}  // namespace carom
