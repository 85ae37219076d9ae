#pragma once

#include <chrono>

namespace carom {

/// What a method may use up. Counts decide; the clock only ends a solve.
struct Budget {
    using Clock = std::chrono::steady_clock;

    double tolerance = 1e-8;    ///< of both errors of FlatProblem::error
    int max_iterations = 1000;  ///< sweeps, or factorisations for methods that have them
    Clock::time_point deadline = Clock::time_point::max();

    [[nodiscard]] bool expired() const noexcept
    {
        return deadline != Clock::time_point::max() && Clock::now() >= deadline;
    }
    [[nodiscard]] Budget with(int iterations) const noexcept { return {tolerance, iterations, deadline}; }
};

/// Sweeps over bodies go on until the error of the velocities is below so many tolerances too (SO-24): beside
/// the percussions in high piles any other is small.
inline constexpr double velocity_tolerances = 10;

}  // namespace carom
