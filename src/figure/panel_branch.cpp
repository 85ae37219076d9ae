#include "expression/workspace.hpp"
#include "marks.hpp"
#include "panels.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// The orbits of one formula as lines: stable ones, then unstable and neutral ones. An orbit where the
/// stability changes belongs to both, so that the lines meet.
std::array<CurveData, 3> lines_of_branch(const Branch& branch, const FigureCurve& curve, std::size_t number)
{
    constexpr std::array<std::string_view, 3> kinds{"stable", "unstable", "neutral"};
    const auto kind_at = [&](std::size_t k) {
        return static_cast<std::size_t>(std::ranges::find(kinds, stability_of(branch.points[k].orbit)) -
                                        kinds.begin());
    };
    std::array<CurveData, 3> lines;
    Workspace work;
    const std::array<double, 2> gap{std::nan(""), std::nan("")};
    for (std::size_t k = 0; k < branch.points.size(); ++k) {
        const BranchPoint& point = branch.points[k];
        const std::array<double, 2> at{point.value, curve.formula.value(point_of(point.orbit.start), work)};
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (i == kind_at(k) || (k > 0 && i == kind_at(k - 1))) lines[i].points.push_back(at);
            if (i != kind_at(k)) lines[i].points.push_back(gap);
        }
    }
    for (CurveData& line : lines) {
        line.colour = colour_named(curve.colour, number);
    }
    lines[0].label = curve.label.empty() ? curve.formula.text() : curve.label;
    lines[1].label = lines[0].label + ", unstable";
    lines[1].dashed = true;
    lines[2].label = lines[0].label + ", neutral";
    return lines;
}

void mark_special_points(const PanelTask& task, const std::vector<CurveData>& curves, const Axes& axes,
                         Sheet& sheet)
{
    std::vector<NamedMark> marks;
    Workspace work;
    for (const SpecialPoint& point : task.branch->special) {
        if (!point.orbit.start.q.size()) continue;
        const double y = task.panel.curves.front().formula.value(point_of(point.orbit.start), work);
        const SheetPoint at = axes.at(point.value, y);
        const bool inside = at[0] >= axes.box().left && at[0] <= axes.box().right() &&
                            at[1] >= axes.box().top && at[1] <= axes.box().bottom();
        if (inside) marks.push_back({.at = at, .name = point.kind, .fill = "#FFFFFF"});
    }
    draw_marks(marks, points_on_sheet(curves, axes), axes.box(), sheet);
}

}  // namespace

Expected<void, Errors> draw_branch(const PanelTask& task, Sheet& sheet)
{
    if (task.branch == nullptr) {
        return Errors{Error{.code = ErrorCode::NotAllowedHere,
                            .where = "[[figure.panel]]",
                            .message = "a run has no branch of orbits",
                            .hint = "draw the figure from the scene: carom figure SCENE NAME",
                            .excerpt = {}}};
    }
    std::vector<CurveData> curves;
    for (std::size_t c = 0; c < task.panel.curves.size(); ++c) {
        for (CurveData& line : lines_of_branch(*task.branch, task.panel.curves[c], c)) {
            const bool seen =
                std::ranges::any_of(line.points, [](const auto& p) { return std::isfinite(p[0]); });
            if (seen) curves.push_back(std::move(line));
        }
    }
    const std::string label = task.panel.x_label.empty() ? task.plan.orbit->along : task.panel.x_label;
    const Axes axes = draw_curve_set(task, curves, {.label = label, .unit = {}}, sheet);
    mark_special_points(task, curves, axes, sheet);
    return {};
}

}  // namespace carom::detail
