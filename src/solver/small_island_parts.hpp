#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

/// What the parts of SmallIsland have in common.
namespace carom::island {

/// Statuses of a member.
inline constexpr char open = 0, sticks = 1, slides = 2, slides_back = 3;

/// The compliance that stands for a vanishing one, beside W of size one: loads that W does not determine come
/// out to eps_of_machine / vanishing of themselves.
inline constexpr double vanishing = 1e-6;

inline constexpr int max_full_steps = 15, max_newton_steps = 30, max_newton_halvings = 12;

inline double largest(std::span<const double> x)
{
    double result = 0;
    for (const double value : x) {
        result = std::max(result, std::abs(value));
    }
    return result;
}

inline double length_of(double a, double b)
{
    return std::sqrt(a * a + b * b);
}

inline double norm2(std::span<const double> x)
{
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

/// A block of contacts, which have two or three components: no call for so little.
inline void set_zero(double* A, int d)
{
    A[0] = A[1] = A[2] = A[3] = 0;
    if (d == 3) A[4] = A[5] = A[6] = A[7] = A[8] = 0;
}

inline void set_identity(double* A, int d)
{
    set_zero(A, d);
    for (int k = 0; k < d; ++k) {
        A[k * d + k] = 1;
    }
}

}  // namespace carom::island
