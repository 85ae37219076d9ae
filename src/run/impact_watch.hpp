#pragma once

#include "carom/run/run.hpp"
#include "ledger/certifier.hpp"
#include "stepping/scratch.hpp"

#include <functional>

namespace carom {

/// Looks at the impacts of a step that is over: whether the step was short enough for them.
///
/// - The obstacle must not turn by more than `max_overlap` radians between the place where the motion entered
///   it and the place where the step took its normal (LE-13): finding `overlap`.
/// - Contacts that closed in the step one after the other are solved together. Where their order matters the
///   finding is `impact_order` (IM-11).
///
/// `kinetic_J` is that of the group of a contact, in the last steps (LE-27).
///
/// Theory     docs/theory/energy_ledger.md, (LE-13);  docs/theory/impacts.md, (IM-11)
void look_at_impacts(const Model& model, const IntegratorSettings& settings, const State& before,
                     const StepReport& report, const std::function<double(int)>& kinetic_J, Scratch& scratch,
                     Certifier& certifier);

}  // namespace carom
