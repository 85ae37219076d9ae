#pragma once

#include "carom/ledger/certificate.hpp"

#include <string>
#include <vector>

namespace carom {

/// Rules for a contact where a run ends, of coordinates and of bodies alike.
///
/// Theory     docs/theory/energy_ledger.md, (LE-12) impacts that the end has not seen, (LE-17) instants of
///            impacts

/// Overlaps below this many activation gaps, a thousandth of the scene's length, are small whatever the
/// contact does: the balls of a cradle that touch hardly leave each other.
inline constexpr double min_overlap = 1e6;

/// A contact that is inside its obstacle, or still closes, where the run ends.
struct ApproachAtEnd {
    std::string name = {};
    double gap_m = 0;
    double U_m_s = 0;              ///< its normal velocity,
    double acceleration_m_s2 = 0;  ///< and what forces and curvature make of it in a second
    bool begun = false;            ///< the last step has taken a part of the impact (BO-9): gap_m is zero
};

/// (LE-12): if it goes on into it, it collided before the end; or its impact has begun, and no step ends it.
/// Finding `unseen_impact`.
void look_for_unseen_impact(const ApproachAtEnd& contact, double h_s, double end_s,
                            std::vector<Finding>& findings);

/// A contact that is closed where the run ends, alone: (LE-21) if its obstacle no longer holds it, it has
/// left before the end. Finding `unseen_loss`. `fastest_m_s`: of the run.
void look_for_unseen_loss(const ApproachAtEnd& contact, double h_s, double end_s, double fastest_m_s,
                          std::vector<Finding>& findings);

/// The impacts of a contact in a run, and what the uncertainty of their instants is small against.
struct ImpactInstants {
    std::string name = {};
    double jumps2_m2_s2 = 0;  ///< sum of (U_N^+ - U_N^-)^2
    double h_s = 0;
    double max_spread_m = 0, small_m = 0;  ///< not certified above the first; the second is always small
    double largest_gap_m = 0;
};

/// (LE-17): impacts are early or late by up to half a step, and what that does to places adds up. Finding
/// `impact_instants`.
void look_at_instants(const ImpactInstants& contact, double end_s, std::vector<Finding>& findings);

}  // namespace carom
