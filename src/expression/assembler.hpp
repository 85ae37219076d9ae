#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

/// x86-64 with the calling convention of System V, and memory that can be executed.
#if defined(__x86_64__) && defined(__linux__)
#define CAROM_HAS_MACHINE_CODE 1
#else
#define CAROM_HAS_MACHINE_CODE 0
#endif

#if CAROM_HAS_MACHINE_CODE

namespace carom {

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

}  // namespace carom

#endif
