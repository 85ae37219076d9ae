#pragma once

#include "mechanical_system.hpp"
#include "stepping/body_memory.hpp"

namespace carom::detail {

/// Bodies with shapes within a step, formulas beside them: what its schemes have in common. They say how
/// forces are taken, and how places follow velocities.
class BodySystem : public MechanicalSystem {
public:
    BodySystem(const BodyModel& model, const MoreauSettings& settings, const SolverSettings& solver,
               State& state, BodyStepMemory& scratch);

    [[nodiscard]] bool predict() override;
    void detect() override;
    [[nodiscard]] bool strike(StepReport& report) override;
    void solve(const SolverSettings& solver, StepReport& report) override;
    [[nodiscard]] double created_J() override;
    [[nodiscard]] double free_kinetic_J() override;
    [[nodiscard]] std::vector<std::string> names_of(const OtherMotion& other) const override;
    [[nodiscard]] std::span<const OtherMotion> other_motions() const override;
    [[nodiscard]] bool advance() override;
    [[nodiscard]] Energies energies_at_start() override;
    [[nodiscard]] Energies energies_at_end() override;
    void account(const Energies& start, const Energies& end, StepReport& report) override;
    [[nodiscard]] bool correct(StepReport& report) override;
    void watch(StepReport& report) override;
    void commit(const StepReport& report) override;

protected:
    /// Poses and solves the problem for the free velocities as they are; s.next has the velocities that come
    /// out. False: turning without inertia has not settled (BO-19).
    [[nodiscard]] virtual bool solve_step(const SolverSettings& solver, SolveReport& report);

    /// Weight of the end velocity in the places at the end.
    [[nodiscard]] virtual double theta() const { return 0.5; }

    /// s.next.x, s.next.R and s.next.q by the velocities of both ends.
    virtual void move_bodies() = 0;

    const BodyModel& model_;
    const MoreauSettings& settings_;
    const SolverSettings& solver_;
    State& state_;
    BodyStepMemory& s_;

private:
    void tell_unsettled(StepReport& report) const;
};

}  // namespace carom::detail
