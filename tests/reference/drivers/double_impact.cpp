#include "double_pendulum_system.hpp"
#include "drivers.hpp"

#include "carom/system/lagrangian/geometry.hpp"

namespace carom::reference {

/// B-EX8-MULTI: both constraints of the double pendulum struck at q = (0, 0), by impact_at (Ballard 2002,
/// examples 5 and 8).
void drive_double_impact(const Task& task, Answers& answers)
{
    const Model model = model_of(double_pendulum_system("0"), task);
    answers.give("v+ from [*], e=*", Means::Exact, [&](const Pieces& p) {
        const auto v_minus = numbers_in(p[0]);
        if (v_minus.size() != 2) throw DriverFailure("the velocity in the name has not two entries");
        const Eigen::Vector2d q(0, 0), u_minus(v_minus[0], v_minus[1]);
        return list_of(value_of(impact_at(model, q, u_minus, number_in(p[1]))).u_plus);
    });
}

}  // namespace carom::reference
