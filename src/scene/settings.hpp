#pragma once

#include "system.hpp"

namespace carom::detail {

/// How to run, as a scene says it; what it leaves out keeps its default.
struct Settings {
    IntegratorSettings integrator;
    SolverSettings solver;
    RunPlan plan;
    RecordSettings record;
    double start_s = 0;
    std::optional<double> length_m, activation_gap_m;
};

/// Where `--set integrator.kind=` chooses another integrator than the text does, settings in the text that
/// the chosen one does not know are left out, each with a warning. Without such an override they are
/// mistakes.
void drop_keys_of_the_kind_left(std::span<const Override> overrides, Node& root, Mistakes& mistakes);

[[nodiscard]] Settings read_settings(const Node& root, const Names& names, Mistakes& mistakes);

}  // namespace carom::detail
