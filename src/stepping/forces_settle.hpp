#pragma once

#include "carom/ledger/certificate.hpp"
#include "carom/stepping/settings.hpp"
#include "stepping/step_report.hpp"

#include <limits>
#include <utility>

namespace carom {

/// The velocity that forces and percussions are taken at still changes after the last pass that is allowed.
[[nodiscard]] Finding forces_not_settled(const MoreauJeanSettings& settings, double tolerance, double time_s,
                                         double change, double size);

/// When Newton's iteration of forces and percussions has come to its end (MJ-2), (MJ-4); of coordinates and
/// of bodies.
class ForcesSettle {
public:
    /// J is evaluated in this pass: the first one, and while velocities do not settle quickly.
    [[nodiscard]] bool evaluates() const noexcept { return evaluates_; }

    /// After a pass that changed u+ by `change`; `size`: of the velocities in the game, both in the kinetic
    /// norm. `size_of_places()` is that of the places in it: a change that moves none by more than rounding,
    /// and that more passes do not make smaller, is the end, because forces are not known better. False: the
    /// end; where no further pass is allowed and velocities change by more than percussions that are solved to
    /// `tolerance` let them (MJ-6), the report of the step from `start_s` says so.
    template <class SizeOfPlaces>
    [[nodiscard]] bool continues(double change, double size, SizeOfPlaces&& size_of_places,
                                 const MoreauJeanSettings& settings, double tolerance, double start_s,
                                 StepReport& report)
    {
        constexpr double roundings = 64 * std::numeric_limits<double>::epsilon();
        const double last = std::exchange(change_, change);
        evaluates_ = passes_ > 0 && change > 0.1 * last;
        if (change <= settings.force_tolerance * size) return false;
        if (passes_ > 1 && change > 0.5 * last &&
            settings.time_step_s * change <= roundings * size_of_places())
            return false;
        if (++passes_ < settings.max_iterations) return true;
        if (change <= tolerance * size) return false;
        report.status = StepStatus::NotSolved;
        report.findings.push_back(forces_not_settled(settings, tolerance, start_s, change, size));
        return false;
    }

private:
    int passes_ = 0;
    double change_ = 0;
    bool evaluates_ = true;
};

}  // namespace carom
