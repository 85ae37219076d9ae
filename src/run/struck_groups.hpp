#pragma once

#include "carom/run/run.hpp"
#include "run/progress.hpp"
#include "system/bodies/body_model.hpp"

#include <vector>

namespace carom::detail {

/// Bodies that have met in a run, directly or through others, and what delays of their impacts can have done.
///
/// Bodies of different groups have moved independently of each other: delays of impacts in one say nothing
/// of the other. Joints and springs keep bodies together from the start.
///
/// Theory     docs/theory/energy_ledger.md, (LE-23)
struct StruckGroup {
    std::vector<int> bodies;  ///< that forces can move
    /// Sum of the squares of the changes of velocity that a delay leaves: along the surface what friction
    /// does, along the normal all of (U_N^+ - U_N^-). A contact that stays closed and is corrected is where
    /// it would be without the delay (MS-5).
    double jumps2_m2_s2 = 0;
    int impacts = 0;     ///< the points of two bodies in one step are one
    double moved_m = 0;  ///< the farthest that one of the bodies has moved from its start
};

/// All groups with an impact of bodies, of a run that has kept its events. `corrects`: the scheme does.
[[nodiscard]] std::vector<StruckGroup> struck_groups(const BodyModel& model, const RunSoFar& run,
                                                     bool corrects);

/// Of each body, the farthest that one of its group has moved: a length of its own motion, which bodies that
/// it has not met do not change.
[[nodiscard]] std::vector<double> moved_by_groups(const BodyModel& model, const RunSoFar& run);

}  // namespace carom::detail
