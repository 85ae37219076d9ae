#include "safe_box.hpp"

#include <algorithm>
#include <cmath>

namespace carom::path_parts {

void reach(const RangeProgram& program, const State& before, const State& after, double steps, Ranges& ranges)
{
    const double h = after.t_s - before.t_s;
    ranges.inputs.clear();
    for (const Variable& variable : program.variables()) {
        const int i = variable.index;
        if (variable.kind == Variable::Kind::Time) {
            ranges.inputs.push_back({after.t_s, after.t_s + steps * h});
            continue;
        }
        // velocities may change by what they changed in this step, over and over
        const double change = std::abs(after.u[i] - before.u[i]);
        const double speed = std::max(std::abs(after.u[i]), std::abs(before.u[i]));
        const bool is_q = variable.kind == Variable::Kind::Coordinate;
        const double middle = is_q ? after.q[i] : after.u[i], far = steps * (is_q ? h * speed : change);
        ranges.inputs.push_back({middle - far, middle + far});
    }
    ranges.run(program);
}

}  // namespace carom::path_parts
