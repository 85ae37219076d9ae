#pragma once

#include "carom/ledger/event.hpp"
#include "carom/onestep/problem.hpp"
#include "ledger/group_step.hpp"
#include "stepping/body_contact.hpp"
#include "stepping/groups_of_bodies.hpp"
#include "stepping/step_report.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carom {
struct BodyStepMemory;  // stepping/body_memory.hpp
}  // namespace carom

namespace carom::detail {

/// A contact that acted in the step, or that the next step will find closed.
struct ApproachedContact {
    int k;  ///< among the contacts of the step
    double gap_m, U_minus_m_s, restitution, P_Ns;
    bool persists;
    bool closing;               ///< the next step ends its impact (BO-9)
    const KeptContact* before;  ///< what the step before kept of it; null: nothing
};

/// A finished step of bodies, as a run asks about it when it judges and shows what the step has done. How the
/// step did it stays in its memory; references are valid until the next step.
class FinishedBodyStep {
public:
    FinishedBodyStep(const BodyModel& model, BodyStepMemory& memory) : model_(model), memory_(memory) {}

    /// That the step detected, active or not, sorted by bodies.
    [[nodiscard]] std::span<const BodyContact> contacts() const noexcept;

    /// Contacts and stops that acted, or are known from the step before.
    [[nodiscard]] std::span<const ContactStep> contact_steps() const noexcept;
    [[nodiscard]] std::span<Event> events() const noexcept;

    /// Contacts that acted or may have been struck.
    [[nodiscard]] std::vector<ApproachedContact> approached() const;

    /// Some contact met an impact that the next step ends (BO-9).
    [[nodiscard]] bool leaves_impacts_open() const noexcept;

    /// What was kept of the contacts of the step before; and the approach at which this step found such a
    /// one, 0 where its bodies are not near each other any more.
    [[nodiscard]] std::span<const KeptContact> kept_before() const noexcept;
    [[nodiscard]] double approach_of_kept_m_s(std::size_t kept) const noexcept;

    /// Coordinates, contacts or constraints of formulas are part of the step; their laws, contacts first.
    [[nodiscard]] bool has_formulas() const noexcept;
    [[nodiscard]] std::span<const Law> laws_of_formulas() const noexcept;

    /// Places where contacts are taken, with the velocities before the step; the latter about the axes of the
    /// world as well.
    [[nodiscard]] const State& contact_places() const noexcept;
    [[nodiscard]] std::span<const Vec3> w_before() const noexcept;

    /// Open gap of a contact half-way through the step, and at its end.
    [[nodiscard]] double gap_half_way_m(const BodyContact& contact) const noexcept;
    [[nodiscard]] double gap_at_end_m(const BodyContact& contact, double h_s) const noexcept;

    /// On a body that moves: weight, springs, dampers and loads, half-way.
    [[nodiscard]] std::optional<Wrench> force_on(int body) const;

    /// The same of all bodies: weight and springs; dampers and given forces; N s and N m s of gears, formulas
    /// and joints in an impact map. And the change of their angular momenta, for diagrams.
    [[nodiscard]] std::span<const Wrench> potential() const noexcept;
    [[nodiscard]] std::span<const Wrench> given() const noexcept;
    [[nodiscard]] std::span<const Wrench> constrained() const noexcept;
    [[nodiscard]] std::span<const Vec3> spin_Nms() const noexcept;

    /// One per joint.
    [[nodiscard]] std::span<const JointReaction> joint_reactions() const noexcept;

    /// Energies of each group with the bodies there.
    void add_energies(const State& at, const GroupsOfBodies& groups, Energies GroupStep::* of,
                      std::span<GroupStep> steps);

    /// Works of forces and reactions in the step, group by group (LE-28).
    void add_works(double h_s, const State& before, const State& after, const GroupsOfBodies& groups,
                   std::span<GroupStep> steps);
    [[nodiscard]] int group_of_interaction(int interaction, const GroupsOfBodies& groups) const;

    /// Its percussions are not zero.
    [[nodiscard]] static bool acted(const BodyContact& contact) noexcept;

    /// The lowest body of those that contacts that act tie to this interaction.
    [[nodiscard]] int island_of(int interaction);

    /// The problem as the step left it: contacts, then joints and formulas. Of W the diagonal at least.
    [[nodiscard]] const OneStepProblem& problem() const noexcept;
    [[nodiscard]] std::span<const double> P() const noexcept;
    [[nodiscard]] std::span<const double> joint_U_plus() const noexcept;  ///< of what follows the contacts

    /// The same with all of W: as factors where the step had those, otherwise all blocks; and in blocks.
    [[nodiscard]] const OneStepProblem& whole_problem();
    [[nodiscard]] const OneStepProblem& assembled_problem();
    [[nodiscard]] std::string name_of(int interaction) const;

    /// A contact where its bodies are after a time with the velocities of `at`, from its places on: the same
    /// parts of the shapes, or what is nearest.
    [[nodiscard]] std::optional<BodyContact> carried_on(const BodyContact& contact, const State& at,
                                                        double time_s);

    /// The nearest points of two bodies, if they are nearer than `reach_m`.
    [[nodiscard]] std::optional<BodyContact> nearest_points(int a, int b, double reach_m, const State& at);

private:
    friend class JointWatch;

    const BodyModel& model_;
    BodyStepMemory& memory_;
};

}  // namespace carom::detail
