#include "finished_body_step.hpp"

#include "body_formulas.hpp"
#include "body_parts.hpp"
#include "statuses.hpp"

#include <algorithm>

namespace carom::detail {

std::span<const BodyContact> FinishedBodyStep::contacts() const noexcept
{
    return memory_.contacts;
}

std::span<const ContactStep> FinishedBodyStep::contact_steps() const noexcept
{
    return memory_.statuses.steps;
}

std::span<Event> FinishedBodyStep::events() const noexcept
{
    return memory_.events;
}

std::vector<ApproachedContact> FinishedBodyStep::approached() const
{
    std::vector<ApproachedContact> list;
    const StatusScratch& w = memory_.statuses;
    const auto contacts = static_cast<int>(memory_.contacts.size());
    for (const ContactStep& step : w.steps) {
        if (step.contact >= contacts) continue;
        const auto c = static_cast<std::size_t>(step.contact);
        const int before = w.kept_of[c];
        list.push_back({.k = step.contact,
                        .gap_m = gap_half_way_m(memory_.contacts[c]),
                        .U_minus_m_s = memory_.contacts[c].U_minus[0],
                        .restitution = step.restitution,
                        .P_Ns = acts(step) ? step.P[0] : 0,
                        .persists = step.persists,
                        .closing = false,
                        .before = before >= 0 ? &w.kept[static_cast<std::size_t>(before)] : nullptr});
    }
    for (const int k : w.closing) {
        if (k >= contacts) continue;
        const BodyContact& contact = memory_.contacts[static_cast<std::size_t>(k)];
        list.push_back({.k = k,
                        .gap_m = gap_half_way_m(contact),
                        .U_minus_m_s = contact.U_minus[0],
                        .restitution = 0,
                        .P_Ns = contact.P[0],
                        .persists = false,
                        .closing = true,
                        .before = nullptr});
    }
    return list;
}

bool FinishedBodyStep::leaves_impacts_open() const noexcept
{
    return !memory_.statuses.closing.empty();
}

std::span<const KeptContact> FinishedBodyStep::kept_before() const noexcept
{
    return memory_.statuses.kept;
}

double FinishedBodyStep::approach_of_kept_m_s(std::size_t kept) const noexcept
{
    // among the contacts of its bodies: these are sorted by bodies
    const StatusScratch& w = memory_.statuses;
    const std::array pair{w.kept[kept].first, w.kept[kept].second};
    const auto contacts = std::ranges::equal_range(
        memory_.contacts, pair, {}, [](const BodyContact& one) { return std::array{one.first, one.second}; });
    double met_m_s = 0;
    for (const BodyContact& contact : contacts) {
        const auto c = static_cast<std::size_t>(&contact - memory_.contacts.data());
        if (w.kept_of[c] == static_cast<int>(kept)) met_m_s = contact.U_minus[0];
    }
    return met_m_s;
}

bool FinishedBodyStep::has_formulas() const noexcept
{
    return memory_.formulas != nullptr;
}

std::span<const Law> FinishedBodyStep::laws_of_formulas() const noexcept
{
    return memory_.formulas ? memory_.formulas->laws() : std::span<const Law>{};
}

const State& FinishedBodyStep::contact_places() const noexcept
{
    return memory_.mid;
}

std::span<const Vec3> FinishedBodyStep::w_before() const noexcept
{
    return memory_.w_before;
}

double FinishedBodyStep::gap_half_way_m(const BodyContact& contact) const noexcept
{
    return detail::gap_half_way_m(memory_, contact.at.gap_m, contact.U_minus[0]);
}

double FinishedBodyStep::gap_at_end_m(const BodyContact& contact, double h_s) const noexcept
{
    const double theta = memory_.theta;
    return gap_half_way_m(contact) + h_s * ((0.5 - theta) * contact.U_minus[0] + theta * contact.U_plus[0]);
}

std::optional<Wrench> FinishedBodyStep::force_on(int body) const
{
    const auto i = static_cast<std::size_t>(body);
    if (i >= memory_.potential.size() || i >= memory_.given.size()) return std::nullopt;
    const Wrench &potential = memory_.potential[i], &given = memory_.given[i];
    return Wrench{potential.force_N + given.force_N, potential.torque_Nm + given.torque_Nm};
}

std::span<const Wrench> FinishedBodyStep::potential() const noexcept
{
    return memory_.potential;
}

std::span<const Wrench> FinishedBodyStep::given() const noexcept
{
    return memory_.given;
}

std::span<const Wrench> FinishedBodyStep::constrained() const noexcept
{
    return memory_.constrained;
}

std::span<const Vec3> FinishedBodyStep::spin_Nms() const noexcept
{
    return memory_.spin_Nms;
}

std::span<const JointReaction> FinishedBodyStep::joint_reactions() const noexcept
{
    return memory_.reactions;
}

int FinishedBodyStep::island_of(int interaction)
{
    return detail::island_of(model_, interaction, memory_);
}

const OneStepProblem& FinishedBodyStep::problem() const noexcept
{
    return memory_.problem;
}

std::span<const double> FinishedBodyStep::P() const noexcept
{
    return memory_.P;
}

std::span<const double> FinishedBodyStep::joint_U_plus() const noexcept
{
    return memory_.joint_U_plus;
}

const OneStepProblem& FinishedBodyStep::whole_problem()
{
    if (memory_.problem.is_assembled()) return assembled_problem();
    complete_factors(memory_);
    return memory_.problem;
}

const OneStepProblem& FinishedBodyStep::assembled_problem()
{
    assemble_whole(model_, memory_);
    return memory_.problem;
}

std::string FinishedBodyStep::name_of(int interaction) const
{
    return name_of_interaction(model_, memory_, interaction);
}

std::optional<BodyContact> FinishedBodyStep::carried_on(const BodyContact& contact, const State& at,
                                                        double time_s)
{
    return detail::carried_on(model_, contact, at, time_s, memory_);
}

std::optional<BodyContact> FinishedBodyStep::nearest_points(int a, int b, double reach_m, const State& at)
{
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const double apart_m =
        (at.x[i] - at.x[j]).norm() - model_.colliders[i].radius_m - model_.colliders[j].radius_m;
    if (apart_m > reach_m) return std::nullopt;
    place(model_.colliders[i], {.position_m = at.x[i], .rotation = at.R[i]}, memory_.on_path[0]);
    place(model_.colliders[j], {.position_m = at.x[j], .rotation = at.R[j]}, memory_.on_path[1]);
    memory_.points.clear();
    find_contact_points(memory_.on_path[0], memory_.on_path[1], reach_m, memory_.points);
    const auto nearest = std::ranges::min_element(memory_.points, {}, &ContactPoint::gap_m);
    if (nearest == memory_.points.end()) return std::nullopt;
    BodyContact contact;
    contact.first = a;
    contact.second = b;
    contact.at = *nearest;
    set_frame(at.x, contact);
    return contact;
}

}  // namespace carom::detail
