#include "carom/expression/record.hpp"

namespace carom {

namespace {

/// The graph that the operands belong to; none if all are plain numbers.
std::shared_ptr<Graph> common(const std::shared_ptr<Graph>& x, const std::shared_ptr<Graph>& y)
{
    if (x && y && x != y) throw InternalError("symbols of two recordings are mixed");
    return x ? x : y;
}

int build(Graph& graph, Op op, int x, int y)
{
    switch (op) {
    case Op::Add: return graph.add(x, y);
    case Op::Subtract: return graph.subtract(x, y);
    case Op::Multiply: return graph.multiply(x, y);
    case Op::Divide: return graph.divide(x, y);
    case Op::Power: return graph.power(x, y);
    default: return graph.function(op, x, y);
    }
}

}  // namespace

int Symbol::node_in(const std::shared_ptr<Graph>& graph) const
{
    return graph_ ? node_ : graph->constant(number_);
}

Symbol Symbol::combine(const Symbol& x, Op op)
{
    if (!x.graph_) return {fold(op, x.number_)};
    return {x.graph_, op == Op::Negate ? x.graph_->negate(x.node_) : x.graph_->function(op, x.node_)};
}

Symbol Symbol::combine(const Symbol& x, const Symbol& y, Op op)
{
    const auto graph = common(x.graph_, y.graph_);
    if (!graph) return {fold(op, x.number_, y.number_)};
    const int left = x.node_in(graph);
    return {graph, build(*graph, op, left, y.node_in(graph))};
}

Symbol Symbol::combine(const Symbol& x, const Symbol& y, const Symbol& z, Op op)
{
    const auto graph = common(x.graph_, common(y.graph_, z.graph_));
    if (!graph) return {fold(op, x.number_, y.number_, z.number_)};
    const int first = x.node_in(graph);
    const int second = y.node_in(graph);
    return {graph, graph->function(op, first, second, z.node_in(graph))};
}

Symbol Symbol::lookup(const std::shared_ptr<const Table>& table) const
{
    if (!graph_) return {table->at(number_).value};
    return {graph_, graph_->lookup(table, node_)};
}

Symbol sign(const Symbol& x)
{
    return Symbol::combine(x, Op::Sign);
}

Formula formula_of(const Symbol& result)
{
    if (!result.graph_) return Formula::constant(result.number_);
    return to_formula(*result.graph_, result.node_, {});
}

Symbols symbols(int coordinates)
{
    const auto graph = std::make_shared<Graph>();
    Symbols result;
    for (int i = 0; i < coordinates; ++i) {
        result.q.emplace_back(graph, graph->variable({Variable::Kind::Coordinate, i}));
        result.u.emplace_back(graph, graph->variable({Variable::Kind::Velocity, i}));
    }
    result.t = Symbol(graph, graph->variable({Variable::Kind::Time, 0}));
    return result;
}

}  // namespace carom
