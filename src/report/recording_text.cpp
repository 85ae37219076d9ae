#include "report/text_parts.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace carom {
namespace {

/// "contacts made", "impacts": kinds that begin with their noun have the plural there.
std::string plural_of(std::string_view kind)
{
    const std::string words = spaced(kind);
    const auto noun = words.find(' ');
    return noun == std::string::npos ? words + "s" : words.substr(0, noun) + "s" + words.substr(noun);
}

std::string status_in_words(const Recording& recording, const RunInspection& run)
{
    if (run.status == "certified" && run.is_sweep) return ": every nearest point was found";
    if (run.status == "certified") return ": every step solved, every energy ledger closed";
    if (run.status == "interrupted") return ": stopped early; carom resume continues it";
    if (run.status == "unfinished")
        return ": killed or still running; judged up to its last checkpoint; carom resume continues it";
    if (run.status == "failed")
        return fmt::format(": ended by {}; results are valid up to then",
                           spaced(name_of(recording.report->end)));
    return run.certificate.unsolved_steps > 0 ? ": not every step was solved"
                                              : ": " + reason_against(run.findings);
}

Tone tone_of(const RunInspection& run)
{
    if (run.status == "certified") return Tone::Good;
    return run.status == "failed" ? Tone::Bad : Tone::Doubtful;
}

std::string proof_rows(const Recording& recording, const RunInspection& run)
{
    const Certificate& certificate = run.certificate;
    std::string out =
        row("steps", fmt::format("{}, {} of them unsolved", certificate.steps, certificate.unsolved_steps));
    if (run.is_sweep) {
        return out +
               row("outside", fmt::format("at most {:.2e} from its set", certificate.max_penetration_m));
    }
    const std::string tolerance = run.tolerance ? fmt::format(", tolerance {:g}", *run.tolerance) : "";
    out += row("residual", fmt::format("at most {:.2e} (relative){}", certificate.max_residual, tolerance));
    if (certificate.max_residual > 0) {
        out += row("worst step", fmt::format("number {}, ending at {:.6g} s", run.worst_step,
                                             certificate.max_residual_time_s));
    }
    out += row("overlap", fmt::format("at most {:.2e} m", certificate.max_penetration_m));
    if (recording.constraints.names.empty()) return out;
    return out + row("violation", fmt::format("of constraints at most {:.2e}", certificate.max_violation));
}

/// Forces of bodies: probes of the scene at the end and at their largest, and the contact points at the end.
std::string contact_rows(const Recording& recording)
{
    std::string out;
    const RecordedBodies& bodies = recording.bodies;
    if (bodies.first_row.size() > 1) {
        const std::size_t last = bodies.first_row.size() - 2;
        out += row("contacts",
                   fmt::format("{} active points in the last frame, {} in all frames",
                               bodies.first_row[last + 1] - bodies.first_row[last], bodies.first_row.back()));
    }
    for (const RecordedSeries& probe : recording.probes) {
        if (probe.values.size() == 0) continue;
        const std::string unit = probe.unit.empty() ? "" : " " + printable(probe.unit);
        out += row("probe", fmt::format("{}: {:.6g}{} at the end, from {:.6g} to {:.6g}",
                                        printable(probe.name), probe.values[probe.values.size() - 1], unit,
                                        probe.values.minCoeff(), probe.values.maxCoeff()));
    }
    return out;
}

}  // namespace

std::string to_text(const Recording& recording, const RunInspection& run, Paint paint)
{
    std::string out = paint(printable(recording.title), Tone::Title) + "\n" +
                      paint(run.status, tone_of(run)) + status_in_words(recording, run) + "\n\n";
    out += row("time",
               fmt::format("{:.6g} s to {:.6g} s of {:.6g} s, steps of {:g} s", recording.start_s,
                           run.reached_s, recording.start_s + recording.duration_s, recording.time_step_s));
    out += finding_rows(run.findings);
    out += proof_rows(recording, run);
    if (run.is_sweep) return out + row("written by", "carom " + printable(recording.carom_version));
    out += ledger_rows(run.certificate, true);
    if (!recording.bodies.names.empty()) out += contact_rows(recording);
    std::string events;
    for (const auto& [kind, count] : events_by_kind(recording))
        events += (events.empty() ? "" : ", ") + counted(count, spaced(kind), plural_of(kind));
    out += row("events", events.empty() ? "none recorded" : events);
    if (run.theory) out += row("theory", promise_in_words(*run.theory) + "; carom inspect SCENE says why");
    return out + row("written by", "carom " + printable(recording.carom_version));
}

}  // namespace carom
