#include "carom/report/json.hpp"

#include "core/text.hpp"
#include "report/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom {
namespace {

using detail::Json;

/// Who contradicts whom, with their weights (OS-11).
Json json_of(const OneStepProblem& problem, const NoSolutionProof& proof)
{
    Json weights = Json::array();
    for (const int c : proof.interactions) {
        const auto d = problem.part(std::span<const double>(proof.d), c);
        weights.push_back({{"interaction", c}, {"weight", std::vector<double>(d.begin(), d.end())}});
    }
    return {{"closing_speed_m_s", proof.closing_m_s}, {"weights", weights}};
}

Json json_of(const SolvedFile& one)
{
    const auto& [file, solved] = one;
    const SolutionCheck& check = solved.check;
    Json carriers = Json::array();
    for (const ResidualCarrier& carrier : check.carriers) {
        carriers.push_back({{"interaction", carrier.interaction}, {"share", carrier.share}});
    }
    Json result = {{"status", solved.status},
                   {"file", file.path},
                   {"form", name_of(file.stored.form)},
                   {"dimension", file.stored.space_dimension},
                   {"contacts", file.stored.contacts()},
                   {"joints", file.stored.joints},
                   {"solver", name_of(solved.report.solver)},
                   {"iterations", solved.report.iterations},
                   {"time_s", solved.time_s},
                   {"unit_free_error", check.unit_free},
                   {"velocity_error", check.velocity},
                   {"siconos_error", check.siconos},
                   {"certificate",
                    {{"max_cone_violation_Ns", check.cone_violation_Ns},
                     {"max_penetration_m_s", check.penetration_m_s},
                     {"max_joint_speed_m_s", check.joint_speed_m_s},
                     {"bipotential_gap_J", check.gap_J},
                     {"finite", check.finite}}},
                   {"residual_carriers", carriers},
                   {"operator",
                    {{"asymmetry", solved.W.asymmetry},
                     {"negative_eigenvalues", solved.W.negative},
                     {"least_eigenvalue", solved.W.smallest},
                     {"largest_eigenvalue", solved.W.largest}}},
                   {"hidden_velocity_error", nullptr},
                   {"warnings", solved.warnings}};
    if (solved.report.proof) result["no_solution"] = json_of(file.loaded.problem, *solved.report.proof);
    if (solved.hidden_velocity_error) result["hidden_velocity_error"] = *solved.hidden_velocity_error;
    return result;
}

}  // namespace

std::string to_json(const std::vector<SolvedFile>& problems)
{
    Json json;
    if (problems.size() == 1) {
        json = json_of(problems.front());
    } else {
        const bool all = std::all_of(problems.begin(), problems.end(),
                                     [](const SolvedFile& one) { return one.solved.solved(); });
        json = {{"status", all ? "solved" : "not_solved"}, {"problems", Json::array()}};
        for (const SolvedFile& one : problems) {
            json["problems"].push_back(json_of(one));
        }
    }
    return detail::one_line(json);
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
    return detail::one_line(json);
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

}  // namespace carom
