#pragma once

#include "path_pieces.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

/// Boxes of configurations, velocities and instants in which a gap is known to be open, or a denominator not
/// to vanish: a step inside them need not be looked at (LE-9).
namespace carom::path_parts {

/// Boxes reach as far as so many steps at the present velocity lead.
constexpr double longest_box = 512, shortest_box = 1, box_growth = 8;

/// A box of inputs in which nothing happens.
struct SafeBox {
    std::vector<Range> inputs;  ///< in the order of the variables
    bool valid = false;
    double steps = shortest_box;  ///< how far it reached when it was made
    int pause = 0;                ///< steps until the next one is tried, after one that was not to be had
};

/// Both ends of the pieces of a path: while they stay in a box so does all between them.
struct Corners {
    const double *q_mid, *q_end, *u_start, *u_end;
    double t_end_s;

    [[nodiscard]] bool in(const Range& range, const Variable& variable) const
    {
        const int i = variable.index;
        switch (variable.kind) {
        case Variable::Kind::Coordinate: return range.contains(q_mid[i]) && range.contains(q_end[i]);
        case Variable::Kind::Velocity: return range.contains(u_start[i]) && range.contains(u_end[i]);
        case Variable::Kind::Time: break;
        }
        return range.contains(t_end_s);
    }
    [[nodiscard]] bool in(const SafeBox& box, std::span<const Variable> variables) const
    {
        if (!box.valid) return false;
        for (std::size_t k = 0; k < variables.size(); ++k) {
            if (!in(box.inputs[k], variables[k])) return false;
        }
        return true;
    }
};

/// What all boxes have in common: mostly a step is in there, and nothing else need be asked.
struct CommonBox {
    struct Side {
        int index;
        double low, high;
    };
    std::vector<Variable> variables;  ///< of all boxes, sorted
    std::vector<Range> ranges;
    std::vector<Side> q, u;  ///< the same by kind
    double t_high_s = 0;     ///< time only goes on
    bool valid = false;

    [[nodiscard]] bool holds(const Corners& corners) const
    {
        const auto outside = [](const Side& side, double x) { return !(side.low <= x && x <= side.high); };
        if (!valid || corners.t_end_s > t_high_s) return false;
        for (const Side& side : q) {
            if (outside(side, corners.q_mid[side.index]) || outside(side, corners.q_end[side.index]))
                return false;
        }
        for (const Side& side : u) {
            if (outside(side, corners.u_start[side.index]) || outside(side, corners.u_end[side.index]))
                return false;
        }
        return true;
    }

    void begin()
    {
        valid = true;
        ranges.assign(variables.size(), Range{});
    }
    void meet(const SafeBox& box, std::span<const Variable> names)
    {
        valid = valid && box.valid;
        if (!valid) return;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const auto at = std::ranges::lower_bound(variables, names[k]) - variables.begin();
            Range& range = ranges[static_cast<std::size_t>(at)];
            range = {std::max(range.low, box.inputs[k].low), std::min(range.high, box.inputs[k].high)};
        }
    }
    void finish()
    {
        q.clear();
        u.clear();
        t_high_s = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; valid && k < variables.size(); ++k) {
            const Side side{variables[k].index, ranges[k].low, ranges[k].high};
            switch (variables[k].kind) {
            case Variable::Kind::Coordinate: q.push_back(side); break;
            case Variable::Kind::Velocity: u.push_back(side); break;
            case Variable::Kind::Time: t_high_s = side.high; break;
            }
        }
    }
};

/// The ranges of a box around the end of a step that reaches so many steps far.
void reach(const RangeProgram& program, const State& before, const State& after, double steps,
           Ranges& ranges);

/// Makes a box around the end of the step in which `safe` holds for the ranges of the program: larger than
/// the last one, or smaller, or none for some steps.
template <class Safe>
void make_box(const RangeProgram& program, const State& before, const State& after, Ranges& ranges,
              SafeBox& box, Safe safe)
{
    box.valid = false;
    if (box.pause > 0) {
        --box.pause;
        return;
    }
    const double large = std::min(longest_box, box.steps * box_growth);
    for (const double steps : {large, std::max(shortest_box, large / (box_growth * box_growth))}) {
        reach(program, before, after, steps, ranges);
        if (!safe()) continue;
        box.inputs = ranges.inputs;
        box.valid = true;
        box.steps = steps;
        return;
    }
    box.steps = shortest_box;
    box.pause = 4;
}

}  // namespace carom::path_parts
