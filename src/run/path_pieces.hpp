#pragma once

#include "carom/system/lagrangian/model.hpp"
#include "expression/range_tape.hpp"
#include "expression/term.hpp"

#include <array>
#include <vector>

/// Straight pieces of the path of a step, and formulas on ranges along them.
namespace carom::path_parts {

using detail::Range;
using detail::RangeProgram;

/// A straight piece of the path: q and t linear, u constant.
struct Piece {
    const Eigen::VectorXd* from;
    const Eigen::VectorXd* to;
    const Eigen::VectorXd* u;
    double t_from_s, t_to_s;

    [[nodiscard]] double q(int i, double s) const { return (*from)[i] + s * ((*to)[i] - (*from)[i]); }
    [[nodiscard]] double t_s(double s) const { return t_from_s + s * (t_to_s - t_from_s); }

    /// How a variable moves along the part from s0 to s1.
    [[nodiscard]] Range range(const Variable& variable, double s0, double s1) const
    {
        double a = 0, b = 0;
        switch (variable.kind) {
        case Variable::Kind::Coordinate:
            a = q(variable.index, s0);
            b = q(variable.index, s1);
            break;
        case Variable::Kind::Velocity: a = b = (*u)[variable.index]; break;
        case Variable::Kind::Time:
            a = t_s(s0);
            b = t_s(s1);
            break;
        }
        return a <= b ? Range{a, b} : Range{b, a};
    }
};

/// The pieces of a step: to its middle with the old velocity, from there with the new one; straight through
/// where the scheme moves with one velocity.
struct Path {
    std::array<Piece, 2> piece;
    int pieces;
};

/// Room for the ranges of a program.
struct Ranges {
    std::vector<Range> inputs, registers;

    void run(const RangeProgram& program, const Piece& piece, double s0, double s1)
    {
        inputs.clear();
        for (const Variable& variable : program.variables()) {
            inputs.push_back(piece.range(variable, s0, s1));
        }
        run(program);
    }
    void run(const RangeProgram& program)
    {
        const auto size = static_cast<std::size_t>(program.tape().size());
        if (registers.size() < size) registers.resize(size);
        detail::run_on_ranges(program.tape(), inputs, registers);
    }
    [[nodiscard]] const Range& operator[](int i) const { return registers[static_cast<std::size_t>(i)]; }
};

}  // namespace carom::path_parts
