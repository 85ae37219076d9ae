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

/// How many points of the curves a box of the sheet covers.
std::ptrdiff_t covered(const SheetBox& box, const std::vector<CurveData>& curves, const Axes& axes)
{
    std::ptrdiff_t count = 0;
    for (const CurveData& curve : curves) {
        count += std::ranges::count_if(curve.points, [&](const std::array<double, 2>& point) {
            const SheetPoint at = axes.at(point[0], point[1]);
            return at[0] >= box.left && at[0] <= box.right() && at[1] >= box.top && at[1] <= box.bottom();
        });
    }
    return count;
}

/// The name of a point beside it, inside the frame: where it covers least of the curves.
SheetText name_beside(SheetPoint at, const std::string& name, const std::vector<CurveData>& curves,
                      const Axes& axes)
{
    constexpr double size = 7;
    const double width = size * Font::get().width(name);
    SheetText best;
    std::ptrdiff_t smallest = -1;
    for (const double distance : {4.0, 12.0, 20.0}) {
        for (const int place : {0, 1, 2, 3}) {
            const bool right = place % 2 == 0, above = place < 2;
            const SheetBox box{right ? at[0] + 5 : at[0] - 5 - width,
                               above ? at[1] - distance - size : at[1] + distance, width, size};
            const bool inside = box.left >= axes.box().left && box.right() <= axes.box().right() &&
                                box.top >= axes.box().top && box.bottom() <= axes.box().bottom();
            const std::ptrdiff_t here = inside ? covered(box, curves, axes) : -1;
            const bool better = best.text.empty() || (inside && (smallest < 0 || here < smallest));
            if (!better) continue;
            smallest = here;
            best = {.at = {right ? box.left : box.right(), box.bottom()},
                    .text = name,
                    .size = size,
                    .anchor = right ? Anchor::Start : Anchor::End};
        }
    }
    return best;
}

void mark_special_points(const PanelTask& task, const std::vector<CurveData>& curves, const Axes& axes,
                         Sheet& sheet)
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
        sheet.items.emplace_back(name_beside(at, spoken(point.kind), curves, axes));
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
    mark_special_points(task, curves, axes, sheet);
    return {};
}

}  // namespace carom::detail
