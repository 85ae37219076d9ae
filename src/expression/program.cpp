#include "expression/program.hpp"

#include "expression/workspace.hpp"
#include "series/dual.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace carom {
namespace {

/// Runs after which a program becomes machine code: writing it takes about as long.
constexpr int often = 80;

/// The tape with the registers of its inputs first, in their order, and a variable as its end; `place`
/// becomes where each of its registers has gone.
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
    instructions.push_back({.op = Op::Variable});
    return {std::move(instructions), std::move(tables)};
}

/// Registers of such a tape: the inputs are there before it is run.
struct InputsFirst : DualRegisters<0> {
    using DualRegisters<0>::DualRegisters;
    void variable(int /*register*/, int /*input*/) noexcept {}
};

// Every instruction jumps to the code of the next one: a switch takes longer to find it than most take to
// run. The addresses of labels are an extension that g++ and clang++ have.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define CAROM_NEXT                                                                                           \
    ++out;                                                                                                   \
    ++it;                                                                                                    \
    goto* codes[static_cast<std::size_t>(it->op)]

/// Runs the instructions from `it` on, which write the registers from `out` on, up to a variable, which is
/// the end. False at the first one that has no code here: then the tape is to be run as any other.
bool run_threaded(const Instruction* it, double* out, double* r)
{
    // by Op
    static const void* const codes[] = {
        &&constant, &&end,         &&add,         &&subtract,   &&multiply, &&divide, &&negate,
        &&scale,    &&divide_by,   &&shift,       &&reciprocal, &&square,   &&other,  &&other,
        &&other,    &&square_root, &&exponential, &&logarithm,  &&sine,     &&cosine, &&other,
        &&other,    &&other,       &&other,       &&other,      &&other,    &&other,  &&other,
        &&other,    &&other,       &&other,       &&other,      &&other,    &&other,  &&other,
        &&other,    &&other,       &&other,       &&other,      &&other,    &&other,  &&other};
    static_assert(std::size(codes) == static_cast<std::size_t>(Op::LookupSlope) + 1);
    goto* codes[static_cast<std::size_t>(it->op)];
constant:
    *out = it->number;
    CAROM_NEXT;
add:
    *out = r[it->a] + r[it->b];
    CAROM_NEXT;
subtract:
    *out = r[it->a] - r[it->b];
    CAROM_NEXT;
multiply:
    *out = r[it->a] * r[it->b];
    CAROM_NEXT;
divide:
    *out = r[it->a] / r[it->b];
    CAROM_NEXT;
negate:
    *out = -r[it->a];
    CAROM_NEXT;
scale:
    *out = it->number * r[it->a];
    CAROM_NEXT;
divide_by:
    *out = r[it->a] / it->number;
    CAROM_NEXT;
shift:
    *out = r[it->a] + it->number;
    CAROM_NEXT;
reciprocal:
    *out = it->number / r[it->a];
    CAROM_NEXT;
square:
    *out = r[it->a] * r[it->a];
    CAROM_NEXT;
square_root:
    *out = std::sqrt(r[it->a]);
    CAROM_NEXT;
exponential:
    *out = std::exp(r[it->a]);
    CAROM_NEXT;
logarithm:
    *out = std::log(r[it->a]);
    CAROM_NEXT;
sine:
    *out = std::sin(r[it->a]);
    CAROM_NEXT;
cosine:
    *out = std::cos(r[it->a]);
    CAROM_NEXT;
end:
    return true;
other:
    return false;
}

#undef CAROM_NEXT
#pragma GCC diagnostic pop

thread_local constinit RememberedSines remembered_sines;

/// Out of the way of those that have enough.
[[noreturn, gnu::noinline, gnu::cold]] void refuse_point()
{
    throw InternalError("a program is run at a point with too few coordinates");
}

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
    compiled_ = std::make_shared<Compiled>();
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

inline void Program::demand(const Point& at) const
{
    if (std::ssize(at.q) < coordinates_ || std::ssize(at.u) < velocities_) [[unlikely]]
        refuse_point();
}

inline void Program::read(const Point& at, double* inputs) const
{
    demand(at);
    for (const int i : q_)
        *inputs++ = at.q[static_cast<std::size_t>(i)];
    for (const int i : u_)
        *inputs++ = at.u[static_cast<std::size_t>(i)];
    if (reads_time_) *inputs = at.t_s;
}

// machine code has no type before its first byte, where clang's sanitizer of function pointers looks for one
#ifdef __clang__
[[clang::no_sanitize("function")]]
#endif
void Program::run(const Point& at, Workspace& work, std::span<double> results, std::span<double> more) const
{
    // nothing else stands here, so that a call of machine code costs little beside it
    const MachineCode::Function function =
        compiled_ ? compiled_->function.load(std::memory_order_acquire) : nullptr;
    if (function == nullptr || compiled_->first_results != results.size()) [[unlikely]]
        return interpret(at, work, results, more);
    demand(at);
    function(at.q.data(), at.u.data(), at.t_s, results.data(), more.data(), &remembered_sines);
}

/// Runs of several threads may be counted as one: it only has to become machine code at some time.
void Program::count_run(std::size_t first_results) const
{
    const int runs = compiled_->runs.load(std::memory_order_relaxed);
    if (runs > often) return;
    compiled_->runs.store(runs + 1, std::memory_order_relaxed);
    if (runs == often) make_machine_code(first_results);
}

bool Program::make_machine_code(std::size_t first_results) const
{
    if (!compiled_) return false;
    std::call_once(compiled_->once, [&] {
        Compiled& to = *compiled_;
        to.code = MachineCode::of({*tape_, q_, u_, reads_time_, computed_, constant_, first_results});
        to.first_results = first_results;
        if (to.code) to.function.store(to.code->function(), std::memory_order_release);
    });
    return compiled_->function.load(std::memory_order_acquire) != nullptr;
}

[[gnu::noinline]] void Program::interpret(const Point& at, Workspace& work, std::span<double> results,
                                          std::span<double> more) const
{
    if (compiled_ && compiled_->function.load(std::memory_order_acquire) == nullptr)
        count_run(results.size());

    // the registers after the tape has been run
    const auto compute = [&]() -> const double* {
        const std::span<const Instruction> instructions = tape_->instructions();
        if (work.registers.size() < instructions.size()) work.registers.resize(instructions.size());
        double* const memory = work.registers.data();
        read(at, memory);
        if (!run_threaded(instructions.data() + inputs_, memory + inputs_, memory)) {
            InputsFirst registers(memory, memory);
            carom::run(*tape_, registers);
        }
        return memory;
    };
    // one result that is no number, as gaps are: there is nothing to place
    if (count_ == 1 && tape_) {
        (results.empty() ? more : results)[0] = compute()[computed_.front().first];
        return;
    }
    const auto split = static_cast<int>(results.size());
    const auto place = [&](int k) -> double& {
        return k < split ? results[static_cast<std::size_t>(k)] : more[static_cast<std::size_t>(k - split)];
    };
    for (const auto& [k, number] : constant_)
        place(k) = number;
    if (!tape_) return;
    const double* const memory = compute();
    for (const auto& [node, k] : computed_)
        place(k) = memory[node];
}

}  // namespace carom
