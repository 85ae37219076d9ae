#include "punctual.hpp"

#include "expression/workspace.hpp"
#include "until.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

/// Of the step: an impact so near to its beginning takes place now, in a step so short.
constexpr double now = 1e-3;

/// So often a step is split; what is left is taken as it comes.
constexpr int max_splits = 12;

/// So many steps later `until` may end the copy.
constexpr double patience = 4;

/// Where a motion has gone to.
struct Gone {
    bool failed = false;
    std::optional<double> until_s = {};
};

Finding departure(const std::string& what, double time_s)
{
    return {.code = "impact_instants",
            .time_s = time_s,
            .message =
                fmt::format("the same run with every impact at its own instant, instead of where steps "
                            "see it, {}: take a shorter step",
                            what),
            .count = 1,
            .uncertifies = true,
            .about = "run"};
}

/// To the end of the run, impacts at their own instants.
Gone run_to_end(Retakes& motion, const LateRun& run)
{
    const double h_s = run.grid.h_s, rounding_s = 1e-9 * h_s;
    const double last_s = run.end_s + (run.by_until ? patience * h_s : 0);
    Workspace work;
    for (long n = 1; motion.at().t_s < last_s - rounding_s; ++n) {
        const State before = motion.at();
        const double length_s =
            std::min(n <= run.grid.steps() ? run.grid.length(n) : h_s, last_s - before.t_s);
        if (!take_punctually(motion, length_s)) return {.failed = true};
        if (crosses_until(run.until, before, motion.at(), n == 1, work)) return {.until_s = motion.at().t_s};
    }
    return {};
}

}  // namespace

bool take_punctually(Retakes& motion, double h_s)
{
    double left_s = h_s;
    for (int k = 0; k < max_splits && left_s > now * h_s; ++k) {
        if (!motion.take(left_s)) return false;
        auto struck_s = motion.struck_s();
        if (!struck_s) {
            motion.keep();
            return true;
        }
        // it closed behind the middle of the step before, which did not see it
        if (*struck_s < -now * h_s) {
            const double undone_s = motion.undo_s();
            left_s += undone_s;
            *struck_s += undone_s;
        }
        const double length_s = std::clamp(*struck_s, now * h_s, left_s);
        if (!motion.take(length_s)) return false;
        motion.keep();
        left_s -= length_s;
    }
    if (!(left_s > 0)) return true;
    if (!motion.take(left_s)) return false;
    motion.keep();
    return true;
}

void look_at_punctual_copy(Retakes& copy, const LateRun& run, std::vector<Finding>& findings)
{
    const Gone gone = run_to_end(copy, run);
    if (gone.failed) return;
    const auto tell = [&](const std::string& what) { findings.push_back(departure(what, run.end_s)); };
    if (run.by_until != gone.until_s.has_value())
        return tell(run.by_until ? fmt::format("is not ended by until at {:.4g} s", run.end_s)
                                 : fmt::format("is ended by until at {:.4g} s", *gone.until_s));
    const Departure far = copy.from_run();
    if (far.velocity > run.max_overlap)
        return tell(
            fmt::format("ends with other velocities: they differ by {:.2g} of those of the last steps, "
                        "and max_overlap is {:.2g}",
                        far.velocity, run.max_overlap));
    if (far.place > run.max_overlap)
        return tell(fmt::format(
            "ends elsewhere: {} differs by {:.2g} of the largest gap or displacement in the run, and "
            "max_overlap is {:.2g}",
            far.where, far.place, run.max_overlap));
}

void GroupEnergy::note(double kinetic_J, double part)
{
    recent_J = std::max((1 - 0.01 * std::min(1.0, part)) * recent_J, kinetic_J);
    max_J = std::max(max_J, kinetic_J);
}

double GroupEnergy::part_of(double between_J) const
{
    return std::sqrt(between_J / std::max(recent_J, energy_at_rest * max_J));
}

Finding other_impact(const std::string& struck, const Event& impact, bool in_run, const RunInPhase& run)
{
    const double limit_rad = followed_phase * run.max_overlap;
    return {.code = "impact_instants",
            .time_s = impact.time_s,
            .message = fmt::format(
                "{} strikes at {:.4g} s with {:.3g} m/s only {}: the scheme shifts the phases of smooth "
                "oscillations, by about {:.1g} rad in this run. Take a step below {:.1e} s",
                struck, impact.time_s, -impact.velocity_before_m_s,
                in_run ? "in this run, not in the same run with smooth steps of higher order"
                       : "in the same run with smooth steps of higher order, not in this one",
                run.phase_rad, run.h_s * std::sqrt(limit_rad / run.phase_rad)),
            .count = 1,
            .uncertifies = true,
            .about = "run"};
}

bool is_late(double jumps2_m2_s2, double h_s, double largest_m, double part, double small_m)
{
    return h_s * std::sqrt(0.75 * jumps2_m2_s2) > std::max(part * largest_m, small_m);
}

}  // namespace carom
