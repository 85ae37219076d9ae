#pragma once

#include <array>
#include <vector>

namespace carom::detail {

/// Onset of slip of a particle that is at rest on its obstacle in space (PS-6): U_T = S d with |d| = 1 and
///
///     S' = F.d - R,     S d' = F - (F.d) d
///
/// for the tangential acceleration F without friction and the threshold R, both series. With the common
/// valuation v of F and R every coefficient of S = t^(v+1) sigma(t) and d is explicit. The first coefficient
/// of sigma that is not zero decides: positive slips, negative sticks.
class SlipOnset {
public:
    enum class Answer { Undecided, Stick, Slip };

    void reset(int order);

    /// Hands in coefficient p of F and R, with bounds of their rounding errors: what is not above them is
    /// zero. `held`: undecided at this order, whatever the numbers say.
    void add(int p, const std::array<double, 2>& F, double R, double F_error, double R_error, bool held);

    [[nodiscard]] Answer answer() const noexcept { return answer_; }
    [[nodiscard]] int decided_order() const noexcept { return decided_; }
    [[nodiscard]] double leading() const noexcept { return leading_; }
    [[nodiscard]] int valuation() const noexcept { return valuation_; }

    /// Coefficient p of U_T' = (S d)'; zero unless it slips.
    [[nodiscard]] std::array<double, 2> acceleration(int p) const;

    /// Coefficient k of d, and of sigma.
    [[nodiscard]] const std::array<double, 2>& direction(int k) const
    {
        return d_[static_cast<std::size_t>(k)];
    }
    [[nodiscard]] double sigma(int k) const { return sigma_[static_cast<std::size_t>(k)]; }

private:
    using Plane = std::array<double, 2>;

    Answer answer_ = Answer::Undecided;
    int valuation_ = -1, decided_ = -1;
    double leading_ = 0, size_ = 0;
    std::vector<Plane> G_, d_;
    std::vector<double> G_dot_d_, sigma_;
    std::vector<double> G_error_, d_error_;  ///< bounds of rounding
};

}  // namespace carom::detail
