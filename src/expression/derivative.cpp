#include "expression/derivative.hpp"
#include "expression/term.hpp"

#include <algorithm>
#include <array>

namespace carom {

namespace {

using Operands = std::array<int, 3>;

/// The operation of an instruction with other operands, simplified as far as the graph can.
int rebuild(Graph& graph, const Instruction& it, const Operands& x, const std::shared_ptr<const Table>& table)
{
    switch (it.op) {
    case Op::Constant: return graph.constant(it.number);
    case Op::Add: return graph.add(x[0], x[1]);
    case Op::Subtract: return graph.subtract(x[0], x[1]);
    case Op::Multiply: return graph.multiply(x[0], x[1]);
    case Op::Divide: return graph.divide(x[0], x[1]);
    case Op::Negate: return graph.negate(x[0]);
    case Op::Scale: return graph.scale(x[0], it.number);
    case Op::DivideBy: return graph.divide(x[0], graph.constant(it.number));
    case Op::Shift: return graph.add(x[0], graph.constant(it.number));
    case Op::Reciprocal: return graph.divide(graph.constant(it.number), x[0]);
    case Op::Square: return graph.multiply(x[0], x[0]);
    case Op::IntegerPower: return graph.power(x[0], graph.constant(it.b));
    case Op::RealPower: return graph.power(x[0], graph.constant(it.number));
    case Op::Power: return graph.power(x[0], x[1]);
    case Op::Lookup: return graph.lookup(table, x[0]);
    case Op::LookupSlope: return graph.lookup_slope(table, x[0]);
    default: return graph.function(it.op, x[0], x[1], x[2]);
    }
}

/// d(node) / d(operand) for operations without pieces; only the entries of operands that exist.
Operands partials(Graph& g, int n)
{
    const Instruction it = g[n];
    const int x = it.a, y = it.b;
    const int one = g.constant(1);
    switch (it.op) {
    case Op::Add: return {one, one};
    case Op::Subtract: return {one, g.constant(-1)};
    case Op::Multiply: return {y, x};
    case Op::Divide: return {g.divide(one, y), g.negate(g.divide(n, y))};
    case Op::Negate: return {g.constant(-1)};
    case Op::Scale: return {g.constant(it.number)};
    case Op::DivideBy: return {g.divide(one, g.constant(it.number))};
    case Op::Shift: return {one};
    case Op::Reciprocal: return {g.negate(g.divide(n, x))};
    case Op::Square: return {g.scale(x, 2)};
    case Op::IntegerPower: return {g.scale(g.power(x, g.constant(it.b - 1)), it.b)};
    case Op::RealPower: return {g.scale(g.power(x, g.constant(it.number - 1)), it.number)};
    case Op::Power: {
        // 0^y stays 0 while y > 0 moves: there log x must not turn 0 into NaN
        const int zero = g.constant(0);
        const int still = g.function(Op::And, g.function(Op::Equal, x, zero), g.function(Op::Less, zero, y));
        const int log_x = g.function(Op::Select, still, zero, g.function(Op::Log, x));
        return {g.multiply(y, g.power(x, g.subtract(y, one))), g.multiply(n, log_x)};
    }
    case Op::Sqrt: return {g.divide(g.constant(0.5), n)};
    case Op::Exp: return {n};
    case Op::Log: return {g.divide(one, x)};
    case Op::Sin: return {g.function(Op::Cos, x)};
    case Op::Cos: return {g.negate(g.function(Op::Sin, x))};
    case Op::Tan: return {g.add(g.multiply(n, n), one)};
    case Op::Asin:
    case Op::Acos: {
        const int c = g.function(Op::Sqrt, g.multiply(g.subtract(one, x), g.add(one, x)));
        return {g.divide(g.constant(it.op == Op::Asin ? 1 : -1), c)};
    }
    case Op::Atan: return {g.divide(one, g.add(g.multiply(x, x), one))};
    case Op::Sinh: return {g.function(Op::Cosh, x)};
    case Op::Cosh: return {g.function(Op::Sinh, x)};
    case Op::Tanh: {
        // 1 / cosh^2 and not 1 - tanh^2, which cancels away from zero
        const int c = g.function(Op::Cosh, x);
        return {g.divide(g.divide(one, c), c)};
    }
    case Op::Atan2: {
        const int r = g.function(Op::Hypot, y, x);
        return {g.divide(g.divide(y, r), r), g.negate(g.divide(g.divide(x, r), r))};
    }
    case Op::Hypot: return {g.divide(x, n), g.divide(y, n)};
    case Op::Lookup: return {g.lookup_slope(g.tables()[static_cast<std::size_t>(it.b)], x)};
    default: throw InternalError("an operation with pieces has no partial derivatives");
    }
}

/// Forward: derivatives of all nodes in one variable, zero where there is none yet.
class Forward {
public:
    Forward(Graph& graph, const Variable& variable) : graph_(graph), zero_(graph.constant(0))
    {
        variable_ = graph.variable(variable);
    }

    int of(std::span<const int> nodes)
    {
        for (const int n : nodes)
            if (const int d = derivative(n); !graph_.is_constant(d, 0)) known_.emplace(n, d);
        return at(nodes.back());
    }

private:
    [[nodiscard]] int at(int node) const
    {
        const auto found = known_.find(node);
        return found == known_.end() ? zero_ : found->second;
    }

    int derivative(int n)
    {
        Graph& g = graph_;
        const Instruction it = g[n];
        const auto piece = [&](int condition, int if_true, int if_false) {
            return if_true == if_false ? if_true : g.function(Op::Select, condition, if_true, if_false);
        };
        switch (it.op) {
        case Op::Constant: return zero_;
        case Op::Variable: return n == variable_ ? g.constant(1) : zero_;
        case Op::Abs: return piece(g.function(Op::Less, it.a, zero_), g.negate(at(it.a)), at(it.a));
        case Op::Min: return piece(g.function(Op::Less, it.b, it.a), at(it.b), at(it.a));
        case Op::Max: return piece(g.function(Op::Less, it.a, it.b), at(it.b), at(it.a));
        case Op::Select: return piece(it.a, at(it.b), at(it.c));
        case Op::Sign:
        case Op::Less:
        case Op::LessEqual:
        case Op::Equal:
        case Op::Not:
        case Op::And:
        case Op::Or:
        case Op::LookupSlope: return zero_;
        default: return chain(n);
        }
    }

    int chain(int n)
    {
        const Instruction it = graph_[n];
        const bool moves = at(it.a) != zero_ || (operand_count(it.op) > 1 && at(it.b) != zero_);
        if (!moves) return zero_;
        const Operands d = partials(graph_, n);
        int sum = graph_.multiply(d[0], at(it.a));
        if (operand_count(it.op) > 1) sum = graph_.add(sum, graph_.multiply(d[1], at(it.b)));
        return sum;
    }

    Graph& graph_;
    int zero_, variable_ = 0;
    std::unordered_map<int, int> known_;
};

/// Backward: what a change of every node does to the last one.
std::vector<int> backward(Graph& g, std::span<const int> nodes, std::span<const Variable> variables)
{
    std::unordered_map<int, int> effect;
    const auto hand_down = [&](int node, int share) {
        const auto [place, is_new] = effect.try_emplace(node, share);
        if (!is_new) place->second = g.add(place->second, share);
    };
    hand_down(nodes.back(), g.constant(1));
    for (std::size_t k = nodes.size(); k-- > 0;) {
        const int n = nodes[k];
        const Instruction it = g[n];
        const auto found = effect.find(n);
        if (found == effect.end() || operand_count(it.op) == 0) continue;
        const int share = found->second;
        const Operands d = partials(g, n);
        hand_down(it.a, g.multiply(share, d[0]));
        if (operand_count(it.op) > 1) hand_down(it.b, g.multiply(share, d[1]));
    }
    std::vector<int> result;
    for (const Variable& variable : variables) {
        const auto found = effect.find(g.variable(variable));
        result.push_back(found == effect.end() ? g.constant(0) : found->second);
    }
    return result;
}

}  // namespace

int add_formula(Graph& graph, const Formula& formula, const NodeOfVariable& node_of)
{
    int sum = graph.constant(0);
    std::vector<int> nodes;
    for (const Term& term : formula.terms()) {
        nodes.clear();
        for (const Instruction& it : term.tape().instructions()) {
            if (it.op == Op::Variable) {
                nodes.push_back(node_of(term.variables()[static_cast<std::size_t>(it.a)]));
                continue;
            }
            Operands x{};
            const std::int32_t operands[] = {it.a, it.b, it.c};
            for (int i = 0; i < operand_count(it.op); ++i)
                x[static_cast<std::size_t>(i)] = nodes[static_cast<std::size_t>(operands[i])];
            nodes.push_back(
                rebuild(graph, it, x, reads_table(it.op) ? term.tape().shared_table(it.b) : nullptr));
        }
        sum = graph.add(sum, nodes.back());
    }
    return sum;
}

int add_formula(Graph& graph, const Formula& formula)
{
    return add_formula(graph, formula, [&](const Variable& v) { return graph.variable(v); });
}

int copy_node(const Graph& from, int node, Graph& to, const NodeOfVariable& node_of)
{
    std::unordered_map<int, int> copies;
    for (const int n : needed_by(from, {&node, 1})) {
        const Instruction& it = from[n];
        Operands x{};
        const std::int32_t operands[] = {it.a, it.b, it.c};
        for (int i = 0; i < operand_count(it.op); ++i)
            x[static_cast<std::size_t>(i)] = copies.at(operands[i]);
        copies[n] =
            it.op == Op::Variable
                ? node_of(variable_of(it))
                : rebuild(to, it, x,
                          reads_table(it.op) ? from.tables()[static_cast<std::size_t>(it.b)] : nullptr);
    }
    return copies.at(node);
}

std::vector<int> gradient(Graph& graph, int node, std::span<const Variable> variables)
{
    const std::vector<int> nodes = needed_by(graph, {&node, 1});
    const bool analytic = std::ranges::all_of(nodes, [&](int n) { return is_analytic(graph[n].op); });
    if (analytic) return backward(graph, nodes, variables);
    std::vector<int> result;
    for (const Variable& variable : variables)
        result.push_back(Forward(graph, variable).of(nodes));
    return result;
}

}  // namespace carom
