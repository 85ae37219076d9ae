#include "contact_drive.hpp"

#include "free_motion.hpp"
#include "time_resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom {
namespace {

bool moves_by_itself(const LagrangianSystem& system)
{
    const auto depends = [](const Formula& formula) { return formula.depends_on(Variable::Kind::Time); };
    return system.force_function || depends(system.potential) ||
           std::ranges::any_of(system.forces, depends) ||
           std::ranges::any_of(system.contacts, depends, &Contact::gap);
}

/// Amplitude and rate of the normal acceleration over the run, in the state that meets the obstacle.
void find_drive(const Model& model, int c, const DrivenStep& step, Scratch& scratch, ContactDrive& drive)
{
    const auto acceleration = [&](double since_s) {
        const Point at{view(step.before.q), view(step.before.u), step.start_s + since_s};
        if (!free_acceleration(model, at, scratch)) return std::numeric_limits<double>::quiet_NaN();
        const FreeNormalMotion motion = free_normal_motion(model, c, at, scratch);
        return motion.by_forces_m_s2 + motion.by_bend_m_s2;
    };
    const OwnMotion own = own_motion(acceleration, step.h_s, step.duration_s);
    drive.known = 1;
    drive.acceleration_m_s2 = own.amplitude;
    drive.rate_1_s = 2 / step.h_s * std::sqrt(own.unresolved);  // (LE-14): (h w)^2/4
}

/// A contact that has rested for a whole period does so at any phase: what was late before does not matter.
void forget_if_rested(double time_s, ContactDrive& drive)
{
    if (drive.rests == 1 && drive.rate_1_s * (time_s - drive.made_s) >= 2 * std::numbers::pi) drive.off = 0;
}

/// How late the motion is that a contact belongs to, by the last impacts of all its contacts.
double lag_of_motion_s(const RunProgress& progress, double motion, double h_s)
{
    double sum = 0;
    for (std::size_t c = 0; c < progress.drives.size(); ++c) {
        if (progress.drives[c].motion == motion) sum += recent_lag_s(progress.delays[c], h_s);
    }
    return sum;
}

}  // namespace

double recent_lag_s(const ImpactDelays& delays, double h_s)
{
    constexpr double remembered = 4;  // impacts: an impact is late by two steps at most
    return std::min(lag_s(delays, h_s) + delays.late_s, 2 * h_s * remembered);
}

std::vector<ContactDrive> drives_of(const Model& model)
{
    std::vector<ContactDrive> drives;
    if (!moves_by_itself(model.system())) return drives;
    for (const int first : first_of_motion(model)) {
        drives.push_back({.motion = static_cast<double>(first)});
    }
    return drives;
}

void note_driven_impact(const Model& model, const DrivenStep& step, const Event& impact, double U_minus_m_s,
                        Scratch& scratch, RunProgress& progress)
{
    ContactDrive& drive = progress.drives[static_cast<std::size_t>(impact.contact)];
    begin_driven_impact(impact.time_s, drive);
    const double late_s = lag_of_motion_s(progress, drive.motion, step.h_s);
    if (!(late_s > 0)) return;
    if (drive.known == 0) find_drive(model, impact.contact, step, scratch, drive);
    note_late_impact(late_s, U_minus_m_s, impact.time_s, drive);
}

void begin_driven_impact(double time_s, ContactDrive& drive)
{
    forget_if_rested(time_s, drive);
    drive.rests = 0;
}

void note_late_impact(double late_s, double U_minus_m_s, double time_s, ContactDrive& drive)
{
    if (!(drive.acceleration_m_s2 > 0 && drive.rate_1_s > 0)) return;
    const double speed_m_s = std::max(std::abs(U_minus_m_s), drive.acceleration_m_s2 / drive.rate_1_s);
    const double off = late_s * drive.acceleration_m_s2 / speed_m_s;
    if (!(off > drive.off)) return;
    drive.off = off;
    drive.off_s = time_s;
    drive.late_s = late_s;
}

void note_driven_rest(const Event& event, double h_s, ContactDrive& drive, ImpactDelays& delays)
{
    constexpr double at_once = 1.5;  // steps
    forget_if_rested(event.time_s, drive);
    // what the drive lifts after a rest leaves when the drive says; what it lifts at once leaves when it was
    // seen to come
    if (event.kind == EventKind::ContactLost && event.time_s - drive.made_s > at_once * h_s)
        delays.late_s = 0;
    drive.rests = event.kind == EventKind::ContactMade ? 1 : 0;
    drive.made_s = event.time_s;
}

void look_at_drive(const std::string& name, double max_overlap, double h_s, double end_s, ContactDrive drive,
                   std::vector<Finding>& findings)
{
    forget_if_rested(end_s, drive);
    if (!(drive.off > max_overlap)) return;
    findings.push_back(
        {.code = "impact_instants",
         .time_s = drive.off_s,
         .message = fmt::format("steps see impacts late, while the drive of {} goes on: "
                                "at an impact the motion is {:.1e} s "
                                "behind, which changes the velocity by {:.2g} of the "
                                "larger of its own and that of the drive, and "
                                "max_overlap is {:.2g}: take a step below {:.1e} s",
                                name, drive.late_s, drive.off, max_overlap, h_s * max_overlap / drive.off),
         .count = 1,
         .uncertifies = true,
         .about = name});
}

void look_at_drives(const Model& model, const SchemeOfRun& scheme, std::span<const ContactScale> scales,
                    const RunSoFar& run, std::vector<Finding>& findings)
{
    for (std::size_t c = 0; c < run.progress.drives.size(); ++c) {
        if (!scales[c].moves) continue;
        look_at_drive(model.system().contacts[c].name, scheme.max_overlap, scheme.h_s, run.state.t_s,
                      run.progress.drives[c], findings);
    }
}

}  // namespace carom
