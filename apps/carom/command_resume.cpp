#include "commands.hpp"

#include "carom/core/threads.hpp"
#include "carry_out.hpp"
#include "core/text.hpp"
#include "input.hpp"
#include "interrupt.hpp"
#include "output_files.hpp"
#include "ranks.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace carom::app {

ExitStatus resume_run(const ResumeOptions& options)
{
    const Display display{
        .json = options.json, .quiet = options.quiet, .svg = options.svg && is_first_rank()};
    Errors errors;
    carom::ResumeOptions wanted{.overrides = read_sets(options.sets, errors), .columns = false};
    const auto threads = checked_threads(options.threads.value_or(cores_for_threads()), "--threads");
    if (!threads) errors.push_back(threads.error());

    const RunOfRanks together;
    // the listeners are known when the run begins
    RunListener listener;
    wanted.listener = [&](const StepRecord& step) { return !listener || listener(step); };
    wanted.stop = &interrupt_flag();
    auto resumed = errors.empty() ? Resumption::open(options.recording, std::move(wanted))
                                  : Expected<Resumption, Errors>(errors);
    if (!resumed) {
        errors = resumed.error();
    } else if (display.svg) {
        if (auto usable = check_picture(options.recording); !usable) errors.push_back(usable.error());
    }
    // all ranks have read the recording before the first one goes on with it
    if (auto met = meet_ranks(errors, resumed ? &resumed->scene() : nullptr); !met)
        return refuse(met.error(), display.json);
    if (!resumed->note().empty())
        fmt::print(stderr, "{}: {}\n", printable(options.recording), resumed->note());
    return carry_out(
        resumed->scene(),
        [&](const RunListener& shown, const std::atomic<bool>&) {
            const Threads scope(*threads);
            listener = shown;
            return resumed->run();
        },
        display);
}

}  // namespace carom::app
