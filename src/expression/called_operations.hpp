#pragma once

#include "expression/tape.hpp"

namespace carom {

/// What machine code calls; on numbers each does what DualRegisters do.

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);

/// Of one register and nothing else; null for other operations.
[[nodiscard]] Function1 function_of_one(Op op);

/// Of two registers, or of one and a number: then the number is the second. Null for other operations.
[[nodiscard]] Function2 function_of_two(Op op);

/// Any operation, as the tape of it alone does it.
[[nodiscard]] double called_operation(const Tape* one, double x, double y, double z);

/// A tape that has three inputs and this operation of a tape.
[[nodiscard]] Tape tape_of_one(const Tape& tape, const Instruction& which);

/// Machine code has no instructions of its own for it.
[[nodiscard]] bool is_called(Op op);

}  // namespace carom
