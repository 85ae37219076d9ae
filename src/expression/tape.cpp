#include "expression/tape.hpp"

#include <algorithm>

namespace carom {

int operand_count(Op op) noexcept
{
    switch (op) {
    case Op::Constant:
    case Op::Variable: return 0;
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Power:
    case Op::Atan2:
    case Op::Hypot:
    case Op::Min:
    case Op::Max:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::And:
    case Op::Or: return 2;
    case Op::Select: return 3;
    default: return 1;
    }
}

Tape::Tape(std::vector<Instruction> instructions, std::vector<std::shared_ptr<const Table>> tables)
    : instructions_(std::move(instructions)), tables_(std::move(tables))
{
    if (instructions_.empty()) throw InternalError("a tape without instructions");
    for (int i = 0; i < size(); ++i) {
        const Instruction& it = instructions_[static_cast<std::size_t>(i)];
        const std::int32_t operands[] = {it.a, it.b, it.c};
        for (int n = 0; n < operand_count(it.op); ++n)
            if (operands[n] < 0 || operands[n] >= i)
                throw InternalError("a tape reads a register not yet written");
        if (reads_table(it.op) && (it.b < 0 || static_cast<std::size_t>(it.b) >= tables_.size()))
            throw InternalError("a tape reads a table that it does not have");
    }
}

bool Tape::analytic() const noexcept
{
    return std::ranges::all_of(instructions_, [](const Instruction& it) { return is_analytic(it.op); });
}

}  // namespace carom
