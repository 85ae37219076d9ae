#pragma once

#include "expression/assembler.hpp"
#include "expression/machine_code.hpp"

#include <memory>
#include <vector>

#if CAROM_HAS_MACHINE_CODE

namespace carom {

/// The instructions of one program with its pool of numbers (EX-11). Operations that are called go to `called`.
[[nodiscard]] std::vector<unsigned char> machine_instructions(const MachineCode::Source& source,
                                                              std::vector<std::unique_ptr<Tape>>& called);

}  // namespace carom

#endif
