#include "report/text_parts.hpp"

#include "core/text.hpp"
#include "scene/scene_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

constexpr std::size_t events_shown = 6;
constexpr std::size_t located_events_shown = 60;  ///< of the series integrator: its main result
constexpr std::size_t coordinates_shown = 40;

/// How well a swept point is known.
std::string sweep_line(const Results& results)
{
    switch (results.run.status) {
    case RunStatus::Certified:
        return results.paint("certified", Tone::Good) + ": every nearest point was found";
    case RunStatus::Uncertified:
        return results.paint("uncertified", Tone::Doubtful) +
               fmt::format(": {} steps missed the tolerance at the smallest step",
                           results.run.certificate.unsolved_steps);
    case RunStatus::Failed: break;
    }
    return results.paint("failed", Tone::Bad) +
           ": the sweep could not continue; results are valid up to then";
}

std::string status_line(const Results& results)
{
    if (results.scene.sweeping) return sweep_line(results);
    const Certificate& certificate = results.run.certificate;
    switch (results.run.status) {
    case RunStatus::Certified:
        return results.paint("certified", Tone::Good) +
               fmt::format(": every step solved to {:g}, every energy ledger closed",
                           results.scene.solver.tolerance);
    case RunStatus::Uncertified:
        return results.paint("uncertified", Tone::Doubtful) +
               (certificate.unsolved_steps > 0 ? fmt::format(": {} of {} steps not solved",
                                                             certificate.unsolved_steps, certificate.steps)
                                               : ": " + reason_against(results.run.findings));
    case RunStatus::Failed:
        return results.paint("failed", Tone::Bad) +
               ": the run could not continue; results are valid up to then";
    }
    return {};
}

std::string end_in_words(const Results& results)
{
    if (results.run.stopped) return "interrupted";
    switch (results.run.end) {
    case RunEnd::Duration: return "reached its duration";
    case RunEnd::Rest: return "came to rest";
    case RunEnd::Formula: return "the until formula became >= 0";
    case RunEnd::Listener: return "was stopped";
    case RunEnd::UnsolvedStep: return "stopped at an unsolved step";
    case RunEnd::NotFinite: return "a value became infinite or NaN";
    case RunEnd::MetricSingular: return "the kinetic matrix became singular";
    case RunEnd::LawOutOfRange:
        return "the law of a contact left its range (restitution from 0 to 1, friction not negative), or an "
               "impact map gave no velocity";
    case RunEnd::Undetermined: return "the laws allow no continuation of the motion, or several";
    }
    return {};
}

/// A line for each body that moves: where its centre is, how fast it moves and turns. Of many bodies only how
/// many there are and the fastest: the rest is in recordings and `--json`.
std::string body_rows(const BodyModel& model, std::string_view heading, const Eigen::VectorXd& q,
                      const Eigen::VectorXd& u)
{
    constexpr std::size_t bodies_shown = 12;
    struct Moving {
        std::string name;
        Vec3 x;
        double speed = 0, spin = 0;
    };
    const auto& bodies = model.setup().bodies;
    std::vector<Moving> moving;
    Eigen::Index at = 0;
    std::size_t width = 0;
    for (const Body& body : bodies) {
        if (body.motion == BodyMotion::Fixed) continue;
        const bool flat = model.is_flat();
        // the rate of a unit quaternion is half as long as the angular velocity
        moving.push_back({.name = body.name,
                          .x = flat ? Vec3(q[at], q[at + 1], 0) : Vec3(q[at], q[at + 1], q[at + 2]),
                          .speed = flat ? u.segment(at, 2).norm() : u.segment(at, 3).norm(),
                          .spin = flat ? std::abs(u[at + 2]) : 2 * u.segment(at + 3, 4).norm()});
        width = std::max(width, body.name.size());
        at += flat ? 3 : 7;
    }
    const std::size_t all = moving.size();
    if (all > bodies_shown) {
        const auto fastest = std::ranges::max_element(moving, {}, &Moving::speed);
        return row(heading, fmt::format("{} bodies; the fastest, {}, moves with {:.4g} m/s", all,
                                        fastest->name, fastest->speed));
    }
    std::string out;
    for (const Moving& body : moving) {
        const std::string place =
            model.is_flat() ? fmt::format("{:>9.4f} {:>9.4f} m", body.x.x(), body.x.y())
                            : fmt::format("{:>9.4f} {:>9.4f} {:>9.4f} m", body.x.x(), body.x.y(), body.x.z());
        out += row(out.empty() ? heading : "", fmt::format("{:<{}}  {}  {:>9.4g} m/s  {:>9.4g} rad/s",
                                                           body.name, width, place, body.speed, body.spin));
    }
    return out;
}

std::string state_rows(const Scene& scene, std::string_view heading, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& u)
{
    if (scene.bodies) return body_rows(*scene.model.bodies(), heading, q, u);
    const Model& model = scene.model;
    const auto& coordinates = model.system().coordinates;
    std::size_t width = 0;
    for (const Coordinate& coordinate : coordinates)
        width = std::max(width, coordinate.name.size());
    std::string out;
    for (std::size_t i = 0; i < coordinates.size() && i < coordinates_shown; ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        const std::string unit = printable(coordinates[i].unit);
        out += row(i == 0 ? heading : "", fmt::format("{:<{}}  {:>13.6g} {}  {:>13.6g} {}/s",
                                                      coordinates[i].name, width, q[at], unit, u[at], unit));
    }
    if (coordinates.size() > coordinates_shown) {
        out += row("", fmt::format("... and {} more", coordinates.size() - coordinates_shown));
    }
    return out;
}

std::string probe_rows(const Model& model, const std::vector<double>& values)
{
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Probe& probe = model.system().probes[i];
        out += row(i == 0 ? "probes" : "",
                   fmt::format("{}  {:.6g} {}", probe.name, values[i], printable(probe.unit)));
    }
    return out;
}

std::string snapshot_rows(const Results& results)
{
    std::string out;
    for (const Snapshot& snapshot : results.run.snapshots) {
        const std::string heading = fmt::format("{:.6g} s", snapshot.time_s);
        if (!snapshot.reached) {
            out += row(heading, "not reached");
            continue;
        }
        out += state_rows(results.scene, heading, snapshot.q, snapshot.u);
        out += probe_rows(results.scene.model, snapshot.probes);
    }
    return out;
}

/// Events whose instants are known to rounding: what happened, what the contact was and is, what jumped.
std::string located_event_rows(const Results& results)
{
    const auto& events = results.run.events;
    std::string out;
    for (std::size_t i = 0; i < events.size() && i < located_events_shown; ++i) {
        const RunEvent& event = events[i];
        const std::string kind = spaced(name_of(event.kind));
        std::string text = fmt::format("{:>20.15g} s  {:<12} {:<12} {:>6} -> {:<6}", event.time_s, kind,
                                       event.place, event.status_before, event.status_after);
        if (event.kind == EventKind::Impact || event.kind == EventKind::Accumulation) {
            text += fmt::format("  {:>11.4g} m/s -> {:>10.4g} m/s  {:>10.4g} N s", event.velocity_before_m_s,
                                event.velocity_after_m_s, event.percussion_Ns);
        }
        out += row("", text);
    }
    if (events.size() > located_events_shown)
        out += row(
            "", fmt::format("... and {} more: --json lists them all", events.size() - located_events_shown));
    return out;
}

/// A set that sweeps begins to push, or ends.
std::string sweep_event_rows(const std::vector<RunEvent>& events)
{
    std::string out =
        row("events",
            fmt::format("{} made with the set, {} lost",
                        counted(std::ranges::count(events, EventKind::ContactMade, &Event::kind), "contact"),
                        std::ranges::count(events, EventKind::ContactLost, &Event::kind)));
    for (std::size_t i = 0; i < events.size() && i < events_shown; ++i) {
        const bool made = events[i].kind == EventKind::ContactMade;
        out += row("", fmt::format("{:>9.5g} s  {} {}", events[i].time_s, events[i].place,
                                   made ? "pushes" : "stops pushing"));
    }
    if (events.size() > events_shown)
        out += row("", fmt::format("... and {} more", events.size() - events_shown));
    return out;
}

std::string event_rows(const Results& results)
{
    if (!results.scene.plan.keep_events)
        return row("events", "not recorded; set record.events = true to record them");
    const auto& events = results.run.events;
    const auto count = [&](EventKind kind) { return std::ranges::count(events, kind, &Event::kind); };
    std::string counts =
        fmt::format("{}, {} made, {} lost", counted(count(EventKind::Impact), "impact"),
                    counted(count(EventKind::ContactMade), "contact"), count(EventKind::ContactLost));
    if (const auto slips = count(EventKind::Slip), sticks = count(EventKind::Stick); slips + sticks > 0) {
        counts += fmt::format(", {}, {}", counted(slips, "onset of slip", "onsets of slip"),
                              counted(sticks, "stick"));
    }
    const auto of_constraints = count(EventKind::Engage) + count(EventKind::Lock) + count(EventKind::Release);
    if (of_constraints > 0) counts += ", " + counted(of_constraints, "constraint event");
    if (const auto ends = count(EventKind::Accumulation); ends > 0) {
        counts += ", " + counted(ends, "accumulation", "accumulations") + " of infinitely many impacts";
    }
    std::string out = row("events", counts);
    const bool located = std::holds_alternative<SeriesSettings>(results.scene.integrator);
    if (located) return out + located_event_rows(results);
    for (std::size_t i = 0; i < events.size() && i < events_shown; ++i) {
        const RunEvent& event = events[i];
        const std::string kind = spaced(name_of(event.kind));
        out += row("", fmt::format("{:>9.5g} s  {:<12} {:<12} {:>10.4g} m/s -> {:>10.4g} m/s  {:>10.4g} N s",
                                   event.time_s, kind, event.place, event.velocity_before_m_s,
                                   event.velocity_after_m_s, event.percussion_Ns));
    }
    if (events.size() > events_shown)
        out += row("", fmt::format("... and {} more", events.size() - events_shown));
    return out;
}

std::string certificate_rows(const Results& results)
{
    const Certificate& certificate = results.run.certificate;
    std::string out = row("residual", fmt::format("at most {:.2e} (relative), tolerance {:g}",
                                                  certificate.max_residual, results.scene.solver.tolerance));
    out += row("overlap", fmt::format("at most {:.2e} m", certificate.max_penetration_m));
    if (results.scene.model.constraints() > 0)
        out += row("violation", fmt::format("of constraints, at most {:.2e}", certificate.max_violation));
    out += row("unsolved", fmt::format("{} of {} steps", certificate.unsolved_steps, certificate.steps));
    if (certificate.selected_steps > 0)
        out += row("loads", fmt::format("not unique in {}: chosen by equal compliance",
                                        counted(certificate.selected_steps, "step")));
    if (certificate.unexamined_steps > 0)
        out += row("unexamined",
                   fmt::format("{}: groups of contacts with more than {} components, not "
                               "tested for other motions",
                               counted(certificate.unexamined_steps, "step"), max_examined_components));
    return out;
}

/// What to do now: how to see the run, to go on with it, or to make it better.
std::string next_rows(const Results& results)
{
    const std::string recording = printable(results.run.recording);
    std::string out;
    const auto say = [&](const std::string& text) { out += row(out.empty() ? "next" : "", text); };
    if (results.run.stopped && !recording.empty())
        say(fmt::format("carom resume {} continues it", recording));
    if (results.run.status == RunStatus::Uncertified && !results.scene.sweeping) {
        const bool unsolved = results.run.certificate.unsolved_steps > 0;
        say(fmt::format("try a smaller step, --set integrator.time_step_s=...{}",
                        unsolved ? ", or more sweeps, --set solver.max_sweeps=..." : ""));
    }
    const bool written = results.run.not_written.empty();
    if (results.run.status == RunStatus::Failed && written)
        say("carom inspect reports what theory guarantees for the scene; a smaller step may help");
    if (recording.empty() && written)
        say("add -o RUN.h5 to record the run; carom report RUN.h5 then shows it");
    if (!recording.empty()) say(fmt::format("carom report {} writes a page that shows it", recording));
    return out;
}

}  // namespace

std::string to_text(const Results& results)
{
    const Scene& scene = results.scene;
    const Certificate& certificate = results.run.certificate;
    std::string out =
        results.paint(printable(scene.title), Tone::Title) + "\n" + status_line(results) + "\n\n";
    out += row("time", fmt::format("{:.6g} s to {:.6g} s in {} steps of {:g} s; {}", scene.start.t_s,
                                   results.run.at_end.t_s, certificate.steps, time_step_s(scene.integrator),
                                   end_in_words(results)));
    out += finding_rows(results.run.findings);
    out += state_rows(scene, "state", results.run.at_end.q, results.run.at_end.u);
    out += probe_rows(scene.model, results.run.probes);
    out += snapshot_rows(results);
    if (results.scene.sweeping) {
        out += sweep_event_rows(results.run.events);
        out += row("outside", fmt::format("at most {:.2e} from its set", certificate.max_penetration_m));
    } else {
        out += event_rows(results);
        out += certificate_rows(results);
        out += ledger_rows(certificate, false);
    }
    out += row("computed in", fmt::format("{:.3g} s", results.run.wall_s));
    if (!results.run.recording.empty()) out += row("recording", printable(results.run.recording));
    if (!results.picture.empty()) out += row("picture", printable(results.picture));
    return out + next_rows(results);
}

}  // namespace carom
