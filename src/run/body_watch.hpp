#pragma once

#include "account.hpp"
#include "body_groups.hpp"
#include "carom/run/run.hpp"
#include "end_rules.hpp"
#include "run/progress.hpp"
#include "stepping/finished_body_step.hpp"
#include "system/bodies/body_model.hpp"

#include <map>
#include <optional>
#include <tuple>

namespace carom::detail {

/// Impacts of a contact (LE-17).
struct ImpactTimes {
    double jumps2_m2_s2 = 0;  ///< sum of (U_N^+ - U_N^-)^2
    int count = 0;

    void add(double jump_m_s) noexcept
    {
        jumps2_m2_s2 += jump_m_s * jump_m_s;
        ++count;
    }
};

/// Of the impacts of a step that are faster than `slowest_m_s`, how long before the middle the first one
/// closed its gap; nothing where there is none.
[[nodiscard]] std::optional<double> first_closed_before_middle_s(const FinishedBodyStep& bodies,
                                                                 double slowest_m_s);

/// What theory asks of a run of bodies beside its steps; the rules are those of coordinates.
///
/// - Loads, motors and prescribed bodies are slow enough for the step (LE-14).
/// - Slip of the start that turns round within the first step (FR-8).
/// - Contacts that close in one step, whose order matters (IM-11).
/// - Where the run ends: impacts and losses that no step has seen (LE-12), (LE-21), and what the instants of
///   impacts leave uncertain (LE-17), beside the farthest that a body has moved from its start.
///
/// Each costs a comparison or two in steps in which nothing happens.
class BodyWatch {
public:
    BodyWatch(const BodyModel& model, const BodyGroups& groups, const MoreauSettings& settings,
              const RunPlan& plan);

    /// Of a run that begins, or goes on: `run` has its events so far.
    void begin(const State& state, RunSoFar& run);

    void after_step(const TakenStep& step, const State& before, const State& after, FinishedBodyStep& bodies,
                    RunProgress& progress);

    /// Findings of a run that ends here; `stopped` by a listener, where the last instant means nothing.
    [[nodiscard]] std::vector<Finding> at_end(const State& end, const RunSoFar& run, bool stopped,
                                              FinishedBodyStep& bodies);

    /// Impacts are followed pair by pair: there were not too many places of them.
    [[nodiscard]] bool times_impacts() const noexcept { return times_impacts_; }

private:
    using Place = std::tuple<int, int, std::uint64_t>;  ///< of an event: bodies and feature

    void note_impacts(std::span<const Event> events);
    void note_motion(const State& after, RunProgress& progress) const;
    void look_for_unseen(const State& end, const RunProgress& progress, FinishedBodyStep& bodies,
                         std::vector<Finding>& findings) const;
    void look_for_losses(const State& end, const RunProgress& progress, FinishedBodyStep& bodies,
                         std::vector<Finding>& findings) const;
    [[nodiscard]] std::string name_of(const Place& place) const;

    const BodyModel& model_;
    const BodyGroups& groups_;
    const MoreauSettings& settings_;
    const RunPlan& plan_;
    std::vector<Vec3> start_;               ///< places where the scene begins
    std::map<Place, ImpactTimes> impacts_;  ///< up to max_contacts_in_order
    bool times_impacts_ = true;             ///< so far there were no more
};

}  // namespace carom::detail
