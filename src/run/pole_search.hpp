#pragma once

#include "path_pieces.hpp"

#include <optional>
#include <string>
#include <vector>

/// Formulas that divide by something which may vanish: whether a step passes such a pole (LE-10).
namespace carom::path_parts {

/// A denominator that may vanish: its register, and that of the quotient.
struct Guard {
    int denominator, result;
};

/// A formula of the system that divides by something which may vanish.
struct GuardedFormula {
    std::string name;
    RangeProgram program;
    std::vector<Guard> guards;
};

/// Adds the formula to the list if it has such denominators.
void add_guarded(const std::string& name, const Formula& formula, std::vector<GuardedFormula>& list);

/// Whether a denominator keeps away from zero, by the ranges that were just computed.
[[nodiscard]] bool keeps_away(const RangeProgram& program, const Guard& guard, const Ranges& ranges);

/// Where on the piece a denominator vanishes and its quotient is infinite.
[[nodiscard]] std::optional<double> find_pole(const GuardedFormula& formula, const Guard& guard,
                                              const Piece& piece, Ranges& ranges,
                                              std::vector<std::pair<double, double>>& stack);

}  // namespace carom::path_parts
