#include "solved_output.hpp"

#include "core/text.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

std::string name_in_table(const ProblemFile& file)
{
    constexpr std::size_t longest = 40;
    std::string name = printable(std::filesystem::path(file.path).filename().string());
    if (name.size() > longest) name = name.substr(0, longest - 3) + "...";
    return name;
}

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
                   {"form", file.stored.form == FclibForm::Local ? "local" : "global"},
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

std::string summary(const std::vector<SolvedFile>& problems)
{
    std::string text =
        fmt::format("{:<40} {:>8} {:<11} {:<16} {:>10} {:>10} {:>9} {:>9} {:>9}\n", "problem", "contacts",
                    "status", "solver", "iterations", "time, s", "e_d", "e_v", "e_S");
    std::size_t solved_count = 0;
    for (const auto& [file, solved] : problems) {
        solved_count += solved.solved() ? 1 : 0;
        text += fmt::format("{:<40} {:>8} {} {:<16} {:>10} {:>10.3g} {:>9.1e} {:>9.1e} {:>9.1e}\n",
                            name_in_table(file), file.stored.contacts(),
                            coloured(fmt::format("{:<11}", solved.status),
                                     solved.solved() ? Colour::Green : Colour::Red, stdout),
                            name_of(solved.report.solver), solved.report.iterations, solved.time_s,
                            solved.check.unit_free, solved.check.velocity, solved.check.siconos);
    }
    if (problems.size() > 1) text += fmt::format("{} of {} solved\n", solved_count, problems.size());

    // what was proved, and what there is to know
    for (const auto& [file, solved] : problems) {
        const SolutionCheck& check = solved.check;
        if (problems.size() == 1) {
            text += fmt::format("\nworst cone violation      {:.2e} N s\n"
                                "worst closing speed       {:.2e} m/s\n"
                                "bipotential gap           {:.2e} J\n",
                                std::max(0.0, check.cone_violation_Ns), check.penetration_m_s, check.gap_J);
            if (file.stored.joints > 0)
                text += fmt::format("worst speed of a joint    {:.2e} m/s\n", check.joint_speed_m_s);
        }
        for (const std::string& warning : solved.warnings) {
            text += fmt::format("{} {}: {}\n", coloured("note", Colour::Yellow, stdout), name_in_table(file),
                                warning);
        }
    }
    return text;
}

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
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace carom::app
