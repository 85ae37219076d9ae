#pragma once

#include "impact_delays.hpp"

#include <optional>
#include <span>
#include <string>

namespace carom {

/// Velocities that forces turn round within steps: friction and dampers work along the way there and back.
///
/// A step takes the work of friction at the mean of the slip before and after, |P_T (U_T^- + U_T^+)|/2. Where
/// slip reverses within the step the real work is up to |P_T| (|U_T^-| + |U_T^+|)/2. With d the difference,
/// over the run,
///
///     sum d  <=  tau (sum d + sum |work of friction|)     or     sum d  <=  1e-6 S_run (LE-20)
///
/// Theory     docs/theory/energy_ledger.md

/// The same holds of given forces that depend on velocities: d is what the work along the step, by Simpson's
/// rule, differs from that at the mean velocity (LE-4).

/// The contacts and forces of a step.
void note_dissipation(std::span<const ContactStep> contacts, const StepReport& report,
                      SlipWork& sum) noexcept;

/// One contact of it.
void note_friction(const ContactStep& contact, SlipWork& sum) noexcept;

/// Finding `step_too_long` of a run that ends here; a step that is known to be too long needs no second word.
void look_at_slip_work(const RunSoFar& run, double h_s, double tolerance, std::vector<Finding>& findings);

/// The same of works where `energy_J` takes part. `of`: whose they are, if not of all.
[[nodiscard]] std::optional<Finding> look_at_work(const SlipWork& sum, double energy_J, double end_s,
                                                  double h_s, double tolerance, const std::string& of = {});

}  // namespace carom
