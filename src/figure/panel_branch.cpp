#include "core/text.hpp"
#include "expression/workspace.hpp"
#include "font.hpp"
#include "panels.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

std::string spoken(std::string kind)
{
    std::ranges::replace(kind, '_', ' ');
    return kind;
}

/// The orbits of one formula as lines: stable ones, then the others. An orbit where the stability changes
/// belongs to both, so that the lines meet.
std::array<CurveData, 2> lines_of_branch(const Branch& branch, const FigureCurve& curve, std::size_t number)
{
    std::array<CurveData, 2> lines;
    Workspace work;
    const std::array<double, 2> gap{std::nan(""), std::nan("")};
    for (std::size_t k = 0; k < branch.points.size(); ++k) {
        const BranchPoint& point = branch.points[k];
        const std::array<double, 2> at{point.value, curve.formula.value(point_of(point.orbit.start), work)};
        const std::size_t own = point.orbit.stable ? 0 : 1;
        lines[own].points.push_back(at);
        const bool changes = k > 0 && branch.points[k - 1].orbit.stable != point.orbit.stable;
        if (changes) lines[1 - own].points.push_back(at);
        lines[1 - own].points.push_back(gap);
    }
    for (CurveData& line : lines) {
        line.colour = colour_named(curve.colour, number);
    }
    lines[0].label = curve.label.empty() ? curve.formula.text() : curve.label;
    lines[1].label = lines[0].label + ", unstable";
    lines[1].dashed = true;
    return lines;
}

void mark_special_points(const PanelTask& task, const Axes& axes, Sheet& sheet)
{
    Workspace work;
    for (const SpecialPoint& point : task.branch->special) {
        if (!point.orbit.start.q.size()) continue;
        const double y = task.panel.curves.front().formula.value(point_of(point.orbit.start), work);
        const SheetPoint at = axes.at(point.value, y);
        const bool inside = at[0] >= axes.box().left && at[0] <= axes.box().right() &&
                            at[1] >= axes.box().top && at[1] <= axes.box().bottom();
        if (!inside) continue;
        sheet.items.emplace_back(SheetDisc{
            .centre = at, .radius = 2.4, .stroke = "#222222", .fill = "#FFFFFF", .width = 0.8, .clip = {}});
        // to the right of the point, or to its left where the frame would cut the name
        const std::string name = spoken(point.kind);
        const double size = 7;
        const bool fits = at[0] + 5 + size * Font::get().width(name) <= axes.box().right();
        sheet.items.emplace_back(SheetText{.at = {at[0] + (fits ? 5 : -5), at[1] - 4},
                                           .text = name,
                                           .size = size,
                                           .anchor = fits ? Anchor::Start : Anchor::End});
    }
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
    mark_special_points(task, axes, sheet);
    return {};
}

}  // namespace carom::detail
