#pragma once

#include "carom/door/run.hpp"
#include "carom/system/bodies/body.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace carom {

/// A scene that is stepped by hand: control, learning, coupling with other programs.
///
///     auto simulation = Simulation::of(scene);
///     while (simulation->step() == 1) simulation->set_force(control(simulation->state()));
///
/// Steps are those of run(scene), bit for bit, as long as the caller applies nothing. What the caller applies
/// acts from the next step on until it is changed, is constant during a step, and is part of the given forces
/// in the ledger.
class Simulation {
public:
    /// A copy of the scene at its start. Errors: those of the start of a run.
    [[nodiscard]] static Expected<Simulation, Errors> of(const Scene& scene);

    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;
    ~Simulation();

    /// Takes up to `count` steps and returns how many were taken: fewer where the run ended, none after its
    /// end.
    long step(long count = 1);

    [[nodiscard]] const Scene& scene() const noexcept;
    [[nodiscard]] const State& state() const noexcept;  ///< bodies as coordinates
    [[nodiscard]] long steps() const noexcept;          ///< taken since the start, or since set_state

    /// Why it ended; absent while it continues.
    [[nodiscard]] std::optional<RunEnd> end() const noexcept;

    /// Of the last step; none before the first.
    [[nodiscard]] std::span<const StepContact> contacts() const;
    [[nodiscard]] EnergyLines energy() const;

    /// What a run that ended here would say: status, certificate, findings, events.
    [[nodiscard]] RunReport report() const;

    /// Other coordinates and velocities from here on, at the same time. Contacts are detected anew; steps,
    /// events and certificate restart. Errors: WrongSize; NotFinite; GapViolated; of bodies also quaternions
    /// that are zero.
    [[nodiscard]] Expected<void, Errors> set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& u);

    /// Given forces of a system in coordinates, one per coordinate, in addition to those of the scene.
    /// Errors: WrongSize; NotFinite; NotAllowedHere for bodies, sweeping processes and power series.
    [[nodiscard]] Expected<void> set_force(std::span<const double> force);

    /// Force at the centre of mass of a body and torque about it, world axes. Errors: UnknownName;
    /// NotFinite; NotAllowedHere where there are no bodies.
    [[nodiscard]] Expected<void> set_wrench(std::string_view body, const Wrench& wrench);

    /// The rate of the motor of a joint, rad/s or m/s, in place of that of the scene. Errors: UnknownName for
    /// a joint that has no motor; NotFinite.
    [[nodiscard]] Expected<void> set_motor(std::string_view joint, double rate);

    /// The complete state of a simulation between two steps.
    class Snapshot;
    [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;

    /// Returns to a snapshot of this simulation, or of another one of the same scene; it continues from there
    /// bit for bit. Errors: WrongSize for a snapshot of another scene.
    [[nodiscard]] Expected<void> restore(const Snapshot& snapshot);

private:
    struct Impl;
    explicit Simulation(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace carom
