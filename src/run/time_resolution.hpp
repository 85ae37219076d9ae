#pragma once

#include "carom/run/run.hpp"
#include "ledger/certifier.hpp"

#include <functional>
#include <string>

namespace carom {

/// What changes with time by itself must be slow enough for the step: forces, potentials, obstacles, friction,
/// constraints and their limits.
///
/// With f(t) such a formula at the start of the run, over the steps of the run,
///
///     sum |f(t) - 2 f(t + h/2) + f(t + h)|  <=  tau sum |f(t + h/2) - mean f|                    (LE-14)
///
/// For sin(w t) the ratio is (h w)^2/4, and tau that of (LE-7): ten steps a period. Periods that divide the
/// step are seen between its ends and its middle. Finding `step_too_long`.
///
/// Theory     docs/theory/energy_ledger.md
void look_at_time_dependence(const Model& model, const State& start, double h_s, double duration_s,
                             double tolerance, Certifier& certifier);

/// How a quantity moves by itself over the steps of a run.
struct OwnMotion {
    double unresolved = 0;  ///< what it does within steps beside what it does over the run (LE-14)
    double amplitude = 0;   ///< largest distance from its mean
};

/// Nothing where it does not move, or has no value at some instant. `value`: so many seconds after the start.
[[nodiscard]] OwnMotion own_motion(const std::function<double(double)>& value, double h_s, double duration_s);

/// The same for anything that a run of bodies does by itself: `value` at so many seconds after the start.
struct TimeDependence {
    std::string name;
    std::function<double(double)> value;
};
void look_at_time_dependence(const TimeDependence& dependence, double start_s, double h_s, double duration_s,
                             double tolerance, Certifier& certifier);

}  // namespace carom
