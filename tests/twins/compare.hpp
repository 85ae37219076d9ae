#pragma once

#include "carom/carom.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace carom::twins {

/// One mechanical system, written two ways, in coordinates and as bodies: whether both tell the same.

/// A system written one way, at its step and at shorter ones. Each number is known as well as they agree.
struct Way {
    Run coarse;
    std::vector<Run> finer;
    std::vector<std::string> probes;
    double step_s = 0;
    std::string mistake;  ///< the scene cannot be run, and why
};

/// `scheme`: overrides of the scene. `parts`: the shorter steps, as parts of its own.
[[nodiscard]] Way way_of(const std::string& file, const std::vector<Override>& scheme = {},
                         const std::vector<double>& parts = {0.5});

/// What two ways of writing differ in, with what was seen.
struct Differences {
    std::set<std::string> aspects;  ///< of status, motion, ledger, findings, events
    std::vector<std::string> seen;
};

/// `instants`: how many steps the instants of an event may be apart.
[[nodiscard]] Differences differences(const Way& a, const Way& b, double instants = 3);

[[nodiscard]] bool same_motion(const Way& a, const Way& b, std::vector<std::string>& seen);
[[nodiscard]] bool same_ledger(const Way& a, const Way& b, std::vector<std::string>& seen);

/// Shorter steps change neither what happens nor what is said of it: a way that is not settled says nothing
/// about the other one.
[[nodiscard]] bool is_settled(const Way& way, double instants = 3);

}  // namespace carom::twins
