#include "body_path.hpp"
#include "jump_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// How far a body with points up to `radius_m` from its centre goes from one pose to another.
double distance_m(const Pose& from, const Pose& to, double radius_m)
{
    const double turn = 2 * (from.rotation.conjugate() * to.rotation).vec().norm();
    return (to.position_m - from.position_m).norm() + (std::isfinite(radius_m) ? turn * radius_m : turn);
}

}  // namespace

/// Prescribed bodies that jump onto others. A jump has no velocity: what it meets is thrown by as much as the
/// step is short.
void look_at_jumps(const Path& path, double small_m, const BodyStepMemory& s, StepReport& report)
{
    for (int i = 0; i < path.model.bodies(); ++i) {
        if (path.model.inverse_mass[static_cast<std::size_t>(i)] != 0) continue;
        const Body& body = path.model.setup().bodies[static_cast<std::size_t>(i)];
        if (body.motion != BodyMotion::Prescribed || !(path.travel_m(i) > small_m)) continue;
        const bool strikes = std::ranges::any_of(s.contacts, [&](const BodyContact& contact) {
            return (contact.first == i || contact.second == i) && contact.percussion_Ns() != Vec3::Zero();
        });
        if (!strikes) continue;
        const double radius_m = path.model.colliders[static_cast<std::size_t>(i)].radius_m;
        const auto far_m = [&](const Pose& from, const Pose& to) { return distance_m(from, to, radius_m); };
        const auto jump = jump_of(body.path, far_m, path.start.t_s, report.h_s);
        if (!jump) continue;
        report.findings.push_back(
            {.code = "path_jumps",
             .time_s = jump->time_s,
             .message = fmt::format("the path of {} jumps by {:.3g} m and strikes what it meets, with a "
                                    "velocity that grows as the step shrinks: the steps do not converge to a "
                                    "motion. Let it move there in a finite time",
                                    body.name, jump->by_m),
             .uncertifies = true});
    }
}

}  // namespace carom::detail
