#pragma once

#include "directions.hpp"
#include "law_rows.hpp"

#include "carom/orbit/sensitivity.hpp"

namespace carom::detail {

/// Derivatives of the steps of Moreau's scheme, step by step (OR-22).
[[nodiscard]] Expected<Sensitivities, Errors> sensitivities_of_steps(const Scene& scene,
                                                                     const SensitivityOptions& options,
                                                                     const Directions& directions,
                                                                     const SceneSymbols& symbols);

[[nodiscard]] std::string name_of_contact(const Model& model, int contact);

/// A loss in the words of a result.
[[nodiscard]] NotDifferentiable not_differentiable(const Loss& loss, double t_s, const Model& model);

}  // namespace carom::detail
