#pragma once

#include "core/four_numbers.hpp"

#include <array>
#include <cmath>

/// Numbers that fill a wide register, four of double or eight of single precision, and vectors of space of as
/// many contacts. As in four_numbers.hpp operations are those of one number in the same order, whatever the
/// processor makes of them.

namespace carom::detail {

using Eight = float __attribute__((vector_size(32)));

/// Which numbers, and how many at once.
struct FourDoubles {
    using Number = double;
    using Wide = Four;
    static constexpr std::size_t width = 4;
};
struct EightFloats {
    using Number = float;
    using Wide = Eight;
    static constexpr std::size_t width = 8;
};

template <class K>
using Lanes = std::array<typename K::Number, K::width>;

template <class K>
[[gnu::always_inline]] inline typename K::Wide load(const typename K::Number* from)
{
    typename K::Wide value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class K>
[[gnu::always_inline]] inline typename K::Wide load(const Lanes<K>& from)
{
    return load<K>(from.data());
}
template <class K>
[[gnu::always_inline]] inline void store(typename K::Wide value, typename K::Number* to)
{
    std::memcpy(to, &value, sizeof value);
}

/// The same number everywhere.
template <class K>
[[gnu::always_inline]] inline typename K::Wide all_of(typename K::Number value)
{
    return typename K::Wide{} + value;
}

[[gnu::always_inline]] inline Four root(Four a)
{
    return Four{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}
[[gnu::always_inline]] inline Eight root(Eight a)
{
    return Eight{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3]),
                 std::sqrt(a[4]), std::sqrt(a[5]), std::sqrt(a[6]), std::sqrt(a[7])};
}

/// In double precision, in a fixed order.
[[gnu::always_inline]] inline double sum(Four a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}
[[gnu::always_inline]] inline double sum(Eight a)
{
    return ((double{a[0]} + a[1]) + (double{a[2]} + a[3])) + ((double{a[4]} + a[5]) + (double{a[6]} + a[7]));
}

/// Rows become columns.
[[gnu::always_inline]] inline void transpose(Four (&r)[4])
{
    const Four even = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
    const Four odd = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const Four other_even = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
    const Four other_odd = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(even, other_even, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(odd, other_odd, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(even, other_even, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(odd, other_odd, 2, 3, 6, 7);
}
/// The same of four rows in each half.
[[gnu::always_inline]] inline void transpose_halves(Eight (&r)[4])
{
    Eight t[4];
    for (int k = 0; k < 4; k += 2) {
        t[k] = __builtin_shufflevector(r[k], r[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[k + 1] = __builtin_shufflevector(r[k], r[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    r[0] = __builtin_shufflevector(t[0], t[2], 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = __builtin_shufflevector(t[0], t[2], 2, 3, 10, 11, 6, 7, 14, 15);
    r[2] = __builtin_shufflevector(t[1], t[3], 0, 1, 8, 9, 4, 5, 12, 13);
    r[3] = __builtin_shufflevector(t[1], t[3], 2, 3, 10, 11, 6, 7, 14, 15);
}
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

/// Four numbers from each of two places, and one half to a place.
using HalfEight = float __attribute__((vector_size(16)));
[[gnu::always_inline]] inline Eight load_halves(const float* low, const float* high)
{
    HalfEight a, b;
    std::memcpy(&a, low, sizeof a);
    std::memcpy(&b, high, sizeof b);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
template <int half>
[[gnu::always_inline]] inline void store_half(Eight value, float* to)
{
    constexpr int from = 4 * half;
    const HalfEight part = __builtin_shufflevector(value, value, from, from + 1, from + 2, from + 3);
    std::memcpy(to, &part, sizeof part);
}

/// A vector of space for each contact.
template <class K>
struct Vectors {
    typename K::Wide x, y, z;

    [[gnu::always_inline]] friend Vectors operator+(const Vectors& a, const Vectors& b)
    {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    [[gnu::always_inline]] friend Vectors operator-(const Vectors& a, const Vectors& b)
    {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    [[gnu::always_inline]] friend Vectors operator*(typename K::Wide s, const Vectors& a)
    {
        return {s * a.x, s * a.y, s * a.z};
    }
    [[gnu::always_inline]] friend typename K::Wide dot(const Vectors& a, const Vectors& b)
    {
        return a.x * b.x + a.y * b.y + a.z * b.z;
    }
    [[gnu::always_inline]] friend Vectors cross(const Vectors& a, const Vectors& b)
    {
        return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    }
};

template <class K>
[[gnu::always_inline]] inline Vectors<K> load(const std::array<Lanes<K>, 3>& a)
{
    return {load<K>(a[0]), load<K>(a[1]), load<K>(a[2])};
}
template <class K>
[[gnu::always_inline]] inline void store(const Vectors<K>& a, std::array<Lanes<K>, 3>& to)
{
    store<K>(a.x, to[0].data());
    store<K>(a.y, to[1].data());
    store<K>(a.z, to[2].data());
}

}  // namespace carom::detail
