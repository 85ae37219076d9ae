#include "core/text.hpp"
#include "solved_output.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

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

    text += "\nfraction of the problems solved within a factor of the fastest solver\n";
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
        bool solved = false;
        for (std::size_t solver = 0; solver < comparison.solvers.size(); ++solver)
            solved = solved || comparison.run(problem, solver).solved();
        all = all && solved;
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
