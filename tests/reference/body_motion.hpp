#pragma once

#include "reference_case.hpp"

#include "stepping/body_memory.hpp"

#include <memory>
#include <vector>

namespace carom::reference {

/// How bodies of a reference case are stepped.
struct BodyWalkSettings {
    double time_step_s = 1e-3;
    double tolerance = 1e-12;         ///< of the one-step problems
    double activation_length = 1e-9;  ///< the activation gap in lengths of the bodies
    bool correction = true;
    bool accept_unsolved = false;  ///< a step that missed the tolerance is good enough
};

/// Bodies of a reference case, step by step; a step that is not solved is a DriverFailure.
class BodyWalk {
public:
    BodyWalk(BodySetup setup, const BodyWalkSettings& settings);

    void step() { step(settings_.time_step_s); }
    void step(double h_s);

    /// As many steps as the duration has, to the nearest.
    void advance(double duration_s);

    [[nodiscard]] const BodyModel& model() const { return model_; }
    [[nodiscard]] const State& state() const { return state_; }
    [[nodiscard]] State& state() { return state_; }

    /// Of the last step.
    [[nodiscard]] const std::vector<BodyContact>& contacts() const { return scratch_->contacts; }
    [[nodiscard]] const OneStepProblem& problem() const { return scratch_->problem; }
    [[nodiscard]] const StepReport& report() const { return report_; }
    [[nodiscard]] double h_s() const { return settings_.time_step_s; }

    /// The contact of two bodies that presses most; DriverFailure where none does.
    [[nodiscard]] const BodyContact& pressing(int a, int b) const;

    /// Normal force between two bodies in the last step, all their points together.
    [[nodiscard]] double normal_force_N(int a, int b) const;

    [[nodiscard]] double kinetic_J() const { return model_.kinetic_energy_J(state_); }
    [[nodiscard]] double energy_J() const;

    /// Largest velocity, of centres in m/s or of turning in rad/s.
    [[nodiscard]] double fastest() const;

    /// The farthest that a centre has come from its start.
    [[nodiscard]] double drift_m() const;

private:
    BodyModel model_;
    State state_, start_;
    std::unique_ptr<BodyStepMemory> scratch_ = std::make_unique<BodyStepMemory>();
    StepReport report_;
    MoreauSettings settings_;
    SolverSettings solver_;
    bool accept_unsolved_;
};

/// Bodies after a step too short for anything to move, in which contacts that are closed and approach strike.
[[nodiscard]] BodyWalk struck(BodySetup setup);

/// Friction over pressure at a contact: the coefficient that it makes use of.
[[nodiscard]] double friction_used(const BodyContact& contact);

/// Velocity of the first body against the second in the tangent plane, after the step; axes of the world.
[[nodiscard]] Vec3 slip_m_s(const BodyContact& contact);

/// A body that stays where it is: the half-plane y <= 0 of flat bodies, or the half-space z <= 0.
[[nodiscard]] Body flat_floor(int material = 0);
[[nodiscard]] Body solid_floor(int material = 0);

/// A friction that no reference case uses up.
inline constexpr double rough = 100;

/// Inertia of a flat body.
[[nodiscard]] inline Mat3 flat_inertia(double J)
{
    return Vec3(0, 0, J).asDiagonal();
}

}  // namespace carom::reference
