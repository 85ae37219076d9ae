#pragma once

#include "carom/expression/graph.hpp"

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

/// Which values each register can take while the inputs take all values of their ranges. Safe but not sharp,
/// up to rounding. `registers` has the size of the tape.
void run_on_ranges(const Tape& tape, std::span<const Range> inputs, std::span<Range> registers) noexcept;

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
