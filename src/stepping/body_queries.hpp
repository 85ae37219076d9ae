#pragma once

#include "carom/stepping/settings.hpp"
#include "rank_watch.hpp"
#include "stepping/finished_body_step.hpp"
#include "system/bodies/body_rows.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace carom::detail {

/// What steps of bodies and runs of them both ask: of contacts, of what is kept from step to step, of the
/// start of a run and of its joints. Nothing here sees the memory of a step.

/// Whether a contact acted and stayed in the last step.
[[nodiscard]] bool was_closed(const State& state, const BodyContact& contact);

/// Whether some contact of two bodies acted or touched in the last step.
[[nodiscard]] bool have_touched(const State& state, int first, int second);

/// Two bodies, an impact of which the last step has begun and the next one ends (BO-9).
[[nodiscard]] bool have_begun_impact(const State& state, int first, int second);

/// A contact or stop that was closed in the step before, or touches where the run begins.
[[nodiscard]] inline bool touched(const KeptContact* before) noexcept
{
    return before != nullptr && (before->status != 0 || (before->closed && !before->acted));
}

/// Features of contacts of fast bodies (BO-20): no other has them.
inline constexpr std::uint64_t fast_feature = 0x53574550545fU;
[[nodiscard]] inline bool is_fast_contact(const BodyContact& contact) noexcept
{
    return contact.at.feature >> 8 == fast_feature;
}

/// Velocity of the first body against the second, in the frame of the contact; W in the axes of the world.
[[nodiscard]] inline std::array<double, 3>
relative_velocity(const BodyContact& contact, std::span<const Vec3> v, std::span<const Vec3> W_world)
{
    const auto a = static_cast<std::size_t>(contact.first), b = static_cast<std::size_t>(contact.second);
    const Vec3 U = v[a] + W_world[a].cross(contact.arm_first) - v[b] - W_world[b].cross(contact.arm_second);
    return {contact.axes[0].dot(U), contact.axes[1].dot(U), contact.axes[2].dot(U)};
}

/// The same of the rotations of a contact that resists rolling; zero for others.
[[nodiscard]] std::array<double, 3> rolling_velocity(const BodyContact& contact,
                                                     std::span<const Vec3> W_world);

/// Contacts that touch where a run begins, so that its first step knows them.
void find_touching(const BodyModel& model, double activation_gap_m, State& state);

/// Bodies that overlap where the scene puts them (BO-22): who, how deep, how many pairs; not certified where
/// that is more than max_overlap.
[[nodiscard]] std::optional<Finding> overlap_at_start(const BodyModel& model, const MoreauSettings& settings,
                                                      const State& start);

/// What theory asks of the joints of a whole run: that the conditions they hold are independent, and stay so
/// (CO-10) to (CO-15).
class JointWatch {
public:
    /// `step_s`: length of the step before, 0 at the start of a run.
    JointWatch(const BodyModel& model, State begin, double step_s);

    /// For the first step of a run.
    void at_start(const State& start, Certifier& certifier) const;

    void after_step(const State& after, const FinishedBodyStep& step, Certifier& certifier);

private:
    void add_unit_row(const BodyRows& rows, int row);

    const BodyModel& model_;
    RankWatch rank_;
    bool moved_ = false;  ///< prescribed bodies are joined
    std::vector<double> entries_;
};

}  // namespace carom::detail
