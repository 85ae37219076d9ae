#pragma once

#include "carom/trace/recording.hpp"
#include "carom/trace/table.hpp"

#include <cstddef>
#include <string>

namespace carom {

/// One HTML page that shows a recorded run: playback of what its scene draws, plots, events, certificate and
/// ledger of energy. It asks no network for anything and can be sent to anybody; names and titles are data in
/// it and never become markup. docs/how-to/pictures.md tells how to read it and how its data are kept.

struct PageSettings {
    /// Of the data, and of the motion of many bodies. Above it frames are thinned, and the page says so.
    /// Both together stay below 150 MB.
    std::size_t max_data_bytes = 45'000'000;
    std::size_t max_motion_bytes = 100'000'000;

    /// Up to this many bytes numbers keep 24 bits; above it 16, which is 1/65534 of the range of each line.
    std::size_t max_fine_bytes = 4'000'000;

    /// Of a run that goes on, for pages that a server sends: when the server's /version says something else,
    /// the page loads again. Empty: the page stays as it is.
    std::string follow = {};
};

[[nodiscard]] std::string to_page(const Recording& recording, const PageSettings& settings = {});

/// Several runs on one page, compared with the first of them, and measured data. A table has a column
/// `time_s`, and columns named like quantities of the run.
struct PageRun {
    std::string name;
    const Recording* recording = nullptr;
};
struct PageTable {
    std::string name;
    const ResultTable* table = nullptr;
};
struct PageOfRuns {
    std::vector<PageRun> runs;  ///< at least one
    std::vector<PageTable> tables;
};
[[nodiscard]] std::string to_page(const PageOfRuns& shown, const PageSettings& settings = {});

/// The page of a table of results, of `carom study` for example: any column over any other, the order of
/// convergence, how results are spread, and for every row the command that runs it.
[[nodiscard]] std::string to_study_page(const PageTable& table);

/// The page of what `carom orbit --json` or `carom branch --json` printed: multipliers, events, bifurcation
/// diagram. Errors: FileMalformed when it is neither.
[[nodiscard]] Expected<std::string> to_orbit_page(const std::string& name, const std::string& text);

}  // namespace carom
