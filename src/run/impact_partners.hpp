#pragma once

#include "carom/ledger/event.hpp"

#include <optional>
#include <span>

namespace carom {

/// Impacts of two runs of one motion.
///
/// Theory     docs/theory/energy_ledger.md, (LE-25)

/// What counts, and how far instants may differ.
struct ImpactMatch {
    double end_s = 0;       ///< of both runs
    double shortest_s = 0;  ///< instants always may differ by this,
    double off_m = 0;       ///< and by the time in which the jump of the velocity moves so far
    double energy_J = 0;    ///< P (U^+ - U^-) / 2 of an impact that counts
};

/// The first impact of `mine` without one of the same contact in `others` near it. Impacts next to the end
/// are left out: the other may have it after the end.
[[nodiscard]] std::optional<Event>
impact_without_partner(std::span<const Event> mine, std::span<const Event> others, const ImpactMatch& match);

}  // namespace carom
