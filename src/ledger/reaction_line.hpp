#pragma once

#include "carom/law/law.hpp"
#include "carom/ledger/certificate.hpp"

namespace carom {

/// The line of the ledger in which the work of a reaction stands (LE-2): of a contact that of its first,
/// normal component is an impact's, that of the others friction.
[[nodiscard]] double EnergyLines::* line_of(const Law& law, bool normal) noexcept;

}  // namespace carom
