#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace carom {

/// A contact whose gap is negative at the end of a step, and the history of its overlap.
///
/// Theory     docs/theory/energy_ledger.md, (LE-8) gaps that stay negative, (LE-9) crossings
struct ObstacleVisit {
    double inside = 0;       ///< 1: the gap was negative at the end of the last step
    double acted = 0;        ///< 1: a percussion acted since the contact entered
    double approach = 0;     ///< part of the speed that was normal when it entered, 0 to 1 (LE-9)
    double allowed_m = 0;    ///< depth that one step at the entry speed explains (LE-8)
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

/// Impacts of a contact in the run, and the position errors because steps detect them late.
///
/// Theory     docs/theory/energy_ledger.md, (LE-17) scatter of instants, (LE-18) delays that add up
struct ImpactDelays {
    double count = 0;
    double jumps2_m2_s2 = 0;  ///< sum of (U_N^+ - U_N^-)^2
    double drags2_m2_s2 = 0;  ///< the same along the surface, where friction acts
    double behind_m = 0;      ///< how far behind the motion is by the impacts since the contact last rested
    double exit_m_s = 0;      ///< U_N^+ of the last impact
    double seen_s = 0;        ///< instant of the last impact, or where it last began to slide
    double slip_m = 0;        ///< by how much the delays moved the place along the surface
    double travel_m = 0;      ///< how far it went along the surface
    double slide_m_s = 0;     ///< of a contact that slides: its velocity when it began to
    double late_s = 0;  ///< how late an impact without restitution was seen, while nothing has forgotten it
};

/// Work of friction over a run.
///
/// Theory     docs/theory/energy_ledger.md, (LE-20) slip that reverses within steps
struct SlipWork {
    double work_J = 0;    ///< sum of its absolute values
    double missed_J = 0;  ///< what steps cannot see of it
};

/// How far the scheme has shifted the phases of a smooth motion.
///
/// Theory     docs/theory/energy_ledger.md, (LE-25) impacts of a motion that is out of phase
struct PhaseError {
    double sum_rad = 0;                   ///< over the run
    std::vector<double> velocity_change;  ///< in the last step; empty if that had an event
};

/// The same of a body.
struct BodyPhase {
    double sum_rad = 0;
    double recent_J = 0;                      ///< its kinetic energy in the last steps (LE-5)
    double follows = 0;                       ///< 1: the last step had no event of it
    std::array<double, 6> velocity_change{};  ///< in that step, of v and W
};

/// What moves a contact by itself, as time goes on: its obstacle, or forces. A motion that is late meets it
/// at another phase.
///
/// Theory     docs/theory/energy_ledger.md, (LE-19) lags beside drives
struct ContactDrive {
    double known = 0;  ///< 1: the next two are; before the first late impact they are not asked for
    double acceleration_m_s2 = 0;  ///< largest part of the normal acceleration that time makes
    double rate_1_s = 0;           ///< how fast that changes: of sin(w t) it is w
    double off = 0;  ///< what lags did to the velocity of an impact, beside the larger of it and the drive's
    double off_s = 0;   ///< when
    double late_s = 0;  ///< the lag
    double rests = 0;   ///< 1: it stays on its obstacle,
    double made_s = 0;  ///< since then
    double motion = 0;  ///< the first contact that shares coordinates with it, or with one that does
};

/// The same of two bodies that have struck each other. Of more pairs than this nothing is followed.
inline constexpr std::size_t max_struck_pairs = 40;
struct PairDelays {
    int first = 0, second = 0;
    ImpactDelays delays = {};
    ContactDrive drive = {};
    std::array<double, 3> normal = {};  ///< of the last impact
};

}  // namespace carom
