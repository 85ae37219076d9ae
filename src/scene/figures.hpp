#pragma once

#include "carom/scene/figure_plan.hpp"
#include "names.hpp"

namespace carom::detail {

/// What the figures of a scene may name beside formulas.
struct FigureNames {
    std::vector<std::string> probes, contacts;
};

/// The figures of a scene. Mistakes: formulas that cannot be read, names that are not there, ranges that are
/// none, curves without or with two sources, `over` without `values`.
[[nodiscard]] std::vector<FigurePlan> read_figures(const Node& root, const Names& names,
                                                   const FigureNames& known, Mistakes& mistakes);

}  // namespace carom::detail
