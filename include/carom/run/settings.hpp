#pragma once

#include "carom/analytic/series.hpp"
#include "carom/stepping/moreau.hpp"
#include "carom/stepping/moreau_jean.hpp"

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

}  // namespace carom
