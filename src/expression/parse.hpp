#pragma once

#include "carom/core/expected.hpp"
#include "carom/expression/formula.hpp"
#include "carom/expression/vocabulary.hpp"

#include <cstddef>
#include <string_view>

namespace carom {

/// Formulas as users type them, e.g.  m*g*l*cos(q1) + k/2*(q2 - q1)^2,  velocities as q1' (EX-1).
///
/// From loosest to tightest: or, and, not, comparisons, + -, * /, signs, ^ (from the right: 2^3^2 is 2^9, and
/// -x^2 is
/// -(x^2)). Comparisons and logical words stand only in the condition of if(condition, a, b). Multiplication
/// is always written. Parameters are taken at their value when the formula is read.

/// Limits beyond which a formula is refused with FormulaTooLarge, so that no text can exhaust memory or
/// stack.
inline constexpr std::size_t max_formula_characters = 100'000;
inline constexpr int max_formula_nesting =
    200;  ///< brackets, calls, `not` and towers of powers inside each other
inline constexpr int max_formula_operations = 50'000;  ///< after equal subexpressions are shared

/// Errors: FormulaSyntax, FormulaTooLarge, UnknownName, WrongArguments, NotFinite (a number too large for a
/// double). `where` is passed on; the excerpt shows the place.
[[nodiscard]] Expected<Formula> parse_formula(std::string_view text, const Vocabulary& vocabulary,
                                              std::string_view where = {});

/// A formula of numbers and parameters only, at once evaluated. Beside the errors above: NotAllowedHere for
/// coordinates, velocities and t; NotFinite if the result is infinite or NaN.
[[nodiscard]] Expected<double> parse_constant(std::string_view text, const Vocabulary& vocabulary,
                                              std::string_view where = {});

}  // namespace carom
