#pragma once

#include "carom/expression/formula.hpp"
#include "expression/term.hpp"

namespace carom {

/// Whether f(q, s u, t) = s^degree f(q, u, t) for every s > 0 can be read off the structure of the term
/// (EX-7). The rule is safe, not complete: it never says yes wrongly, and (u + 1)^2 - 2 u - 1 is a no.
[[nodiscard]] bool homogeneous_in_velocities(const Term& term, double degree);

}  // namespace carom
