#include "series_onset.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

double dot(const std::array<double, 2>& x, const std::array<double, 2>& y)
{
    return x[0] * y[0] + x[1] * y[1];
}

double plane_size(const std::array<double, 2>& x)
{
    return std::hypot(x[0], x[1]);
}

constexpr double onset_rounding = 32 * 2.2e-16;  ///< of a product, with what makes bounds of first order safe

}  // namespace

void SlipOnset::reset(int order)
{
    const auto count = static_cast<std::size_t>(order) + 1;
    G_.assign(count, {});
    d_.assign(count, {});
    G_dot_d_.assign(count, 0.0);
    sigma_.assign(count, 0.0);
    G_error_.assign(count, 0.0);
    d_error_.assign(count, 0.0);
    answer_ = Answer::Undecided;
    valuation_ = decided_ = -1;
    leading_ = size_ = 0;
}

void SlipOnset::add(int p, const Plane& F, double R, double F_error, double R_error, bool held)
{
    if (answer_ == Answer::Stick) return;
    const double F_size = std::hypot(F[0], F[1]);
    if (valuation_ < 0) {
        if (F_size <= F_error && std::abs(R) <= R_error) return;
        valuation_ = p;
        size_ = F_size;
        if (F_size <= F_error) {  // only the threshold leads: it sticks
            answer_ = Answer::Stick;
            decided_ = p;
            leading_ = R;
            return;
        }
        d_[0] = {F[0] / F_size, F[1] / F_size};
        d_error_[0] = F_error / F_size;
    }

    // along d_0 from |d| = 1; G_0 is along d_0
    const auto k = static_cast<std::size_t>(p - valuation_);
    const Plane e{-d_[0][1], d_[0][0]};
    G_[k] = F;
    G_error_[k] = F_error;
    double along = k == 0 ? 1 : 0, along_error = 0;
    for (std::size_t a = 1; a < k; ++a) {
        along -= dot(d_[a], d_[k - a]) / 2;
        along_error += plane_size(d_[a]) * (d_error_[k - a] + onset_rounding * plane_size(d_[k - a]));
    }
    double G_dot_d = size_ * along, error = R_error + size_ * along_error + G_error_[0] * std::abs(along);
    for (std::size_t a = 1; a <= k; ++a) {
        G_dot_d += dot(G_[a], d_[k - a]);
        error += plane_size(G_[a]) * (d_error_[k - a] + onset_rounding * plane_size(d_[k - a])) +
                 G_error_[a] * plane_size(d_[k - a]);
    }
    if (k == 0) error = R_error + F_error;
    G_dot_d_[k] = G_dot_d;
    const double push = G_dot_d - R;
    if (answer_ == Answer::Undecided && !held && std::abs(push) > error) {
        answer_ = push > 0 ? Answer::Slip : Answer::Stick;
        decided_ = p;
        leading_ = push;
        if (push < 0) return;
    }
    sigma_[k] = answer_ == Answer::Slip ? push / (p + 1) : 0;
    if (k == 0) return;

    // across d_0; the denominator is positive, for size_ > 0 and sigma_0 >= 0
    double across = dot(e, F), across_error = F_error + onset_rounding * F_size;
    for (std::size_t j = 1; j < k; ++j) {
        const double by = G_dot_d_[j] + sigma_[j] * static_cast<double>(k - j);
        across -= by * dot(e, d_[k - j]);
        across_error += std::abs(by) * (d_error_[k - j] + onset_rounding * plane_size(d_[k - j])) +
                        G_error_[j] * plane_size(d_[k - j]);
    }
    const double by = static_cast<double>(k) * sigma_[0] + size_;
    across /= by;
    for (std::size_t i = 0; i < 2; ++i) {
        d_[k][i] = along * d_[0][i] + across * e[i];
    }
    d_error_[k] = along_error + (across_error + std::abs(across) * G_error_[0]) / by;
}

std::array<double, 2> SlipOnset::acceleration(int p) const
{
    Plane result{};
    if (answer_ != Answer::Slip || valuation_ < 0 || p < valuation_) return result;
    const auto k = static_cast<std::size_t>(p - valuation_);
    for (std::size_t a = 0; a <= k; ++a) {
        for (std::size_t i = 0; i < 2; ++i) {
            result[i] += (p + 1) * sigma_[a] * d_[k - a][i];
        }
    }
    return result;
}

}  // namespace carom::detail
