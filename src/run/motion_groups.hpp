#pragma once

#include "run_parts.hpp"

#include <functional>
#include <vector>

namespace carom {

/// Coordinates that move independently of each other, in groups.
///
/// Formulas join the coordinates that they name together: a term of the energies, a force and what it acts on,
/// a contact, a constraint. What one group does says nothing about the errors of another.
///
/// Theory     docs/theory/energy_ledger.md, (LE-17), (LE-18), (LE-23)
struct MotionGroups {
    int count = 0;
    std::vector<int> of_coordinate, of_contact;
};

/// Systems with bodies, impact maps or forces of a program are one group.
[[nodiscard]] MotionGroups motion_groups(const Model& model);

/// Visits pairs of bodies that joints and springs keep together; -1: the world.
void visit_ties(const BodyModel& bodies, const std::function<void(int, int)>& visit);

/// Of each body, then of each coordinate beside bodies: the lowest of those that joints, springs and formulas
/// keep together with it. Bodies that forces do not move tie nothing.
[[nodiscard]] std::vector<int> tied_bodies(const Model& model);

/// What errors of a contact are small or large beside: the motion of its group in the run.
struct ContactScale {
    double largest_gap_m = 0;  ///< of any contact of the group
    double small_m = 0;        ///< lengths below this do not count
    int impacts = 0;           ///< of the group
    double fastest_m_s = 0;    ///< of its velocities in the run
    bool moves = true;         ///< it has not come to rest
};

/// Of each contact. `small_m`: what is small in any motion of the scene. How far from the origin a motion takes
/// place says nothing about it, and so no more is small than a thousandth of how far it can have gone.
[[nodiscard]] std::vector<ContactScale> contact_scales(const MotionGroups& groups, const RunSoFar& run,
                                                       double small_m);

}  // namespace carom
