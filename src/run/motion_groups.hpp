#pragma once

#include "run_parts.hpp"

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

/// For each contact, the largest gap of any contact of its group in the run.
[[nodiscard]] std::vector<double> largest_gaps_m(const MotionGroups& groups, const RunProgress& progress);

}  // namespace carom
