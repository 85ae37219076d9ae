#include "carom/figure/figure.hpp"

#include "core/text.hpp"
#include "curves.hpp"
#include "panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

using namespace detail;

constexpr double points_per_mm = 72 / 25.4, title_height = 20;

/// Instants that some panel of the figure wants to see, in order and each once.
std::vector<double> all_instants(const FigurePlan& plan, const Scene& scene)
{
    std::vector<double> instants;
    for (const FigurePanel& panel : plan.panels) {
        const auto some = instants_of(panel, scene);
        instants.insert(instants.end(), some.begin(), some.end());
    }
    for (const FigureNumber& number : plan.numbers) {
        if (number.at_s) instants.push_back(*number.at_s);
    }
    std::ranges::sort(instants);
    const auto [first, last] = std::ranges::unique(instants);
    instants.erase(first, last);
    return instants;
}

/// The scene with one of the values in it.
Expected<Scene, Errors> scene_with(const Scene& scene, const FigurePlan& plan, double value)
{
    if (plan.over.empty()) return scene;
    const Override set{plan.over, fmt::format("{}", value)};
    return read_scene_text(scene.text, fmt::format("{}, {} = {}", scene.title, plan.over, value),
                           std::span(&set, 1));
}

Expected<std::vector<FigureRun>, Errors> runs_of(const Scene& scene, const FigurePlan& plan,
                                                 const std::atomic<bool>* stop)
{
    std::vector<FigureRun> runs;
    const std::vector<double> values = plan.over.empty() ? std::vector<double>{0} : plan.values;
    for (const double value : values) {
        const auto varied = scene_with(scene, plan, value);
        if (!varied) return varied.error();
        auto done = run(*varied, {.at_s = all_instants(plan, *varied), .stop = stop});
        if (!done) return done.error();
        runs.push_back({value, std::move(*done)});
        if (runs.back().run.stopped) break;
    }
    return runs;
}

/// What the numbers of the figure came to; NaN where the run ended before their instant.
std::vector<FigureResult> results_of(const FigurePlan& plan, const Run& run)
{
    Workspace work;
    std::vector<FigureResult> results;
    for (const FigureNumber& number : plan.numbers) {
        double value = std::nan("");
        if (!number.at_s) value = number.value.value(point_of(run.at_end), work);
        for (const Snapshot& snapshot : run.snapshots) {
            if (!number.at_s || snapshot.time_s != *number.at_s || !snapshot.reached) continue;
            value = number.value.value({view(snapshot.q), view(snapshot.u), snapshot.time_s}, work);
        }
        results.push_back({number.label, number.unit, value, number.reference});
    }
    return results;
}

Expected<void, Errors> draw_panel(const PanelTask& task, Sheet& sheet)
{
    switch (task.panel.kind) {
    case FigurePanelKind::Curves: return draw_curves(task, sheet);
    case FigurePanelKind::Exposure: return draw_exposures(task, sheet);
    case FigurePanelKind::Cone: return draw_cone(task, sheet);
    }
    return {};
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

Expected<Figure, Errors> make_figure(const Scene& scene, const FigurePlan& plan, FigureFormat format,
                                     const std::atomic<bool>* stop)
{
    auto runs = runs_of(scene, plan, stop);
    if (!runs) return runs.error();
    if (runs->back().run.stopped) return Figure{.file = {}, .runs = std::move(*runs), .results = {}};

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
        const PanelTask task{
            scene, plan, plan.panels[k], *runs, {column * width, above + row * height, width, height}};
        if (auto drawn = draw_panel(task, sheet); !drawn) return drawn.error();
    }
    auto results = results_of(plan, runs->front().run);
    return Figure{.file = format == FigureFormat::Svg ? sheet_to_svg(sheet) : sheet_to_pdf(sheet),
                  .runs = std::move(*runs),
                  .results = std::move(results)};
}

}  // namespace carom
