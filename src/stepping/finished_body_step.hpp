#pragma once

#include "carom/ledger/event.hpp"
#include "carom/onestep/problem.hpp"
#include "stepping/body_contact.hpp"
#include "stepping/step_report.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carom {
struct BodyStepMemory;  // stepping/body_memory.hpp
}  // namespace carom

namespace carom::detail {

/// A contact or stop of the step, with what it met and how far it was open half-way.
struct Met {
    int k;
    double gap, U_minus, restitution, P;
    bool persists, closing;
    const KeptContact* before;
};

/// A finished step of bodies, as a run asks about it when it judges what the step has done. How the step did
/// it stays in its memory; references are valid until the next step.
class FinishedBodyStep {
public:
    FinishedBodyStep(const BodyModel& model, BodyStepMemory& memory) : model_(model), memory_(memory) {}

    /// That the step detected, active or not, sorted by bodies.
    [[nodiscard]] std::span<const BodyContact> contacts() const noexcept;

    /// Contacts and stops that acted, or are known from the step before.
    [[nodiscard]] std::span<const ContactStep> told() const noexcept;
    [[nodiscard]] std::span<const Event> events() const noexcept;

    /// Everything that acted or may have been struck.
    [[nodiscard]] std::vector<Met> met() const;

    /// Some contact met an impact that the next step ends (BO-9).
    [[nodiscard]] bool leaves_impacts_open() const noexcept;

    /// What was kept of the contacts of the step before; and the approach at which this step found such a
    /// one, 0 where its bodies are not near each other any more.
    [[nodiscard]] std::span<const KeptContact> kept_before() const noexcept;
    [[nodiscard]] double approach_of_kept_m_s(std::size_t kept) const noexcept;

    /// Coordinates, contacts or constraints of formulas are part of the step.
    [[nodiscard]] bool has_formulas() const noexcept;

    /// Places where contacts are taken, with the velocities before the step; the latter about the axes of the
    /// world as well.
    [[nodiscard]] const State& half_way() const noexcept;
    [[nodiscard]] std::span<const Vec3> w_before() const noexcept;

    /// Open gap of a contact half-way through the step, and at its end.
    [[nodiscard]] double gap_half_way_m(const BodyContact& contact) const noexcept;
    [[nodiscard]] double gap_at_end_m(const BodyContact& contact, double h_s) const noexcept;

    /// On a body that moves: weight, springs, dampers and loads, half-way.
    [[nodiscard]] std::optional<Wrench> force_on(int body) const;

    /// The least body of those that contacts that act tie to this interaction.
    [[nodiscard]] int island_of(int interaction);

    /// With all its blocks.
    [[nodiscard]] const OneStepProblem& problem();
    [[nodiscard]] std::string name_of(int interaction) const;

    /// A contact where its bodies are after a time with the velocities of `at`, from its places on: the same
    /// parts of the shapes, or what is nearest.
    [[nodiscard]] std::optional<BodyContact> carried_on(const BodyContact& contact, const State& at,
                                                        double time_s);

    /// The nearest points of two bodies, if they are nearer than `reach_m`.
    [[nodiscard]] std::optional<BodyContact> nearest_points(int a, int b, double reach_m, const State& at);

private:
    const BodyModel& model_;
    BodyStepMemory& memory_;
};

}  // namespace carom::detail
