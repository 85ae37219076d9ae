#pragma once

#include "member.hpp"

namespace carom::detail {

/// Whether forces, gaps, velocities of obstacles and coefficients of laws do not depend on the time.
[[nodiscard]] bool repeats_at_all_times(Member& member);

/// A given period after which formulas of the scene are not what they were, or that does not follow the
/// forcing where a parameter of the options changes (OR-28).
[[nodiscard]] std::optional<Error> wrong_period(Member& member, const OrbitOptions& options);

}  // namespace carom::detail
