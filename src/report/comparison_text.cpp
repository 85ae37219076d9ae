#include "report/text.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

namespace carom {
std::string to_text(const Comparison& comparison, const Profile& profile)
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

}  // namespace carom
