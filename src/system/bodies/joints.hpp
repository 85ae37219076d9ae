#pragma once

#include "carom/core/expected.hpp"
#include "system/bodies/body_model.hpp"

namespace carom::detail {

/// Adds what is wrong with the joints of a setup.
void check_joints(const BodySetup& setup, bool flat, Errors& errors);

/// Adds joints whose bodies move against them at the start.
void check_start(const BodyModel& model, Errors& errors);

}  // namespace carom::detail
