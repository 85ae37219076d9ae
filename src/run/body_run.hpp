#pragma once

#include "run/step_view.hpp"
#include "stepping/body_contact.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <span>
#include <string>

namespace carom {

/// Runs of systems with bodies. Recordings, pages and results see their coordinates
/// (system/bodies/body_coordinates.hpp).

/// What a step of bodies adds to a StepView.
struct BodyStep {
    const BodyModel& model;
    const BodyState& state;                         ///< after the step
    std::span<const BodyContact> contacts;          ///< that the step detected, active or not
    std::span<const JointReaction> reactions = {};  ///< one per joint
    std::span<const Wrench> potential = {};         ///< weight and springs, per body
    std::span<const Wrench> given = {};             ///< dampers and given forces, per body
    std::span<const Wrench> constrained = {};       ///< see BodyScratch; empty: none
    std::span<const Vec3> half_way_m = {};          ///< centres of mass where contacts are taken
    std::span<const Vec3> spin_Nms = {};            ///< BodyScratch; for max_bodies_with_diagrams at most

    // the problem of the step: contacts, then joints and formulas; of the latter the velocities after it
    const OneStepProblem* problem = nullptr;
    std::span<const double> P = {}, other_U = {};
};

/// A force that a recording shows among its probes, its mean since the previous frame: that of all contacts
/// of a body or of those with one other body, or what a joint does to its first body.
struct ContactForceProbe {
    std::string name;
    int on = 0;
    int from = -1;            ///< -1: all others
    int joint = -1;           ///< a joint instead of contacts
    bool moment = false;      ///< of the joint, N m about its point, instead of the force
    Vec3 direction{0, 0, 0};  ///< unit vector of the component shown; zero: the magnitude
};

/// What the contacts or the joint of the probe did in a step, N s or N m s, world axes.
[[nodiscard]] Vec3 percussion_Ns(const ContactForceProbe& probe, const BodyStep& step);

/// The component or magnitude of a force that the probe asks for.
[[nodiscard]] double shown_by(const ContactForceProbe& probe, const Vec3& force_N);

/// Continues a run of bodies to its end. `run` holds its progress and, as coordinates, its state; in the
/// plane angles count turns. Listeners see contacts of bodies in StepView::bodies. A run resumed between any
/// two steps, from a checkpoint for example, ends bit for bit as if it had never been interrupted.
[[nodiscard]] RunReport resume_run(const Model& model, const MoreauSettings& settings,
                                   const SolverSettings& solver, const RunPlan& plan, BodyState& state,
                                   RunSoFar& run, const StepListener& listener = {});

}  // namespace carom
