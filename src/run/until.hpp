#pragma once

#include "carom/run/run.hpp"
#include "ledger/certifier.hpp"
#include "stepping/step_report.hpp"

#include <functional>
#include <string>

namespace carom {

/// The instant within a step at which `until` ends a run: of coordinates and of bodies alike.
///
/// Theory     docs/theory/moreau_scheme.md, (MS-11)

/// The formula is zero where the run begins, to the rounding of the data there: it has yet to cross.
[[nodiscard]] bool is_zero_at_start(const Formula& until, const State& start, Workspace& work);

/// The formula is positive where the run begins: the run has no steps.
[[nodiscard]] bool ends_at_start(const Until& until, const State& start, Workspace& work);

/// The until formula became >= 0 within the step: it was below zero before. `first`: the run begins with it.
[[nodiscard]] bool crosses_until(const Until& until, const State& before, const State& after, bool first,
                                 Workspace& work);

/// Takes the step again from where it began, with another length; `after` becomes the state at its end.
using StepAgain = std::function<StepReport(double h_s, State& after)>;

/// A step at whose end the until formula is >= 0, and was below zero at its beginning: taken again with the
/// length after which it just is. Every trial is a step of its own, so that the state it ends in is one of
/// the scheme; where a velocity jumps past zero the jump is the end.
void shorten_to(const Formula& until, const StepAgain& again, const State& before, State& after,
                StepReport& report, Workspace& work);

/// The step that `until` has shortened.
struct LocatedStep {
    long number = 0;  ///< from 1
    double length_s = 0, end_s = 0;
    double off = 0;        ///< how far it is from two of half its length, as a part of the motion
    bool strikes = false;  ///< it is the first of the run, and an impact is within it
};

/// Finding `step_too_long` where it is too long for what it does.
void judge_located_step(const LocatedStep& located, Certifier& certifier);

/// (LE-15): the step that fulfils `until` has an impact `since_s` after its beginning, and takes the velocity
/// before it for half of its length. True if with the real part of it the formula is below zero, and the
/// velocity after the impact does not raise it.
[[nodiscard]] bool ends_by_delay(const Formula& until, const State& before, const State& after,
                                 double since_s, Workspace& work);

/// What is said of it: finding `impact_instants`. `struck`: what the impact is of.
[[nodiscard]] Finding end_by_delay(const std::string& struck, double end_s);

}  // namespace carom
