#include "commands.hpp"

#include "carom/figure/figure.hpp"
#include "core/text.hpp"
#include "input.hpp"
#include "interrupt.hpp"
#include "written_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace carom::app {
namespace {

namespace fs = std::filesystem;

ExitStatus refuse_figure(std::string message, std::string hint)
{
    return refuse(
        {mistake(ErrorCode::SettingOutOfRange, "carom figure", std::move(message), std::move(hint))});
}

std::optional<FigureFormat> format_of(const std::string& ending)
{
    if (ending == ".svg") return FigureFormat::Svg;
    if (ending == ".pdf") return FigureFormat::Pdf;
    if (ending == ".png") return FigureFormat::Png;
    return std::nullopt;
}

/// The figures asked for: one by its name, or all of the scene.
Expected<std::vector<FigurePlan>> figures_of(const Scene& scene, const std::string& name)
{
    if (name.empty() && !scene.figures.empty()) return scene.figures;
    const auto plan = figure_named(scene, name);
    if (!plan) return plan.error();
    return std::vector{*plan};
}

/// Reports runs that are not certified, once for each reason: a figure shows what was computed, certified or
/// not.
ExitStatus judge(const FigurePlan& plan, const Figure& figure)
{
    struct Reason {
        std::string words;  // status and message
        std::string first;  // the first run with it
        int runs = 0;
    };
    ExitStatus status = ExitStatus::Certified;
    std::vector<Reason> reasons;
    for (const FigureRun& one : figure.runs) {
        if (one.run.status == RunStatus::Certified) continue;
        status = one.run.status == RunStatus::Failed ? ExitStatus::Failed
                                                     : std::max(status, ExitStatus::Uncertified);
        std::string words(name_of(one.run.status));
        if (!one.run.findings.empty()) words += ": " + one.run.findings.back().message;
        auto known = std::ranges::find(reasons, words, &Reason::words);
        if (known == reasons.end()) {
            reasons.push_back(
                {.words = std::move(words), .first = fmt::format("{} = {}", plan.over, one.value)});
            known = reasons.end() - 1;
        }
        ++known->runs;
    }
    for (const Reason& reason : reasons) {
        const std::string who = plan.over.empty() ? "the run is"
                                : reason.runs == 1
                                    ? fmt::format("the run with {} is", reason.first)
                                    : fmt::format("{} of {} runs, the first with {}, are", reason.runs,
                                                  figure.runs.size(), reason.first);
        fmt::print(stderr, "{}: {} {}\n", printable(plan.name), printable(who), printable(reason.words));
    }
    return status;
}

}  // namespace

ExitStatus run_figure(const FigureOptions& options)
{
    Errors errors;
    const auto overrides = read_sets(options.sets, errors);
    const auto scene = read_scene_with(options.scene, overrides, errors);
    if (!scene) return refuse(errors);
    print_warnings(scene->warnings);
    const auto plans = figures_of(*scene, options.name);
    if (!plans) return refuse({plans.error()});
    if (!options.output.empty() && plans->size() > 1)
        return refuse_figure("one file for several figures",
                             "name one of them: carom figure SCENE NAME -o FILE");
    const std::string ending =
        options.output.empty() ? "." + options.format : fs::path(options.output).extension().string();
    const auto format = format_of(options.output == "-" ? "." + options.format : ending);
    if (!format)
        return refuse_figure(
            fmt::format("the name {} ends with none of .svg, .pdf and .png", carom::quoted(options.output)),
            "give a name that ends with .svg, .pdf or .png");

    note_interrupts();
    ExitStatus worst = ExitStatus::Certified;
    for (const FigurePlan& plan : *plans) {
        const auto figure = make_figure(
            *scene, plan, {.format = *format, .dots_per_inch = options.dots_per_inch}, &interrupt_flag());
        if (!figure) return refuse(figure.error());
        if (figure->file.empty()) return ExitStatus::Interrupted;
        const std::string file =
            !options.output.empty()
                ? options.output
                : fmt::format("{}_{}{}", fs::path(options.scene).stem().string(), plan.name, ending);
        if (const ExitStatus written = write_made(figure->file, options.scene, file, ending);
            written != ExitStatus::Certified)
            return written;
        worst = std::max(worst, judge(plan, *figure));
    }
    return worst;
}

}  // namespace carom::app
