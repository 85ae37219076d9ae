#include "solver_comparison.hpp"

#include "carom/core/text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

/// The quickest solve of a problem; infinite when none succeeded.
double best_time_s(const Comparison& comparison, std::size_t problem)
{
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver) {
        const ComparedRun& run = comparison.run(problem, solver);
        // the clock counts microseconds: what is quicker counts as one
        if (run.solved()) best = std::min(best, std::max(run.time_s, 1e-6));
    }
    return best;
}

/// How many times slower than the best; infinite where it failed.
double ratio_of(const Comparison& comparison, std::size_t problem, std::size_t solver)
{
    const ComparedRun& run = comparison.run(problem, solver);
    if (!run.solved()) return std::numeric_limits<double>::infinity();
    return std::max(run.time_s, 1e-6) / best_time_s(comparison, problem);
}

}  // namespace

Comparison compare(const std::vector<ProblemFile>& files, const SolveTask& task)
{
    Comparison comparison;
    for (const SolverKind kind : all_solver_kinds()) {
        comparison.solvers.emplace_back(name_of(kind));
    }
    for (std::size_t problem = 0; problem < files.size(); ++problem) {
        comparison.problems.push_back(std::filesystem::path(files[problem].path).filename().string());
        comparison.contacts.push_back(files[problem].stored.contacts());
        for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver) {
            SolveTask one = task;
            one.settings.kind = all_solver_kinds()[solver];
            const SolvedProblem solved = solve_problem(files[problem], one);
            comparison.runs.push_back({.problem = problem,
                                       .solver = solver,
                                       .status = solved.status,
                                       .time_s = solved.time_s,
                                       .unit_free = solved.check.unit_free,
                                       .siconos = solved.check.siconos,
                                       .iterations = solved.report.iterations});
        }
    }
    return comparison;
}

Profile profile_of(const Comparison& comparison)
{
    // round factors, until every solver has shown all it solves
    double worst = 1;
    for (const ComparedRun& run : comparison.runs) {
        const double ratio = ratio_of(comparison, run.problem, run.solver);
        if (std::isfinite(ratio)) worst = std::max(worst, ratio);
    }
    Profile profile;
    for (double decade = 1;; decade *= 10) {
        for (const double step : {1.0, 2.0, 5.0}) {
            profile.factors.push_back(decade * step);
            if (decade * step >= worst) break;
        }
        if (profile.factors.back() >= worst) break;
    }

    for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver) {
        ProfileLine line{.solver = comparison.solvers[solver], .part = {}};
        for (const double factor : profile.factors) {
            int within = 0;
            for (std::size_t problem = 0; problem < comparison.problems.size(); ++problem) {
                within += ratio_of(comparison, problem, solver) <= factor ? 1 : 0;
            }
            line.part.push_back(within / static_cast<double>(comparison.problems.size()));
        }
        profile.lines.push_back(std::move(line));
    }
    return profile;
}

std::string in_words(const Comparison& comparison, const Profile& profile)
{
    // times; what was not solved shows the error it reached
    std::string text = fmt::format("{:<32} {:>8}", "time, s; or (e_d reached)", "contacts");
    for (const std::string& solver : comparison.solvers) {
        text += fmt::format(" {:>14}", solver);
    }
    text += "\n";
    for (std::size_t problem = 0; problem < comparison.problems.size(); ++problem) {
        text += fmt::format("{:<32.32} {:>8}", printable(comparison.problems[problem]),
                            comparison.contacts[problem]);
        for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver) {
            const ComparedRun& run = comparison.run(problem, solver);
            text += fmt::format(" {:>14}", run.solved() ? fmt::format("{:.3g}", run.time_s)
                                                        : fmt::format("({:.0e})", run.unit_free));
        }
        text += "\n";
    }

    text += "\npart of the problems solved within a factor of the quickest solver\n";
    text += fmt::format("{:<16}", "factor");
    for (const double factor : profile.factors) {
        text += fmt::format(" {:>6g}", factor);
    }
    text += "\n";
    for (const ProfileLine& line : profile.lines) {
        text += fmt::format("{:<16}", line.solver);
        for (const double part : line.part) {
            text += fmt::format(" {:>6.2f}", part);
        }
        text += "\n";
    }
    return text;
}

std::string to_json(const Comparison& comparison, const Profile& profile)
{
    Json runs = Json::array();
    for (const ComparedRun& run : comparison.runs) {
        runs.push_back({{"file", comparison.problems[run.problem]},
                        {"solver", comparison.solvers[run.solver]},
                        {"status", run.status},
                        {"iterations", run.iterations},
                        {"time_s", run.time_s},
                        {"unit_free_error", run.unit_free},
                        {"siconos_error", run.siconos}});
    }
    Json lines = Json::object();
    for (const ProfileLine& line : profile.lines) {
        lines[line.solver] = line.part;
    }
    bool all = true;
    for (std::size_t problem = 0; problem < comparison.problems.size(); ++problem) {
        all = all && std::isfinite(best_time_s(comparison, problem));
    }
    const Json json = {{"status", all ? "solved" : "not_solved"},
                       {"runs", runs},
                       {"profile", {{"factors", profile.factors}, {"parts", lines}}}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const Comparison& comparison)
{
    std::string text = "file,contacts,solver,status,iterations,time_s,unit_free_error,siconos_error,ratio\n";
    for (const ComparedRun& run : comparison.runs) {
        std::string name = printable(comparison.problems[run.problem]);
        std::replace(name.begin(), name.end(), ',', ' ');
        std::replace(name.begin(), name.end(), '"', ' ');
        text += fmt::format("{},{},{},{},{},{},{},{},{}\n", name, comparison.contacts[run.problem],
                            comparison.solvers[run.solver], run.status, run.iterations, run.time_s,
                            run.unit_free, run.siconos, ratio_of(comparison, run.problem, run.solver));
    }
    return text;
}

}  // namespace carom::app
