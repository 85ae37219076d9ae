#include "commands.hpp"
#include "input.hpp"
#include "report/bench_results.hpp"

namespace carom::app {

ExitStatus run_bench(const BenchOptions& options)
{
    Errors errors;
    const std::vector<ProblemFile> files = read_problems(options.files, errors);
    if (!errors.empty()) return refuse(errors, options.json);

    // matrix-free sweeps: so many contacts, then twice and four times as many, to see memory grow
    BenchResults results;
    for (const std::size_t factor : {1U, 2U, 4U})
        results.spheres.push_back(measure_spheres(factor * static_cast<std::size_t>(options.contacts)));

    // auto on files
    for (const double tolerance : {1e-8, 1e-4}) {
        SolveTask task;
        task.settings.tolerance = tolerance;
        task.settings.max_sweeps = patient_sweeps;
        task.repetitions = options.repeat;
        auto& solved = results.solved.emplace_back();
        solved.tolerance = tolerance;
        for (const ProblemFile& file : files)
            solved.files.push_back({file, solve_errors_only(file.loaded.problem, task)});
    }
    if (!print_result(options.json ? to_json(results) : to_text(results, painted)))
        return ExitStatus::BadInput;
    return results.all_solved() ? ExitStatus::Certified : ExitStatus::Uncertified;
}

}  // namespace carom::app
