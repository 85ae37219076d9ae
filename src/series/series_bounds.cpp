#include "series/series_tape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

/// Running bounds of rounding errors (PS-13): to first order, a coefficient inherits the errors of what it is
/// made of and adds a rounding of every term that it is a sum of.
namespace carom {
namespace {

constexpr double u = std::numeric_limits<double>::epsilon();

/// One series with its errors.
struct Bounded {
    const double* x;
    const double* error;
};

/// Error of sum of weight(i) x_i y_{k-i} for i = first .. last, with that of its own roundings.
template <class Weight>
double convolution_error(const Bounded& x, const Bounded& y, int k, int first, int last, Weight weight)
{
    double sum = 0;
    for (int i = first; i <= last; ++i) {
        const double a = std::abs(x.x[i]), b = std::abs(y.x[k - i]);
        sum += weight(i) * (a * y.error[k - i] + x.error[i] * b + u * a * b);
    }
    return sum;
}

double product_error(const Bounded& x, const Bounded& y, int k, int first, int last)
{
    return convolution_error(x, y, k, first, last, [](int) { return 1.0; });
}

/// Of the sum of (i/k) x_i y_{k-i}.
double chain_error(const Bounded& x, const Bounded& y, int k)
{
    return convolution_error(x, y, k, 1, k, [](int i) { return i; }) / k;
}

}  // namespace

void SeriesTape::bound(int k, const double* input_errors, std::size_t stride)
{
    for (auto* memory : {&errors_, &inverse_, &local_}) {
        memory->resize(memory_.size());
    }
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
        const auto reg = static_cast<int>(i);
        if (instructions_[i].op == SeriesOp::Second) continue;
        if (k == 0) {
            start_error(reg, instructions_[i], input_errors, stride);
        } else if (is_constant(reg)) {
            error_at(reg)[k] = 0;
            if (reg + 1 < size() && instructions_[i + 1].op == SeriesOp::Second) error_at(reg + 1)[k] = 0;
        } else {
            extend_error(reg, instructions_[i], k, input_errors, stride);
        }
    }
}

/// Of the value itself: the derivative times the error of the argument, and a rounding of the result.
void SeriesTape::start_error(int i, const SeriesInstruction& it, const double* input_errors,
                             std::size_t stride) noexcept
{
    const double* z = at(i);
    double* e = error_at(i);
    const bool leaf = it.op == SeriesOp::Constant || it.op == SeriesOp::Input;
    const double x = leaf ? 0 : at(it.a)[0], ex = leaf ? 0 : error_at(it.a)[0];
    const double own = u * std::abs(z[0]);
    const auto y = [&] { return at(it.b)[0]; };
    const auto ey = [&] { return error_at(it.b)[0]; };
    switch (it.op) {
    case SeriesOp::Constant: e[0] = own; break;
    case SeriesOp::Input: e[0] = input_errors[static_cast<std::size_t>(it.a) * stride]; break;
    case SeriesOp::Add:
    case SeriesOp::Subtract: e[0] = ex + ey() + own; break;
    case SeriesOp::Multiply: e[0] = std::abs(x) * ey() + ex * std::abs(y()) + own; break;
    case SeriesOp::Divide: e[0] = divided_error(i, at(it.b), 1, 0, ex + std::abs(z[0]) * ey()) + own; break;
    case SeriesOp::Scale: e[0] = std::abs(it.number) * ex + 2 * own; break;
    case SeriesOp::Shift: e[0] = ex + u * std::abs(it.number) + own; break;
    case SeriesOp::Square: e[0] = 2 * std::abs(x) * ex + own; break;
    case SeriesOp::Sqrt:
        e[0] = divided_error(i, z, 2, 0, ex) + own;
        if (!(z[0] > 0)) e[0] = std::sqrt(ex);
        break;
    case SeriesOp::Exp: e[0] = std::abs(z[0]) * ex + 2 * own; break;
    case SeriesOp::Power:
        e[0] = x != 0 ? std::abs(it.number * z[0] / x) * ex + (2 + std::abs(it.number)) * own
                      : std::pow(ex, std::max(it.number, 0.0));
        if (x == 0 && ex == 0) e[0] = 0;
        break;
    case SeriesOp::Quadrature: e[0] = std::abs(it.number) * ex / std::abs(y()) + own; break;
    case SeriesOp::Angle: e[0] = (std::abs(x) * ey() + ex * std::abs(y())) / at(it.c)[0] + own; break;
    case SeriesOp::SinCos:
    case SeriesOp::SinhCosh:
        e[0] = std::abs(at(i + 1)[0]) * ex + 2 * own;
        error_at(i + 1)[0] = std::abs(z[0]) * ex + 2 * u * std::abs(at(i + 1)[0]);
        break;
    case SeriesOp::Tan:
    case SeriesOp::Tanh:
        e[0] = std::abs(at(i + 1)[0]) * ex + 2 * own;
        error_at(i + 1)[0] = 2 * std::abs(z[0]) * e[0] + 2 * u * std::abs(at(i + 1)[0]);
        break;
    case SeriesOp::Second: break;
    default: e[0] = piece_error(it, 0); break;
    }
}

/// Of coefficient k >= 1, by the rules (PS-1).
void SeriesTape::extend_error(int i, const SeriesInstruction& it, int k, const double* input_errors,
                              std::size_t stride) noexcept
{
    const Bounded z{at(i), error_at(i)};
    double* e = error_at(i);
    const auto series = [&](int reg) { return Bounded{at(reg), error_at(reg)}; };
    const auto weighted = [](int j) { return static_cast<double>(j); };
    const double own = u * std::abs(z.x[k]);
    switch (it.op) {
    case SeriesOp::Constant: e[k] = 0; break;
    case SeriesOp::Input:
        e[k] = input_errors[static_cast<std::size_t>(it.a) * stride + static_cast<std::size_t>(k)];
        break;
    case SeriesOp::Add:
    case SeriesOp::Subtract: e[k] = error_at(it.a)[k] + error_at(it.b)[k] + own; break;
    case SeriesOp::Multiply: e[k] = product_error(series(it.a), series(it.b), k, 0, k); break;
    case SeriesOp::Square: e[k] = product_error(series(it.a), series(it.a), k, 0, k); break;
    case SeriesOp::Scale: e[k] = std::abs(it.number) * error_at(it.a)[k] + 2 * own; break;
    case SeriesOp::Shift: e[k] = error_at(it.a)[k]; break;
    case SeriesOp::Divide: {
        const Bounded x = series(it.a), y = series(it.b);
        double sum = x.error[k] + u * std::abs(x.x[k]);
        for (int j = 0; j <= k; ++j) {
            sum += std::abs(z.x[j]) * (y.error[k - j] + u * std::abs(y.x[k - j]));
        }
        e[k] = divided_error(i, y.x, 1, k, sum);
        break;
    }
    case SeriesOp::Sqrt: {
        const Bounded x = series(it.a);
        double sum = x.error[k] + u * std::abs(x.x[k]);
        for (int j = 0; j <= k; ++j) {
            sum += u * std::abs(z.x[j] * z.x[k - j]);
        }
        e[k] = divided_error(i, z.x, 2, k, sum);
        break;
    }
    case SeriesOp::Exp: e[k] = chain_error(series(it.a), z, k) + own; break;
    case SeriesOp::Power: {
        const Bounded x = series(it.a);
        const auto weight = [&](int j) { return std::abs(it.number * (k - j) - j); };
        const double sum = convolution_error(z, x, k, 0, k - 1, weight) / k + std::abs(z.x[k]) * x.error[0];
        e[k] = sum == 0 ? 0 : sum / std::abs(x.x[0]) + own;
        break;
    }
    case SeriesOp::Quadrature: {
        const Bounded x = series(it.a), y = series(it.b);
        double sum = std::abs(it.number) * k * (x.error[k] + u * std::abs(x.x[k]));
        for (int j = 1; j <= k; ++j) {
            sum += j * std::abs(z.x[j]) * (y.error[k - j] + u * std::abs(y.x[k - j]));
        }
        e[k] = divided_error(i, y.x, 1, k - 1, sum) / k + own;
        break;
    }
    case SeriesOp::Angle: {
        const Bounded x = series(it.a), y = series(it.b), r2 = series(it.c);
        double sum = convolution_error(x, y, k, 1, k, weighted) + convolution_error(y, x, k, 1, k, weighted);
        for (int j = 1; j <= k; ++j) {
            sum += j * std::abs(z.x[j]) * (r2.error[k - j] + u * std::abs(r2.x[k - j]));
        }
        e[k] = divided_error(i, r2.x, 1, k - 1, sum) / k + own;
        break;
    }
    case SeriesOp::SinCos:
    case SeriesOp::SinhCosh: {
        const Bounded x = series(it.a), other = series(i + 1);
        e[k] = chain_error(x, other, k) + own;
        error_at(i + 1)[k] = chain_error(x, z, k) + u * std::abs(other.x[k]);
        break;
    }
    case SeriesOp::Tan:
    case SeriesOp::Tanh:
        e[k] = chain_error(series(it.a), series(i + 1), k) + own;
        error_at(i + 1)[k] = product_error(z, z, k, 0, k);
        break;
    case SeriesOp::Second: break;
    default: e[k] = piece_error(it, k); break;
    }
}

/// Error k of what solves (factor divisor) z = given, where order k of the right-hand side has this error:
/// the errors of all orders go through 1 / divisor, whose signs matter. Orders below are there.
double SeriesTape::divided_error(int i, const double* divisor, double factor, int k, double error) noexcept
{
    double* inverse = inverse_.data() + static_cast<std::size_t>(i) * stride_;
    double* local = local_.data() + static_cast<std::size_t>(i) * stride_;
    local[k] = error;
    double rest = k == 0 ? 1 / factor : 0;
    for (int j = 0; j < k; ++j) {
        rest -= inverse[j] * divisor[k - j];
    }
    inverse[k] = rest / divisor[0];
    double sum = 0;
    for (int j = 0; j <= k; ++j) {
        if (local[k - j] != 0) sum += std::abs(inverse[j]) * local[k - j];
    }
    return sum;
}

/// Sides and truths have none.
double SeriesTape::piece_error(const SeriesInstruction& it, int k) noexcept
{
    switch (it.op) {
    case SeriesOp::SignedCopy: return error_at(it.a)[k];
    case SeriesOp::Chosen: {
        const bool first = switches_[static_cast<std::size_t>(it.c)].side > 0;
        return error_at(first ? it.b : static_cast<int>(it.number))[k];
    }
    case SeriesOp::Select: return error_at(at(it.a)[0] != 0 ? it.b : it.c)[k];
    default: return 0;
    }
}

}  // namespace carom
