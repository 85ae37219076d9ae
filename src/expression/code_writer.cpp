#include "expression/code_writer.hpp"

#include "expression/called_operations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#if CAROM_HAS_MACHINE_CODE

namespace carom {
namespace {

/// Writes the code of one program. A value is in a register, or on the stack, or both; of the registers the
/// one whose value is needed last is given away.
class Writer {
public:
    /// Operations that are called go to `called`.
    Writer(const MachineCode::Source& source, std::vector<std::unique_ptr<Tape>>& called)
        : source_(source),
          called_(called),
          tape_(source.tape),
          count_(tape_.size() - 1),  // the last one is the end
          inputs_(static_cast<int>(source.q.size() + source.u.size()) + (source.reads_time ? 1 : 0)),
          values_(static_cast<std::size_t>(count_)),
          structure_(static_cast<std::size_t>(count_)),
          assembler_(std::ranges::any_of(tape_.instructions(),
                                         [](const Instruction& it) { return is_called(it.op); }))
    {
        holds_.fill(-1);
        number_structures();
        find_uses();
    }

    std::vector<unsigned char> write()
    {
        place_inputs();
        for (const auto& [k, number] : source_.constant) {
            const int xmm = free_register(inputs_ - 1);
            assembler_.load(xmm, pooled(number));
            assembler_.store(xmm, result(k));
        }
        for (at_ = inputs_; at_ < count_; ++at_) {
            instruction();
            store_results();
        }
        return std::move(assembler_).finish(pool_, words_);
    }

private:
    struct Value {
        int xmm = -1;              ///< the register that holds it
        Place memory;              ///< where else it is
        std::vector<int> uses;     ///< instructions that read it, the last one first
        std::vector<int> results;  ///< that it is
        int partner = -1;          ///< sine and cosine of one value know each other
    };

    [[nodiscard]] const Instruction& it() const
    {
        return tape_.instructions()[static_cast<std::size_t>(at_)];
    }
    [[nodiscard]] Value& value(int v) { return values_[static_cast<std::size_t>(v)]; }

    /// A number for the structure of each value: an expression has the same one in all programs.
    void number_structures()
    {
        const auto mix = [](std::uint64_t a, std::uint64_t b) {
            a = (a ^ b) * 0x9e3779b97f4a7c15U;
            return a ^ (a >> 32);
        };
        for (std::size_t v = 0; v < static_cast<std::size_t>(inputs_); ++v) {
            const std::size_t q = source_.q.size(), u = source_.u.size();
            const int index = v < q ? source_.q[v] : v < q + u ? source_.u[v - q] : 0;
            structure_[v] = mix(v < q ? 1 : v < q + u ? 2 : 3, static_cast<std::uint64_t>(index));
        }
        for (auto v = static_cast<std::size_t>(inputs_); v < structure_.size(); ++v) {
            const Instruction& one = tape_.instructions()[v];
            const auto of = [&](std::int32_t operand) {
                return structure_[static_cast<std::size_t>(operand)];
            };
            std::uint64_t number =
                mix(4 + static_cast<std::uint64_t>(one.op), std::bit_cast<std::uint64_t>(one.number));
            const std::int32_t operands[] = {one.a, one.b, one.c};
            // sums and products have their operands in any order
            if (one.op == Op::Add || one.op == Op::Multiply)
                number = mix(number, of(one.a) + of(one.b));
            else
                for (int n = 0; n < operand_count(one.op); ++n)
                    number = mix(number, of(operands[n]));
            structure_[v] = number;
        }
    }

    void find_uses()
    {
        std::vector<int> sine_of(static_cast<std::size_t>(count_), -1), cosine_of = sine_of;
        for (int i = count_ - 1; i >= inputs_; --i) {
            const Instruction& one = tape_.instructions()[static_cast<std::size_t>(i)];
            const std::int32_t operands[] = {one.a, one.b, one.c};
            for (int n = 0; n < operand_count(one.op); ++n) {
                auto& uses = value(operands[n]).uses;
                if (uses.empty() || uses.back() != i) uses.push_back(i);
            }
            if (one.op == Op::Sin) sine_of[static_cast<std::size_t>(one.a)] = i;
            if (one.op == Op::Cos) cosine_of[static_cast<std::size_t>(one.a)] = i;
        }
        for (std::size_t v = 0; v < sine_of.size(); ++v) {
            if (sine_of[v] < 0 || cosine_of[v] < 0) continue;
            value(sine_of[v]).partner = cosine_of[v];
            value(cosine_of[v]).partner = sine_of[v];
        }
        for (const auto& [v, k] : source_.computed)
            value(v).results.push_back(k);
    }

    void place_inputs()
    {
        int v = 0;
        for (const int i : source_.q)
            value(v++).memory = {Place::Kind::Q, i};
        for (const int i : source_.u)
            value(v++).memory = {Place::Kind::U, i};
        if (source_.reads_time) hold(v, 0);
        at_ = inputs_ - 1;
        for (v = 0; v < inputs_; ++v)
            for (const int k : value(v).results)
                store(v, result(k));
    }

    [[nodiscard]] Place result(int k) const
    {
        const auto split = static_cast<int>(source_.first_results);
        return k < split ? Place{Place::Kind::Results, k} : Place{Place::Kind::More, k - split};
    }
    [[nodiscard]] Place pooled(double number)
    {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        const auto known = std::ranges::find_if(
            pool_, [&](double other) { return std::bit_cast<std::uint64_t>(other) == bits; });
        if (known != pool_.end()) return {Place::Kind::Constant, static_cast<int>(known - pool_.begin())};
        pool_.push_back(number);
        return {Place::Kind::Constant, static_cast<int>(pool_.size()) - 1};
    }
    /// The sign of two doubles, from an even place of the pool on.
    [[nodiscard]] int sign_mask()
    {
        if (mask_ < 0) {
            if (pool_.size() % 2 != 0) pool_.push_back(0);
            mask_ = static_cast<int>(pool_.size());
            pool_.insert(pool_.end(), {-0.0, 0.0});
        }
        return mask_;
    }

    /// The first use after the instruction that is being written; none: a number beyond all.
    [[nodiscard]] int next_use(int v)
    {
        auto& uses = value(v).uses;
        while (!uses.empty() && uses.back() <= at_)
            uses.pop_back();
        return uses.empty() ? std::numeric_limits<int>::max() : uses.back();
    }
    [[nodiscard]] bool is_needed(int v) { return next_use(v) < std::numeric_limits<int>::max(); }

    [[nodiscard]] Place place_of(int v)
    {
        const Value& one = value(v);
        return one.xmm >= 0 ? Place{Place::Kind::Xmm, one.xmm} : one.memory;
    }
    void hold(int v, int xmm)
    {
        holds_[static_cast<std::size_t>(xmm)] = v;
        value(v).xmm = xmm;
    }
    void forget(int xmm)
    {
        int& v = holds_[static_cast<std::size_t>(xmm)];
        if (v >= 0) value(v).xmm = -1;
        v = -1;
    }
    void keep_in_memory(int v)
    {
        Value& one = value(v);
        if (one.memory.kind != Place::Kind::None) return;
        one.memory = {Place::Kind::Stack, words_++};
        assembler_.store(one.xmm, one.memory);
    }
    void store(int v, const Place& to)
    {
        int xmm = value(v).xmm;
        if (xmm < 0) {
            xmm = free_register(at_);
            assembler_.load(xmm, value(v).memory);
        }
        assembler_.store(xmm, to);
    }

    /// A register that holds nothing which is needed, but for operands of instruction `reading`.
    int free_register(int reading)
    {
        int best = -1, last = -1;
        for (int xmm = 0; xmm < 16; ++xmm) {
            const int v = holds_[static_cast<std::size_t>(xmm)];
            if (v < 0) return xmm;
            if (reading >= inputs_ && reads(reading, v)) continue;
            const int next = next_use(v);
            if (next > last) {
                last = next;
                best = xmm;
            }
        }
        const int v = holds_[static_cast<std::size_t>(best)];
        if (is_needed(v)) keep_in_memory(v);
        forget(best);
        return best;
    }
    [[nodiscard]] bool reads(int i, int v) const
    {
        const Instruction& one = tape_.instructions()[static_cast<std::size_t>(i)];
        const std::int32_t operands[] = {one.a, one.b, one.c};
        return std::find(operands, operands + operand_count(one.op), v) != operands + operand_count(one.op);
    }

    /// A register with the value x, which the instruction may overwrite.
    int destination(int x)
    {
        const int xmm = value(x).xmm;
        if (xmm >= 0 && (!is_needed(x) || value(x).memory.kind != Place::Kind::None)) {
            forget(xmm);
            return xmm;
        }
        const int to = free_register(at_);
        assembler_.load(to, place_of(x));
        return to;
    }

    void binary(Assembler::Op op, bool commutes)
    {
        int x = it().a, y = it().b;
        // the one that is overwritten is better one that nobody needs
        if (commutes && !(value(x).xmm >= 0 && !is_needed(x)) && value(y).xmm >= 0 && !is_needed(y))
            std::swap(x, y);
        Place second = place_of(y);
        if (x == y) second = {};
        const int xmm = destination(x);
        assembler_.apply(op, xmm, x == y ? Place{Place::Kind::Xmm, xmm} : second);
        hold(at_, xmm);
    }
    void with_number(Assembler::Op op)
    {
        const Place number = pooled(it().number);
        const int xmm = destination(it().a);
        assembler_.apply(op, xmm, number);
        hold(at_, xmm);
    }

    /// All that is needed after a call goes to memory; registers are as good as empty.
    void save()
    {
        for (int xmm = 0; xmm < 16; ++xmm) {
            const int v = holds_[static_cast<std::size_t>(xmm)];
            if (v >= 0 && is_needed(v)) keep_in_memory(v);
        }
    }
    void forget_all()
    {
        for (int xmm = 0; xmm < 16; ++xmm)
            forget(xmm);
    }
    void call_function(Function1 function)
    {
        save();
        assembler_.load(0, place_of(it().a));
        forget_all();
        assembler_.call(function);
        hold(at_, 0);
    }
    void call_function(Function2 function)
    {
        const int x = it().a;
        const bool with_register = operand_count(it().op) > 1;
        save();
        // the second argument must not overwrite the first one
        if (value(x).xmm == 1) {
            keep_in_memory(x);
            forget(1);
        }
        assembler_.load(1, with_register ? place_of(it().b) : pooled(it().number));
        assembler_.load(0, place_of(x));
        forget_all();
        assembler_.call(function);
        hold(at_, 0);
    }
    /// Sine, cosine or both of one value, as they are remembered or computed now (EX-12).
    void sine_and_cosine()
    {
        constexpr int words = sizeof(RememberedSines::Entry) / sizeof(double);
        const bool is_sine = it().op == Op::Sin;
        const int sine = is_sine ? at_ : value(at_).partner, cosine = is_sine ? value(at_).partner : at_;
        const std::uint64_t argument = structure_[static_cast<std::size_t>(it().a)];
        const int entry = words * static_cast<int>(argument % RememberedSines::count);
        save();
        assembler_.load(0, place_of(it().a));
        forget_all();
        assembler_.remember(entry, sine >= 0, cosine >= 0);
        const auto take = [&](int v, int xmm, int word) {
            if (v < 0) return;
            assembler_.load(xmm, {Place::Kind::Sines, entry + word});
            hold(v, xmm);
            // the other one is not needed yet, but here it is known
            if (v != at_) keep_in_memory(v);
        };
        take(sine, 0, 1);
        take(cosine, 1, 3);
    }
    void call_operation()
    {
        save();
        const std::int32_t operands[] = {it().a, it().b, it().c};
        const int count = operand_count(it().op);
        for (int n = 0; n < count; ++n)
            if (value(operands[n]).xmm >= 0) keep_in_memory(operands[n]);
        forget_all();
        for (int n = 0; n < count; ++n)
            assembler_.load(n, value(operands[n]).memory);
        called_.push_back(std::make_unique<Tape>(tape_of_one(tape_, it())));
        assembler_.argument(called_.back().get());
        assembler_.call(&called_operation);
        hold(at_, 0);
    }

    void instruction()
    {
        using Code = Assembler::Op;
        Value& out = value(at_);
        if (out.memory.kind != Place::Kind::None) return;  // it came with its partner
        switch (it().op) {
        case Op::Constant: out.memory = pooled(it().number); return;
        case Op::Sin:
        case Op::Cos: return sine_and_cosine();
        case Op::Add: return binary(Code::Add, true);
        case Op::Subtract: return binary(Code::Subtract, false);
        case Op::Multiply: return binary(Code::Multiply, true);
        case Op::Divide: return binary(Code::Divide, false);
        case Op::Scale: return with_number(Code::Multiply);
        case Op::DivideBy: return with_number(Code::Divide);
        case Op::Shift: return with_number(Code::Add);
        case Op::Negate: {
            const int xmm = destination(it().a);
            assembler_.negate(xmm, sign_mask());
            return hold(at_, xmm);
        }
        case Op::Square: {
            const int xmm = destination(it().a);
            assembler_.apply(Code::Multiply, xmm, {Place::Kind::Xmm, xmm});
            return hold(at_, xmm);
        }
        case Op::Reciprocal: {
            const int xmm = free_register(at_);
            assembler_.load(xmm, pooled(it().number));
            assembler_.apply(Code::Divide, xmm, place_of(it().a));
            return hold(at_, xmm);
        }
        case Op::Sqrt: {
            const int xmm = free_register(at_);
            assembler_.apply(Code::Sqrt, xmm, place_of(it().a));
            return hold(at_, xmm);
        }
        default: break;
        }
        if (const Function1 one = function_of_one(it().op))
            call_function(one);
        else if (const Function2 two = function_of_two(it().op))
            call_function(two);
        else
            call_operation();
    }

    void store_results()
    {
        for (const int k : value(at_).results)
            store(at_, result(k));
        // nobody reads what was only a result
        if (value(at_).xmm >= 0 && !is_needed(at_)) forget(value(at_).xmm);
        for (int xmm = 0; xmm < 16; ++xmm) {
            const int v = holds_[static_cast<std::size_t>(xmm)];
            if (v >= 0 && !is_needed(v)) forget(xmm);
        }
    }

    const MachineCode::Source& source_;
    std::vector<std::unique_ptr<Tape>>& called_;
    const Tape& tape_;
    int count_, inputs_;
    std::vector<Value> values_;
    std::vector<std::uint64_t> structure_;  ///< per value
    Assembler assembler_;
    std::array<int, 16> holds_{};
    std::vector<double> pool_;
    int mask_ = -1;
    int words_ = 0;
    int at_ = 0;
};

}  // namespace

std::vector<unsigned char> machine_instructions(const MachineCode::Source& source,
                                                std::vector<std::unique_ptr<Tape>>& called)
{
    return Writer(source, called).write();
}

}  // namespace carom

#endif
