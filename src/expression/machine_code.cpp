#include "expression/machine_code.hpp"

#include "series/dual.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#if defined(__x86_64__) && defined(__linux__)
#define CAROM_HAS_MACHINE_CODE 1
#include <sys/mman.h>
#include <unistd.h>
#else
#define CAROM_HAS_MACHINE_CODE 0
#endif

namespace carom {
namespace {

std::atomic<bool>& wanted()
{
    static std::atomic<bool> value = [] {
        const char* const given = std::getenv("CAROM_MACHINE_CODE");
        return given == nullptr || std::string_view(given) != "0";
    }();
    return value;
}

#if CAROM_HAS_MACHINE_CODE

/// Programs that are machine code at a time: each has pages of its own, of which a process gets some ten
/// thousand. The rest is run by tapes.
constexpr int max_programs = 4096;
std::atomic<int> programs = 0;

/// Longer ones are run by their tapes.
constexpr int max_instructions = 20000;

// what machine code calls; on numbers each does what DualRegisters do

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);

/// Of one register and nothing else; null for other operations.
Function1 function_of_one(Op op)
{
    switch (op) {
    case Op::Exp: return [](double x) { return std::exp(x); };
    case Op::Log: return [](double x) { return std::log(x); };
    case Op::Tan: return [](double x) { return std::tan(x); };
    case Op::Asin: return [](double x) { return std::asin(x); };
    case Op::Acos: return [](double x) { return std::acos(x); };
    case Op::Atan: return [](double x) { return std::atan(x); };
    case Op::Sinh: return [](double x) { return std::sinh(x); };
    case Op::Cosh: return [](double x) { return std::cosh(x); };
    case Op::Tanh: return [](double x) { return std::tanh(x); };
    case Op::Abs: return [](double x) { return x < 0 ? -x : x; };
    case Op::Sign: return [](double x) { return detail::sign(x); };
    default: return nullptr;
    }
}

/// Of two registers, or of one and a number: then the number is the second.
Function2 function_of_two(Op op)
{
    switch (op) {
    case Op::RealPower:
    case Op::Power: return [](double x, double y) { return std::pow(x, y); };
    case Op::Atan2: return [](double x, double y) { return std::atan2(x, y); };
    case Op::Hypot: return [](double x, double y) { return std::hypot(x, y); };
    case Op::Min: return [](double x, double y) { return y < x || y != y ? y : x; };
    case Op::Max: return [](double x, double y) { return y > x || y != y ? y : x; };
    default: return nullptr;
    }
}

/// Any operation, as the tape of it alone does it.
double operation(const Tape* alone, double x, double y, double z)
{
    std::array<double, 3> inputs{x, y, z};
    std::array<double, 4> registers{};
    DualRegisters<0> scalars(registers.data(), inputs.data());
    run(*alone, scalars);
    return registers[3];
}

/// A tape that has three inputs and this operation of a tape.
Tape alone(const Tape& tape, const Instruction& which)
{
    Instruction it = which;
    it.a = 0;
    if (operand_count(it.op) > 1) it.b = 1;
    if (operand_count(it.op) > 2) it.c = 2;
    std::vector<std::shared_ptr<const Table>> tables;
    if (reads_table(it.op)) {
        tables.push_back(tape.shared_table(it.b));
        it.b = 0;
    }
    return {{{.op = Op::Variable, .a = 0}, {.op = Op::Variable, .a = 1}, {.op = Op::Variable, .a = 2}, it},
            std::move(tables)};
}

/// Where 64-bit words are, as instructions address them.
struct Place {
    enum class Kind { None, Xmm, Q, U, Results, More, Sines, Stack, Constant };
    Kind kind = Kind::None;
    int index = 0;  ///< register, or words from the base
};

/// Bytes of instructions: scalar operations on doubles of SSE2, two operands, the first one a register.
class Assembler {
public:
    enum class Op : std::uint8_t {
        Load = 0x10,
        Store = 0x11,
        Sqrt = 0x51,
        Add = 0x58,
        Multiply = 0x59,
        Subtract = 0x5C,
        Divide = 0x5E
    };

    /// Bases of q, u, results, more, sines: where they are passed, or registers that calls keep.
    explicit Assembler(bool calls) : calls_(calls) {}

    void apply(Op op, int xmm, const Place& place)
    {
        byte(0xF2);
        operand(static_cast<std::uint8_t>(op), xmm, place);
    }
    void load(int xmm, const Place& place)
    {
        if (place.kind != Place::Kind::Xmm) return apply(Op::Load, xmm, place);
        if (place.index != xmm) operand(0x28, xmm, place);  // movapd without its prefix: movaps
    }
    void store(int xmm, const Place& place) { apply(Op::Store, xmm, place); }
    void negate(int xmm, int mask)  // 16 bytes of the pool from `mask` on
    {
        byte(0x66);
        operand(0x57, xmm, {Place::Kind::Constant, mask});
    }

    template <class Function>
    void call(Function* function)
    {
        append({0x48, 0xB8});  // mov rax, function; call rax
        quad(reinterpret_cast<std::uint64_t>(function));
        append({0xFF, 0xD0});
    }
    /// The first argument that is a pointer.
    void argument(const void* pointer)
    {
        append({0x48, 0xBF});  // mov rdi
        quad(reinterpret_cast<std::uint64_t>(pointer));
    }
    /// Has in `entry` of the remembered sines, a word of them, the sine of register 0, its cosine, or both: where
    /// that is there for another argument it is computed now.
    void remember(int entry, bool sine, bool cosine)
    {
        append({0x66, 0x48, 0x0F, 0x7E, 0xC0});  // movq rax, xmm0
        if (sine && cosine) {
            with_entry({0x49, 0x3B, 0x85}, entry);  // cmp rax, [r13 + entry]
            const std::size_t other = jump(0x75);
            with_entry({0x49, 0x3B, 0x85}, entry + 2);
            const std::size_t known = jump(0x74);
            land(other);
            with_entry({0x49, 0x89, 0x85}, entry);  // mov [r13 + entry], rax
            with_entry({0x49, 0x89, 0x85}, entry + 2);
            with_entry({0x49, 0x8D, 0xBD}, entry + 1);  // lea rdi, [r13 + entry + 8]
            with_entry({0x49, 0x8D, 0xB5}, entry + 3);  // lea rsi, [r13 + entry + 24]
            call(&::sincos);
            return land(known);
        }
        const int one = sine ? entry : entry + 2;
        with_entry({0x49, 0x3B, 0x85}, one);
        const std::size_t known = jump(0x74);
        with_entry({0x49, 0x89, 0x85}, one);
        call(static_cast<double (*)(double)>(sine ? &::sin : &::cos));
        store(0, {Place::Kind::Sines, one + 1});
        land(known);
    }

    /// The whole function: what it begins and ends with, and the pool behind it. `words` of the stack are
    /// used.
    [[nodiscard]] std::vector<unsigned char> finish(std::span<const double> pool, int words) &&
    {
        const std::vector<unsigned char> body = std::move(bytes_);
        bytes_.clear();
        if (calls_) {
            append({0x53, 0x55, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});  // push rbx, rbp, r13, r14, r15
            append({0x48, 0x89, 0xFB, 0x48, 0x89, 0xF5});              // mov rbx, rdi; mov rbp, rsi
            append({0x49, 0x89, 0xD6, 0x49, 0x89, 0xCF});              // mov r14, rdx; mov r15, rcx
            append({0x4D, 0x89, 0xC5});                                // mov r13, r8
        }
        // these pushes and the return address leave rsp at a multiple of 16, which calls must find
        const std::int32_t frame = calls_ ? 8 * (words + words % 2) : 8 * words;
        if (frame > 0) {
            append({0x48, 0x81, 0xEC});  // sub rsp, frame
            word(frame);
        }
        const std::size_t begin = bytes_.size();
        bytes_.insert(bytes_.end(), body.begin(), body.end());
        if (frame > 0) {
            append({0x48, 0x81, 0xC4});  // add rsp, frame
            word(frame);
        }
        if (calls_) append({0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x5D, 0x5B});  // pop r15, r14, r13, rbp, rbx
        byte(0xC3);
        while (bytes_.size() % 16 != 0)
            byte(0xCC);
        const std::size_t numbers = bytes_.size();
        for (const double number : pool)
            quad(std::bit_cast<std::uint64_t>(number));
        for (const auto& [at, index] : pool_at_) {
            const std::size_t from = begin + at;
            const auto distance =
                static_cast<std::int32_t>(numbers + 8 * static_cast<std::size_t>(index) - from - 4);
            std::memcpy(bytes_.data() + from, &distance, sizeof distance);
        }
        return std::move(bytes_);
    }

private:
    void byte(int value) { bytes_.push_back(static_cast<unsigned char>(value)); }
    void append(std::initializer_list<unsigned char> values) { bytes_.insert(bytes_.end(), values); }
    void word(std::int32_t value)
    {
        const auto all = std::bit_cast<std::array<unsigned char, 4>>(value);
        bytes_.insert(bytes_.end(), all.begin(), all.end());
    }
    void quad(std::uint64_t value)
    {
        const auto all = std::bit_cast<std::array<unsigned char, 8>>(value);
        bytes_.insert(bytes_.end(), all.begin(), all.end());
    }

    void with_entry(std::initializer_list<unsigned char> instruction, int word_of_sines)
    {
        append(instruction);
        word(8 * word_of_sines);
    }
    /// A short jump, to where it lands.
    [[nodiscard]] std::size_t jump(unsigned char on)
    {
        append({on, 0});
        return bytes_.size();
    }
    void land(std::size_t from) { bytes_[from - 1] = static_cast<unsigned char>(bytes_.size() - from); }

    /// Number of the general register that a place counts from.
    [[nodiscard]] int base(Place::Kind kind) const
    {
        switch (kind) {
        case Place::Kind::Q: return calls_ ? 3 : 7;         // rbx, rdi
        case Place::Kind::U: return calls_ ? 5 : 6;         // rbp, rsi
        case Place::Kind::Results: return calls_ ? 14 : 2;  // r14, rdx
        case Place::Kind::More: return calls_ ? 15 : 1;     // r15, rcx
        case Place::Kind::Sines: return 13;                 // r13: where they are there are calls
        default: return 4;                                  // rsp
        }
    }
    /// REX, 0F, opcode and what follows it; the prefix is there.
    void operand(int opcode, int xmm, const Place& place)
    {
        const bool direct = place.kind == Place::Kind::Xmm, pool = place.kind == Place::Kind::Constant;
        const int second = direct ? place.index : (pool ? 5 : base(place.kind));
        const int high = (xmm >= 8 ? 4 : 0) + (!pool && second >= 8 ? 1 : 0);
        if (high != 0) byte(0x40 + high);
        byte(0x0F);
        byte(opcode);
        const int field = (xmm & 7) << 3;
        if (direct) return byte(0xC0 + field + (second & 7));
        if (pool) {
            byte(field + 5);  // relative to what follows
            pool_at_.emplace_back(bytes_.size(), place.index);
            return word(0);
        }
        const int distance = 8 * place.index;
        const bool near = distance < 128;
        byte((near ? 0x40 : 0x80) + field + (second & 7));
        if ((second & 7) == 4) byte(0x24);
        if (near)
            byte(distance);
        else
            word(distance);
    }

    bool calls_;
    std::vector<unsigned char> bytes_;
    std::vector<std::pair<std::size_t, int>> pool_at_;  ///< addresses to be written, and of which number
};

[[nodiscard]] bool is_called(Op op)
{
    switch (op) {
    case Op::Constant:
    case Op::Variable:
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Negate:
    case Op::Scale:
    case Op::DivideBy:
    case Op::Shift:
    case Op::Reciprocal:
    case Op::Square:
    case Op::Sqrt: return false;
    default: return true;
    }
}

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
        called_.push_back(std::make_unique<Tape>(alone(tape_, it())));
        assembler_.argument(called_.back().get());
        assembler_.call(&operation);
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

#endif

}  // namespace

std::unique_ptr<MachineCode> MachineCode::of(const Source& source)
{
#if CAROM_HAS_MACHINE_CODE
    if (!uses_machine_code() || source.tape.size() > max_instructions) return nullptr;
    std::unique_ptr<MachineCode> result(new MachineCode);
    if (!result->load(Writer(source, result->called_).write())) return nullptr;
    return result;
#else
    static_cast<void>(source);
    return nullptr;
#endif
}

bool MachineCode::load(std::span<const unsigned char> code)
{
#if CAROM_HAS_MACHINE_CODE
    if (programs.fetch_add(1) >= max_programs) {
        programs.fetch_sub(1);
        return false;
    }
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = (code.size() + page - 1) / page * page;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        std::memcpy(memory, code.data(), code.size());
        if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0) {
            memory_ = memory;
            bytes_ = bytes;
            return true;
        }
        munmap(memory, bytes);
    }
    programs.fetch_sub(1);
    return false;
#else
    return code.empty();
#endif
}

MachineCode::~MachineCode()
{
#if CAROM_HAS_MACHINE_CODE
    if (memory_ == nullptr) return;
    munmap(memory_, bytes_);
    programs.fetch_sub(1);
#endif
}

MachineCode::Function MachineCode::function() const noexcept
{
    return reinterpret_cast<Function>(memory_);
}

bool uses_machine_code() noexcept
{
    return wanted().load(std::memory_order_relaxed);
}

void use_machine_code(bool want) noexcept
{
    wanted().store(want, std::memory_order_relaxed);
}

}  // namespace carom
