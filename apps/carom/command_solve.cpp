#include "commands.hpp"
#include "input.hpp"
#include "report/text.hpp"

#include "core/text.hpp"
#include "core/write_file.hpp"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

namespace carom::app {
namespace {

void check_options(const SolveOptions& options, Errors& errors)
{
    const auto wrong = [&](const char* where, const std::string& message, const char* hint) {
        errors.push_back(mistake(ErrorCode::NotAllowedHere, where, message, hint));
    };
    if (!options.save.empty() && options.files.size() != 1) {
        wrong("--save", "one file cannot hold the solutions of several problems", "give one problem");
    }
    if (!options.save.empty() && options.compare) {
        wrong("--save", "a comparison has no single solution", "leave out --save or --compare");
    }
    if (!options.profile.empty() && !options.compare) {
        wrong("--profile", "a profile needs a comparison of solvers", "add --compare");
    }
    if (!options.profile.empty() && !options.profile.ends_with(".csv") &&
        !options.profile.ends_with(".svg")) {
        wrong("--profile", carom::quoted(options.profile) + " ends in neither .csv nor .svg",
              "the file name extension selects the format");
    }
    std::error_code problem;
    if (!options.save.empty() && options.files.size() == 1 &&
        std::filesystem::equivalent(options.save, options.files.front(), problem)) {
        wrong("--save", "this is the problem file itself", "give another name");
    }
}

/// The same with the name of the option.
Error with_option(Error error)
{
    error.where = "--" + error.where;
    return error;
}

Expected<SolveTask, Errors> task_of(const SolveOptions& options)
{
    Errors errors;
    SolveTask task;
    task.settings.tolerance = options.tolerance;
    task.settings.time_limit_s = options.time_limit_s;
    task.settings.max_sweeps = patient_sweeps;
    task.repetitions = options.repeat;
    const auto kind = solver_named(options.solver);
    if (kind)
        task.settings.kind = *kind;
    else
        errors.push_back(with_option(kind.error()));
    if (auto checked = check(task.settings); !checked) errors.push_back(checked.error());
    check_options(options, errors);
    if (!errors.empty()) return errors;
    return task;
}

ExitStatus compare_all(const std::vector<ProblemFile>& files, const SolveOptions& options,
                       const SolveTask& task)
{
    const Comparison comparison = compare_solvers(files, task);
    const Profile profile = profile_of(comparison);
    if (!options.profile.empty()) {
        const bool svg = options.profile.ends_with(".svg");
        if (auto written = write_file(options.profile, svg ? to_svg(profile) : to_csv(comparison)); !written)
            return refuse({written.error()}, options.json);
    }
    if (!print_result(options.json ? to_json(comparison, profile) : to_text(comparison, profile)))
        return ExitStatus::BadInput;

    // every problem was solved by somebody
    for (std::size_t problem = 0; problem < files.size(); ++problem) {
        bool solved = false;
        for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver) {
            solved = solved || comparison.run(problem, solver).solved();
        }
        if (!solved) return ExitStatus::Uncertified;
    }
    return ExitStatus::Certified;
}

ExitStatus solve_all(const std::vector<ProblemFile>& files, const SolveOptions& options,
                     const SolveTask& task)
{
    std::vector<SolvedFile> problems;
    bool all = true;
    for (const ProblemFile& file : files) {
        problems.push_back({file, solve_problem(file.loaded.problem, task)});
        all = all && problems.back().solved.solved();
    }
    if (!options.save.empty()) {
        const ProblemFile& file = files.front();
        const FclibSolution solution =
            fclib_solution(file.stored, file.loaded.rows, problems.front().solved.P);
        if (auto written = write_fclib(options.save, file.stored, &solution); !written)
            return refuse({written.error()}, options.json);
    }
    if (!print_result(options.json ? to_json(problems) : to_text(problems, painted)))
        return ExitStatus::BadInput;
    return all ? ExitStatus::Certified : ExitStatus::Uncertified;
}

}  // namespace

ExitStatus run_solve(const SolveOptions& options)
{
    // every mistake at once: options, then files
    const auto task = task_of(options);
    Errors errors = task ? Errors{} : task.error();
    const std::vector<ProblemFile> files = read_problems(options.files, errors);
    if (!errors.empty()) return refuse(errors, options.json);
    return options.compare ? compare_all(files, options, *task) : solve_all(files, options, *task);
}

}  // namespace carom::app
