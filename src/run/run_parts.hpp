#pragma once

#include "carom/run/run.hpp"
#include "run/progress.hpp"
#include "stepping/step_report.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <span>

namespace carom {

/// What runs of coordinates and of bodies share.

[[nodiscard]] double activation_gap_m(const IntegratorSettings& settings) noexcept;

/// The steps of a run: full ones at start + n h, and a last one for what remains.
struct StepGrid {
    double start_s, h_s, duration_s;
    long full_steps;
    bool has_rest;

    StepGrid(double start, double h, double duration)
        : start_s(start),
          h_s(h),
          duration_s(duration),
          full_steps(static_cast<long>(std::floor(duration / h * (1 + 1e-12) + 1e-9)))
    {
        has_rest = duration - static_cast<double>(full_steps) * h > 1e-9 * h;
    }
    [[nodiscard]] long steps() const { return full_steps + (has_rest ? 1 : 0); }
    [[nodiscard]] double time_after(long n) const
    {
        return n <= full_steps ? start_s + static_cast<double>(n) * h_s : start_s + duration_s;
    }
    [[nodiscard]] double length(long n) const
    {
        return n <= full_steps ? h_s : duration_s - static_cast<double>(full_steps) * h_s;
    }
};

/// How a step that did not come about ends a run; nothing for one that did.
[[nodiscard]] std::optional<RunEnd> end_of_failed(StepStatus status);

/// The same in words.
[[nodiscard]] const char* explain(RunEnd end);

/// What ends a run before its duration is over; of several reasons the last of these counts. `until`: its
/// formula became >= 0 in this step.
[[nodiscard]] std::optional<RunEnd> end_by_plan(const RunPlan& plan, const StepReport& report,
                                                const RestWatch& rest, bool until);

/// Why a step was not solved, as a finding: that there is no solution, or which error missed what. A step
/// that has told itself what else was wrong with it is left at that. `name` is that of an interaction of the
/// step.
void tell_unsolved(const StepReport& report, double tolerance, long step, double time_s,
                   const std::function<std::string(int)>& name, Certifier& certifier);

/// Something costs the certificate of a run that ends here with these findings.
[[nodiscard]] bool is_uncertified(const RunSoFar& run, std::span<const Finding> at_end);

/// Certificate, findings and status of a run that has ended.
void judge_run(const Certifier& certifier, bool failed, RunReport& report);

}  // namespace carom
