#pragma once

#include "carom/onestep/problem.hpp"

#include <array>

namespace carom::detail {

/// W_cc of the contact `first` and the three behind it at once, all of them with friction in space between
/// two blocks, of any inertia. The same numbers as set_diagonal, by the same operations in the same order.
/// `rows` as set_diagonal has them; the diagonal is zero before.
void set_four_diagonals(const std::array<Factors::Rows, 4>& rows, int first, OneStepProblem& problem);

}  // namespace carom::detail
