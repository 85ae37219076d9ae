#pragma once

#include "carom/ledger/certificate.hpp"
#include "ledger/certifier.hpp"
#include "stepping/scratch.hpp"

#include <optional>

namespace carom {

/// Calls the map once. How far its answer is from (IM-3), (IM-5) goes to the report. The answer has
/// percussions with  A (u+ - u-) = rows^T P  for all rows: those of the map, or the nearest that the contacts
/// can give. Nothing when the map gave no number.
[[nodiscard]] std::optional<Impact> call_impact_map(const ImpactMap& map, const ImpactSite& site,
                                                    const Eigen::VectorXd& u_minus, StepReport& report);

/// Where an open contact closes while approaching, u_minus <- F(q, u_start) by the model's impact map (IM-3);
/// does nothing without a map or a collision. The percussions that the map stands for go to map_P. False when
/// the map gave no number.
[[nodiscard]] bool apply_impact_map(const Model& model, const State& state, double t_s, Scratch& scratch,
                                    StepReport& report);

/// Writes down what an impact map gave back, against (IM-3).
void judge_map(const StepReport& report, double time_s, double scale_J, Certifier& certifier);

}  // namespace carom
