#include "carom/expression/record.hpp"

#include "expression/graph.hpp"

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

// operations

Symbol operator+(const Symbol& x, const Symbol& y)
{
    return Symbol::combine(x, y, Op::Add);
}
Symbol operator-(const Symbol& x, const Symbol& y)
{
    return Symbol::combine(x, y, Op::Subtract);
}
Symbol operator*(const Symbol& x, const Symbol& y)
{
    return Symbol::combine(x, y, Op::Multiply);
}
Symbol operator/(const Symbol& x, const Symbol& y)
{
    return Symbol::combine(x, y, Op::Divide);
}
Symbol operator-(const Symbol& x)
{
    return Symbol::combine(x, Op::Negate);
}
Symbol pow(const Symbol& x, const Symbol& y)
{
    return Symbol::combine(x, y, Op::Power);
}
Symbol sqrt(const Symbol& x)
{
    return Symbol::combine(x, Op::Sqrt);
}
Symbol exp(const Symbol& x)
{
    return Symbol::combine(x, Op::Exp);
}
Symbol log(const Symbol& x)
{
    return Symbol::combine(x, Op::Log);
}
Symbol sin(const Symbol& x)
{
    return Symbol::combine(x, Op::Sin);
}
Symbol cos(const Symbol& x)
{
    return Symbol::combine(x, Op::Cos);
}
Symbol tan(const Symbol& x)
{
    return Symbol::combine(x, Op::Tan);
}
Symbol asin(const Symbol& x)
{
    return Symbol::combine(x, Op::Asin);
}
Symbol acos(const Symbol& x)
{
    return Symbol::combine(x, Op::Acos);
}
Symbol atan(const Symbol& x)
{
    return Symbol::combine(x, Op::Atan);
}
Symbol sinh(const Symbol& x)
{
    return Symbol::combine(x, Op::Sinh);
}
Symbol cosh(const Symbol& x)
{
    return Symbol::combine(x, Op::Cosh);
}
Symbol tanh(const Symbol& x)
{
    return Symbol::combine(x, Op::Tanh);
}
Symbol atan2(const Symbol& y, const Symbol& x)
{
    return Symbol::combine(y, x, Op::Atan2);
}
Symbol hypot(const Symbol& x, const Symbol& y)
{
    return Symbol::combine(x, y, Op::Hypot);
}
Symbol abs(const Symbol& x)
{
    return Symbol::combine(x, Op::Abs);
}
Symbol fabs(const Symbol& x)
{
    return Symbol::combine(x, Op::Abs);
}
Symbol min(const Symbol& x, const Symbol& y)
{
    return Symbol::combine(x, y, Op::Min);
}
Symbol max(const Symbol& x, const Symbol& y)
{
    return Symbol::combine(x, y, Op::Max);
}

Condition::Condition(const Symbol& x, const Symbol& y, Op op) : truth_(Symbol::combine(x, y, op)) {}

Condition operator&&(const Condition& x, const Condition& y)
{
    return {x.truth_, y.truth_, Op::And};
}
Condition operator||(const Condition& x, const Condition& y)
{
    return {x.truth_, y.truth_, Op::Or};
}
Condition operator!(const Condition& x)
{
    return {x.truth_, Symbol(0), Op::Equal};
}

Symbol Condition::chosen(const Symbol& x, const Symbol& y) const
{
    return Symbol::combine(truth_, x, y, Op::Select);
}

Condition operator<(const Symbol& x, const Symbol& y)
{
    return {x, y, Op::Less};
}
Condition operator<=(const Symbol& x, const Symbol& y)
{
    return {x, y, Op::LessEqual};
}

Condition equal(const Symbol& x, const Symbol& y)
{
    return {x, y, Op::Equal};
}

double sign(double x) noexcept
{
    return detail::sign(x);
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
