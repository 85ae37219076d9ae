#include "report/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom {
namespace {

long count(const Basins& basins, int which)
{
    return std::ranges::count(basins.of, which);
}

}  // namespace

std::string to_text(const Study& study, const Basins& basins)
{
    const auto names = state_names(study);
    const auto all = static_cast<double>(std::max<std::size_t>(1, basins.of.size()));
    std::string out = fmt::format("{} starts, {} attractor{}\n", basins.of.size(), basins.attractors.size(),
                                  basins.attractors.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < basins.attractors.size(); ++i) {
        const Attractor& one = basins.attractors[i];
        out += fmt::format("  {}: period {}, {} starts ({:.2f} %)", i + 1, one.period, one.runs,
                           100 * static_cast<double>(one.runs) / all);
        for (std::size_t k = 0; k < one.points.front().size() && k < names.size(); ++k) {
            out += fmt::format("{}{} = {:.6g}", k == 0 ? "; " : ", ", names[k], one.points.front()[k]);
        }
        out += "\n";
    }
    if (const long other = count(basins, Basins::irregular); other > 0)
        out += fmt::format("  no period seen: {} starts\n", other);
    if (const long failed = count(basins, Basins::failed); failed > 0)
        out += fmt::format("  failed: {} starts\n", failed);
    return out;
}

}  // namespace carom
