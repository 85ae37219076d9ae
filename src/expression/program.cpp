#include "carom/expression/program.hpp"

#include "series/dual.hpp"

namespace carom {
namespace {

/// The tape with the registers of its inputs first, in their order; `place` becomes where each of its
/// registers has gone.
Tape with_inputs_first(const Tape& tape, int inputs, std::vector<int>& place)
{
    place.clear();
    int next = inputs;
    for (const Instruction& it : tape.instructions())
        place.push_back(it.op == Op::Variable ? it.a : next++);
    std::vector<Instruction> instructions(place.size());
    std::vector<std::shared_ptr<const Table>> tables;
    for (std::size_t i = 0; i < place.size(); ++i) {
        Instruction it = tape.instructions()[i];
        std::int32_t* const operands[] = {&it.a, &it.b, &it.c};
        for (int n = 0; n < operand_count(it.op); ++n)
            *operands[n] = place[static_cast<std::size_t>(*operands[n])];
        if (reads_table(it.op)) {
            const auto table = static_cast<std::size_t>(it.b);
            if (tables.size() <= table) tables.resize(table + 1);
            tables[table] = tape.shared_table(it.b);
        }
        instructions[static_cast<std::size_t>(place[i])] = it;
    }
    return {std::move(instructions), std::move(tables)};
}

/// Registers of such a tape: the inputs are there before it is run.
struct InputsFirst : DualRegisters<0> {
    using DualRegisters<0>::DualRegisters;
    void variable(int /*register*/, int /*input*/) noexcept {}
};

}  // namespace

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
    inputs_ = variables.size();
    std::vector<int> place;
    tape_ = with_inputs_first(compile(graph, nodes, variables), static_cast<int>(inputs_), place);
    for (const Variable& variable : variables) {
        if (variable.kind == Variable::Kind::Coordinate) q_.push_back(variable.index);
        if (variable.kind == Variable::Kind::Velocity) u_.push_back(variable.index);
        if (variable.kind == Variable::Kind::Time) reads_time_ = true;
    }
    coordinates_ = q_.empty() ? 0 : q_.back() + 1;
    velocities_ = u_.empty() ? 0 : u_.back() + 1;
    for (int k = 0; k < count_; ++k) {
        const int node = results[static_cast<std::size_t>(k)];
        if (graph.is_constant(node)) continue;
        const auto at = std::ranges::lower_bound(nodes, node) - nodes.begin();
        computed_.emplace_back(place[static_cast<std::size_t>(at)], k);
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
    const auto needed = static_cast<std::size_t>(tape_->size());
    if (work.registers.size() < needed) work.registers.resize(needed);
    double* const memory = work.registers.data();
    read(at, memory);
    InputsFirst registers(memory, memory);
    carom::run(*tape_, registers);
    for (const auto& [node, k] : computed_)
        place(k) = memory[node];
}

}  // namespace carom
