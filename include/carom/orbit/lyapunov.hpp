#pragma once

#include "carom/orbit/sensitivity.hpp"

#include <atomic>

namespace carom {

/// Lyapunov exponents of a motion: mean growth of small differences, through impacts by their saltation,
/// kept apart by QR factorisation.
///
/// Theory     docs/theory/orbits.md, (OR-15)
struct LyapunovOptions {
    double interval_s = 0;  ///< between two factorisations: the period of the forcing, or any interval; > 0
    long discard = 100;     ///< intervals before the mean begins
    long intervals = 1000;  ///< of the mean, >= 8
    const std::atomic<bool>* stop = nullptr;
};

struct Lyapunov {
    Eigen::VectorXd exponents_1_s;  ///< the largest first; -inf: directions that the motion forgets
    Eigen::VectorXd errors_1_s;     ///< standard errors, from the means of 8 parts of the run; 0 of -inf
    double time_s = 0;              ///< that the mean is over: the intervals, from and to where no event is
    long impacts = 0;               ///< in that time
    bool finished = false;
    std::string trouble;  ///< why there are none
};

/// Errors: scenes that series cannot run, options out of range.
[[nodiscard]] Expected<Lyapunov, Errors> lyapunov_exponents(const Scene& scene,
                                                            const LyapunovOptions& options);

}  // namespace carom
