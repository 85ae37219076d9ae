#include "commands.hpp"

#include "carom/study/run_study.hpp"
#include "core/text.hpp"
#include "input.hpp"
#include "interrupt.hpp"
#include "report/orbit_files.hpp"
#include "report/point_runs.hpp"
#include "report/text.hpp"
#include "study_progress.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace carom::app {
namespace {

/// "NAME=value".
Expected<std::pair<std::string, double>> read_exact(const std::string& text)
{
    const auto equals = text.rfind('=');
    const auto value =
        equals == std::string::npos ? std::nullopt : number_of(std::string_view(text).substr(equals + 1));
    if (value && equals > 0) return std::pair{text.substr(0, equals), *value};
    return mistake(ErrorCode::SceneSyntax, "--exact",
                   fmt::format("{} is not of the form column=number", carom::quoted(text)),
                   "name a column of the table: --exact x@0.5=0.25");
}

StudyPlan read_plan(const StudyOptions& options, Errors& errors)
{
    StudyPlan plan;
    read_all(options.varies, parse_axis, plan.axes, errors);
    read_all(options.perturbs, parse_perturbation, plan.perturbations, errors);
    plan.at_s = read_times(options.times, errors);
    plan.repeat = options.repeat;
    plan.seed = options.seed;
    plan.levels = options.converge ? options.levels : 0;
    plan.impacts = options.impacts;
    if (options.perturb_step) {
        const std::string& width = *options.perturb_step;
        const auto number = width.empty() ? std::optional(0.0) : number_of(width);
        if (!number) {
            errors.push_back(
                mistake(ErrorCode::WrongType, "--perturb-step",
                        fmt::format("{} is not a number", carom::quoted(width)),
                        "give the width in seconds, --perturb-step=1e-4, or put the option last"));
        }
        plan.perturb_step_s = number.value_or(0);
    }
    if (!options.strobe.empty() || !options.section.empty())
        plan.strobe = Strobe{.period = options.strobe, .skip = options.skip, .section = options.section};
    return plan;
}

/// A study and what is wanted of it, checked.
struct Task {
    Study study;
    Shard shard;
    std::map<std::string, double> exact;
};

/// Names that must be columns, and a table that does not replace the scene.
Errors look_at_names(const StudyOptions& options, const Study& study,
                     const std::vector<std::pair<std::string, double>>& exact)
{
    Errors errors;
    for (const auto& [name, value] : exact) {
        if (std::ranges::find(study.quantities(), name) != study.quantities().end()) continue;
        const std::string nearest = nearest_name(name, study.quantities());
        errors.push_back(mistake(
            ErrorCode::UnknownName, "--exact", fmt::format("there is no column {}", carom::quoted(name)),
            nearest.empty() ? fmt::format("there are: {}", fmt::join(study.quantities(), ", "))
                            : fmt::format("did you mean {}?", nearest)));
    }
    if (!exact.empty() && study.plan().levels == 0) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, "--exact",
                                 "exact values are used only with --converge", "add --converge"));
    }
    std::error_code problem;
    if (!options.output.empty() && std::filesystem::equivalent(options.output, options.scene, problem)) {
        errors.push_back(mistake(ErrorCode::FileUnwritable, options.output,
                                 "this is the scene itself, which would be lost",
                                 "give another name after -o"));
    }
    return errors;
}

Expected<Task, Errors> prepare(const StudyOptions& options)
{
    Errors errors;
    StudyPlan plan = read_plan(options, errors);
    const std::vector<Override> overrides = read_sets(options.sets, errors);
    std::vector<std::pair<std::string, double>> exact;
    read_all(options.exacts, read_exact, exact, errors);
    std::vector<Shard> shards;
    if (!options.shard.empty()) read_all({options.shard}, parse_shard, shards, errors);

    // the scene is looked at as well: all mistakes at once
    auto study = Study::prepare(options.scene, overrides, std::move(plan));
    if (!study) errors.insert(errors.end(), study.error().begin(), study.error().end());
    if (!errors.empty()) return errors;
    errors = look_at_names(options, *study, exact);
    if (!errors.empty()) return errors;

    const Shard shard = shards.empty() ? Shard{} : shards.front();
    return Task{std::move(*study), shard, {exact.begin(), exact.end()}};
}

ExitStatus status_of(const StudyResults& results)
{
    if (results.result.stopped) return ExitStatus::Interrupted;
    const auto counts = statuses_of(results.result.table);
    if (counts.contains("failed") || counts.contains("refused")) return ExitStatus::Failed;
    return counts.contains("uncertified") ? ExitStatus::Uncertified : ExitStatus::Certified;
}

/// The same with the names of the options that were given.
Errors with_study_options(Errors errors)
{
    for (Error& error : errors) {
        if (error.where == "StudyOptions::threads") error.where = "--threads";
    }
    return errors;
}

/// Certified: the table is complete.
ExitStatus merge(const StudyOptions& options)
{
    if (options.output.empty()) {
        return refuse({mistake(ErrorCode::MissingKey, "--merge", "the merged table has no file name",
                               "carom study --merge a.csv b.csv -o all.csv")},
                      options.json);
    }
    const auto merged = merge_tables(options.merge, options.output);
    if (!merged) return refuse({merged.error()}, options.json);
    const std::string text = options.json ? to_json(*merged) : to_text(*merged, options.output);
    if (!options.quiet && !print_result(text)) return ExitStatus::BadInput;
    return merged->missing.empty() ? ExitStatus::Certified : ExitStatus::Uncertified;
}

bool is_file_of_basins(const std::string& file)
{
    return file.ends_with(".svg") || file.ends_with(".pdf") || file.ends_with(".json");
}

/// What can be known before the runs.
Errors look_at_basin(const StudyOptions& options, const Study& study)
{
    Errors errors;
    if (options.basin.empty()) return errors;
    if (!is_file_of_basins(options.basin)) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, "--basin",
                                 fmt::format("{} is neither a picture nor numbers", printable(options.basin)),
                                 "give a name that ends in .svg, .pdf or .json"));
    }
    if (!study.plan().strobe) {
        errors.push_back(
            mistake(ErrorCode::MissingKey, "--basin",
                    "attractors are distinguished by one sample per period, and there is no period",
                    "add --strobe PERIOD or --section FORMULA, and --skip N for what comes before"));
    }
    if (study.plan().repeat > 1 || study.plan().levels > 0) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, "--basin", "every start is run once",
                                 "leave out --repeat and --converge"));
    }
    return errors;
}

/// Sorts the starts of a finished study, writes them down and says what there is.
Errors write_basins(const StudyOptions& options, const Study& study, const StudyResult& result)
{
    const auto basins = basins_of(study, result.table);
    if (!basins) return {basins.error()};
    std::string text;
    if (options.basin.ends_with(".json")) {
        text = json_of(study, *basins);
    } else {
        const auto diagram = diagram_of(study, *basins);
        if (!diagram) return {diagram.error()};
        text =
            draw_diagram(*diagram, options.basin.ends_with(".svg") ? FigureFormat::Svg : FigureFormat::Pdf);
    }
    if (Errors unwritten = write_whole_file(options.basin, text); !unwritten.empty()) return unwritten;
    if (!options.json && !options.quiet) static_cast<void>(print_result(to_text(study, *basins)));
    return {};
}

/// The page of a finished study, with the runs of its points.
Errors write_page(const StudyOptions& options, const Study& study, const StudyResult& result)
{
    const PointRuns runs =
        runs_of_points(study.runs(), [&](long run) { return study.scene_at(run); }, &interrupt_flag());
    const PageTable table{.name = study.scene().title.empty() ? options.scene : study.scene().title,
                          .table = &result.table};
    return write_whole_file(options.page, to_study_page(table, runs));
}

}  // namespace

ExitStatus run_study(const StudyOptions& options)
{
    if (!options.merge.empty()) return merge(options);
    if (options.scene.empty()) {
        return refuse({mistake(ErrorCode::MissingKey, "SCENE", "there is no scene to study",
                               "carom study SCENE --vary parameters.e=0:1:0.1")},
                      options.json);
    }
    if (options.lyapunov > 0) return run_lyapunov(options);
    auto task = prepare(options);
    if (!task) return refuse(task.error(), options.json);
    if (const Errors errors = look_at_basin(options, task->study); !errors.empty())
        return refuse(errors, options.json);

    // the runs, with a line that tells how far they are
    note_interrupts();
    std::optional<StudyLine> line;
    const bool shown = is_terminal(stderr) && !options.quiet;
    const long runs = runs_in(task->shard, task->study.runs());
    const auto result =
        run_study(task->study, {.output = options.output,
                                .shard = task->shard,
                                .threads = options.threads,
                                .before_runs = [&](long done) { line.emplace(shown, done, runs); },
                                .after_run = [&] { line->after_run(); },
                                .stop = &interrupt_flag()});
    if (!result) return refuse(with_study_options(result.error()), options.json);
    line->clear();
    if (!result->not_written.empty()) print_errors(result->not_written);
    const StudyResults results{.study = task->study,
                               .result = *result,
                               .shard = task->shard,
                               .output = options.output,
                               .exact = task->exact};
    if (!options.basin.empty() && !result->stopped) {
        const Errors refused = write_basins(options, task->study, *result);
        if (!refused.empty()) return refuse(refused, options.json);
    }
    if (!options.page.empty() && !result->stopped) {
        const Errors refused = write_page(options, task->study, *result);
        if (!refused.empty()) return refuse(refused, options.json);
    }
    const bool printed =
        options.json ? print_result(study_json(results)) : options.quiet || print_result(to_text(results));
    if (!printed) return ExitStatus::BadInput;
    return result->not_written.empty() ? status_of(results) : ExitStatus::Failed;
}

}  // namespace carom::app
