#pragma once

#include "carom/run/run.hpp"
#include "expression/program.hpp"
#include "motion_groups.hpp"
#include "run/progress.hpp"
#include "stepping/scratch.hpp"

#include <Eigen/Core>

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
    GroupWatch(const Model& model, const GroupRules& rules, std::string other_remedy);

    /// There is more than one group.
    [[nodiscard]] bool follows() const noexcept { return groups_.count > 1; }

    [[nodiscard]] const MotionGroups& groups() const noexcept { return groups_; }

    /// Of a run that begins, or goes on.
    void begin(const State& state, RunProgress& progress) const;

    /// A step by a time-stepping scheme that is over, as its scratch has left it.
    void after_step(const State& before, const State& after, const StepReport& report, Scratch& scratch,
                    RunProgress& progress);

    /// Kinetic energy of what a contact belongs to, in the last steps (LE-5), or `of_all_J` where all is one
    /// group.
    [[nodiscard]] double kinetic_J(int contact, const RunProgress& progress, double of_all_J) const;

    /// What costs the certificate of a run that ends here; a step that is known to be too long needs no second
    /// word.
    void look_at_end(const RunSoFar& run, double h_s, std::vector<Finding>& findings) const;

private:
    void make_programs();
    [[nodiscard]] std::string name_of(std::size_t group) const;
    [[nodiscard]] std::size_t group_of(int interaction) const;
    [[nodiscard]] std::size_t group_of(const Event& event) const;
    [[nodiscard]] bool holds(int interaction, const State& before, const State& after) const;

    /// T of each group, then V.
    void find_energies(const Point& at, std::vector<double>& energies_J);
    void note_ends(const State& before, const State& after);
    void note_forces(const StepReport& report, const Scratch& scratch);
    void note_prescribed(const State& before, const State& after);
    void note_reactions(const State& before, const State& after, const Scratch& scratch);
    void note_turns(const State& before, const State& after, const Scratch& scratch, RunProgress& progress);

    const Model& model_;
    GroupRules rules_;
    std::string other_remedy_;
    MotionGroups groups_;
    std::vector<int> of_constraint_;  ///< the group of each
    Program energies_, in_time_;      ///< T and V of each group; terms of V that name the time
    bool has_in_time_ = false;

    // of the step, by group
    std::vector<GroupStep> step_;
    std::vector<double> turned_J_, some_J_, more_J_;
    std::vector<char> smooth_;

    // where the last step has ended
    Eigen::VectorXd end_q_, end_u_;
    double end_s_ = 0;
    std::vector<double> end_J_;

    Workspace work_;
    Eigen::VectorXd some_;
};

}  // namespace carom
