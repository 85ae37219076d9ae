#pragma once

#include "carom/system/lagrangian/model.hpp"

#include <vector>

namespace carom {

/// Contacts that are written more than once, with the same gap, friction and restitution: per contact the
/// first one that is equal to it, which is the contact itself where none is before it. Takes time in
/// proportion to the number of contacts.
[[nodiscard]] std::vector<int> first_equal_contacts(const Model& model);

/// One of each kind: the contacts that are the first of those equal to them.
[[nodiscard]] std::vector<int> different_contacts(const Model& model);

}  // namespace carom
