#pragma once

#include "carom/expression/formula.hpp"
#include "carom/scene/scene.hpp"
#include "carom/study/study.hpp"

#include <vector>

namespace carom::detail {

/// The instants of a strobe in the run of a scene. Errors: UnknownName, SettingOutOfRange when the period is
/// not positive, when no sample is left or when there are more than max_study_rows.
[[nodiscard]] Expected<std::vector<double>> strobe_times(const Strobe& strobe, const Scene& scene);

/// The formula of a section. Errors: those of formulas; SettingOutOfRange where fewer than no crossings are
/// skipped.
[[nodiscard]] Expected<Formula> section_of(const Strobe& strobe, const Scene& scene);

}  // namespace carom::detail
