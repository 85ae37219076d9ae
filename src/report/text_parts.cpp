#include "report/text_parts.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {

std::string plain(std::string_view text, Tone)
{
    return std::string(text);
}

std::string in_words(double seconds)
{
    if (seconds < 60) return fmt::format("{:.0f} s", seconds);
    if (seconds > 360000) return "days";
    const auto whole = static_cast<long>(seconds);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string counted(long count, std::string_view one, std::string_view many)
{
    if (count == 1) return fmt::format("1 {}", one);
    return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

std::string row(std::string_view heading, std::string_view text)
{
    return fmt::format("{:<13}{}\n", heading, text);
}

std::string spaced(std::string_view name)
{
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::string reason_against(const std::vector<Finding>& findings)
{
    const auto reason = std::ranges::find_if(findings, &Finding::uncertifies);
    if (reason == findings.end()) return "an energy ledger did not close";
    return fmt::format("{} at {:.6g} s, see the diagnosis", spaced(reason->code), reason->time_s);
}

std::string ledger_rows(const Certificate& certificate, bool all)
{
    const std::size_t width = all ? 22 : 20;
    std::string out;
    for (const auto& [name, value] : lines_of(certificate.energy)) {
        const std::string_view word = name.substr(0, name.size() - 2);
        const bool change = word == "kinetic" || word == "potential";
        if (value == 0 && !change && !all) continue;
        out +=
            row(out.empty() ? "energy" : "",
                fmt::format("{:<{}}{:>16.8g} J", (change ? "change of " : "") + spaced(word), width, value));
    }
    return out +
           row("", fmt::format("{:<{}}{:>16.2e} J", "unexplained", width, certificate.energy_balance_J));
}

std::string finding_rows(const std::vector<Finding>& findings)
{
    std::string out;
    for (const Finding& finding : findings) {
        const std::string more = finding.count < 2    ? ""
                                 : finding.count == 2 ? ", and once more"
                                                      : fmt::format(", and {} more times", finding.count - 1);
        out += row(out.empty() ? "diagnosis" : "",
                   fmt::format("{} (at {:.6g} s{})", printable(finding.message), finding.time_s, more));
    }
    return out;
}

}  // namespace carom
