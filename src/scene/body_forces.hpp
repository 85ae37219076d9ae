#pragma once

#include "bodies.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace carom::detail {

/// Forces of formulas on bodies: loads, springs whose numbers change, motors. Formulas may name time and the
/// coordinates of the bodies.

/// A force and torque by formulas, on one body.
struct Load {
    int body = 0;
    std::optional<Vec3> point_m;  ///< frame of the shape; nothing: the centre of mass
    bool in_body_axes = false;
    std::array<Formula, 3> force_N, torque_Nm;
};

/// A spring whose numbers are formulas: an actuator, whose work is that of a given force.
struct DrivenSpring {
    BodySpring between;
    Formula stiffness_N_m, damping_Ns_m, rest_length_m;
};

[[nodiscard]] std::vector<Load> read_loads(const Node& root, const BodyDraft& draft, const Names& names,
                                           Mistakes& mistakes);

[[nodiscard]] std::vector<DrivenSpring> read_driven_springs(const Node& root, const BodyDraft& draft,
                                                            Mistakes& mistakes);

/// What loads and springs do, as the callback that a step calls. `plain` are the bodies without them.
[[nodiscard]] std::function<void(const State&, std::span<Wrench>)>
forces_of(std::vector<Load> loads, std::vector<DrivenSpring> springs, std::shared_ptr<const BodyModel> plain);

/// Rates and limits of motors: of time alone, or of the state.
void read_motors(const Node& root, BodyDraft& draft, Mistakes& mistakes);

}  // namespace carom::detail
