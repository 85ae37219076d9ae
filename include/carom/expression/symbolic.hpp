#pragma once

#include "carom/expression/graph.hpp"
#include "carom/series/series_tape.hpp"

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace carom {

/// Formulas as expressions that can be composed, differentiated, and then run on power series.
///
/// Theory     docs/theory/series.md, (PS-1) operations, (PS-2) switches, (PS-3) derivatives along the motion

/// The expression of a formula in `graph`, each of its variables replaced by the node that `node_of` says.
/// Tables have no series: an InternalError; `has_table` tells them before.
[[nodiscard]] int insert(Graph& graph, const Formula& formula, const std::function<int(Variable)>& node_of);
/// The same for a node of another graph.
[[nodiscard]] int insert(Graph& graph, const Graph& from, int node,
                         const std::function<int(Variable)>& node_of);
[[nodiscard]] bool has_table(const Formula& formula) noexcept;

/// Derivatives of expressions, each made once.
class Derivatives {
public:
    explicit Derivatives(Graph& graph) : graph_(graph) {}

    /// The partial derivative of a node.
    [[nodiscard]] int of(int node, Variable variable);

    /// The derivative along a motion of so many coordinates, for a node without velocities (PS-3):
    /// sum_i d/dq_i u_i + d/dt.
    [[nodiscard]] int along_motion(int node, int coordinates);

private:
    [[nodiscard]] int made(int node, Variable variable);
    [[nodiscard]] int of_function(const Instruction& it, int node, int dx);
    [[nodiscard]] int of_power(const Instruction& it, int node, int dx, int dy);

    Graph& graph_;
    std::map<std::pair<int, Variable>, int> known_;
};

/// Expressions made ready for series: `registers[i]` holds output i of the tape. Inputs are the coordinates,
/// then the velocities, then the time.
struct SeriesProgram {
    SeriesTape tape;
    std::vector<int> registers;

    SeriesProgram() = default;
    SeriesProgram(const Graph& graph, std::span<const int> outputs, int coordinates, int order);

    [[nodiscard]] const double* output(std::size_t i) const noexcept { return tape.coefficients(registers[i]); }
};

}  // namespace carom
