#pragma once

#include "carom/run/run.hpp"
#include "run/progress.hpp"
#include "stepping/finished_body_step.hpp"
#include "stepping/groups_of_bodies.hpp"

#include <array>
#include <string>
#include <vector>

namespace carom::detail {

/// More bodies that forces move are one group.
inline constexpr int max_bodies_in_groups = 1000;

/// Groups of bodies, and of coordinates beside them, that move by themselves, each with energies of its own.
///
/// Joints, springs and formulas keep their bodies together. Contacts do while they act: two bodies that meet
/// are one group from then on, and are told apart again when nothing has acted between them for as long as the
/// window of the energies (LE-5). Obstacles tie nothing.
///
/// Theory     docs/theory/energy_ledger.md, (LE-28)
class BodyGroups {
public:
    BodyGroups(const Model& model, const GroupRules& rules);

    /// There can be more than one.
    [[nodiscard]] bool follows() const noexcept { return follows_; }

    /// Of a run that begins, or goes on.
    void begin(const State& state, RunProgress& progress);

    void after_step(const State& before, const State& after, const StepReport& report, FinishedBodyStep& step,
                    RunProgress& progress);

    /// Kinetic energy of the group of a body in the last steps (LE-5); `of_all_J` where all is one group.
    [[nodiscard]] double kinetic_J(int body, const RunProgress& progress, double of_all_J) const;

    /// The fastest velocity of the group of a body in the run, m/s or rad/s; of all where that is one group.
    [[nodiscard]] double fastest_m_s(int body, const RunProgress& progress) const;

    /// What costs the certificate of a run that ends here; a step that is known to be too long needs no second
    /// word.
    void look_at_end(const RunSoFar& run, double h_s, std::vector<Finding>& findings) const;

private:
    [[nodiscard]] std::size_t nodes() const noexcept { return tied_.size(); }
    [[nodiscard]] bool moves(int node) const;
    [[nodiscard]] std::string name_of(std::size_t group) const;
    void number_groups(const RunProgress& progress);
    void part(double time_s, RunProgress& progress);
    void tell(std::size_t group, double time_s, const RunProgress& progress,
              std::vector<Finding>& findings) const;
    void meet(const FinishedBodyStep& step, RunProgress& progress);
    void meet(int first, int second, RunProgress& progress);
    void find_lines(const State& before, const State& after, const StepReport& report,
                    FinishedBodyStep& step);
    void note_speeds(const State& after, RunProgress& progress);
    void note_turns(const State& before, const State& after, FinishedBodyStep& step, RunProgress& progress);

    const Model& model_;
    const BodyModel& bodies_;
    GroupRules rules_;
    bool follows_ = false;
    std::vector<int> tied_;  ///< bodies, then coordinates beside them: the lowest that is always with it
    GroupsOfBodies groups_;  ///< as they are now
    std::vector<int> root_;  ///< the lowest member of each

    // of the step, by group
    std::vector<GroupStep> step_;
    std::vector<Energies> end_;
    double end_s_ = 0, h_s_ = 0;
    bool end_is_known_ = false;
    std::vector<double> fastest_;
    std::vector<char> smooth_;
    State turned_;
};

}  // namespace carom::detail
