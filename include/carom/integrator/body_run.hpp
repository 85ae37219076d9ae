#pragma once

#include "carom/integrator/body_step.hpp"
#include "carom/integrator/run.hpp"

#include <span>
#include <string>

namespace carom {

/// Runs of bodies. Recordings, pages and results know coordinates: bodies are shown to them as those.
///
///     NAME_x, NAME_y, NAME_z            centre of mass, m
///     NAME_w, NAME_i, NAME_j, NAME_k    turn, a unit quaternion;  in the plane NAME_x, NAME_y, NAME_angle
///
/// Bodies that are fixed have none. Prescribed ones count with a mass of 1e-30 kg.

/// The coordinates of bodies in their order, for formulas that name them.
[[nodiscard]] std::vector<Coordinate> coordinate_names(const BodySetup& setup);

/// The coordinates and energies of bodies, and their springs as lines to draw; how bodies look is told by
/// geometry/surface.hpp. The names of the bodies must be such that formulas can use them, and differ.
/// `probes` and `drawings` are formulas of the coordinates, and are shown as well. `beside`: a system whose
/// coordinates are those of the bodies, then others; its energies are of the others, or come on top.
[[nodiscard]] Expected<Model, Errors> coordinates_of(const BodyModel& bodies, std::vector<Probe> probes = {},
                                                     std::vector<Drawing> drawings = {},
                                                     LagrangianSystem beside = {});

/// The state of these coordinates.
[[nodiscard]] State coordinate_state(const BodyModel& bodies, const BodyState& state);

/// Adds `amount` to the coordinate, or velocity where `rate` is true, that coordinate_names() has at `index`.
/// False where it is part of a quaternion, whose parts do not change alone.
bool shift_coordinate(const BodyModel& bodies, int index, bool rate, double amount, BodyState& state);

/// Of whom the events of bodies speak beside contacts of pairs: contacts of formulas and stops of joints;
/// then constraints of formulas, motors and friction of joints.
[[nodiscard]] EventPlaces event_places(const BodyModel& bodies, const Model& coordinates);

/// What a step of bodies adds to a StepView.
struct BodyStep {
    const BodyModel& model;
    const BodyState& state;                         ///< after the step
    std::span<const BodyContact> contacts;          ///< that the step knew, acting or not
    std::span<const JointReaction> reactions = {};  ///< one per joint
    std::span<const Wrench> potential = {};         ///< weight and springs, per body
    std::span<const Wrench> given = {};             ///< dampers and given forces, per body
};

/// A force that a recording shows among its probes, its mean since the frame before: that of all contacts of
/// a body or of those with one other body, or what a joint does to its first body.
struct ContactForceProbe {
    std::string name;
    int on = 0;
    int from = -1;            ///< -1: all others
    int joint = -1;           ///< instead of contacts
    bool moment = false;      ///< of the joint, N m about its point, instead of the force
    Vec3 direction{0, 0, 0};  ///< unit vector of the component shown; zero: the magnitude
};

/// What the contacts or the joint of the probe did in a step, N s or N m s, axes of the world.
[[nodiscard]] Vec3 percussion_Ns(const ContactForceProbe& probe, const BodyStep& step);

/// The component or magnitude of a force that the probe asks for.
[[nodiscard]] double shown_by(const ContactForceProbe& probe, const Vec3& force_N);

/// Goes on with a run of bodies to its end. `run` holds its progress and, as coordinates, its state; in the
/// plane angles count turns. Listeners see steps as those of `coordinates`, their contacts in
/// StepView::bodies. An `until` formula is of the coordinates. A run taken up between any two steps, from a
/// checkpoint for example, ends as if it had never been interrupted, bit for bit.
[[nodiscard]] RunReport go_on(const BodyModel& bodies, const Model& coordinates,
                              const MoreauSettings& settings, const SolverSettings& solver,
                              const RunPlan& plan, BodyState& state, RunSoFar& run,
                              const StepListener& listener = {});

}  // namespace carom
