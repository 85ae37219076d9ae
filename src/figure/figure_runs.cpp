#include "figure_runs.hpp"

#include "carom/orbit/periodic.hpp"
#include "core/text.hpp"
#include "curves.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom::detail {
namespace {

/// A strobe that wants more points than a picture can show, each of which the run would keep.
std::optional<Error> too_many_strobes(const FigurePlan& plan, const Scene& scene)
{
    constexpr double largest = 1e6;
    for (const FigurePanel& panel : plan.panels) {
        const double instants = (scene.plan.duration_s - panel.from_s) / panel.strobe_s;
        if (!(panel.strobe_s > 0 && instants > largest)) continue;
        return Error{.code = ErrorCode::SettingOutOfRange,
                     .where = "strobe_s",
                     .message = fmt::format("the run of {:g} s has {:.3g} intervals of {:g} s",
                                            scene.plan.duration_s, instants, panel.strobe_s),
                     .hint =
                         "give a longer strobe_s, or a later from_s: a panel shows a million points at most",
                     .excerpt = {}};
    }
    return std::nullopt;
}

/// Instants that some panel or number of the figure wants to see, in order and each once.
std::vector<double> wanted_instants(const FigurePlan& plan, const Scene& scene)
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

/// The scene with what the figure changes, and one of the values in it.
Expected<Scene, Errors> scene_with(const Scene& scene, const FigurePlan& plan, double value)
{
    std::vector<Override> changes;
    for (const auto& [key, number] : plan.sets) {
        changes.push_back({key, fmt::format("{}", number)});
    }
    if (!plan.over.empty()) changes.push_back({plan.over, fmt::format("{}", value)});
    if (changes.empty()) return scene;
    const std::string name =
        plan.over.empty() ? scene.title : fmt::format("{}, {} = {}", scene.title, plan.over, value);
    return read_scene_text(scene.text, name, changes);
}

OrbitOptions orbit_options(const FigureOrbit& orbit)
{
    OrbitOptions options;
    options.period = orbit.period;
    options.section = orbit.section;
    options.returns = orbit.returns;
    options.settle = orbit.settle;
    return options;
}

/// The scene as one period of its orbit.
Expected<Scene, Errors> one_period(Scene scene, const FigureOrbit& plan)
{
    const auto orbit = find_orbit(scene, orbit_options(plan));
    if (!orbit) return orbit.error();
    if (!orbit->converged) {
        return Errors{
            {.code = ErrorCode::SettingOutOfRange,
             .where = "[figure.orbit]",
             .message = fmt::format("no periodic orbit was found near the start: {}", orbit->trouble),
             .hint = "start nearer to it, or let the motion settle: settle = 50",
             .excerpt = {}}};
    }
    scene.start = orbit->start;
    scene.plan.duration_s = orbit->period_s;
    return scene;
}

/// The plan of this name in a scene that a value has changed.
FigurePlan plan_in(const Scene& scene, const FigurePlan& plan)
{
    const auto same = figure_named(scene, plan.name);
    return same ? *same : plan;
}

}  // namespace

Expected<std::vector<FigureRun>, Errors> runs_of(const Scene& scene, const FigurePlan& plan,
                                                 const std::atomic<bool>* stop)
{
    std::vector<FigureRun> runs;
    const std::vector<double> values = plan.over.empty() ? std::vector<double>{0} : plan.values;
    for (const double value : values) {
        auto varied = scene_with(scene, plan, value);
        if (!varied) return varied.error();
        FigurePlan own = plan_in(*varied, plan);
        if (plan.orbit) {
            auto period = one_period(std::move(*varied), *plan.orbit);
            if (!period) return period.error();
            varied = std::move(*period);
        }
        if (auto wrong = too_many_strobes(own, *varied)) return Errors{std::move(*wrong)};
        auto done = run(*varied, {.at_s = wanted_instants(own, *varied), .stop = stop});
        if (!done) return done.error();
        runs.push_back({value, std::move(own), std::move(*done)});
        if (runs.back().run.stopped) break;
    }
    return runs;
}

Expected<std::optional<Branch>, Errors> branch_of(const Scene& scene, const FigurePlan& plan)
{
    const bool wanted =
        std::ranges::any_of(plan.panels, [](const auto& p) { return p.kind == FigurePanelKind::Branch; }) ||
        std::ranges::any_of(plan.numbers, [](const auto& n) { return !n.special.empty(); });
    if (!wanted || !plan.orbit) return std::optional<Branch>();
    BranchOptions options;
    options.orbit = orbit_options(*plan.orbit);
    options.over = plan.orbit->along;
    options.low = plan.orbit->low;
    options.high = plan.orbit->high;
    const auto changed = scene_with(scene, plan, plan.over.empty() ? 0 : plan.values.front());
    if (!changed) return changed.error();
    auto branch = follow_branch(*changed, options);
    if (!branch) return branch.error();
    if (branch->points.empty()) {
        return Errors{{.code = ErrorCode::SettingOutOfRange,
                       .where = "[figure.orbit]",
                       .message = fmt::format("the branch has no orbit: {}", branch->end),
                       .hint = "start nearer to an orbit, or let the motion settle: settle = 50",
                       .excerpt = {}}};
    }
    // the other way from the same orbit
    options.upwards = false;
    if (auto down = follow_branch(*changed, options); down && down->points.size() > 1) {
        std::ranges::reverse(down->points);
        down->points.pop_back();
        down->points.insert(down->points.end(), branch->points.begin(), branch->points.end());
        branch->points = std::move(down->points);
        branch->special.insert(branch->special.end(), down->special.begin(), down->special.end());
    }
    return std::optional<Branch>(std::move(*branch));
}

}  // namespace carom::detail
