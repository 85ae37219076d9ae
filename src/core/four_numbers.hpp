#pragma once

#include <cstring>

/// Four numbers at once, for inner loops of solvers. Operations are those of one number, in the same order,
/// whatever the processor makes of them: all machines get the same bits. Functions here are always inlined,
/// also into functions made for wider registers (`[[gnu::target("avx2")]]`), so they have no binary
/// interface.

namespace carom::detail {

using Four = double __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Four load_four(const double* from)
{
    Four value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

[[gnu::always_inline]] inline void store_four(Four value, double* to)
{
    std::memcpy(to, &value, sizeof value);
}

// vectors of space in the first three

[[gnu::always_inline]] inline double dot(Four a, Four b)
{
    const Four product = a * b;
    return product[0] + product[1] + product[2];
}

/// The fourth number becomes zero where those of a and b are finite.
[[gnu::always_inline]] inline Four cross(Four a, Four b)
{
    const Four a_next = __builtin_shufflevector(a, a, 1, 2, 0, 3);
    const Four b_next = __builtin_shufflevector(b, b, 1, 2, 0, 3), c = a * b_next - a_next * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

// clang does not inline functions of four numbers into others that are made for wider registers
#if defined(__x86_64__) && !defined(__clang__)
#define CAROM_WIDE [[gnu::target("avx2")]]
/// Whether this processor has registers for four numbers.
inline bool has_wide_registers() noexcept
{
    static const bool has = __builtin_cpu_supports("avx2");
    return has;
}
#else
#define CAROM_WIDE
inline bool has_wide_registers() noexcept
{
    return false;
}
#endif

}  // namespace carom::detail
