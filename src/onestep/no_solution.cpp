#include "carom/onestep/solution_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// (OS-12): how much larger than what stops the free velocities percussions would have to be.
constexpr double beyond_reach = 1e10;

/// Sums below this part of the sizes of their terms are rounding of them and of the data: those of
/// velocities, which are differences themselves, and those of W, some hundred roundings.
constexpr double rounding_of_velocities = 1e-12, rounding_of_W = 1e-13;

/// Weights below this part of the largest are left out of what is named.
constexpr double counts = 1e-9;

double square_of_scaling(const OneStepProblem& problem, int c)
{
    const auto W = problem.W.diagonal(c);
    const auto n = static_cast<std::size_t>(problem.W.dimension(c));
    double trace = 0;
    for (std::size_t k = 0; k < n; ++k) {
        trace += W[k * n + k];
    }
    return trace > 0 ? static_cast<double>(n) / trace : 1.0;
}

/// d with its wrong signs and rows that ask nothing set to zero, the sum of sizes one; empty if nothing is
/// left.
std::vector<double> admissible(const OneStepProblem& problem, std::span<const double> d)
{
    std::vector<double> result(d.begin(), d.end());
    double sum = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        for (int k = 0; k < problem.W.dimension(c); ++k) {
            double& weight = result[static_cast<std::size_t>(problem.offsets[c] + k)];
            switch (velocity_bound(problem.laws[c], k)) {
            case VelocityBound::None: weight = 0; break;
            case VelocityBound::NotNegative: weight = std::max(weight, 0.0); break;
            case VelocityBound::NotPositive: weight = std::min(weight, 0.0); break;
            case VelocityBound::Zero: break;
            }
            sum += std::abs(weight);
        }
    }
    if (!(sum > 0 && std::isfinite(sum))) return {};
    for (double& weight : result) {
        weight /= sum;
    }
    return result;
}

double diagonal_entry(const OneStepProblem& problem, int c, std::size_t k)
{
    const auto n = static_cast<std::size_t>(problem.W.dimension(c));
    return std::max(problem.W.diagonal(c)[k * n + k], 0.0);
}

/// W^T d is zero but for rounding: every row, against sum_i |d_i| sqrt(W_ii W_jj), which bounds its terms
/// (OS-12). A heavy body on light ones moves little, but it does.
bool vanishes(const OneStepProblem& problem, std::span<const double> d, std::span<const double> left)
{
    double terms = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto d_c = problem.part(d, c);
        for (std::size_t k = 0; k < d_c.size(); ++k) {
            terms += std::abs(d_c[k]) * std::sqrt(diagonal_entry(problem, c, k));
        }
    }
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto left_c = problem.part(left, c);
        for (std::size_t k = 0; k < left_c.size(); ++k) {
            if (!(std::abs(left_c[k]) <= rounding_of_W * terms * std::sqrt(diagonal_entry(problem, c, k))))
                return false;
        }
    }
    return true;
}

/// out = W^T d
std::vector<double> transposed_product(const OneStepProblem& problem, std::span<const double> d)
{
    std::vector<double> out(d.size(), 0.0);
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto d_c = problem.part(d, c);
        if (std::all_of(d_c.begin(), d_c.end(), [](double weight) { return weight == 0; })) continue;
        for (const auto& entry : problem.W.row(c)) {
            const auto block = problem.W.block(c, entry);
            const auto out_j = problem.part(std::span<double>(out), entry.column);
            for (std::size_t i = 0; i < d_c.size(); ++i) {
                for (std::size_t j = 0; j < out_j.size(); ++j) {
                    out_j[j] += d_c[i] * block[i * out_j.size() + j];
                }
            }
        }
    }
    return out;
}

}  // namespace

VelocityBound velocity_bound(const Law& law, int k) noexcept
{
    if (std::holds_alternative<Bilateral>(law)) return VelocityBound::Zero;
    if (is_unilateral(law)) return k == 0 ? VelocityBound::NotNegative : VelocityBound::None;
    const auto* limited = std::get_if<Limited>(&law);
    if (limited == nullptr) return VelocityBound::None;
    // a reaction without limit holds
    const bool up = std::isinf(limited->high), down = std::isinf(limited->low);
    if (up && down) return VelocityBound::Zero;
    return up ? VelocityBound::NotNegative : down ? VelocityBound::NotPositive : VelocityBound::None;
}

double free_normal_velocity(const OneStepProblem& problem, int c) noexcept
{
    const auto at = static_cast<std::size_t>(problem.offsets[c]);
    return problem.U_free[at] + restitution(problem.laws[c]) * std::min(problem.U_minus[at], 0.0);
}

std::optional<NoSolutionProof> verified(const OneStepProblem& problem, std::span<const double> d)
{
    if (!problem.is_assembled()) return verified(assembled(problem), d);
    NoSolutionProof proof{.d = admissible(problem, d), .interactions = {}, .closing_m_s = 0};
    if (proof.d.empty()) return {};

    // d . (U_free + s), and the sizes of all velocities and of W^T d after the scaling (OS-5)
    const std::vector<double> left = transposed_product(problem, proof.d);
    double sum = 0, terms = 0, velocities2 = 0, left2 = 0, largest = 0;
    for (int c = 0; c < problem.interactions(); ++c) {
        const double scale2 = square_of_scaling(problem, c);
        for (int k = 0; k < problem.W.dimension(c); ++k) {
            const auto row = static_cast<std::size_t>(problem.offsets[c] + k);
            const double U = k == 0 ? free_normal_velocity(problem, c) : problem.U_free[row];
            sum += proof.d[row] * U;
            terms += std::abs(proof.d[row] * U);
            largest = std::max(largest, std::abs(proof.d[row]));
            velocities2 += scale2 * U * U;
            left2 += scale2 * left[row] * left[row];
        }
    }
    if (!std::isfinite(sum) || !std::isfinite(velocities2) || !std::isfinite(left2)) return {};
    if (!(-sum > rounding_of_velocities * terms) || !vanishes(problem, proof.d, left)) return {};
    if (!(-sum > beyond_reach * std::sqrt(left2) * std::sqrt(velocities2))) return {};

    proof.closing_m_s = -sum;
    for (int c = 0; c < problem.interactions(); ++c) {
        const auto d_c = problem.part(std::span<const double>(proof.d), c);
        if (std::any_of(d_c.begin(), d_c.end(),
                        [&](double weight) { return std::abs(weight) > counts * largest; })) {
            proof.interactions.push_back(c);
        }
    }
    return proof;
}

std::string in_words(const NoSolutionProof& proof, std::span<const std::string> names)
{
    constexpr std::size_t max_named = 8;
    const std::size_t named = std::min(names.size(), max_named);
    std::string list;
    for (std::size_t k = 0; k < named; ++k) {
        const bool last = k + 1 == names.size();
        list += (k == 0 ? "" : last ? " and " : ", ") + names[k];
    }
    if (names.size() > named) list += fmt::format(" and {} more", names.size() - named);
    if (names.size() == 1) {
        return fmt::format("there is no solution: whatever acts, {} is violated by {:.3g} m/s", list,
                           proof.closing_m_s);
    }
    return fmt::format("there is no solution: {} contradict each other, and whatever acts one of them is "
                       "violated by at least {:.3g} m/s",
                       list, proof.closing_m_s);
}

}  // namespace carom
