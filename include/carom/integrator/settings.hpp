#pragma once

#include "carom/integrator/moreau.hpp"
#include "carom/integrator/moreau_jean.hpp"
#include "carom/integrator/series.hpp"

#include <string_view>
#include <variant>

namespace carom {

/// The scheme of a run with its settings; the scene key `integrator.kind` names it.
using IntegratorSettings = std::variant<MoreauSettings, MoreauJeanSettings, SeriesSettings>;

[[nodiscard]] std::string_view name_of(const IntegratorSettings& settings) noexcept;
[[nodiscard]] double time_step_s(const IntegratorSettings& settings) noexcept;
[[nodiscard]] IntegratorSettings with_time_step(IntegratorSettings settings, double h_s) noexcept;
[[nodiscard]] IntegratorSettings with_activation_gap(IntegratorSettings settings, double gap_m) noexcept;
[[nodiscard]] Expected<void> check(const IntegratorSettings& settings);

/// One step by the scheme of the settings.
[[nodiscard]] StepReport step(const Model& model, const IntegratorSettings& settings,
                              const SolverSettings& solver, State& state, Scratch& scratch);

}  // namespace carom
