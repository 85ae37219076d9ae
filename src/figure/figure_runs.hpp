#pragma once

#include "carom/figure/figure.hpp"
#include "carom/orbit/branch.hpp"

namespace carom::detail {

/// The runs that a figure is drawn from: one, or one for each of its values; with an orbit, one period of it.
[[nodiscard]] Expected<std::vector<FigureRun>, Errors> runs_of(const Scene& scene, const FigurePlan& plan,
                                                               const std::atomic<bool>* stop);

/// The branch of orbits that a panel or number of the figure asks for; nothing where none does.
[[nodiscard]] Expected<std::optional<Branch>, Errors> branch_of(const Scene& scene, const FigurePlan& plan);

/// What the numbers of the figure came to; NaN where the run ended before their instant, or the event did not
/// happen.
[[nodiscard]] Expected<std::vector<FigureResult>, Errors>
results_of(const FigurePlan& plan, const std::vector<FigureRun>& runs, const std::optional<Branch>& branch);

}  // namespace carom::detail
