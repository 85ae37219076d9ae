#pragma once

#include "expression/graph.hpp"
#include "series/series_tape.hpp"

#include <span>
#include <vector>

namespace carom {

/// Expressions made ready for power series: `registers[i]` holds output i of the tape. Inputs are the
/// coordinates, then the velocities, then the time.
///
/// Theory     docs/theory/series.md, (PS-1) operations, (PS-2) switches
struct SeriesProgram {
    SeriesTape tape;
    std::vector<int> registers;

    SeriesProgram() = default;

    /// Tables have no series: an InternalError; `has_table` tells them before.
    SeriesProgram(const Graph& graph, std::span<const int> outputs, int coordinates, int order);

    [[nodiscard]] const double* output(std::size_t i) const noexcept
    {
        return tape.coefficients(registers[i]);
    }
    /// Bounds of rounding errors of output i, as far as they were computed (PS-13).
    [[nodiscard]] const double* error(std::size_t i) const noexcept { return tape.errors(registers[i]); }
    [[nodiscard]] bool is_constant(std::size_t i) const noexcept { return tape.is_constant(registers[i]); }
};

[[nodiscard]] bool has_table(const Formula& formula) noexcept;

}  // namespace carom
