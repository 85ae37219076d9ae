#pragma once

namespace carom {

/// A contact whose gap is negative at the end of a step: what is known of its stay inside the obstacle.
///
/// Theory     docs/theory/energy_ledger.md, (LE-8) gaps that stay negative, (LE-9) crossings
struct ObstacleVisit {
    double inside = 0;       ///< 1: the gap was negative at the end of the last step
    double acted = 0;        ///< 1: a percussion acted since the contact entered
    double approach = 0;     ///< part of the speed that was normal when it entered, 0 to 1 (LE-9)
    double allowed_m = 0;    ///< as deep as one step at the speed of the entry leads (LE-8)
    double deepest_m = 0;    ///< largest overlap since
    double entered_s = 0;    ///< when
    double still_steps = 0;  ///< in a row, deeper than allowed, in which nothing acted
};

/// How far a contact was from its obstacle in the run, and how deep inside.
///
/// Theory     docs/theory/energy_ledger.md, (LE-11) overlap beside the motion
struct GapReach {
    double largest_gap_m = 0;
    double deepest_m = 0;  ///< at the end of a step that found it neither persisting nor corrected
    double deepest_s = 0;  ///< when
};

}  // namespace carom
