#pragma once

#include "branch_walk.hpp"

namespace carom::detail {

/// Events of the period without the parts of landings, and without what contacts do that hold where it begins:
/// slip of rounding, and its end.
[[nodiscard]] std::vector<const SensitiveEvent*> deciding_events(const Orbit& orbit);

/// An event as a part of a sequence: impacts with friction stick, or slide one way or the other, and an impact
/// may move several contacts at one instant.
struct Mark {
    EventKind kind{};
    int contact = 0;
    int slides = 0;
    bool joint = false;

    Mark(const SensitiveEvent& one, const std::vector<const SensitiveEvent*>& all);
    bool operator==(const Mark&) const = default;
};

/// These in their order.
[[nodiscard]] std::vector<Mark> sequence(const Orbit& orbit);

/// The same events in the same order, wherever in it the period begins.
[[nodiscard]] bool same_cycle(const BranchNode& a, const BranchNode& b);

/// Which way contacts slide in the impacts that close them, in their order; 0: they stick.
[[nodiscard]] std::vector<int> slides_of_landings(const BranchNode& node);

}  // namespace carom::detail
