#include "carom/expression/program.hpp"

#include "carom/series/dual.hpp"

namespace carom {

Program::Program(const Graph& graph, std::span<const int> results) : count_(static_cast<int>(results.size()))
{
    std::vector<int> roots;
    for (int k = 0; k < count_; ++k) {
        const int node = results[static_cast<std::size_t>(k)];
        if (graph.is_constant(node))
            constant_.emplace_back(k, graph[node].number);
        else
            roots.push_back(node);
    }
    if (roots.empty()) return;
    const std::vector<int> nodes = needed_by(graph, roots);
    std::vector<Variable> variables;
    for (const int n : nodes)
        if (graph[n].op == Op::Variable) variables.push_back(variable_of(graph[n]));
    std::ranges::sort(variables);
    tape_ = compile(graph, nodes, variables);
    for (const Variable& variable : variables) {
        if (variable.kind == Variable::Kind::Coordinate) q_.push_back(variable.index);
        if (variable.kind == Variable::Kind::Velocity) u_.push_back(variable.index);
        if (variable.kind == Variable::Kind::Time) reads_time_ = true;
    }
    inputs_ = variables.size();
    coordinates_ = q_.empty() ? 0 : q_.back() + 1;
    velocities_ = u_.empty() ? 0 : u_.back() + 1;
    for (int k = 0; k < count_; ++k) {
        const int node = results[static_cast<std::size_t>(k)];
        if (graph.is_constant(node)) continue;
        computed_.emplace_back(static_cast<int>(std::ranges::lower_bound(nodes, node) - nodes.begin()), k);
    }
}

void Program::read(const Point& at, double* inputs) const
{
    if (std::ssize(at.q) < coordinates_ || std::ssize(at.u) < velocities_)
        throw InternalError("a program is run at a point with too few coordinates");
    for (const int i : q_)
        *inputs++ = at.q[static_cast<std::size_t>(i)];
    for (const int i : u_)
        *inputs++ = at.u[static_cast<std::size_t>(i)];
    if (reads_time_) *inputs = at.t_s;
}

void Program::run(const Point& at, Workspace& work, std::span<double> results, std::span<double> more) const
{
    const auto split = static_cast<int>(results.size());
    const auto place = [&](int k) -> double& {
        return k < split ? results[static_cast<std::size_t>(k)] : more[static_cast<std::size_t>(k - split)];
    };
    for (const auto& [k, number] : constant_)
        place(k) = number;
    if (!tape_) return;
    const std::size_t needed = inputs_ + static_cast<std::size_t>(tape_->size());
    if (work.registers.size() < needed) work.registers.resize(needed);
    double* const inputs = work.registers.data();
    read(at, inputs);
    double* const memory = inputs + inputs_;
    DualRegisters<0> registers(memory, inputs);
    carom::run(*tape_, registers);
    for (const auto& [node, k] : computed_)
        place(k) = memory[node];
}

}  // namespace carom
