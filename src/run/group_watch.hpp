#pragma once

#include "carom/run/run.hpp"
#include "motion_groups.hpp"
#include "run/progress.hpp"
#include "stepping/scratch.hpp"
#include "unresolved_motion.hpp"

#include <Eigen/Core>

#include <span>
#include <string>
#include <vector>

namespace carom {

/// Groups of coordinates that move by themselves, each with energies of its own.
///
/// What a scheme does to the energy of one group is small or large beside what takes part there: a heavy mass
/// that flies by elsewhere must not hide an oscillator that the step does not resolve. The identity of the
/// ledger holds of each group, so that what no reaction and no force explains is the scheme's, or the
/// correction's.
///
/// Theory     docs/theory/energy_ledger.md, (LE-27)
class GroupWatch {
public:
    GroupWatch(const Model& model, double energy_tolerance, std::string other_remedy);

    /// There is more than one group.
    [[nodiscard]] bool follows() const noexcept { return groups_.count > 1; }

    /// A step by a time-stepping scheme that is over, as its scratch has left it. `keeps_energy`: the scheme
    /// conserves the energy of oscillations that it does not resolve (LE-24).
    void after_step(const State& before, const State& after, const StepReport& report, bool keeps_energy,
                    Scratch& scratch);

    /// Kinetic energy of what a contact belongs to, in the last steps (LE-5), or `of_all_J` where all is one
    /// group.
    [[nodiscard]] double kinetic_J(int contact, double of_all_J) const;

    /// Whether each group has come to rest; none where all is one group.
    [[nodiscard]] std::span<const RestWatch> rests() const noexcept { return rests_; }

    /// Energies that take part in each group (LE-5).
    [[nodiscard]] std::vector<double> run_scales_J() const;

    /// How far the phase of the group that has lost most of it is off (LE-25).
    [[nodiscard]] double phase_rad() const;

    /// What costs the certificate of a run that ends here; a step that is known to be too long needs no second
    /// word.
    void look_at_end(const RunSoFar& run, double h_s, std::vector<Finding>& findings) const;

private:
    /// What goes from step to step.
    struct Group {
        std::vector<int> members;    ///< coordinates
        Formula potential, in_time;  ///< its terms of V, and those that name the time
        double scale_J = 0;          ///< the largest |T| + |V| so far
        EnergyWatch energy = {};
        bool too_long = false;  ///< (LE-7) was broken
        SlipWork slip = {};
        double phase_rad = 0;
        UnresolvedMotion unresolved = {};
        Eigen::VectorXd u_before = {}, u_after = {};  ///< of the step
    };
    /// What a step did.
    struct Step {
        EnergyLines lines = {};
        StepAccuracy accuracy = {};
        Energies start = {}, end = {};
    };

    [[nodiscard]] std::string name_of(const Group& group) const;
    [[nodiscard]] Finding too_long(const Group& group) const;

    void note_energies(const Point& at, const Scratch& scratch, Energies Step::* of);
    void note_start(const State& before, const Scratch& scratch);
    void note_forces(const StepReport& report, const Scratch& scratch);
    void note_prescribed(const State& before, const State& after);
    void note_reactions(const State& before, const State& after, const Scratch& scratch);
    void judge(double time_s);
    void note_phases(const State& before, const State& after, const Scratch& scratch);
    void look_for_oscillations(const State& after, double h_s, const Scratch& scratch);

    /// Kinetic energy of each group with these velocities.
    void kinetic_by_group(const MassMatrix& A, std::span<const double> u);
    [[nodiscard]] std::size_t group_of(int interaction) const;
    [[nodiscard]] bool holds(int interaction, const State& before, const State& after) const;

    const Model& model_;
    double tolerance_;
    std::string other_remedy_;
    MotionGroups groups_;
    std::vector<Group> parts_;
    std::vector<RestWatch> rests_;
    PhaseError phase_;
    long steps_ = 0;
    Certifier oscillations_{Energies{}};  ///< its findings are those of (LE-24)

    // of the step, by group
    std::vector<Step> step_;
    std::vector<double> kinetic_J_;

    // where the last step has ended
    Eigen::VectorXd end_q_, end_u_;
    double end_s_ = 0;

    Workspace work_;
    MassMatrix A_;
    Eigen::VectorXd momentum_, terms_, some_;
};

}  // namespace carom
