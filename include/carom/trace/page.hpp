#pragma once

#include "carom/trace/recording.hpp"
#include "carom/trace/table.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// One HTML page that shows a recorded run: playback of what its scene draws, plots, events, certificate and
/// ledger of energy. It needs no network and can be sent to other people; names and titles are data in
/// it and never become markup. docs/how-to/pictures.md explains how to read it and how its data are stored.

struct PageSettings {
    /// Of the data, and of the motion of many bodies. Above it frames are thinned, and the page says so.
    /// Both together stay below 150 MB.
    std::size_t max_data_bytes = 45'000'000;
    std::size_t max_motion_bytes = 100'000'000;

    /// Up to this many bytes numbers keep 24 bits; above it 16, which is 1/65534 of the range of each line.
    std::size_t max_fine_bytes = 4'000'000;

    /// Of a run in progress, for pages that a server sends: a name for the present state of the recording,
    /// without a slash. The page sends it back, with what it has, and asks for more. Empty: the page stays as
    /// it is.
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

/// The same in pieces that follow each other, for pages that are too large to be copied. Errors:
/// FileMalformed, of recordings whose tables are still in their files.
[[nodiscard]] Expected<std::vector<std::string>> page_pieces(const PageOfRuns& shown,
                                                             const PageSettings& settings = {});

/// What a page lacks of a recording that has grown since: its data only, to be appended. `has` is what the
/// page has, as it says itself (`follow` of its head: PageSettings::follow, then counts). Nothing where the
/// page has to be sent whole: the recording is another one, or too long now for the frames that the page
/// shows.
[[nodiscard]] std::optional<std::string> to_page_part(const Recording& recording, std::string_view has,
                                                      const PageSettings& settings = {});

/// Runs that the points of a page open: of a study by the number of the run, of branches by the number of the
/// orbit, all branches counted one after the other.
struct PointRuns {
    std::vector<std::string> data;  ///< as run_of_point makes them
    std::string note;               ///< which points have no run; may be empty
};
[[nodiscard]] std::string run_of_point(long point, const Recording& recording);

/// The page of a table of results, of `carom study` for example: any column over any other, the order of
/// convergence, how results are spread, and for every row its run, or the command that runs it.
[[nodiscard]] std::string to_study_page(const PageTable& table, const PointRuns& runs = {});

/// The page of what `carom orbit --json` or `carom branch --json` printed: multipliers, events, bifurcation
/// diagram. Errors: FileMalformed when it is neither.
[[nodiscard]] Expected<std::string> to_orbit_page(const std::string& name, const std::string& text,
                                                  const PointRuns& runs = {});

}  // namespace carom
