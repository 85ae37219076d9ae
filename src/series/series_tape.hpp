#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carom {

/// Truncated power series x(t) = x_0 + x_1 t + ... + x_K t^K of run-time order K, and a straight line of
/// operations on them that is evaluated incrementally: one new coefficient of every register at a time, so
/// that K + 1 coefficients of a formula cost O(K^2) per operation, and coefficient k may depend on inputs
/// whose coefficient k was found from the results of order k - 1. Nothing is allocated after construction.
///
/// Symbols    x, y   registers a and b;  x_k  coefficient of t^k
/// Theory     docs/theory/series.md, (PS-1) rules of the operations, (PS-2) switches, (PS-13) rounding

/// sum of x_i y_{k-i} for i = first .. last. Two sums side by side: neither waits for the other.
[[nodiscard]] inline double convolution(const double* x, const double* y, int k, int first, int last) noexcept
{
    double even = 0, odd = 0;
    int i = first;
    for (; i < last; i += 2) {
        even += x[i] * y[k - i];
        odd += x[i + 1] * y[k - i - 1];
    }
    if (i == last) even += x[i] * y[k - i];
    return even + odd;
}

/// Coefficient k of the product x y.
[[nodiscard]] inline double product_coefficient(const double* x, const double* y, int k) noexcept
{
    return convolution(x, y, k, 0, k);
}

/// Coefficient k >= 1 of the product without its two terms that hold coefficient k.
[[nodiscard]] inline double inner_coefficient(const double* x, const double* y, int k) noexcept
{
    return convolution(x, y, k, 1, k - 1);
}

/// Coefficient k of the square: every product but that of the middle stands twice.
[[nodiscard]] inline double square_coefficient(const double* x, int k) noexcept
{
    const double twice = 2 * convolution(x, x, k, 0, (k + 1) / 2 - 1);
    return k % 2 == 0 ? twice + x[k / 2] * x[k / 2] : twice;
}

/// x(t) from coefficients 0 .. order.
[[nodiscard]] inline double series_value(const double* x, int order, double t) noexcept
{
    double sum = 0;
    for (int k = order; k >= 0; --k) {
        sum = sum * t + x[k];
    }
    return sum;
}

/// x'(t).
[[nodiscard]] inline double series_slope(const double* x, int order, double t) noexcept
{
    double sum = 0;
    for (int k = order; k >= 1; --k) {
        sum = sum * t + k * x[k];
    }
    return sum;
}

/// Integral of x from 0 to t.
[[nodiscard]] inline double series_integral(const double* x, int order, double t) noexcept
{
    double sum = 0;
    for (int k = order; k >= 0; --k) {
        sum = sum * t + x[k] / (k + 1);
    }
    return sum * t;
}

/// Operations on series. Pairs write two registers, their own and the next.
enum class SeriesOp : std::uint8_t {
    Constant,  ///< number
    Input,     ///< input a
    Add,       ///< x + y
    Subtract,  ///< x - y
    Multiply,  ///< x y
    Divide,    ///< x / y
    Scale,     ///< number x
    Shift,     ///< x + number
    Square,    ///< x^2
    Sqrt,      ///< needs x_0 > 0, or x = 0
    Exp,
    Power,       ///< x^number; needs x_0 > 0, or x = 0
    Quadrature,  ///< z' = number x' / y; z_0 is given by the function c: Log, Asin, Acos or Atan
    Angle,       ///< angle of (abscissa y, ordinate x), register c holds x^2 + y^2
    SinCos,      ///< pair: sin x, cos x
    SinhCosh,    ///< pair: sinh x, cosh x
    Tan,         ///< pair: tan x, 1 + tan^2 x
    Tanh,        ///< pair: tanh x, 1 - tanh^2 x
    Second,      ///< the second of a pair: written by the operation before it

    // pieces: which one is said by the side of switch c, the sign of register a (PS-2)
    SignedCopy,  ///< x or -x
    SignOf,      ///< 1 or -1
    Truth,       ///< 1 where the side is +, else 0
    Chosen,      ///< register a of the switch's series > 0: x = register b, else register number
    Not,         ///< of truths
    And,
    Or,
    Select,  ///< y where the truth x is not 0, else register c
};

/// Where a Quadrature starts.
enum class QuadratureStart : std::int32_t { Log, Asin, Acos, Atan };

/// Instruction i writes register i and reads registers below i.
struct SeriesInstruction {
    SeriesOp op{};
    std::int32_t a = 0, b = 0, c = 0;
    double number = 0;
};

/// A series whose sign chooses pieces of a formula that is not analytic.
struct SeriesSwitch {
    int reg = 0;   ///< the register whose sign counts
    int side = 1;  ///< of the expansion: 1 or -1
    int held = 0;  ///< the side to take whatever the value says, where it is zero by an event; 0: none
};

/// Instructions with their registers.
class SeriesTape {
public:
    SeriesTape() = default;
    SeriesTape(std::vector<SeriesInstruction> instructions, const std::vector<int>& switched_registers,
               int order);

    [[nodiscard]] int order() const noexcept { return order_; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(instructions_.size()); }

    /// Coefficient k of every register; coefficients below k are there. `inputs` holds series of stride
    /// `stride`, whose coefficients up to k are known.
    void advance(int k, const double* inputs, std::size_t stride) noexcept;

    /// Coefficient 0 of every register, and the sides of all switches by their values there (PS-2).
    void start_with_sides(const double* inputs, std::size_t stride) noexcept;

    /// Bounds of the rounding errors of coefficient k of every register, to first order; those below k and
    /// the coefficients up to k are there (PS-13). The first call of a tape takes memory.
    void bound(int k, const double* input_errors, std::size_t stride);

    [[nodiscard]] const double* coefficients(int reg) const noexcept
    {
        return memory_.data() + static_cast<std::size_t>(reg) * stride_;
    }
    /// As far as `bound` has come.
    [[nodiscard]] const double* errors(int reg) const noexcept
    {
        return errors_.data() + static_cast<std::size_t>(reg) * stride_;
    }
    /// Whether a register has one coefficient only, whatever the inputs are.
    [[nodiscard]] bool is_constant(int reg) const noexcept
    {
        return constant_[static_cast<std::size_t>(reg)] != 0;
    }
    [[nodiscard]] std::span<const SeriesInstruction> instructions() const noexcept { return instructions_; }
    [[nodiscard]] std::span<SeriesSwitch> switches() noexcept { return switches_; }
    [[nodiscard]] std::span<const SeriesSwitch> switches() const noexcept { return switches_; }

private:
    [[nodiscard]] double* at(int reg) noexcept
    {
        return memory_.data() + static_cast<std::size_t>(reg) * stride_;
    }
    /// An instruction that is not constant in time, with places in memory instead of registers.
    struct Step {
        SeriesOp op{};
        bool x_constant = false, y_constant = false;
        std::size_t z = 0, x = 0, y = 0, w = 0;  ///< of its own series, of a, b and c
        double number = 0;
        int index = 0;
    };

    void start(int i, const SeriesInstruction& it, const double* inputs, std::size_t stride) noexcept;
    void evaluate_other(const Step& it, int k, const double* inputs, std::size_t stride) noexcept;
    void extend_rarely(const Step& it, int k) noexcept;
    [[nodiscard]] double piece(const SeriesInstruction& it, int k) noexcept;

    // rounding: series_bounds.cpp
    [[nodiscard]] double* error_at(int reg) noexcept
    {
        return errors_.data() + static_cast<std::size_t>(reg) * stride_;
    }
    void start_error(int i, const SeriesInstruction& it, const double* input_errors,
                     std::size_t stride) noexcept;
    void extend_error(int i, const SeriesInstruction& it, int k, const double* input_errors,
                      std::size_t stride) noexcept;
    [[nodiscard]] double piece_error(const SeriesInstruction& it, int k) noexcept;
    [[nodiscard]] double divided_error(int i, const double* divisor, double factor, int k,
                                       double error) noexcept;

    std::vector<SeriesInstruction> instructions_;
    std::vector<Step> steps_;
    std::vector<char> constant_;  ///< per register
    std::vector<SeriesSwitch> switches_;
    std::vector<double> memory_;
    std::vector<double> errors_;           ///< as memory_; empty before the first bound
    std::vector<double> inverse_, local_;  ///< of divisions: 1 / divisor, and the errors made in each order
    std::size_t stride_ = 0;
    int order_ = 0;
};

}  // namespace carom
