#pragma once

#include "series/dual.hpp"

#include <type_traits>
#include <utility>

/// The rules of differentiation behind series/dual.hpp; include that header, not this one.

namespace carom {

namespace detail {

/// Row and column, from 1, of each place n in a lower triangle stored by rows.
template <int Width>
struct Triangle {
    int row[Width * (Width + 1) / 2 + 1] = {};
    int column[Width * (Width + 1) / 2 + 1] = {};

    constexpr Triangle()
    {
        int n = 0;
        for (int r = 1; r <= Width; ++r)
            for (int s = 1; s <= r; ++s, ++n) {
                row[n] = r;
                column[n] = s;
            }
    }
};

/// f(0), f(1), ..., f(count - 1) as a straight line, each argument a constant.
template <int Count, class F>
void unrolled(F f) noexcept
{
    [&]<int... N>(std::integer_sequence<int, N...>) {
        (f(std::integral_constant<int, N>{}), ...);
    }(std::make_integer_sequence<int, Count>{});
}

}  // namespace detail

template <int Order, int Width>
template <class F>
void DualRegisters<Order, Width>::each_direction(F f) const noexcept
{
    if constexpr (Order >= 1 && Width == any_width) {
        for (int r = 1; r <= width(); ++r)
            f(r);
    } else if constexpr (Order >= 1) {
        detail::unrolled<Width>([&](auto r) { f(1 + r); });
    }
}

template <int Order, int Width>
template <class F>
void DualRegisters<Order, Width>::each_pair(F f) const noexcept
{
    if constexpr (Order >= 2 && Width == any_width) {
        int n = 1 + width();
        for (int r = 1; r <= width(); ++r)
            for (int s = 1; s <= r; ++s, ++n)
                f(n, r, s);
    } else if constexpr (Order >= 2) {
        constexpr detail::Triangle<Width> at;
        detail::unrolled<Width*(Width + 1) / 2>([&](auto n) { f(1 + Width + n, at.row[n], at.column[n]); });
    }
}

template <int Order, int Width>
template <class First, class Second>
void DualRegisters<Order, Width>::chain(int i, int a, double f, First first, Second second) noexcept
{
    const double* x = at(a);
    double* __restrict z = at(i);
    z[0] = f;
    if constexpr (Order >= 1) {
        const double f1 = first();
        each_direction([=](int r) { z[r] = f1 * x[r]; });
        if constexpr (Order >= 2) {
            const double f2 = second();
            each_pair([=](int n, int r, int s) { z[n] = f1 * x[n] + f2 * x[r] * x[s]; });
        }
    }
}

template <int Order, int Width>
template <class F>
void DualRegisters<Order, Width>::chain(int i, int a, int b, double f, F partials) noexcept
{
    const double* x = at(a);
    const double* y = at(b);
    double* __restrict z = at(i);
    z[0] = f;
    if constexpr (Order >= 1) {
        const Partials d = partials();
        each_direction([=](int r) { z[r] = d.x * x[r] + d.y * y[r]; });
        each_pair([=](int n, int r, int s) {
            z[n] = d.x * x[n] + d.y * y[n] + d.xx * x[r] * x[s] + d.xy * (x[r] * y[s] + y[r] * x[s]) +
                   d.yy * y[r] * y[s];
        });
    }
}

template <int Order, int Width>
void DualRegisters<Order, Width>::constant(int i, double number) noexcept
{
    double* z = at(i);
    for (std::size_t n = 1; n < stride(); ++n)
        z[n] = 0;
    z[0] = number;
}

template <int Order, int Width>
void DualRegisters<Order, Width>::variable(int i, int input) noexcept
{
    constant(i, inputs_[input]);
    if constexpr (Order >= 1) {
        const int direction = directions_.of(input);
        if (direction >= 0) at(i)[1 + direction] = 1;
    }
}

template <int Order, int Width>
void DualRegisters<Order, Width>::add(int i, int a, int b) noexcept
{
    const double* x = at(a);
    const double* y = at(b);
    double* __restrict z = at(i);
    for (std::size_t n = 0; n < stride(); ++n)
        z[n] = x[n] + y[n];
}

template <int Order, int Width>
void DualRegisters<Order, Width>::subtract(int i, int a, int b) noexcept
{
    const double* x = at(a);
    const double* y = at(b);
    double* __restrict z = at(i);
    for (std::size_t n = 0; n < stride(); ++n)
        z[n] = x[n] - y[n];
}

template <int Order, int Width>
void DualRegisters<Order, Width>::scale(int i, int a, double number) noexcept
{
    const double* x = at(a);
    double* __restrict z = at(i);
    for (std::size_t n = 0; n < stride(); ++n)
        z[n] = number * x[n];
}

template <int Order, int Width>
void DualRegisters<Order, Width>::divide_by(int i, int a, double number) noexcept
{
    const double* x = at(a);
    double* __restrict z = at(i);
    for (std::size_t n = 0; n < stride(); ++n)
        z[n] = x[n] / number;
}

template <int Order, int Width>
void DualRegisters<Order, Width>::shift(int i, int a, double number) noexcept
{
    const double* x = at(a);
    double* __restrict z = at(i);
    z[0] = x[0] + number;
    for (std::size_t n = 1; n < stride(); ++n)
        z[n] = x[n];
}

template <int Order, int Width>
void DualRegisters<Order, Width>::multiply(int i, int a, int b) noexcept
{
    const double* x = at(a);
    const double* y = at(b);
    double* __restrict z = at(i);
    const double x0 = x[0];
    const double y0 = y[0];
    z[0] = x0 * y0;
    each_direction([=](int r) { z[r] = y0 * x[r] + x0 * y[r]; });
    each_pair([=](int n, int r, int s) { z[n] = y0 * x[n] + x0 * y[n] + (x[r] * y[s] + y[r] * x[s]); });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::divide(int i, int a, int b) noexcept
{
    // from x = z y:  z_r = (x_r - z y_r) / y,  z_rs = (x_rs - z y_rs - z_r y_s - y_r z_s) / y
    const double* x = at(a);
    const double* y = at(b);
    double* __restrict z = at(i);
    const double y0 = y[0];
    const double z0 = x[0] / y0;
    z[0] = z0;
    each_direction([=](int r) { z[r] = (x[r] - z0 * y[r]) / y0; });
    each_pair([=](int n, int r, int s) { z[n] = (x[n] - z0 * y[n] - (z[r] * y[s] + y[r] * z[s])) / y0; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::linear(int i, int a, double f, double slope) noexcept
{
    scale(i, a, slope);
    at(i)[0] = f;
}

template <int Order, int Width>
void DualRegisters<Order, Width>::reciprocal(int i, int a, double number) noexcept
{
    const double x = value(a);
    const double f = number / x;
    chain(i, a, f, [=] { return -f / x; }, [=] { return 2 * (f / x) / x; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::square(int i, int a) noexcept
{
    const double x = value(a);
    chain(i, a, x * x, [=] { return 2 * x; }, [] { return 2.0; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::raise(int i, int a, int n) noexcept
{
    const double x = value(a);
    chain(
        i, a, integer_power(x, n), [=] { return n * integer_power(x, n - 1); },
        [=] { return n * (n - 1.0) * integer_power(x, n - 2); });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::raise(int i, int a, double number) noexcept
{
    const double x = value(a);
    chain(
        i, a, std::pow(x, number), [=] { return number * std::pow(x, number - 1); },
        [=] { return number * (number - 1) * std::pow(x, number - 2); });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::power(int i, int a, int b) noexcept
{
    const double x = value(a);
    const double y = value(b);
    const double f = std::pow(x, y);
    chain(i, a, b, f, [=] {
        // 0^y stays 0 while y > 0 moves: there log x must not turn 0 into NaN
        const double log_x = x == 0 && y > 0 ? 0 : std::log(x);
        const double f_over_x = std::pow(x, y - 1);
        return Partials{.x = y * f_over_x,
                        .y = f * log_x,
                        .xx = y * (y - 1) * std::pow(x, y - 2),
                        .xy = f_over_x * (1 + y * log_x),
                        .yy = f * log_x * log_x};
    });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::sqrt(int i, int a) noexcept
{
    const double x = value(a);
    const double f = std::sqrt(x);
    chain(i, a, f, [=] { return 0.5 / f; }, [=] { return -0.25 / (x * f); });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::exp(int i, int a) noexcept
{
    const double f = std::exp(value(a));
    chain(i, a, f, [=] { return f; }, [=] { return f; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::log(int i, int a) noexcept
{
    const double x = value(a);
    chain(i, a, std::log(x), [=] { return 1 / x; }, [=] { return -1 / x / x; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::sin(int i, int a) noexcept
{
    const double x = value(a);
    const double f = std::sin(x);
    chain(i, a, f, [=] { return std::cos(x); }, [=] { return -f; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::cos(int i, int a) noexcept
{
    const double x = value(a);
    const double f = std::cos(x);
    chain(i, a, f, [=] { return -std::sin(x); }, [=] { return -f; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::tan(int i, int a) noexcept
{
    const double f = std::tan(value(a));
    chain(i, a, f, [=] { return 1 + f * f; }, [=] { return 2 * f * (1 + f * f); });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::asin(int i, int a) noexcept
{
    const double x = value(a);
    const double c = std::sqrt((1 - x) * (1 + x));
    chain(i, a, std::asin(x), [=] { return 1 / c; }, [=] { return x / (c * c * c); });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::acos(int i, int a) noexcept
{
    const double x = value(a);
    const double c = std::sqrt((1 - x) * (1 + x));
    chain(i, a, std::acos(x), [=] { return -1 / c; }, [=] { return -x / (c * c * c); });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::atan(int i, int a) noexcept
{
    const double x = value(a);
    const double slope = 1 / (1 + x * x);
    chain(i, a, std::atan(x), [=] { return slope; }, [=] { return -2 * x * slope * slope; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::sinh(int i, int a) noexcept
{
    const double x = value(a);
    const double f = std::sinh(x);
    chain(i, a, f, [=] { return std::cosh(x); }, [=] { return f; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::cosh(int i, int a) noexcept
{
    const double x = value(a);
    const double f = std::cosh(x);
    chain(i, a, f, [=] { return std::sinh(x); }, [=] { return f; });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::tanh(int i, int a) noexcept
{
    // 1 / cosh^2 and not 1 - tanh^2, which cancels away from zero
    const double x = value(a);
    const double f = std::tanh(x);
    const auto slope = [=] { return 1 / std::cosh(x) / std::cosh(x); };
    chain(i, a, f, slope, [=] { return -2 * f * slope(); });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::atan2(int i, int a, int b) noexcept
{
    // direction cosines first, so that neither tiny nor huge coordinates under- or overflow
    const double y = value(a);
    const double x = value(b);
    chain(i, a, b, std::atan2(y, x), [=] {
        const double r = std::hypot(x, y);
        const double c = x / r;
        const double s = y / r;
        return Partials{.x = c / r,
                        .y = -s / r,
                        .xx = -2 * c * s / r / r,
                        .xy = (s - c) * (s + c) / r / r,
                        .yy = 2 * c * s / r / r};
    });
}

template <int Order, int Width>
void DualRegisters<Order, Width>::hypot(int i, int a, int b) noexcept
{
    const double x = value(a);
    const double y = value(b);
    const double f = std::hypot(x, y);
    chain(i, a, b, f, [=] {
        const double c = x / f;
        const double s = y / f;
        return Partials{.x = c, .y = s, .xx = s * s / f, .xy = -c * s / f, .yy = c * c / f};
    });
}

}  // namespace carom
