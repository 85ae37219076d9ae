#pragma once

#include "account.hpp"
#include "run/progress.hpp"
#include "stepping/finished_body_step.hpp"

namespace carom::detail {

/// Impacts that change the velocities by less than a hundredth are nothing: of many bodies some are always
/// about to touch.
inline constexpr double negligible_part = 1e-4;

/// Kinetic energy of what an impact would do to the velocities, ((1 + e) U_N)^2 / 2 W_NN.
[[nodiscard]] double lost_J(const BodyModel& model, const State& at, const BodyContact& contact, double U);

/// Impacts of a step whose direction or size the step does not know, finding `impact_not_resolved`:
///
/// - (BO-35) where the normal has turned between the touch and the place at which the step takes it;
/// - (BO-36) where one takes two steps (BO-9) and the second meets another approach than the first has left.
void look_at_resolution(const BodyModel& model, double max_overlap, const TakenStep& step,
                        FinishedBodyStep& bodies, Certifier& certifier);

/// "first-second", as events and findings call a contact of two bodies.
[[nodiscard]] std::string name_of_pair(const BodyModel& model, int first, int second);

}  // namespace carom::detail
