#include "carry_out.hpp"

#include "core/text.hpp"
#include "interrupt.hpp"
#include "output_files.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

namespace carom::app {
namespace {

/// Draws the picture. What cannot be written makes the run a failed one: it is not what was asked for.
std::string finish_picture(const Display& display, Run& run)
{
    print_errors(run.not_written);
    if (run.recording.empty() || !run.not_written.empty() || !display.svg) return {};
    auto picture = draw_picture(run.recording);
    if (picture) return *picture;
    print_errors({picture.error()});
    run.status = RunStatus::Failed;
    run.findings.push_back(
        {.code = "not_recorded", .time_s = run.at_end.t_s, .message = picture.error().message, .count = 1});
    return {};
}

/// Where the problems are, on standard error.
void tell_problems(const KeptProblemCounts& problems, const std::string& folder, const Display& display)
{
    if (display.quiet || folder.empty()) return;
    fmt::print(stderr, "{} one-step problems in {}\n", problems.written, printable(folder));
    if (problems.left_out > 0) {
        fmt::print(stderr, "{} not written, because problem files cannot hold them: {}\n", problems.left_out,
                   problems.why);
    }
    if (problems.without_problem > 0) {
        fmt::print(stderr, "{} steps were taken by power series, which have no one-step problem\n",
                   problems.without_problem);
    }
    if (problems.written + problems.left_out + problems.without_problem == 0) {
        fmt::print(stderr, "none of the selected steps had a contact, joint or constraint to solve\n");
    }
}

Progress::Shown shown_progress(const Display& display)
{
    if (display.quiet || !is_first_rank()) return Progress::Shown::Nowhere;
    if (is_terminal(stderr)) return Progress::Shown::OneLine;
    return ranks() != nullptr ? Progress::Shown::Lines : Progress::Shown::Nowhere;
}

ExitStatus status_of(const Run& run)
{
    if (run.stopped) return ExitStatus::Interrupted;
    switch (run.status) {
    case RunStatus::Certified: return ExitStatus::Certified;
    case RunStatus::Uncertified: return ExitStatus::Uncertified;
    case RunStatus::Failed: break;
    }
    return ExitStatus::Failed;
}

}  // namespace

ExitStatus carry_out(const Scene& scene, const Runner& runner, const Display& display,
                     const std::string& problems)
{
    note_interrupts();
    Progress progress(shown_progress(display), scene);
    const auto listener = [&](const StepRecord& step) {
        progress.after_step(step);
        return true;
    };
    auto run = runner(listener, interrupt_flag());
    progress.clear();
    if (!run) return refuse(run.error(), display.json);
    const std::string picture = finish_picture(display, *run);
    tell_problems(run->problems, problems, display);
    const Results results{.scene = scene, .run = *run, .picture = picture, .paint = painted};
    const bool printed = display.json ? print_result(to_json(results.scene, results.run))
                                      : display.quiet || print_result(to_text(results));
    return printed ? status_of(*run) : ExitStatus::BadInput;
}

}  // namespace carom::app
