#include "series_onset.hpp"

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

double dot(const std::array<double, 2>& x, const std::array<double, 2>& y)
{
    return x[0] * y[0] + x[1] * y[1];
}

}  // namespace

void SlipOnset::reset(int order)
{
    const auto count = static_cast<std::size_t>(order) + 1;
    G_.assign(count, {});
    d_.assign(count, {});
    G_dot_d_.assign(count, 0.0);
    sigma_.assign(count, 0.0);
    answer_ = Answer::Undecided;
    valuation_ = decided_ = -1;
    leading_ = size_ = 0;
}

void SlipOnset::add(int p, const Plane& F, double R, double part, double scale, bool held)
{
    double zero = part * scale;
    if (answer_ == Answer::Stick) return;
    const double F_size = std::hypot(F[0], F[1]);
    if (valuation_ < 0) {
        if (F_size <= zero && std::abs(R) <= zero) return;
        valuation_ = p;
        size_ = F_size;
        if (F_size <= zero) {  // only the threshold leads: it sticks
            answer_ = Answer::Stick;
            decided_ = p;
            leading_ = R;
            return;
        }
        d_[0] = {F[0] / F_size, F[1] / F_size};
    }

    // along d_0 from |d| = 1; G_0 is along d_0
    const auto k = static_cast<std::size_t>(p - valuation_);
    const Plane e{-d_[0][1], d_[0][0]};
    G_[k] = F;
    double along = k == 0 ? 1 : 0;
    for (std::size_t a = 1; a < k; ++a) {
        along -= dot(d_[a], d_[k - a]) / 2;
    }
    double G_dot_d = size_ * along, summed = std::abs(R) + std::abs(G_dot_d);
    for (std::size_t a = 1; a <= k; ++a) {
        G_dot_d += dot(G_[a], d_[k - a]);
        summed += std::hypot(G_[a][0], G_[a][1]) * std::hypot(d_[k - a][0], d_[k - a][1]);
    }
    zero = std::max(zero, part * summed);
    G_dot_d_[k] = G_dot_d;
    const double push = G_dot_d - R;
    if (answer_ == Answer::Undecided && !held && std::abs(push) > zero) {
        answer_ = push > 0 ? Answer::Slip : Answer::Stick;
        decided_ = p;
        leading_ = push;
        if (push < 0) return;
    }
    sigma_[k] = answer_ == Answer::Slip ? push / (p + 1) : 0;
    if (k == 0) return;

    // across d_0; the denominator is positive, for size_ > 0 and sigma_0 >= 0
    double across = dot(e, F);
    for (std::size_t j = 1; j < k; ++j) {
        across -= G_dot_d_[j] * dot(e, d_[k - j]);
        across -= sigma_[j] * static_cast<double>(k - j) * dot(e, d_[k - j]);
    }
    across /= static_cast<double>(k) * sigma_[0] + size_;
    for (std::size_t i = 0; i < 2; ++i) {
        d_[k][i] = along * d_[0][i] + across * e[i];
    }
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
