#include "expression/graph.hpp"
#include "expression/term.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace carom {

namespace {

/// A node times a constant factor.
struct Piece {
    int node = 0;
    double weight = 0;
};

bool is_sum(Op op)
{
    return op == Op::Add || op == Op::Subtract || op == Op::Shift;
}

/// A factor that may be handed down: not 1/0 and the like, of which sums of infinities would come.
bool is_constant_factor(const Instruction& it)
{
    if (it.op == Op::Negate) return true;
    return (it.op == Op::Scale || it.op == Op::DivideBy) && std::isnormal(it.number);
}

/// Opens the sum at `root`: every node's weight is the sum of what its users hand down (EX-5). The constant
/// part comes back as `offset`.
std::vector<Piece> pieces_of(const Graph& graph, int root, double& offset)
{
    const auto count = static_cast<std::size_t>(root) + 1;

    // a constant factor is handed down only to a sum below it; otherwise it stays where the user wrote it
    std::vector<char> opens(count, 0);
    for (int n = 0; n <= root; ++n) {
        const Instruction& it = graph[n];
        const bool sum_below = is_constant_factor(it) && opens[static_cast<std::size_t>(it.a)] != 0;
        opens[static_cast<std::size_t>(n)] = is_sum(it.op) || sum_below ? 1 : 0;
    }

    std::vector<double> weights(count, 0);
    std::vector<char> reached(count, 0);
    const auto hand_down = [&](int node, double weight) {
        weights[static_cast<std::size_t>(node)] += weight;
        reached[static_cast<std::size_t>(node)] = 1;
    };
    std::vector<Piece> pieces;
    hand_down(root, 1);
    for (int n = root; n >= 0; --n) {
        const Instruction& it = graph[n];
        const double weight = weights[static_cast<std::size_t>(n)];
        if (reached[static_cast<std::size_t>(n)] == 0) continue;
        if (it.op == Op::Constant) {
            offset += weight * it.number;
        } else if (opens[static_cast<std::size_t>(n)] == 0) {
            pieces.push_back({n, weight});
        } else if (it.op == Op::Add || it.op == Op::Subtract) {
            hand_down(it.a, weight);
            hand_down(it.b, it.op == Op::Add ? weight : -weight);
        } else if (it.op == Op::Shift) {
            offset += weight * it.number;
            hand_down(it.a, weight);
        } else {
            hand_down(it.a, it.op == Op::Negate  ? -weight
                            : it.op == Op::Scale ? weight * it.number
                                                 : weight / it.number);
        }
    }
    std::ranges::reverse(pieces);
    return pieces;
}

/// Walks of the nodes below one node; keeps its memory from walk to walk.
class Walker {
public:
    /// The nodes that the roots need, themselves included, operands first.
    const std::vector<int>& needed_by(const Graph& graph, std::span<const int> roots)
    {
        if (seen_.size() < static_cast<std::size_t>(graph.size()))
            seen_.resize(static_cast<std::size_t>(graph.size()), 0);
        ++walk_;
        found_.clear();
        for (const int root : roots)
            visit(root);
        for (std::size_t next = 0; next < found_.size(); ++next) {
            const Instruction& it = graph[found_[next]];
            const std::int32_t operands[] = {it.a, it.b, it.c};
            for (int n = 0; n < operand_count(it.op); ++n)
                visit(operands[n]);
        }
        std::ranges::sort(found_);
        return found_;
    }

private:
    void visit(int node)
    {
        if (std::exchange(seen_[static_cast<std::size_t>(node)], walk_) != walk_) found_.push_back(node);
    }

    std::vector<std::uint64_t> seen_;  ///< the walk that came to a node last, whatever graph it was of
    std::vector<int> found_;
    std::uint64_t walk_ = 0;
};

std::vector<Variable> variables_of(const Graph& graph, int node, Walker& walker)
{
    std::vector<Variable> variables;
    for (const int n : walker.needed_by(graph, {&node, 1}))
        if (graph[n].op == Op::Variable) variables.push_back(variable_of(graph[n]));
    std::ranges::sort(variables);
    return variables;
}

/// The place of `value` in the list, which it joins if it is new.
template <class T>
std::int32_t place_in(std::vector<T>& list, const T& value)
{
    const auto found = std::ranges::find(list, value);
    const auto place = static_cast<std::int32_t>(found - list.begin());
    if (found == list.end()) list.push_back(value);
    return place;
}

}  // namespace

std::vector<int> needed_by(const Graph& graph, std::span<const int> roots)
{
    // one for all walks: many small expressions of a large graph must not cost its size each
    thread_local Walker walker;
    return walker.needed_by(graph, roots);
}

Tape compile(const Graph& graph, std::span<const int> nodes, std::span<const Variable> variables)
{
    const auto renumbered = [&](std::int32_t node) {
        return static_cast<std::int32_t>(std::ranges::lower_bound(nodes, node) - nodes.begin());
    };
    std::vector<Instruction> instructions;
    std::vector<std::shared_ptr<const Table>> tables;
    instructions.reserve(nodes.size());
    for (const int n : nodes) {
        Instruction it = graph[n];
        std::int32_t* const operands[] = {&it.a, &it.b, &it.c};
        for (int i = 0; i < operand_count(it.op); ++i)
            *operands[i] = renumbered(*operands[i]);
        if (reads_table(it.op)) it.b = place_in(tables, graph.tables()[static_cast<std::size_t>(it.b)]);
        if (it.op == Op::Variable) {
            const auto input = std::ranges::lower_bound(variables, variable_of(it)) - variables.begin();
            it = {.op = Op::Variable, .a = static_cast<std::int32_t>(input)};
        }
        instructions.push_back(it);
    }
    return {std::move(instructions), std::move(tables)};
}

Formula to_formula(Graph& graph, int root, std::string text)
{
    // the sum, opened
    double offset = 0;
    const std::vector<Piece> pieces = pieces_of(graph, root, offset);

    // pieces that name the same variables add up to one term; terms stay in the order of their first piece
    Walker walker;
    std::map<std::vector<Variable>, std::size_t> place;
    std::vector<std::pair<int, std::vector<Variable>>> sums;
    for (const Piece& piece : pieces) {
        if (piece.weight == 0) continue;
        std::vector<Variable> variables = variables_of(graph, piece.node, walker);
        const int addend = graph.scale(piece.node, piece.weight);
        const auto [found, is_new] = place.try_emplace(variables, sums.size());
        if (is_new)
            sums.emplace_back(addend, std::move(variables));
        else
            sums[found->second].first = graph.add(sums[found->second].first, addend);
    }

    std::vector<Term> terms;
    terms.reserve(sums.size() + 1);
    const auto add_term = [&](int node, const std::vector<Variable>& variables) {
        terms.emplace_back(compile(graph, walker.needed_by(graph, {&node, 1}), variables), variables);
    };
    for (const auto& [node, variables] : sums)
        add_term(node, variables);
    if (offset != 0) add_term(graph.constant(offset), {});
    return {std::move(terms), std::move(text)};
}

}  // namespace carom
