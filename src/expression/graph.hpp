#pragma once

#include "carom/expression/formula.hpp"
#include "expression/tape.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace carom {

/// Expressions under construction: nodes are created once and shared, constants are folded immediately.
///
/// A node is an instruction whose operands are nodes; `Variable` nodes hold the kind in a and the index in b.
/// Operands come before the node that uses them, so walking the indices downwards visits every node after all
/// its users. A product with the constant 0 is 0 for any other factor (EX-5).
class Graph {
public:
    int constant(double number);
    int variable(Variable which);

    int add(int x, int y);
    int subtract(int x, int y);
    int multiply(int x, int y);
    int divide(int x, int y);
    int negate(int x);
    int scale(int x, double number);
    int power(int x, int y);

    /// A function of one, two or three arguments that none of the above builds.
    int function(Op op, int x, int y = 0, int z = 0);
    int lookup(const std::shared_ptr<const Table>& table, int x);
    int lookup_slope(const std::shared_ptr<const Table>& table, int x);

    [[nodiscard]] int size() const noexcept { return static_cast<int>(nodes_.size()); }
    [[nodiscard]] const Instruction& operator[](int node) const
    {
        return nodes_[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] const std::vector<std::shared_ptr<const Table>>& tables() const noexcept { return tables_; }
    [[nodiscard]] bool is_constant(int node) const { return (*this)[node].op == Op::Constant; }
    [[nodiscard]] bool is_constant(int node, double number) const;

private:
    struct Hash {
        std::size_t operator()(const Instruction& it) const noexcept;
    };
    struct Same {
        bool operator()(const Instruction& x, const Instruction& y) const noexcept;
    };

    int node(const Instruction& it);
    int place_of(const std::shared_ptr<const Table>& table);
    int shift(int x, double number);
    int divide_by(int x, double number);
    int raise(int x, double exponent);

    std::vector<Instruction> nodes_;
    std::unordered_map<Instruction, int, Hash, Same> known_;
    std::vector<std::shared_ptr<const Table>> tables_;
};

/// What a `Variable` node of a graph stands for.
[[nodiscard]] inline Variable variable_of(const Instruction& node) noexcept
{
    return {static_cast<Variable::Kind>(node.a), node.b};
}

/// The nodes that the roots need, themselves included, operands first.
[[nodiscard]] std::vector<int> needed_by(const Graph& graph, std::span<const int> roots);

/// The nodes, sorted and with all they need, renumbered into a tape whose inputs are the sorted variables.
[[nodiscard]] Tape compile(const Graph& graph, std::span<const int> nodes,
                           std::span<const Variable> variables);

/// The expression at `root` as a sum of terms (EX-5). Sums are opened below signs, brackets and constant
/// factors; summands with the same variables become one term. New nodes may be added to the graph.
[[nodiscard]] Formula to_formula(Graph& graph, int root, std::string text);

/// Value of a function of constants; the arithmetic is that of the evaluator.
[[nodiscard]] double fold(Op op, double x, double y = 0, double z = 0);

}  // namespace carom
