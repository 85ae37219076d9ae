#pragma once

#include "four_numbers.hpp"

#include <array>
#include <cmath>

/// Eight numbers of single precision at once, as four_numbers.hpp has four of double precision: the
/// operations of one number in the same order whatever the processor makes of them.

namespace carom::detail {

using Eight = float __attribute__((vector_size(32)));
using EightFloats = std::array<float, 8>;

[[gnu::always_inline]] inline Eight load_eight(const float* from)
{
    Eight value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

[[gnu::always_inline]] inline void store_eight(Eight value, float* to)
{
    std::memcpy(to, &value, sizeof value);
}

[[gnu::always_inline]] inline Eight all_eight(float value)
{
    return Eight{} + value;
}

[[gnu::always_inline]] inline Eight root(Eight a)
{
    return Eight{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3]),
                 std::sqrt(a[4]), std::sqrt(a[5]), std::sqrt(a[6]), std::sqrt(a[7])};
}

[[gnu::always_inline]] inline Eight positive_part(Eight a)
{
    return a > 0.0F ? a : Eight{};
}

/// In double precision, in a fixed order.
[[gnu::always_inline]] inline double sum(Eight a)
{
    return ((double{a[0]} + a[1]) + (double{a[2]} + a[3])) + ((double{a[4]} + a[5]) + (double{a[6]} + a[7]));
}

/// Rows become columns.
[[gnu::always_inline]] inline void transpose(Eight (&r)[8])
{
    Eight t[8], s[8];
    for (int k = 0; k < 8; k += 2) {
        t[k] = __builtin_shufflevector(r[k], r[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[k + 1] = __builtin_shufflevector(r[k], r[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < 8; k += 4) {
        s[k] = __builtin_shufflevector(t[k], t[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        s[k + 1] = __builtin_shufflevector(t[k], t[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        s[k + 2] = __builtin_shufflevector(t[k + 1], t[k + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        s[k + 3] = __builtin_shufflevector(t[k + 1], t[k + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int k = 0; k < 4; ++k) {
        r[k] = __builtin_shufflevector(s[k], s[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[k + 4] = __builtin_shufflevector(s[k], s[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/// A vector of space for each of eight.
struct EightVectors {
    Eight x, y, z;
};

[[gnu::always_inline]] inline EightVectors operator+(const EightVectors& a, const EightVectors& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline EightVectors operator-(const EightVectors& a, const EightVectors& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[gnu::always_inline]] inline EightVectors operator*(Eight s, const EightVectors& a)
{
    return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline Eight dot(const EightVectors& a, const EightVectors& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[gnu::always_inline]] inline EightVectors cross(const EightVectors& a, const EightVectors& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

[[gnu::always_inline]] inline EightVectors load_vectors(const std::array<EightFloats, 3>& a)
{
    return {load_eight(a[0].data()), load_eight(a[1].data()), load_eight(a[2].data())};
}
[[gnu::always_inline]] inline void store_vectors(const EightVectors& a, std::array<EightFloats, 3>& to)
{
    store_eight(a.x, to[0].data());
    store_eight(a.y, to[1].data());
    store_eight(a.z, to[2].data());
}

}  // namespace carom::detail
