#pragma once

#include "carom/system/lagrangian/model.hpp"
#include "system/bodies/body_model.hpp"

#include <vector>

namespace carom {

/// Bodies as coordinates, for recordings, pages, results and formulas, which work with coordinates only.
///
///     NAME_x, NAME_y, NAME_z            centre of mass, m
///     NAME_w, NAME_i, NAME_j, NAME_k    orientation, a unit quaternion
///     NAME_x, NAME_y, NAME_angle        in the plane
///
/// Fixed bodies have none. Prescribed ones count with a mass of 1e-30 kg.

/// The coordinates of bodies in their order, for formulas that name them.
[[nodiscard]] std::vector<Coordinate> coordinate_names(const BodySetup& setup);

/// The coordinates and energies of bodies, and their springs as lines to draw; geometry/surface.hpp describes
/// how bodies look. The names of the bodies must be unique and valid in formulas. `probes` and `drawings` are
/// formulas of the coordinates, and are shown as well. `beside`: a system whose coordinates are those of the
/// bodies, then others; its energies are of the others, or come on top.
[[nodiscard]] Expected<Model, Errors> coordinates_of(const BodyModel& bodies, std::vector<Probe> probes = {},
                                                     std::vector<Drawing> drawings = {},
                                                     LagrangianSystem beside = {});

/// The state of these coordinates.
[[nodiscard]] State coordinate_state(const BodyModel& bodies, const BodyState& state);

/// Adds `amount` to the coordinate, or velocity where `rate` is true, that coordinate_names() has at `index`.
/// False where it is part of a quaternion, whose parts do not change alone.
bool shift_coordinate(const BodyModel& bodies, int index, bool rate, double amount, BodyState& state);

}  // namespace carom
