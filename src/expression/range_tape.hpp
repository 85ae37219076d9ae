#pragma once

#include "expression/graph.hpp"

#include <limits>
#include <span>
#include <vector>

namespace carom::detail {

/// Numbers from low to high.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool contains(double x) const noexcept { return low <= x && x <= high; }
};

[[nodiscard]] Range operator+(Range x, Range y) noexcept;
[[nodiscard]] Range operator-(Range x, Range y) noexcept;
[[nodiscard]] Range operator*(Range x, Range y) noexcept;
[[nodiscard]] Range operator/(Range x, Range y) noexcept;  ///< everything where y contains zero inside

/// Which values each register can take while the inputs take all values of their ranges (all numbers where
/// `inputs` is empty). Safe but not sharp, up to rounding: x - x is all numbers, but 2 + cos(x) and 1 + x^2
/// never vanish. `registers` has the size of the tape.
void run_on_ranges(const Tape& tape, std::span<const Range> inputs, std::span<Range> registers) noexcept;

/// The same for inputs that take all values.
[[nodiscard]] std::vector<Range> ranges_everywhere(const Tape& tape);

/// Several nodes of a graph as one tape, to be run on ranges of its variables.
class RangeProgram {
public:
    RangeProgram(const Graph& graph, std::span<const int> results);

    [[nodiscard]] const Tape& tape() const noexcept { return tape_; }
    [[nodiscard]] std::span<const Variable> variables() const noexcept { return variables_; }
    /// The registers of the results.
    [[nodiscard]] std::span<const int> results() const noexcept { return registers_; }

private:
    RangeProgram(const Graph& graph, std::span<const int> results, const std::vector<int>& nodes);

    std::vector<Variable> variables_;
    Tape tape_;
    std::vector<int> registers_;
};

}  // namespace carom::detail
