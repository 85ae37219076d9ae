#include "body_parts.hpp"

#include <fmt/format.h>

namespace carom::detail {
namespace {

/// Beside the thickness of the thinner body: less is rounding of places that were written down.
constexpr double visible = 1e-6;

}  // namespace

std::optional<Finding> overlap_at_start(const BodyModel& model, const MoreauSettings& settings,
                                        const State& start)
{
    DeepestOverlap deepest;
    int pairs = 0;
    std::array<int, 2> last{-1, -1};
    for (const BodyContact& contact : body_contacts(model, start, 0)) {
        const int a = contact.first, b = contact.second;
        const double size_m = model.size_of_pair_m(a, b), depth_m = -contact.at.gap_m;
        if (!(depth_m > visible * size_m && depth_m > settings.activation_gap_m)) continue;
        deepest.see(a, b, depth_m, size_m);
        if (last == std::array{a, b}) continue;
        last = {a, b};
        ++pairs;
    }
    if (pairs == 0) return {};
    const auto name = [&](int body) { return model.setup().bodies[static_cast<std::size_t>(body)].name; };
    const bool too_deep = deepest.part > settings.max_overlap;
    return Finding{
        .code = "overlap_at_start",
        .time_s = start.t_s,
        .message = fmt::format(
            "{} and {} overlap by {:.3g} m at the start, {:.2g} of the thinner one's thickness{}: {}",
            name(deepest.first), name(deepest.second),
            deepest.part * model.size_of_pair_m(deepest.first, deepest.second), deepest.part,
            pairs > 1 ? fmt::format(", and {} more {}", pairs - 1, pairs == 2 ? "pair" : "pairs") : "",
            too_deep ? fmt::format("max_overlap is {:.2g}, and at this depth the side from which they meet "
                                   "is not known; start with them apart",
                                   settings.max_overlap)
            : settings.correction
                ? "the first steps push them apart, and this energy is in the entry correction of the ledger"
                : "nothing pushes them apart without the correction"),
        .uncertifies = too_deep};
}

}  // namespace carom::detail
