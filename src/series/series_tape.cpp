#include "series/series_tape.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace carom {
namespace {

/// sum of i x_i y_{k-i} for i = 1 .. k, over k: coefficient k of the integral of x' y.
double chain_coefficient(const double* x, const double* y, int k) noexcept
{
    double sum = 0, i_as_number = 1;
    for (int i = 1; i <= k; ++i, i_as_number += 1) {
        sum += i_as_number * x[i] * y[k - i];
    }
    return sum / k;
}

/// The same for two y at once.
std::pair<double, double> chain_coefficients(const double* x, const double* y, const double* z,
                                             int k) noexcept
{
    double by_y = 0, by_z = 0, i_as_number = 1;
    for (int i = 1; i <= k; ++i, i_as_number += 1) {
        const double slope = i_as_number * x[i];
        by_y += slope * y[k - i];
        by_z += slope * z[k - i];
    }
    return {by_y / k, by_z / k};
}

/// Zero in all coefficients up to k.
bool vanishes(const double* x, int k) noexcept
{
    for (int i = 0; i <= k; ++i) {
        if (x[i] != 0) return false;
    }
    return true;
}

bool stays_constant(const SeriesInstruction& it, const std::vector<char>& constant)
{
    const auto is = [&](std::int32_t reg) { return constant[static_cast<std::size_t>(reg)] != 0; };
    switch (it.op) {
    case SeriesOp::Constant: return true;
    case SeriesOp::Input:
    case SeriesOp::SignOf:
    case SeriesOp::Truth:
    case SeriesOp::Chosen: return false;
    case SeriesOp::Add:
    case SeriesOp::Subtract:
    case SeriesOp::Multiply:
    case SeriesOp::Divide:
    case SeriesOp::Quadrature:
    case SeriesOp::Angle:
    case SeriesOp::And:
    case SeriesOp::Or: return is(it.a) && is(it.b);
    case SeriesOp::Select: return is(it.a) && is(it.b) && is(it.c);
    default: return is(it.a);
    }
}

bool two_operands(SeriesOp op)
{
    switch (op) {
    case SeriesOp::Add:
    case SeriesOp::Subtract:
    case SeriesOp::Multiply:
    case SeriesOp::Divide:
    case SeriesOp::Quadrature:
    case SeriesOp::Angle: return true;
    default: return false;
    }
}

double quadrature_start(QuadratureStart function, double x) noexcept
{
    switch (function) {
    case QuadratureStart::Log: return std::log(x);
    case QuadratureStart::Asin: return std::asin(x);
    case QuadratureStart::Acos: return std::acos(x);
    case QuadratureStart::Atan: return std::atan(x);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

SeriesTape::SeriesTape(std::vector<SeriesInstruction> instructions,
                       const std::vector<int>& switched_registers, int order)
    : instructions_(std::move(instructions)), stride_(static_cast<std::size_t>(order) + 1), order_(order)
{
    constant_.assign(instructions_.size(), 0);
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
        constant_[i] = stays_constant(instructions_[i], constant_) ? 1 : 0;
        const SeriesInstruction& it = instructions_[i];
        if (constant_[i] != 0 || it.op == SeriesOp::Second) continue;
        const auto place = [&](std::int32_t reg) { return static_cast<std::size_t>(reg) * stride_; };
        const auto constant = [&](std::int32_t reg) { return constant_[static_cast<std::size_t>(reg)] != 0; };
        Step step{.op = it.op, .z = i * stride_, .x = place(it.a), .number = it.number};
        step.index = static_cast<int>(i);
        if (it.op == SeriesOp::Input) {
            step.x = static_cast<std::size_t>(it.a);
        } else if (two_operands(it.op)) {
            step.x_constant = constant(it.a);
            step.y_constant = constant(it.b);
            step.y = place(it.b);
        }
        if (it.op == SeriesOp::Angle) step.w = place(it.c);
        steps_.push_back(step);
    }
    for (const int reg : switched_registers) {
        switches_.push_back({.reg = reg, .side = 1, .held = 0});
    }
    memory_.assign(instructions_.size() * stride_, 0.0);
}

void SeriesTape::advance(int k, const double* inputs, std::size_t stride) noexcept
{
    if (k == 0) {
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            start(static_cast<int>(i), instructions_[i], inputs, stride);
        }
        return;
    }
    for (const Step& step : steps_) {
        evaluate_other(step, k, inputs, stride);
    }
}

void SeriesTape::start_with_sides(const double* inputs, std::size_t stride) noexcept
{
    advance(0, inputs, stride);
    // a side may decide what another switch sees
    for (std::size_t pass = 0; pass < switches_.size(); ++pass) {
        bool changed = false;
        for (SeriesSwitch& it : switches_) {
            const int side = it.held != 0 ? it.held : at(it.reg)[0] < 0 ? -1 : 1;
            changed = changed || side != it.side;
            it.side = side;
        }
        if (!changed) return;
        advance(0, inputs, stride);
    }
}

/// Coefficient 0: the value.
void SeriesTape::start(int i, const SeriesInstruction& it, const double* inputs, std::size_t stride) noexcept
{
    double* z = at(i);
    const double* x = it.op == SeriesOp::Constant || it.op == SeriesOp::Input ? nullptr : at(it.a);
    switch (it.op) {
    case SeriesOp::Constant: z[0] = it.number; break;
    case SeriesOp::Input: z[0] = inputs[static_cast<std::size_t>(it.a) * stride]; break;
    case SeriesOp::Add: z[0] = x[0] + at(it.b)[0]; break;
    case SeriesOp::Subtract: z[0] = x[0] - at(it.b)[0]; break;
    case SeriesOp::Multiply: z[0] = x[0] * at(it.b)[0]; break;
    case SeriesOp::Divide: z[0] = x[0] / at(it.b)[0]; break;
    case SeriesOp::Scale: z[0] = it.number * x[0]; break;
    case SeriesOp::Shift: z[0] = x[0] + it.number; break;
    case SeriesOp::Square: z[0] = x[0] * x[0]; break;
    case SeriesOp::Sqrt: z[0] = std::sqrt(x[0]); break;
    case SeriesOp::Exp: z[0] = std::exp(x[0]); break;
    case SeriesOp::Power: z[0] = std::pow(x[0], it.number); break;
    case SeriesOp::Quadrature: z[0] = quadrature_start(static_cast<QuadratureStart>(it.c), x[0]); break;
    case SeriesOp::Angle: z[0] = std::atan2(x[0], at(it.b)[0]); break;
    case SeriesOp::SinCos:
        z[0] = std::sin(x[0]);
        at(i + 1)[0] = std::cos(x[0]);
        break;
    case SeriesOp::SinhCosh:
        z[0] = std::sinh(x[0]);
        at(i + 1)[0] = std::cosh(x[0]);
        break;
    case SeriesOp::Tan:
        z[0] = std::tan(x[0]);
        at(i + 1)[0] = 1 + z[0] * z[0];
        break;
    case SeriesOp::Tanh:
        z[0] = std::tanh(x[0]);
        at(i + 1)[0] = 1 / std::cosh(x[0]) / std::cosh(x[0]);
        break;
    case SeriesOp::Second: break;
    default: z[0] = piece(it, 0); break;
    }
}

/// Coefficient k >= 1 (PS-1): what most formulas are made of.
void SeriesTape::evaluate_other(const Step& it, int k, const double* inputs, std::size_t stride) noexcept
{
    double* memory = memory_.data();
    double* z = memory + it.z;
    const double* x = memory + it.x;
    const double* y = memory + it.y;
    switch (it.op) {
    case SeriesOp::Input: z[k] = inputs[it.x * stride + static_cast<std::size_t>(k)]; break;
    case SeriesOp::Add: z[k] = x[k] + y[k]; break;
    case SeriesOp::Subtract: z[k] = x[k] - y[k]; break;
    case SeriesOp::Scale: z[k] = it.number * x[k]; break;
    case SeriesOp::Shift: z[k] = x[k]; break;
    case SeriesOp::Multiply:
        z[k] = it.x_constant ? x[0] * y[k] : it.y_constant ? x[k] * y[0] : product_coefficient(x, y, k);
        break;
    case SeriesOp::Square: z[k] = square_coefficient(x, k); break;
    case SeriesOp::Divide:
        // from x = z y
        z[k] = it.y_constant ? x[k] / y[0] : (x[k] - z[0] * y[k] - inner_coefficient(z, y, k)) / y[0];
        break;
    case SeriesOp::SinCos:
    case SeriesOp::SinhCosh: {
        double* other = z + stride_;
        const auto [by_other, by_own] = chain_coefficients(x, other, z, k);
        z[k] = by_other;
        other[k] = it.op == SeriesOp::SinCos ? -by_own : by_own;
        break;
    }
    default: extend_rarely(it, k); break;
    }
}

/// Coefficient k >= 1 of the other operations (PS-1).
void SeriesTape::extend_rarely(const Step& it, int k) noexcept
{
    double* memory = memory_.data();
    double* z = memory + it.z;
    const double* x = memory + it.x;
    const double* y = memory + it.y;
    switch (it.op) {
    case SeriesOp::Sqrt:
        // from x = z^2; the root of zero is zero
        z[k] = vanishes(x, k) ? 0 : (x[k] - inner_coefficient(z, z, k)) / (2 * z[0]);
        break;
    case SeriesOp::Exp: z[k] = chain_coefficient(x, z, k); break;
    case SeriesOp::Power: {
        // from x z' = number x' z
        double sum = 0;
        for (int j = 0; j < k; ++j) {
            sum += (it.number * (k - j) - j) * x[k - j] * z[j];
        }
        z[k] = it.number > 0 && vanishes(x, k) ? 0 : sum / (k * x[0]);
        break;
    }
    case SeriesOp::Quadrature: {
        // from y z' = number x'
        double sum = it.number * k * x[k];
        for (int j = 1; j < k; ++j) {
            sum -= j * z[j] * y[k - j];
        }
        z[k] = sum / (k * y[0]);
        break;
    }
    case SeriesOp::Angle: {
        // from (x^2 + y^2) z' = y x' - x y'
        const double* r2 = memory + it.w;
        double sum = 0;
        for (int j = 1; j <= k; ++j) {
            sum += j * (x[j] * y[k - j] - y[j] * x[k - j]);
        }
        for (int j = 1; j < k; ++j) {
            sum -= j * z[j] * r2[k - j];
        }
        z[k] = sum / (k * r2[0]);
        break;
    }
    case SeriesOp::Tan:
    case SeriesOp::Tanh: {
        // z' = x' w with w = 1 +- z^2
        double* w = z + stride_;
        z[k] = chain_coefficient(x, w, k);
        const double square = square_coefficient(z, k);
        w[k] = it.op == SeriesOp::Tan ? square : -square;
        break;
    }
    default: z[k] = piece(instructions_[static_cast<std::size_t>(it.index)], k); break;
    }
}

/// Coefficient k of a piece: sides and truths do not change within an expansion (PS-2).
double SeriesTape::piece(const SeriesInstruction& it, int k) noexcept
{
    const auto side = [&] { return switches_[static_cast<std::size_t>(it.c)].side; };
    switch (it.op) {
    case SeriesOp::SignedCopy: return side() * at(it.a)[k];
    case SeriesOp::SignOf: return k == 0 ? side() : 0;
    case SeriesOp::Truth: return k == 0 && side() > 0 ? 1 : 0;
    case SeriesOp::Chosen: return at(side() > 0 ? it.b : static_cast<int>(it.number))[k];
    case SeriesOp::Not: return k == 0 && at(it.a)[0] == 0 ? 1 : 0;
    case SeriesOp::And: return k == 0 && at(it.a)[0] != 0 && at(it.b)[0] != 0 ? 1 : 0;
    case SeriesOp::Or: return k == 0 && (at(it.a)[0] != 0 || at(it.b)[0] != 0) ? 1 : 0;
    case SeriesOp::Select: return at(at(it.a)[0] != 0 ? it.b : it.c)[k];
    default: return std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace carom
