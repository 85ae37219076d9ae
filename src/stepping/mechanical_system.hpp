#pragma once

#include "solver/solver_scratch.hpp"
#include "stepping/step_report.hpp"

#include <span>
#include <string>
#include <vector>

namespace carom {

/// A mechanical system within one step, as take_step() sees it: coordinates with formulas, and bodies with
/// shapes. Every call is over the whole system.
///
/// Symbols    q_M  places half-way;  u-, u+  velocities before and after percussions;  u_free  u+ without any
/// Theory     docs/theory/moreau_scheme.md, (MS-1) to (MS-5); moreau_jean.md, (MJ-1), (MJ-2); bodies.md,
///            (BO-8)
class MechanicalSystem {
public:
    MechanicalSystem() = default;
    virtual ~MechanicalSystem() = default;
    MechanicalSystem(const MechanicalSystem&) = delete;
    MechanicalSystem& operator=(const MechanicalSystem&) = delete;

    // in the order of the step

    /// q_M by the old velocity. False: the metric is singular there.
    [[nodiscard]] virtual bool predict() = 0;

    /// Contacts that this step can close, and constraints that act.
    virtual void detect() = 0;

    /// An impact map changes u- where open contacts close. False: it gave no velocity.
    [[nodiscard]] virtual bool strike(StepReport& report) = 0;

    /// Laws and u_free, with forces as the scheme takes them first; report.status says what was wrong.
    virtual void drift(StepReport& report) = 0;

    /// Poses the problem for u_free and solves it; u+ is known afterwards. Writes report.solve and
    /// report.status, which stays as it is where the problem was solved well.
    virtual void solve(const SolverSettings& solver, StepReport& report) = 0;

    /// u_free again, with forces at what percussions have left of the velocities. False: they are as good as
    /// the scheme asks for.
    [[nodiscard]] virtual bool drift_again(StepReport& report) = 0;

    /// Energy that percussions of contacts without restitution made, from u_free on; J. Not positive where
    /// the laws hold.
    [[nodiscard]] virtual double created_J() = 0;
    [[nodiscard]] virtual double free_kinetic_J() = 0;  ///< T(u_free)

    /// Names for the finding that these interactions of the problem may move otherwise as well.
    [[nodiscard]] virtual std::vector<std::string> names_of(const OtherMotion& other) const = 0;
    [[nodiscard]] virtual std::span<const OtherMotion> other_motions() const = 0;

    /// Places at the end. False: they are no numbers.
    [[nodiscard]] virtual bool advance() = 0;

    [[nodiscard]] virtual Energies energies_at_start() = 0;
    [[nodiscard]] virtual Energies energies_at_end() = 0;  ///< of places and velocities as they are now

    /// The lines of the step before its correction (LE-2), and what it may have missed.
    virtual void account(const Energies& start, const Energies& end, StepReport& report) = 0;

    /// Moves apart what overlaps and stays (MS-5), (BO-10); holds constraints (CO-4). False: nothing was
    /// moved.
    [[nodiscard]] virtual bool correct(StepReport& report) = 0;

    /// What theory says about the step; statuses and events.
    virtual void watch(StepReport& report) = 0;

    /// The state becomes that of the end of the step.
    virtual void commit(const StepReport& report) = 0;
};

/// One step of any system: the order of its stages, and what becomes of a step that fails. `report` has the
/// length of the step; a step that fails leaves the state as it was.
void take_step(MechanicalSystem& system, double start_s, const SolverSettings& solver, StepReport& report);

}  // namespace carom
