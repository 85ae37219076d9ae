#include "commands.hpp"
#include "input.hpp"
#include "report/sphere_packing.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

Json sphere_json(const SphereFigures& figures)
{
    return {{"contacts", figures.contacts},
            {"bodies", figures.bodies},
            {"sweep_ns", figures.sweep_ns},
            {"floor_ns", figures.floor_ns},
            {"own_floor_ns", figures.own_floor_ns},
            {"bandwidth_GB_s", figures.bandwidth_GB_s},
            {"bytes_per_contact", figures.memory_is_known ? Json(figures.bytes_per_contact) : Json(nullptr)},
            {"error_after_100_sweeps", figures.error_after_100}};
}

std::string sphere_words(const SphereFigures& figures)
{
    std::string text = fmt::format(
        "{} contacts of {} spheres: {:.1f} ns per contact and sweep; floor {:.1f} ns (232 B at {:.1f} GB/s), "
        "{:.2f} times that; with our records {:.1f} ns, {:.2f} times",
        figures.contacts, figures.bodies, figures.sweep_ns, figures.floor_ns, figures.bandwidth_GB_s,
        figures.sweep_ns / figures.floor_ns, figures.own_floor_ns, figures.sweep_ns / figures.own_floor_ns);
    if (figures.memory_is_known) text += fmt::format("; {:.0f} B per contact", figures.bytes_per_contact);
    return text + "\n";
}

}  // namespace

ExitStatus run_bench(const BenchOptions& options)
{
    Errors errors;
    std::vector<ProblemFile> files;
    for (const std::string& path : options.files) {
        auto file = read_problem(path);
        if (file)
            files.push_back(std::move(*file));
        else
            errors.push_back(file.error());
    }
    if (!errors.empty()) return refuse(errors, options.json);

    // matrix-free sweeps: so many contacts, then twice and four times as many, to see memory grow
    Json spheres = Json::array(), problems = Json::array();
    std::string text;
    for (const std::size_t factor : {1U, 2U, 4U}) {
        const SphereFigures figures = measure_spheres(factor * static_cast<std::size_t>(options.contacts));
        spheres.push_back(sphere_json(figures));
        text += sphere_words(figures);
    }

    // auto on files
    bool all = true;
    for (const double tolerance : {1e-8, 1e-4}) {
        std::vector<SolvedFile> solved;
        SolveTask task;
        task.settings.tolerance = tolerance;
        task.settings.max_sweeps = patient_sweeps;
        task.repetitions = options.repeat;
        for (const ProblemFile& file : files) {
            solved.push_back({file, solve_errors_only(file.loaded.problem, task)});
            const SolvedProblem& last = solved.back().solved;
            all = all && last.solved();
            problems.push_back({{"file", file.path},
                                {"tolerance", tolerance},
                                {"status", last.status},
                                {"solver", name_of(last.report.solver)},
                                {"time_s", last.time_s},
                                {"unit_free_error", last.check.unit_free},
                                {"siconos_error", last.check.siconos}});
        }
        if (!files.empty()) text += fmt::format("\nto {:.0e}\n{}", tolerance, to_text(solved, painted));
    }
    const Json json = {
        {"status", all ? "solved" : "not_solved"}, {"spheres", spheres}, {"problems", problems}};
    if (!print_result(options.json ? json.dump() + "\n" : text)) return ExitStatus::BadInput;
    return all ? ExitStatus::Certified : ExitStatus::Uncertified;
}

}  // namespace carom::app
