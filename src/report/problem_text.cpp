#include "report/text.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

namespace carom {
namespace {

std::string name_in_table(const ProblemFile& file)
{
    constexpr std::size_t longest = 40;
    std::string name = printable(std::filesystem::path(file.path).filename().string());
    if (name.size() > longest) name = name.substr(0, longest - 3) + "...";
    return name;
}

}  // namespace

std::string to_text(const std::vector<SolvedFile>& problems, Paint paint)
{
    std::string text =
        fmt::format("{:<40} {:>8} {:<11} {:<16} {:>10} {:>10} {:>9} {:>9} {:>9}\n", "problem", "contacts",
                    "status", "solver", "iterations", "time, s", "e_d", "e_v", "e_S");
    std::size_t solved_count = 0;
    for (const auto& [file, solved] : problems) {
        solved_count += solved.solved() ? 1 : 0;
        text +=
            fmt::format("{:<40} {:>8} {} {:<16} {:>10} {:>10.3g} {:>9.1e} {:>9.1e} {:>9.1e}\n",
                        name_in_table(file), file.stored.contacts(),
                        paint(fmt::format("{:<11}", solved.status), solved.solved() ? Tone::Good : Tone::Bad),
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
            text += fmt::format("{} {}: {}\n", paint("note", Tone::Doubtful), name_in_table(file), warning);
        }
    }
    return text;
}

}  // namespace carom
