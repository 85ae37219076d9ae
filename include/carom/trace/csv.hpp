#pragma once

#include "carom/trace/recording.hpp"

#include <string>

namespace carom {

/// The frames of a recording as comma-separated values: one line of names, then one line per frame. Columns:
/// time_s, every coordinate, its velocity as name', gap_m.CONTACT, percussion_Ns.CONTACT, where there is
/// friction percussion_t1_Ns.CONTACT and percussion_t2_Ns.CONTACT, residual, the lines
/// of the ledger and the probes, as far as recorded. Numbers round-trip bit for bit; non-finite ones are left
/// empty. Names with commas, quotes or line breaks are quoted.
[[nodiscard]] std::string to_csv(const Recording& recording);

}  // namespace carom
