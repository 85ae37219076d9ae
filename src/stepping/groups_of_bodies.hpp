#pragma once

#include <vector>

namespace carom::detail {

/// The group of each body and of each coordinate beside them; -1: forces do not move it.
///
/// Theory     docs/theory/energy_ledger.md, (LE-28)
struct GroupsOfBodies {
    std::vector<int> of_body, of_coordinate;
};

}  // namespace carom::detail
