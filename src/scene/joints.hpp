#pragma once

#include "bodies.hpp"
#include "body_values.hpp"

namespace carom::detail {

/// Adds the joint that a table describes; bodies, and joints that a gear couples, are there already. `frame`:
/// where the coordinates of the table begin, that of a group.
void read_joint(const Node& item, const Names& names, const Pose& frame, Mistakes& mistakes,
                BodyDraft& draft);

/// The place of the joint that a node names; 0 after a mistake.
[[nodiscard]] int joint_named(const BodyDraft& draft, const Node& node, Mistakes& mistakes);

/// What a material or a pair of them says beside friction and restitution.
[[nodiscard]] SurfaceDetail surface_detail(const BodyValues& values);

}  // namespace carom::detail
