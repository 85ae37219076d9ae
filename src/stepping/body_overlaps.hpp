#pragma once

#include "stepping/body_memory.hpp"

#include <optional>

namespace carom::detail {

/// Overlaps at the end of a step, for the correction (BO-10): which pairs may touch there, and the points where
/// they do.
///
/// Theory     docs/theory/bodies.md, (BO-10), (BO-34)

/// The pairs that the step had in view.
void take_pairs_of_contacts(BodyStepMemory& s);

/// All pairs that can touch where the bodies have been moved to, and once more have been moved by what
/// `unforeseen` allows: those that wait until they have closed are left to the next step unless this one saw
/// them.
void find_pairs_again(const BodyModel& model, double reach_m, BodyStepMemory& s);

/// Contact points at the end of the step of the pairs to look at, and the deepest overlap of all. Points
/// whose gaps are off by at most `allowed_m` are those of the step, carried.
void overlaps_at_end(const BodyModel& model, double reach_m, double allowed_m, BodyStepMemory& s);

/// The deepest overlap at the end of a step in which nothing that touches moves: the gaps that were found,
/// and how far the points have moved along the normals; empty: something moves, and shapes must be looked at.
[[nodiscard]] std::optional<double> overlap_at_rest(const BodyModel& model, BodyStepMemory& s);

/// All bodies that touch others are placed where they are at the end of the step.
void place_at_end(const BodyModel& model, BodyStepMemory& s);

/// Overlap of pairs that act when they have closed, and closed in the second half of the step: the next one
/// strikes them. It is told and not corrected.
void look_at_overlap_to_come(const BodyModel& model, BodyStepMemory& s);

}  // namespace carom::detail
