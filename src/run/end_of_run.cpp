#include "end_of_run.hpp"

#include "free_motion.hpp"
#include "impact_delays.hpp"
#include "motion_groups.hpp"
#include "path_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

std::optional<SchemeOfRun> scheme_of(const IntegratorSettings& settings)
{
    return std::visit(
        [](const auto& scheme) -> std::optional<SchemeOfRun> {
            if constexpr (requires { scheme.max_overlap; })
                return SchemeOfRun{scheme.time_step_s, scheme.activation_gap_m, scheme.max_overlap};
            else
                return std::nullopt;
        },
        settings);
}

namespace {

const std::string& name_of_contact(const Model& model, int c)
{
    return model.system().contacts[static_cast<std::size_t>(c)].name;
}

/// (LE-11): a contact acts where it is an activation gap away, which is as wrong as an overlap.
void look_at_activation(const Model& model, const SchemeOfRun& scheme, int c, double impacts,
                        const GapReach& reach, std::vector<Finding>& findings)
{
    // a group whose motion is rounding, 1e-6 of a gap that is 1e-9 of its coordinates, rests where it is
    constexpr double rounding = 1e-6 * 1e-3;
    if (!(impacts > 0) || !(scheme.small_m > rounding * scheme.activation_gap_m)) return;
    const double small_m = std::max(scheme.small_m, scheme.max_overlap * reach.largest_gap_m);
    if (!(scheme.activation_gap_m > small_m)) return;
    const std::string& name = name_of_contact(model, c);
    findings.push_back(
        {.code = "overlap",
         .time_s = reach.deepest_s,
         .message =
             fmt::format("{} acts {:.1e} m before it closes, integrator.activation_gap_m, and was never "
                         "more than {:.1e} m away: give a smaller gap, or coordinates nearer to the origin",
                         name, scheme.activation_gap_m, reach.largest_gap_m),
         .count = 1,
         .uncertifies = true,
         .about = name});
}

/// (LE-11): how deep a contact went beside how far it was away.
void look_at_overlap(const Model& model, const SchemeOfRun& scheme, int c, double impacts,
                     const GapReach& reach, std::vector<Finding>& findings)
{
    look_at_activation(model, scheme, c, impacts, reach, findings);
    if (!(reach.deepest_m > std::max(scheme.small_m, visible_depth_m(scheme.activation_gap_m)))) return;
    if (!(reach.deepest_m > scheme.max_overlap * reach.largest_gap_m)) return;
    const std::string& name = name_of_contact(model, c);
    findings.push_back({.code = "overlap",
                        .time_s = reach.deepest_s,
                        .message = fmt::format(
                            "{} was {:.3g} m inside its obstacle, {:.2g} of the largest gap that it had in "
                            "the run, and max_overlap is {:.2g}: take a shorter step",
                            name, reach.deepest_m, reach.deepest_m / reach.largest_gap_m, scheme.max_overlap),
                        .count = 1,
                        .uncertifies = true,
                        .about = name});
}

/// (LE-15): until is fulfilled by an overlap if outside of the obstacles it is not.
void look_at_until(const Model& model, const std::vector<int>& inside, const State& end, Scratch& s,
                   std::vector<Finding>& findings)
{
    Eigen::VectorXd q = end.q;
    if (!correct_violations(model, inside, end.t_s, q, s)) return;
    if (!(s.until->value({view(q), view(end.u), end.t_s}, s.work) < 0)) return;
    findings.push_back({.code = "overlap",
                        .time_s = end.t_s,
                        .message = fmt::format("until is satisfied only because of the overlap with {}: "
                                               "outside the obstacle it is not; take a shorter step",
                                               name_of_contact(model, inside.front())),
                        .count = 1,
                        .uncertifies = true,
                        .about = "until"});
}

/// Series follow the motion itself: at their end no contact is inside its obstacle (LE-16).
void look_at_series(const Model& model, const SeriesSettings& settings, const State& end, Workspace& work,
                    std::vector<Finding>& findings)
{
    for (int c = 0; c < model.contacts(); ++c) {
        const double depth_m = -model.gap_m(c, point_of(end), work);
        if (!(depth_m > visible_depth_m(settings.activation_gap_m))) continue;
        const std::string& name = name_of_contact(model, c);
        findings.push_back(
            {.code = "inside_obstacle",
             .time_s = end.t_s,
             .message =
                 fmt::format("{} is {:.3e} m inside its obstacle where the run ends: end it later, or take a "
                             "shorter step",
                             name, depth_m),
             .count = 1,
             .uncertifies = true,
             .about = name});
    }
}

}  // namespace

std::vector<GapReach> reaches_at_start(const Model& model, const State& start, Workspace& work)
{
    std::vector<GapReach> reaches(static_cast<std::size_t>(model.contacts()));
    for (int c = 0; c < model.contacts(); ++c) {
        reaches[static_cast<std::size_t>(c)].largest_gap_m = model.gap_m(c, point_of(start), work);
    }
    return reaches;
}

void note_gaps(const State& after, std::span<const double> gap_m, RunProgress& progress)
{
    for (std::size_t c = 0; c < gap_m.size(); ++c) {
        GapReach& reach = progress.reaches[c];
        if (gap_m[c] > reach.largest_gap_m) {
            reach.largest_gap_m = gap_m[c];
        } else if (-gap_m[c] > reach.deepest_m && after.closed[c] != 2) {
            // one that persists is kept on its obstacle by its law, to the order h^2
            reach.deepest_m = -gap_m[c];
            reach.deepest_s = after.t_s;
        }
    }
}

namespace {

/// (LE-21): contacts that touch, alone, and that nothing presses any more.
void look_at_losses(const Model& model, const SchemeOfRun& scheme, std::span<const ContactScale> scales,
                    const RunSoFar& run, Scratch& scratch, std::vector<Finding>& findings)
{
    const auto& closed = run.state.closed;
    const Point at = point_of(run.state);
    bool accelerates = false;
    for (int c = 0; c < model.contacts(); ++c) {
        if (closed[static_cast<std::size_t>(c)] != 2) continue;
        const bool alone = std::ranges::all_of(model.coupling().neighbours(c), [&](int other) {
            return other == c || (model.is_contact(other) && closed[static_cast<std::size_t>(other)] == 0);
        });
        if (!alone) continue;
        accelerates = accelerates || free_acceleration(model, at, scratch);
        if (!accelerates) return;
        const FreeNormalMotion motion = free_normal_motion(model, c, at, scratch);
        look_for_unseen_loss({.name = name_of_contact(model, c),
                              .gap_m = 0,
                              .U_m_s = motion.U_m_s,
                              .acceleration_m_s2 = motion.by_forces_m_s2 + motion.by_bend_m_s2},
                             scheme.h_s, run.state.t_s, scales[static_cast<std::size_t>(c)].fastest_m_s,
                             findings);
    }
}

}  // namespace

std::vector<Finding> findings_of_end(const Model& model, const IntegratorSettings& settings,
                                     const RunSoFar& run, bool stopped, Scratch& scratch)
{
    std::vector<Finding> findings;
    if (const auto* series = std::get_if<SeriesSettings>(&settings)) {
        look_at_series(model, *series, run.state, scratch.work, findings);
        return findings;
    }
    const auto scheme = scheme_of(settings);
    if (!scheme || run.progress.reaches.empty()) return findings;
    const Point at = point_of(run.state);
    const auto scales = contact_scales(motion_groups(model), run, scheme->small_m);
    look_at_delays(model, *scheme, scales, run, findings);
    if (!stopped) look_at_losses(model, *scheme, scales, run, scratch, findings);
    bool accelerates = false;
    std::vector<int> inside;
    // obstacles that contradict each other are seen, and passed all the same
    const bool contradict = std::ranges::any_of(run.progress.certifier.findings_at_end(),
                                                [](const auto& one) { return one.code == "no_solution"; });
    for (int c = 0; c < model.contacts(); ++c) {
        const GapReach& reach = run.progress.reaches[static_cast<std::size_t>(c)];
        look_at_overlap(model, scheme->beside(scales[static_cast<std::size_t>(c)]), c,
                        run.progress.delays[static_cast<std::size_t>(c)].count, reach, findings);
        const double gap_m = model.gap_m(c, at, scratch.work);
        if (stopped || !(gap_m < -scheme->activation_gap_m)) continue;
        if (gap_m < -visible_depth_m(scheme->activation_gap_m)) inside.push_back(c);
        if (contradict) continue;
        accelerates = accelerates || free_acceleration(model, at, scratch);
        if (!accelerates) break;
        const FreeNormalMotion motion = free_normal_motion(model, c, at, scratch);
        look_for_unseen_impact(
            {.name = name_of_contact(model, c),
             .gap_m = gap_m,
             .U_m_s = motion.U_m_s,
             .acceleration_m_s2 = std::abs(motion.by_forces_m_s2) + std::abs(motion.by_bend_m_s2)},
            scheme->h_s, run.state.t_s, findings);
    }
    const bool by_formula = run.progress.end == RunEnd::Formula && scratch.until != nullptr;
    if (by_formula && !inside.empty()) look_at_until(model, inside, run.state, scratch, findings);
    return findings;
}

}  // namespace carom
