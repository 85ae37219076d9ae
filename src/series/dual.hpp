#pragma once

#include <cmath>
#include <cstddef>

namespace carom {

/// Duals: numbers that carry their derivatives, kept in a register file.
///
/// A register file is an array of scalars of one kind; each member below computes register i from registers
/// a and b < i. Whoever runs a tape of such operations (expression/tape.hpp) gets values, gradients or
/// Hessians from the same text. Other scalars (truncated power series) offer the same members.
///
/// Symbols    x, y   registers a and b;  f  the operation;  k  number of directions
///            value, first derivatives f_r, second derivatives f_rs for r >= s (lower triangle by rows)
/// Theory     docs/theory/expressions.md, (EX-3) chain rule of one argument, (EX-4) of two arguments

/// Number of directions known only at run time.
inline constexpr int any_width = -1;

/// Doubles per dual: the value, k first derivatives from order 1, k (k + 1) / 2 second ones at order 2.
[[nodiscard]] constexpr std::size_t dual_size(int order, std::size_t k) noexcept
{
    return 1 + (order >= 1 ? k : 0) + (order >= 2 ? k * (k + 1) / 2 : 0);
}

/// Which inputs the directions of differentiation stand for: one or two runs of neighbours.
struct Directions {
    int first = 0;         ///< the input of direction 0
    int count = 0;         ///< length of the first run
    int second = 0;        ///< the input of direction `count`
    int second_count = 0;  ///< length of the second run, 0 if there is none

    [[nodiscard]] constexpr int width() const noexcept { return count + second_count; }

    /// The direction that stands for an input, or -1.
    [[nodiscard]] constexpr int of(int input) const noexcept
    {
        if (input >= first && input < first + count) return input - first;
        if (input >= second && input < second + second_count) return count + input - second;
        return -1;
    }
};

/// x^n by repeated squaring; n may be negative. Relative error below about |n| roundings.
[[nodiscard]] constexpr double integer_power(double x, int n) noexcept
{
    double result = 1;
    for (unsigned rest = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n); rest != 0;
         rest >>= 1U) {
        if ((rest & 1U) != 0) result *= x;
        x *= x;
    }
    return n < 0 ? 1 / result : result;
}

/// Duals of order 0 (plain doubles), 1 or 2. The memory belongs to the caller and holds
/// dual_size(Order, directions.width()) doubles per register. With a Width known at compile time the loops
/// unroll.
///
/// Outside their domain functions give NaN or infinity as IEEE arithmetic does; so do derivatives where there
/// are none (sqrt and hypot at zero).
template <int Order, int Width = any_width>
class DualRegisters {
    static_assert(Order >= 0 && Order <= 2);

public:
    DualRegisters(double* memory, const double* inputs, Directions directions = {}) noexcept
        : memory_(memory),
          inputs_(inputs),
          directions_(directions),
          stride_(dual_size(Order, static_cast<std::size_t>(directions.width())))
    {
    }

    [[nodiscard]] double value(int a) const noexcept { return *at(a); }
    [[nodiscard]] const double* first(int a) const noexcept { return at(a) + 1; }
    [[nodiscard]] const double* second(int a) const noexcept { return at(a) + 1 + width(); }

    void constant(int i, double number) noexcept;
    void variable(int i, int input) noexcept;
    void copy(int i, int a) noexcept { scale(i, a, 1); }

    void add(int i, int a, int b) noexcept;
    void subtract(int i, int a, int b) noexcept;
    void multiply(int i, int a, int b) noexcept;
    void divide(int i, int a, int b) noexcept;
    void scale(int i, int a, double number) noexcept;      ///< number x
    void divide_by(int i, int a, double number) noexcept;  ///< x / number
    void shift(int i, int a, double number) noexcept;      ///< x + number
    void negate(int i, int a) noexcept { scale(i, a, -1); }
    void reciprocal(int i, int a, double number) noexcept;  ///< number / x
    void square(int i, int a) noexcept;
    void raise(int i, int a, int n) noexcept;          ///< x^n
    void raise(int i, int a, double number) noexcept;  ///< x^number
    void power(int i, int a, int b) noexcept;          ///< x^y

    void sqrt(int i, int a) noexcept;
    void exp(int i, int a) noexcept;
    void log(int i, int a) noexcept;
    void sin(int i, int a) noexcept;
    void cos(int i, int a) noexcept;
    void tan(int i, int a) noexcept;
    void asin(int i, int a) noexcept;
    void acos(int i, int a) noexcept;
    void atan(int i, int a) noexcept;
    void sinh(int i, int a) noexcept;
    void cosh(int i, int a) noexcept;
    void tanh(int i, int a) noexcept;
    void atan2(int i, int a, int b) noexcept;  ///< angle of the point (abscissa b, ordinate a)
    void hypot(int i, int a, int b) noexcept;

    /// A function known at x by its value and slope only, its second derivative being zero: pieces of a
    /// table.
    void linear(int i, int a, double f, double slope) noexcept;

private:
    /// f and its partial derivatives in the two arguments, for the chain rule.
    struct Partials {
        double x, y, xx, xy, yy;
    };

    [[nodiscard]] double* at(int a) const noexcept
    {
        return memory_ + static_cast<std::size_t>(a) * stride();
    }
    [[nodiscard]] constexpr int width() const noexcept
    {
        if constexpr (Width == any_width)
            return directions_.width();
        else
            return Width;
    }
    [[nodiscard]] constexpr std::size_t stride() const noexcept
    {
        if constexpr (Order == 0)
            return 1;
        else if constexpr (Width == any_width)
            return stride_;
        else
            return dual_size(Order, Width);
    }

    /// f(r) for every direction r (order 1 and above).
    template <class F>
    void each_direction(F f) const noexcept;

    /// f(n, r, s) for every pair r >= s, n being its place in the dual (order 2).
    template <class F>
    void each_pair(F f) const noexcept;

    /// Register i = f(x), given f and how to compute f' and f'', which are asked for only if needed (EX-3).
    template <class First, class Second>
    void chain(int i, int a, double f, First first, Second second) noexcept;

    /// Register i = f(x, y), given f and how to compute its partial derivatives (EX-4).
    template <class F>
    void chain(int i, int a, int b, double f, F partials) noexcept;

    double* memory_;
    const double* inputs_;
    Directions directions_;
    std::size_t stride_;
};

}  // namespace carom

#include "series/dual_rules.hpp"
