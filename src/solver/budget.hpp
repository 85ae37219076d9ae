#pragma once

#include "carom/solver/solve.hpp"

#include <atomic>
#include <chrono>

namespace carom {

/// What a method may use up. Counts decide; the clock only ends a solve.
struct Budget {
    using Clock = std::chrono::steady_clock;

    double tolerance = 1e-8;    ///< of FlatError::worst
    int max_iterations = 1000;  ///< sweeps, or factorisations for methods that have them
    Clock::time_point deadline = Clock::time_point::max();
    const std::atomic<bool>* stop = nullptr;  ///< set from outside: the solve ends, unsolved

    [[nodiscard]] bool expired() const noexcept
    {
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) return true;
        return deadline != Clock::time_point::max() && Clock::now() >= deadline;
    }
    [[nodiscard]] Budget with(int iterations) const noexcept
    {
        return {tolerance, iterations, deadline, stop};
    }
};

/// All that the settings allow, from now on.
[[nodiscard]] Budget budget_of(const SolverSettings& settings);

}  // namespace carom
