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

[[nodiscard]] Settings read_settings(const Node& root, const Names& names, Mistakes& mistakes);

}  // namespace carom::detail
