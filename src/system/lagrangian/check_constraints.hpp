#pragma once

#include "carom/system/lagrangian/model.hpp"

namespace carom::detail {

/// The constraints of a system as they are written down.
void check_constraints(const LagrangianSystem& system, Errors& errors);

/// And where a run begins: fulfilled, with laws in range, of full rank or redundant.
void check_constraints_start(const Model& model, const State& state, double tolerance_m, Errors& errors);

}  // namespace carom::detail
