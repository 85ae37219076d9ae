#pragma once

#include "carom/law/law.hpp"

namespace carom {

/// The same disc or the same interval; others are not compared.
[[nodiscard]] bool same_shape(const FrictionShape& a, const FrictionShape& b);

}  // namespace carom
