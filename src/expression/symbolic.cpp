#include "carom/expression/symbolic.hpp"

#include <algorithm>

namespace carom {
namespace {

int inserted(Graph& graph, const Instruction& it, const std::vector<int>& node)
{
    const auto operand = [&](std::int32_t reg) { return node[static_cast<std::size_t>(reg)]; };
    const int x = operand_count(it.op) > 0 ? operand(it.a) : 0;
    switch (it.op) {
    case Op::Constant: return graph.constant(it.number);
    case Op::Add: return graph.add(x, operand(it.b));
    case Op::Subtract: return graph.subtract(x, operand(it.b));
    case Op::Multiply: return graph.multiply(x, operand(it.b));
    case Op::Divide: return graph.divide(x, operand(it.b));
    case Op::Negate: return graph.negate(x);
    case Op::Scale: return graph.scale(x, it.number);
    case Op::DivideBy: return graph.divide(x, graph.constant(it.number));
    case Op::Shift: return graph.add(x, graph.constant(it.number));
    case Op::Reciprocal: return graph.divide(graph.constant(it.number), x);
    case Op::Square: return graph.multiply(x, x);
    case Op::IntegerPower: return graph.power(x, graph.constant(it.b));
    case Op::RealPower: return graph.power(x, graph.constant(it.number));
    case Op::Power: return graph.power(x, operand(it.b));
    case Op::Lookup: throw InternalError("a table has no power series");
    default: break;
    }
    const int operands = operand_count(it.op);
    return graph.function(it.op, x, operands > 1 ? operand(it.b) : 0, operands > 2 ? operand(it.c) : 0);
}

}  // namespace

int insert(Graph& graph, const Formula& formula, const std::function<int(Variable)>& node_of)
{
    int sum = graph.constant(0);
    for (const Term& term : formula.terms()) {
        std::vector<int> node;
        for (const Instruction& it : term.tape().instructions()) {
            node.push_back(it.op == Op::Variable ? node_of(term.variables()[static_cast<std::size_t>(it.a)])
                                                 : inserted(graph, it, node));
        }
        sum = graph.add(sum, node.back());
    }
    return sum;
}

int insert(Graph& graph, const Graph& from, int node, const std::function<int(Variable)>& node_of)
{
    // operands come before the nodes that use them
    std::vector<int> nodes;
    for (int i = 0; i <= node; ++i) {
        const Instruction& it = from[i];
        const Variable variable{static_cast<Variable::Kind>(it.a), it.b};
        nodes.push_back(it.op == Op::Variable ? node_of(variable) : inserted(graph, it, nodes));
    }
    return nodes.back();
}

bool has_table(const Formula& formula) noexcept
{
    return std::ranges::any_of(formula.terms(), [](const Term& term) {
        return std::ranges::any_of(term.tape().instructions(),
                                   [](const Instruction& it) { return it.op == Op::Lookup; });
    });
}

int Derivatives::of(int node, Variable variable)
{
    const auto found = known_.find({node, variable});
    if (found != known_.end()) return found->second;
    const int result = made(node, variable);
    known_[{node, variable}] = result;
    return result;
}

int Derivatives::along_motion(int node, int coordinates)
{
    int sum = of(node, {Variable::Kind::Time, 0});
    for (int i = 0; i < coordinates; ++i) {
        const int slope = of(node, {Variable::Kind::Coordinate, i});
        if (graph_.is_constant(slope, 0)) continue;
        sum = graph_.add(sum, graph_.multiply(slope, graph_.variable({Variable::Kind::Velocity, i})));
    }
    return sum;
}

int Derivatives::made(int node, Variable variable)
{
    const Instruction it = graph_[node];
    Graph& g = graph_;
    if (it.op == Op::Constant) return g.constant(0);
    if (it.op == Op::Variable) {
        const bool same = it.a == static_cast<std::int32_t>(variable.kind) && it.b == variable.index;
        return g.constant(same ? 1 : 0);
    }
    if (it.op == Op::Select) return g.function(Op::Select, it.a, of(it.b, variable), of(it.c, variable));
    const int dx = of(it.a, variable);
    const int dy = operand_count(it.op) > 1 ? of(it.b, variable) : g.constant(0);
    if (g.is_constant(dx, 0) && g.is_constant(dy, 0)) return g.constant(0);
    switch (it.op) {
    case Op::Add: return g.add(dx, dy);
    case Op::Subtract: return g.subtract(dx, dy);
    case Op::Multiply: return g.add(g.multiply(dx, it.b), g.multiply(it.a, dy));
    case Op::Divide: return g.divide(g.subtract(dx, g.multiply(node, dy)), it.b);
    case Op::IntegerPower:
    case Op::RealPower:
    case Op::Power: return of_power(it, node, dx, dy);
    case Op::Atan2: {
        const int r2 = g.add(g.multiply(it.a, it.a), g.multiply(it.b, it.b));
        return g.divide(g.subtract(g.multiply(it.b, dx), g.multiply(it.a, dy)), r2);
    }
    case Op::Hypot: return g.divide(g.add(g.multiply(it.a, dx), g.multiply(it.b, dy)), node);
    case Op::Min: return g.function(Op::Select, g.function(Op::Less, it.b, it.a), dy, dx);
    case Op::Max: return g.function(Op::Select, g.function(Op::Less, it.a, it.b), dy, dx);
    default: return of_function(it, node, dx);
    }
}

int Derivatives::of_power(const Instruction& it, int node, int dx, int dy)
{
    Graph& g = graph_;
    if (it.op == Op::Power) {
        // z (y' log x + y x' / x)
        const int log_part = g.multiply(dy, g.function(Op::Log, it.a));
        return g.multiply(node, g.add(log_part, g.divide(g.multiply(it.b, dx), it.a)));
    }
    const double n = it.op == Op::IntegerPower ? it.b : it.number;
    return g.multiply(g.scale(g.power(it.a, g.constant(n - 1)), n), dx);
}

/// Functions of one argument.
int Derivatives::of_function(const Instruction& it, int node, int dx)
{
    Graph& g = graph_;
    const int x = it.a;
    const auto one_plus = [&](int y, double sign) { return g.add(g.scale(y, sign), g.constant(1)); };
    const int x2 = g.multiply(x, x);
    switch (it.op) {
    case Op::Negate: return g.negate(dx);
    case Op::Scale: return g.scale(dx, it.number);
    case Op::DivideBy: return g.divide(dx, g.constant(it.number));
    case Op::Shift: return dx;
    case Op::Reciprocal: return g.negate(g.divide(g.multiply(node, dx), x));
    case Op::Square: return g.multiply(g.scale(x, 2), dx);
    case Op::Sqrt: return g.divide(dx, g.scale(node, 2));
    case Op::Exp: return g.multiply(node, dx);
    case Op::Log: return g.divide(dx, x);
    case Op::Sin: return g.multiply(g.function(Op::Cos, x), dx);
    case Op::Cos: return g.negate(g.multiply(g.function(Op::Sin, x), dx));
    case Op::Tan: return g.multiply(one_plus(g.multiply(node, node), 1), dx);
    case Op::Asin: return g.divide(dx, g.function(Op::Sqrt, one_plus(x2, -1)));
    case Op::Acos: return g.negate(g.divide(dx, g.function(Op::Sqrt, one_plus(x2, -1))));
    case Op::Atan: return g.divide(dx, one_plus(x2, 1));
    case Op::Sinh: return g.multiply(g.function(Op::Cosh, x), dx);
    case Op::Cosh: return g.multiply(g.function(Op::Sinh, x), dx);
    case Op::Tanh: return g.multiply(one_plus(g.multiply(node, node), -1), dx);
    case Op::Abs: return g.multiply(g.function(Op::Sign, x), dx);
    default: return g.constant(0);  // signs and truths are constant but where they jump
    }
}

}  // namespace carom
