#include "impact_delays.hpp"

#include "contact_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom {
namespace {

const std::string& contact_called(const Model& model, int c)
{
    return model.system().contacts[static_cast<std::size_t>(c)].name;
}

/// A place that is uncertain or wrong by `off_m`, beside the length `scale_m` of the motion.
bool is_lost(const SchemeOfRun& scheme, double off_m, double scale_m)
{
    return off_m > scheme.small_m && off_m > scheme.max_overlap * scale_m;
}

Finding lost_place(const SchemeOfRun& scheme, const std::string& name, double off_m, double scale_m,
                   double time_s, const std::string& why)
{
    return {.code = "impact_instants",
            .time_s = time_s,
            .message = fmt::format("{}, and max_overlap is {:.2g}: take a step below {:.1e} s", why,
                                   scheme.max_overlap, scheme.h_s * scheme.max_overlap * scale_m / off_m),
            .count = 1,
            .uncertifies = true,
            .about = name};
}

/// (LE-17): impacts are early or late by up to half a step, and what that does to places adds up.
void look_at_scatter(const Model& model, const SchemeOfRun& scheme, int c, double largest_gap_m,
                     const ImpactDelays& impacts, double time_s, std::vector<Finding>& findings)
{
    look_at_instants({.name = contact_called(model, c),
                      .jumps2_m2_s2 = impacts.jumps2_m2_s2,
                      .h_s = scheme.h_s,
                      .max_spread_m = scheme.max_overlap * largest_gap_m,
                      .small_m = scheme.small_m,
                      .largest_gap_m = largest_gap_m},
                     time_s, findings);
}

/// How far a contact went along its surface.
double displacement_along_m(const ImpactDelays& impacts, double time_s)
{
    return impacts.travel_m + impacts.slide_m_s * (time_s - impacts.seen_s) / 2;
}

}  // namespace

void look_at_slip(const std::string& name, const SchemeOfRun& scheme, const ImpactDelays& impacts,
                  double path_m, double time_s, std::vector<Finding>& findings)
{
    const double off_m = std::max(impacts.slip_m, scheme.h_s * std::sqrt(0.75 * impacts.drags2_m2_s2));
    if (!is_lost(scheme, off_m, path_m)) return;
    findings.push_back(lost_place(
        scheme, name, off_m, path_m, time_s,
        fmt::format(
            "impacts of {} are seen late, and so is their friction: its position along the surface is "
            "uncertain by {:.2g} m, {:.2g} of its path",
            name, off_m, off_m / path_m)));
}

void look_at_place(const std::string& name, const SchemeOfRun& scheme, double off_m, double scale_m,
                   double time_s, std::vector<Finding>& findings)
{
    if (!is_lost(scheme, off_m, scale_m)) return;
    findings.push_back(lost_place(
        scheme, name, off_m, scale_m, time_s,
        fmt::format("steps see impacts late, and the delays add up: the motion of {} is about {:.2g} m "
                    "behind, {:.2g} of the largest gap in the run",
                    name, off_m, off_m / scale_m)));
}

namespace {

/// One impact alone is late by what any other step reveals, and what has come to rest does not ask when.
bool asks_when(const ContactScale& scale)
{
    return scale.impacts > 1 && scale.moves;
}

/// (LE-18): a motion that is late by all its impacts is behind at each of its contacts.
void look_at_lag(const Model& model, const SchemeOfRun& scheme, std::span<const ContactScale> scales,
                 const RunSoFar& run, std::vector<Finding>& findings)
{
    const std::vector<int> motion = first_of_motion(model);
    std::vector<double> behind_m(motion.size(), 0.0);
    for (std::size_t c = 0; c < motion.size(); ++c) {
        behind_m[static_cast<std::size_t>(motion[c])] += run.progress.delays[c].behind_m;
    }
    for (std::size_t c = 0; c < motion.size(); ++c) {
        if (!asks_when(scales[c])) continue;
        look_at_place(contact_called(model, static_cast<int>(c)), scheme.beside(scales[c]),
                      std::abs(behind_m[c]), scales[c].largest_gap_m, run.state.t_s, findings);
    }
}

/// Sliding velocity of a contact after a step.
double slip_after_m_s(const ContactStep& contact)
{
    return std::hypot(contact.U_plus[1], contact.U_plus[2]);
}

}  // namespace

void note_impact(const ImpactSeen& impact, ImpactDelays& delays)
{
    constexpr double none = 1e-9;  // of the approach: what roundings leave without restitution
    const double U_minus = impact.U_minus_m_s, h_s = impact.h_s;
    const double U_plus = impact.U_plus_m_s > none * std::abs(U_minus) ? impact.U_plus_m_s : 0.0;
    const double jump_m_s = impact.U_plus_m_s - U_minus;
    delays.jumps2_m2_s2 += jump_m_s * jump_m_s;
    // one that touched when the step began was struck then: nothing is left to chance
    const bool touched = std::abs(impact.gap_before_m) <= 1e-6 * std::abs(U_minus) * h_s;
    if (!touched) delays.drags2_m2_s2 += impact.dragged_m_s * impact.dragged_m_s;
    const double since_last_s = impact.time_s - (delays.count > 0 ? delays.seen_s : impact.start_s);
    delays.travel_m += impact.slides_m_s * since_last_s;
    ++delays.count;
    delays.seen_s = impact.time_s;
    delays.slide_m_s = 0;
    delays.late_s = 0;

    // one that was closed and is struck through its neighbours has no instant of its own
    if (U_minus < 0) {
        const double since_s = std::clamp(h_s + impact.gap_before_m / U_minus, 0.0, 2 * h_s);
        const double late_s = touched ? 0 : std::abs(since_s - h_s / 2);
        delays.slip_m += impact.dragged_m_s * (lag_s(delays, h_s) + late_s);
        // what was behind goes on with the part of its velocity that is left
        if (delays.exit_m_s > 0) delays.behind_m *= std::min(1.0, U_plus / delays.exit_m_s);
        if (U_plus > 0) delays.behind_m += U_plus * since_s - impact.gap_after_m;
        // without restitution it begins anew at the end of the step
        if (!(U_plus > 0) && !touched) delays.late_s = since_s;
    }
    delays.exit_m_s = U_plus;
}

std::vector<int> first_of_motion(const Model& model)
{
    std::vector<int> parent(static_cast<std::size_t>(model.contacts())), of_coordinate;
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int c) {
        while (parent[static_cast<std::size_t>(c)] != c) {
            c = parent[static_cast<std::size_t>(c)];
        }
        return c;
    };
    of_coordinate.assign(static_cast<std::size_t>(model.coordinates()), -1);
    for (int c = 0; c < model.contacts(); ++c) {
        for (const auto i : model.support(c)) {
            int& other = of_coordinate[static_cast<std::size_t>(i)];
            if (other >= 0) {
                const int a = root(c), b = root(other);
                parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
            }
            other = root(c);
        }
    }
    for (int& c : parent) {
        c = root(c);
    }
    return parent;
}

double lag_s(const ImpactDelays& delays, double h_s)
{
    if (!(delays.exit_m_s > 0)) return 0;
    return std::min(std::abs(delays.behind_m) / delays.exit_m_s, 2 * h_s * delays.count);
}

void note_impacts(const Model& model, const State& before, double h_s, double duration_s, Scratch& scratch,
                  RunProgress& progress)
{
    const bool driven = !progress.drives.empty();
    for (const Event& event : scratch.events) {
        if (driven && event.kind == EventKind::ContactLost)
            note_driven_rest(event, h_s, progress.drives[static_cast<std::size_t>(event.contact)],
                             progress.delays[static_cast<std::size_t>(event.contact)]);
        const auto contact = std::ranges::find(scratch.contacts, event.contact, &ContactStep::contact);
        if (contact == scratch.contacts.end()) continue;
        const auto c = static_cast<std::size_t>(event.contact);
        ImpactDelays& delays = progress.delays[c];
        if (event.kind == EventKind::Impact) {
            if (driven)
                note_driven_impact(model, {before, h_s, progress.start_s, duration_s}, event,
                                   contact->U_minus[0], scratch, progress);
            const double gap_before_m = model.gap_m(event.contact, point_of(before), scratch.work);
            note_impact({.U_minus_m_s = contact->U_minus[0],
                         .U_plus_m_s = contact->U_plus[0],
                         .gap_before_m = gap_before_m,
                         .gap_after_m = scratch.gap_m[c],
                         .dragged_m_s = std::hypot(contact->U_plus[1] - contact->U_minus[1],
                                                   contact->U_plus[2] - contact->U_minus[2]),
                         .slides_m_s = std::hypot(contact->U_minus[1], contact->U_minus[2]),
                         .h_s = h_s,
                         .time_s = event.time_s,
                         .start_s = progress.start_s},
                        delays);
        } else if (event.kind == EventKind::ContactMade) {
            if (driven) note_driven_rest(event, h_s, progress.drives[c], delays);
            // it has come to rest on its obstacle: from here it slides, as late as it is
            delays.slide_m_s = slip_after_m_s(*contact);
            delays.seen_s = event.time_s;
            delays.slip_m += delays.slide_m_s * lag_s(delays, h_s);
            delays.behind_m = delays.exit_m_s = 0;
        } else if (event.kind == EventKind::Stick) {
            delays.travel_m += delays.slide_m_s * (event.time_s - delays.seen_s) / 2;
            delays.slide_m_s = 0;
        }
    }
}

namespace {

/// By how much delays have moved the motion that a contact belongs to.
double place_off_m(const Model& model, std::size_t c, const std::vector<ImpactDelays>& delays)
{
    const std::vector<int> motion = first_of_motion(model);
    double off_m = 0;
    for (std::size_t other = 0; other < delays.size(); ++other) {
        if (motion[other] == motion[c]) off_m += std::abs(delays[other].behind_m);
    }
    return off_m;
}

double normal_velocity_m_s(const Model& model, int c, const State& state, Scratch& scratch)
{
    const auto support = model.support(c);
    auto& row = scratch.correction_rows.H;
    row.resize(support.size());
    double U = model.gap_gradient(c, point_of(state), row, scratch.work);
    for (std::size_t i = 0; i < row.size(); ++i) {
        U += row[i] * state.u[support[i]];
    }
    return U;
}

}  // namespace

Finding near_miss(const std::string& name, double gap_m, double off_m, double time_s)
{
    return {.code = "impact_instants",
            .time_s = time_s,
            .message = fmt::format(
                "{} comes within {:.2g} m of its obstacle and turns back, while steps that saw earlier "
                "impacts late have moved the motion by {:.2g} m: it may have touched. Take a step {:.1g} "
                "times shorter",
                name, gap_m, off_m, 2 * off_m / gap_m),
            .count = 1,
            .uncertifies = true,
            .about = name};
}

void look_for_near_misses(const NearMisses& at, const State& before, Scratch& scratch, RunSoFar& run)
{
    const Model& model = at.model;
    const double activation_gap_m = at.activation_gap_m;
    const State& after = run.state;
    RunProgress& progress = run.progress;
    constexpr double slow = 0.01;  // an impact below this part of the velocities of the run changes little
    double largest_m = 0;
    for (const ImpactDelays& delays : progress.delays) {
        largest_m += std::abs(delays.behind_m);
    }
    if (!(largest_m > 0)) return;
    for (std::size_t c = 0; c < progress.delays.size(); ++c) {
        const double gap_m = scratch.gap_m[c];
        if (!(gap_m > activation_gap_m && gap_m < largest_m) || after.closed[c] != 0 || before.closed[c] != 0)
            continue;
        const auto contact = static_cast<int>(c);
        const auto step = std::ranges::find(scratch.contacts, contact, &ContactStep::contact);
        if (step != scratch.contacts.end() && step->P[0] > 0) continue;
        const double U_before = normal_velocity_m_s(model, contact, before, scratch),
                     U_after = normal_velocity_m_s(model, contact, after, scratch);
        if (!(U_before < 0 && U_after > 0)) continue;
        const double off_m = place_off_m(model, c, progress.delays);
        const double turned_m_s2 = (U_after - U_before) / (after.t_s - before.t_s);
        const double speed_m_s = std::sqrt(2 * turned_m_s2 * std::max(0.0, off_m - gap_m));
        const ContactScale scale = contact_scales(at.groups, run, min_overlap * activation_gap_m)[c];
        if (!(off_m > scale.small_m) || !(speed_m_s > slow * scale.fastest_m_s)) continue;
        progress.certifier.add_finding(near_miss(contact_called(model, contact), gap_m, off_m, after.t_s));
    }
}

void look_at_delays(const Model& model, const SchemeOfRun& scheme, std::span<const ContactScale> scales,
                    const RunSoFar& run, std::vector<Finding>& findings)
{
    look_at_lag(model, scheme, scales, run, findings);
    for (int c = 0; c < model.contacts(); ++c) {
        const auto k = static_cast<std::size_t>(c);
        const ImpactDelays& impacts = run.progress.delays[k];
        const SchemeOfRun here = scheme.beside(scales[k]);
        if (asks_when(scales[k]))
            look_at_scatter(model, here, c, scales[k].largest_gap_m, impacts, run.state.t_s, findings);
        look_at_slip(contact_called(model, c), here, impacts, displacement_along_m(impacts, run.state.t_s),
                     run.state.t_s, findings);
    }
    look_at_drives(model, scheme, scales, run, findings);
}

}  // namespace carom
