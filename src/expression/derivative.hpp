#pragma once

#include "expression/graph.hpp"

#include <functional>
#include <span>
#include <vector>

namespace carom {

/// Derivatives as formulas: new nodes of the same graph, shared with what is there (EX-9). What is
/// differentiated in this way can be evaluated with everything that belongs to it at once (program.hpp).
///
/// Theory     docs/theory/expressions.md, (EX-9) forward and backward, (EX-6) kinks

/// What stands in place of a variable; usually graph.variable(v).
using NodeOfVariable = std::function<int(const Variable&)>;

/// The formula as a node of the graph, its variables replaced.
[[nodiscard]] int add_formula(Graph& graph, const Formula& formula, const NodeOfVariable& node_of);
[[nodiscard]] int add_formula(Graph& graph, const Formula& formula);

/// A node of one graph written into another one, its variables replaced.
[[nodiscard]] int copy_node(const Graph& from, int node, Graph& to, const NodeOfVariable& node_of);

/// Derivatives of `node` in the given variables. Analytic expressions are differentiated backwards: all
/// derivatives together cost a few times the expression. With kinks it goes forward, one variable at a time:
/// the piece that is not chosen must not spoil the one that is.
[[nodiscard]] std::vector<int> gradient(Graph& graph, int node, std::span<const Variable> variables);

}  // namespace carom
