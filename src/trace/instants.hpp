#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace carom {

/// Instants at which someone wants to see a run, in any order, and how many of them it has passed.
class Instants {
public:
    Instants() = default;

    /// `passed` of them, the earliest, are behind already.
    explicit Instants(std::vector<double> asked_s, std::size_t passed = 0)
        : asked_s_(std::move(asked_s)), order_(asked_s_.size()), passed_(std::min(passed, asked_s_.size()))
    {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::size_t i, std::size_t j) { return asked_s_[i] < asked_s_[j]; });
    }

    /// Calls take(i, t_s) for those not passed yet and not after `end_s`, the earliest first; i counts in the
    /// order of asking.
    template <class Take>
    void pass(double end_s, const Take& take)
    {
        for (; passed_ < order_.size() && asked_s_[order_[passed_]] <= end_s; ++passed_) {
            take(order_[passed_], asked_s_[order_[passed_]]);
        }
    }

    [[nodiscard]] const std::vector<double>& asked_s() const noexcept { return asked_s_; }
    [[nodiscard]] std::size_t passed() const noexcept { return passed_; }

    /// The k-th in time, counted in the order of asking.
    [[nodiscard]] std::size_t in_order(std::size_t k) const { return order_[k]; }

private:
    std::vector<double> asked_s_;
    std::vector<std::size_t> order_;  ///< of time; equal instants as asked for
    std::size_t passed_ = 0;          ///< in order_
};

}  // namespace carom
