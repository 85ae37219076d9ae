#include "axes.hpp"
#include "curves.hpp"
#include "font.hpp"
#include "panels.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr double key_size = 8, row = 12, sample = 16;

Range range_of(const std::vector<CurveData>& curves, std::size_t axis)
{
    Range range{.low = HUGE_VAL, .high = -HUGE_VAL};
    for (const CurveData& curve : curves) {
        for (const auto& point : curve.points) {
            if (!fits_on_axis(point[0]) || !fits_on_axis(point[1])) continue;
            range.low = std::min(range.low, point[axis]);
            range.high = std::max(range.high, point[axis]);
        }
    }
    return with_margin(range);
}

bool has_key(const std::vector<CurveData>& curves)
{
    return std::ranges::count_if(curves, [](const CurveData& curve) { return !curve.label.empty(); }) > 1;
}

/// Points of the line on the sheet: those that nobody could tell from the one before are left out.
std::vector<std::vector<SheetPoint>> lines_of(const CurveData& curve, const Axes& axes)
{
    constexpr double near = 0.04;
    std::vector<std::vector<SheetPoint>> lines(1);
    for (const auto& point : curve.points) {
        const SheetPoint p = axes.at(point[0], point[1]);
        // what is far outside the sheet would overflow the numbers of readers
        const bool drawable = std::abs(p[0]) < 1e5 && std::abs(p[1]) < 1e5;
        if (!drawable) {
            if (!lines.back().empty()) lines.emplace_back();
            continue;
        }
        const bool same = !lines.back().empty() && std::abs(lines.back().back()[0] - p[0]) < near &&
                          std::abs(lines.back().back()[1] - p[1]) < near;
        if (!same) lines.back().push_back(p);
    }
    if (lines.back().empty()) lines.pop_back();
    return lines;
}

void draw_points(const std::vector<std::array<double, 2>>& points, const Axes& axes, double radius,
                 const std::string& stroke, const std::string& fill, Sheet& sheet)
{
    for (const auto& point : points) {
        const SheetPoint p = axes.at(point[0], point[1]);
        if (!(std::abs(p[0]) < 1e5 && std::abs(p[1]) < 1e5)) continue;
        sheet.items.emplace_back(SheetDisc{
            .centre = p, .radius = radius, .stroke = stroke, .fill = fill, .width = 0.7, .clip = axes.box()});
    }
}

void draw_curve(const CurveData& curve, const Axes& axes, Sheet& sheet)
{
    if (curve.as_points) {
        draw_points(curve.points, axes, curve.points.size() > 500 ? 0.5 : 1.2, {}, curve.colour, sheet);
    } else {
        sheet.items.emplace_back(SheetPath{.lines = lines_of(curve, axes),
                                           .stroke = curve.colour,
                                           .fill = {},
                                           .width = 1,
                                           .dashed = curve.dashed,
                                           .clip = axes.box()});
    }
    draw_points(curve.events, axes, 1.8, "#222222", "#FFFFFF", sheet);
}

/// The label of the vertical axis: the only curve's name, or what all have in common, their unit.
std::string y_label_of(const PanelTask& task, const std::vector<CurveData>& curves)
{
    const FigurePanel& panel = task.panel;
    if (!panel.y_label.empty()) return panel.y_label;
    if (panel.curves.size() == 1) {
        const FigureCurve& only = panel.curves.front();
        if (!only.label.empty()) return only.label;
        return only.source == FigureSource::Formula ? only.formula.text() : only.name;
    }
    std::string names;
    for (const CurveData& curve : curves) {
        if (curve.label.empty() || names.size() > 24) continue;
        names += (names.empty() ? "" : ", ") + curve.label;
    }
    return task.plan.over.empty() ? names : std::string();
}

/// The unit that all formulas of the panel share; empty where they differ or have none.
std::string y_unit_of(const PanelTask& task)
{
    std::string unit;
    for (const FigureCurve& curve : task.panel.curves) {
        std::string one;
        if (curve.source == FigureSource::Formula) one = unit_of(curve.formula, task.scene.model);
        if (curve.source == FigureSource::Gap) one = "m";
        if (curve.source == FigureSource::Percussion) one = "N s";
        if (curve.source == FigureSource::Energy) one = "J";
        if (curve.source == FigureSource::Probe) {
            for (const RecordedSeries& series : task.runs.front().run.record.probes) {
                if (series.name == curve.name) one = series.unit;
            }
        }
        if (&curve != &task.panel.curves.front() && one != unit) return {};
        unit = one;
    }
    return unit;
}

}  // namespace

double key_width(const std::vector<CurveData>& curves)
{
    if (!has_key(curves)) return 0;
    double widest = 0;
    for (const CurveData& curve : curves) {
        widest = std::max(widest, key_size * Font::get().width(curve.label));
    }
    return widest + sample + 14;
}

void draw_key(const std::vector<CurveData>& curves, const SheetBox& axes, Sheet& sheet)
{
    if (!has_key(curves)) return;
    const double left = axes.right() + 8;
    double y = axes.top + row / 2;
    for (const CurveData& curve : curves) {
        if (curve.label.empty()) continue;
        if (curve.as_points)
            sheet.items.emplace_back(
                SheetDisc{.centre = {left + sample / 2, y}, .radius = 1.8, .fill = curve.colour});
        else
            sheet.items.emplace_back(SheetPath{.lines = {{{left, y}, {left + sample, y}}},
                                               .stroke = curve.colour,
                                               .fill = {},
                                               .width = 1.6,
                                               .dashed = curve.dashed,
                                               .clip = {}});
        sheet.items.emplace_back(
            SheetText{.at = {left + sample + 4, y + 2.8}, .text = curve.label, .size = key_size});
        y += row;
    }
}

Axes draw_curve_set(const PanelTask& task, const std::vector<CurveData>& curves, const AxisName& along,
                    Sheet& sheet)
{
    const SheetBox box = axes_box(task, std::min(key_width(curves), 0.45 * task.box.width));
    Range x = range_of(curves, 0), y = range_of(curves, 1);
    if (along.tight && x.high > x.low) {
        const double margin = (x.high - x.low) * 0.04 / 1.08;
        x = {x.low + margin, x.high - margin};
    }
    if (task.panel.equal_scales) make_scales_equal(box, x, y);
    if (task.panel.x_range) x = {(*task.panel.x_range)[0], (*task.panel.x_range)[1]};
    if (task.panel.y_range) y = {(*task.panel.y_range)[0], (*task.panel.y_range)[1]};
    Axes axes(box, x, y);
    axes.draw(along.label, along.unit, y_label_of(task, curves),
              task.panel.y_label.empty() ? y_unit_of(task) : "", sheet);
    for (const CurveData& curve : curves) {
        draw_curve(curve, axes, sheet);
    }
    draw_key(curves, box, sheet);
    draw_panel_title(task, sheet);
    return axes;
}

Expected<void, Errors> draw_curves(const PanelTask& task, Sheet& sheet)
{
    const auto curves = curves_of(task.plan, task.number, task.runs);
    if (!curves) return curves.error();
    const FigurePanel& panel = task.panel;
    AxisName along{.label = panel.x_label, .unit = {}};
    // time is shown without a margin
    along.tight = panel.x.text() == "t" && !panel.against_value;
    if (panel.x_label.empty()) {
        along.label =
            panel.against_value ? task.plan.over.substr(task.plan.over.rfind('.') + 1) : panel.x.text();
        if (!panel.against_value) along.unit = unit_of(panel.x, task.scene.model);
    }
    draw_curve_set(task, *curves, along, sheet);
    return {};
}

}  // namespace carom::detail
