#include "carom/figure/figure.hpp"

#include "core/text.hpp"
#include "figure_runs.hpp"
#include "panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using namespace detail;

constexpr double points_per_mm = 72 / 25.4, title_height = 20;

Expected<void, Errors> draw_panel(const PanelTask& task, Sheet& sheet)
{
    switch (task.panel.kind) {
    case FigurePanelKind::Curves: return draw_curves(task, sheet);
    case FigurePanelKind::Exposure: return draw_exposures(task, sheet);
    case FigurePanelKind::Cone: return draw_cone(task, sheet);
    case FigurePanelKind::Branch: return draw_branch(task, sheet);
    }
    return {};
}

/// All panels of the figure, in rows of `columns`.
Expected<Sheet, Errors> sheet_of(const Scene& scene, const FigurePlan& plan,
                                 const std::vector<FigureRun>& runs, const std::optional<Branch>& branch)
{
    const double width = plan.width_mm * points_per_mm, height = plan.height_mm * points_per_mm;
    const int columns = std::min<int>(plan.columns, static_cast<int>(plan.panels.size()));
    const int rows = (static_cast<int>(plan.panels.size()) + columns - 1) / columns;
    const double above = plan.title.empty() ? 0 : title_height;
    Sheet sheet{.width = columns * width,
                .height = above + rows * height,
                .title = plan.title.empty() ? plan.name : plan.title,
                .items = {}};
    if (!plan.title.empty())
        sheet.items.emplace_back(
            SheetText{.at = {sheet.width / 2, 14}, .text = plan.title, .size = 11, .anchor = Anchor::Middle});
    for (std::size_t k = 0; k < plan.panels.size(); ++k) {
        const int row = static_cast<int>(k) / columns, column = static_cast<int>(k) % columns;
        const PanelTask task{scene,
                             plan,
                             plan.panels[k],
                             k,
                             runs,
                             branch ? &*branch : nullptr,
                             {column * width, above + row * height, width, height}};
        if (auto drawn = draw_panel(task, sheet); !drawn) return drawn.error();
    }
    return sheet;
}

Expected<Figure, Errors> drawn(const Scene& scene, const FigurePlan& plan, std::vector<FigureRun> runs,
                               const std::optional<Branch>& branch, const FigureStyle& style)
{
    const auto sheet = sheet_of(scene, plan, runs, branch);
    if (!sheet) return sheet.error();
    auto results = results_of(plan, runs, branch);
    if (!results) return results.error();
    std::string file = style.format == FigureFormat::Svg   ? sheet_to_svg(*sheet)
                       : style.format == FigureFormat::Pdf ? sheet_to_pdf(*sheet)
                                                           : sheet_to_png(*sheet, style.dots_per_inch);
    return Figure{.file = std::move(file), .runs = std::move(runs), .results = std::move(*results)};
}

}  // namespace

SheetBox detail::axes_box(const PanelTask& task, double key_width)
{
    constexpr double left = 48, right = 10, bottom = 30;
    const double top = task.panel.title.empty() ? 8 : 20;
    return {task.box.left + left, task.box.top + top, task.box.width - left - right - key_width,
            task.box.height - top - bottom};
}

void detail::draw_panel_title(const PanelTask& task, Sheet& sheet)
{
    if (task.panel.title.empty()) return;
    sheet.items.emplace_back(
        SheetText{.at = {task.box.left + 48, task.box.top + 13}, .text = task.panel.title, .size = 9.5});
}

double FigureResult::error() const noexcept
{
    const double off = std::abs(value - reference);
    return reference == 0 ? off : off / std::abs(reference);
}

Expected<FigurePlan> figure_named(const Scene& scene, const std::string& name)
{
    std::vector<std::string> known;
    for (const FigurePlan& plan : scene.figures) {
        if (plan.name == name) return plan;
        known.push_back(plan.name);
    }
    return Error{.code = ErrorCode::UnknownName,
                 .where = "carom figure",
                 .message = fmt::format("the scene has no figure {}", carom::quoted(name)),
                 .hint = known.empty() ? std::string("add [[figure]] to the scene: docs/how-to/figures.md")
                                       : fmt::format("it has {}", fmt::join(known, ", ")),
                 .excerpt = {}};
}

Expected<Figure, Errors> make_figure(const Scene& scene, const FigurePlan& plan, const FigureStyle& style,
                                     const std::atomic<bool>* stop)
{
    auto runs = runs_of(scene, plan, stop);
    if (!runs) return runs.error();
    if (runs->back().run.stopped) return Figure{.file = {}, .runs = std::move(*runs), .results = {}};
    const auto branch = branch_of(scene, plan);
    if (!branch) return branch.error();
    return drawn(scene, plan, std::move(*runs), *branch, style);
}

Expected<Figure, Errors> draw_figure(const Scene& scene, const FigurePlan& plan, std::vector<FigureRun> runs,
                                     const FigureStyle& style)
{
    return drawn(scene, plan, std::move(runs), std::nullopt, style);
}

}  // namespace carom
