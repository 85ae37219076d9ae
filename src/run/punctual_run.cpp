#include "punctual_run.hpp"

#include "impact_partners.hpp"
#include "one_step.hpp"
#include "punctual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

namespace carom {
namespace {

/// A system in coordinates, tried step by step.
class CoordinateRetakes final : public Retakes {
public:
    CoordinateRetakes(const CoordinateOrder& order, const RunSoFar& run, Smooth smooth)
        : smooth_(smooth),
          order_(order),
          run_(run),
          settings_(order.settings),
          scratch_(order.model),
          at_(order.start),
          tried_(order.start),
          energies_(static_cast<std::size_t>(order.groups.count))
    {
    }

    bool take(double h_s) override
    {
        const bool halved = smooth_ == Smooth::Extrapolated && take_halves(h_s);
        tried_ = at_;
        if (!take_from(tried_, h_s)) return false;
        tried_s_ = h_s;
        if (halved && scratch_.events.empty()) {
            tried_.q += 4.0 / 3 * (halves_.q - tried_.q);
            tried_.u += 4.0 / 3 * (halves_.u - tried_.u);
            const double kinetic_J = scratch_.A.squared_norm(view(tried_.u)) / 2;
            if (kinetic_J > max_energy_of_copy * run_.progress.certifier.sums().watch.run_scale_J)
                return false;
        }
        return true;
    }

    std::optional<double> struck_s() override
    {
        std::optional<double> first_s;
        for (const Event& event : scratch_.events) {
            if (event.kind != EventKind::Impact || !(event.velocity_before_m_s < 0)) continue;
            const double jump_m_s = event.velocity_after_m_s - event.velocity_before_m_s;
            if (!(jump_m_s * order_.scheme.h_s > small_m(event.contact))) continue;
            const double gap_m = order_.model.gap_m(event.contact, point_of(at_), scratch_.work);
            const double s = -gap_m / event.velocity_before_m_s;
            first_s = std::min(first_s.value_or(s), s);
        }
        return first_s;
    }

    void keep() override
    {
        if (smooth_ == Smooth::Extrapolated)
            happened_.insert(happened_.end(), scratch_.events.begin(), scratch_.events.end());
        last_ = at_;
        std::swap(at_, tried_);
        const auto strikes = [](const Event& event) { return event.kind == EventKind::Impact; };
        last_s_ = std::ranges::any_of(scratch_.events, strikes) ? 0 : tried_s_;
        note_motion(tried_s_);
    }

    double undo_s() override
    {
        if (last_s_ > 0) at_ = last_;
        return std::exchange(last_s_, 0.0);
    }

    [[nodiscard]] const State& at() const override { return at_; }
    [[nodiscard]] Departure from_run() const override;
    [[nodiscard]] std::span<const Event> happened() const { return happened_; }

private:
    bool take_from(State& state, double h_s)
    {
        const double end_s = state.t_s + h_s;
        settings_ = with_time_step(settings_, h_s);
        const StepReport report = step(order_.model, settings_, order_.solver, state, scratch_);
        state.t_s = end_s;
        return !end_of_failed(report.status);
    }

    [[nodiscard]] double small_m(int contact) const
    {
        return slow_impact * order_.scales[static_cast<std::size_t>(contact)].small_m;
    }

    void note_motion(double h_s)
    {
        const std::vector<double>& kinetic_J = kinetic_energies_J(at_.u);
        for (std::size_t g = 0; g < energies_.size(); ++g)
            energies_[g].note(kinetic_J[g], h_s / order_.scheme.h_s);
    }

    /// Of the groups, with these velocities, in the metric of the last step.
    [[nodiscard]] const std::vector<double>& kinetic_energies_J(const Eigen::VectorXd& u) const
    {
        momentum_.resize(u.size());
        scratch_.A.multiply(view(u), view(momentum_));
        kinetic_J_.assign(energies_.size(), 0.0);
        for (Eigen::Index i = 0; i < u.size(); ++i)
            kinetic_J_[static_cast<std::size_t>(order_.groups.of_coordinate[static_cast<std::size_t>(i)])] +=
                u[i] * momentum_[i] / 2;
        return kinetic_J_;
    }

    /// Two steps of half the length, from where the motion is. False: something happens in them.
    bool take_halves(double h_s)
    {
        halves_ = at_;
        for (int k = 0; k < 2; ++k)
            if (!take_from(halves_, h_s / 2) || !scratch_.events.empty()) return false;
        return true;
    }

    Smooth smooth_;
    const CoordinateOrder& order_;
    const RunSoFar& run_;
    IntegratorSettings settings_;
    Scratch scratch_;
    State at_, tried_, last_, halves_;
    std::vector<Event> happened_;
    std::vector<GroupEnergy> energies_;  ///< of the groups
    mutable Eigen::VectorXd momentum_;
    mutable std::vector<double> kinetic_J_;
    double tried_s_ = 0, last_s_ = 0;
};

/// Forces that a caller gives from step to step cannot be given once more.
bool has_copy(const CoordinateOrder& order)
{
    return order.start.q.size() > 0 && !order.model.system().force_function;
}

Departure CoordinateRetakes::from_run() const
{
    const std::vector<double>& between_J = kinetic_energies_J(at_.u - run_.state.u);
    Workspace work;
    Departure far;
    for (std::size_t g = 0; g < energies_.size(); ++g) {
        const double part = energies_[g].part_of(between_J[g]);
        if (part > far.velocity) far.velocity = part;
    }
    for (int c = 0; c < order_.model.contacts(); ++c) {
        const auto k = static_cast<std::size_t>(c);
        const double off_m = std::abs(order_.model.gap_m(c, point_of(at_), work) -
                                      order_.model.gap_m(c, point_of(run_.state), work)),
                     part = off_m / order_.scales[k].largest_gap_m;
        if (!(off_m > small_m(c) && part > far.place)) continue;
        far.place = part;
        far.where = "the gap of " + order_.model.system().contacts[k].name;
    }
    return far;
}

/// Whether impacts of some group that moves are late beside its own motion; where `until` may look at all of
/// them, also those of all groups together.
bool is_late(const CoordinateOrder& order, const RunSoFar& run)
{
    const auto late = [&](double jumps2_m2_s2, const ContactScale& scale) {
        return carom::is_late(jumps2_m2_s2, order.scheme.h_s, scale.largest_gap_m,
                              followed * order.scheme.max_overlap, scale.small_m);
    };
    std::vector<double> jumps2_m2_s2(static_cast<std::size_t>(order.groups.count), 0.0);
    double all_m2_s2 = 0;
    ContactScale all;
    for (std::size_t c = 0; c < run.progress.delays.size(); ++c) {
        const double of_contact_m2_s2 = run.progress.delays[c].jumps2_m2_s2;
        jumps2_m2_s2[static_cast<std::size_t>(order.groups.of_contact[c])] += of_contact_m2_s2;
        all_m2_s2 += of_contact_m2_s2;
        all.largest_gap_m = std::max(all.largest_gap_m, order.scales[c].largest_gap_m);
        all.small_m = std::max(all.small_m, order.scales[c].small_m);
    }
    if (order.plan.until.formula && late(all_m2_s2, all)) return true;
    for (std::size_t c = 0; c < run.progress.delays.size(); ++c)
        if (order.scales[c].moves &&
            late(jumps2_m2_s2[static_cast<std::size_t>(order.groups.of_contact[c])], order.scales[c]))
            return true;
    return false;
}

/// Those of the contacts of a group.
std::vector<Event> events_of(int group, const CoordinateOrder& order, std::span<const Event> events)
{
    std::vector<Event> result;
    std::ranges::copy_if(events, std::back_inserter(result), [&](const Event& event) {
        return order.model.is_contact(event.contact) &&
               order.groups.of_contact[static_cast<std::size_t>(event.contact)] == group;
    });
    return result;
}

/// Which impacts of a group count, and how far apart they may be in two runs (LE-25).
ImpactMatch match_of(int group, const CoordinateOrder& order, const RunSoFar& run)
{
    const double exchanged_J = order.run_scales_J.empty()
                                   ? run.progress.certifier.sums().watch.run_scale_J
                                   : order.run_scales_J[static_cast<std::size_t>(group)];
    double largest_gap_m = 0;
    for (std::size_t c = 0; c < order.scales.size(); ++c)
        if (order.groups.of_contact[c] == group) largest_gap_m = order.scales[c].largest_gap_m;
    return {.end_s = run.state.t_s,
            .shortest_s = known_steps * order.scheme.h_s,
            .off_m = order.scheme.max_overlap * largest_gap_m,
            .energy_J = small_impact(order.scheme.max_overlap) * exchanged_J};
}

}  // namespace

void look_at_punctual_run(const CoordinateOrder& order, const RunSoFar& run, std::vector<Finding>& findings)
{
    const SchemeOfRun& scheme = order.scheme;
    if (!has_copy(order) || !is_late(order, run)) return;
    CoordinateRetakes copy(order, run, Smooth::AsInRun);
    look_at_punctual_copy(copy,
                          {.grid = StepGrid(order.start.t_s, scheme.h_s, order.plan.duration_s),
                           .until = order.plan.until,
                           .end_s = run.state.t_s,
                           .by_until = run.progress.end == RunEnd::Formula,
                           .max_overlap = scheme.max_overlap},
                          findings);
}

void look_at_phases(const CoordinateOrder& order, const RunSoFar& run, std::vector<Finding>& findings)
{
    const SchemeOfRun& scheme = order.scheme;
    const RunInPhase phase{order.phase_rad, scheme.h_s, scheme.max_overlap};
    if (!has_copy(order) || !order.plan.keep_events || !phase.is_followed()) return;
    CoordinateRetakes copy(order, run, Smooth::Extrapolated);
    const StepGrid grid(order.start.t_s, scheme.h_s, order.plan.duration_s);
    for (double left_s; (left_s = run.state.t_s - copy.at().t_s) > 1e-9 * grid.h_s;)
        if (!take_punctually(copy, std::min(grid.h_s, left_s))) return;
    const auto name = [&](const Event& impact) {
        return order.model.system().contacts[static_cast<std::size_t>(impact.contact)].name;
    };
    for (int g = 0; g < order.groups.count; ++g) {
        const ImpactMatch match = match_of(g, order, run);
        const auto mine = events_of(g, order, run.events), others = events_of(g, order, copy.happened());
        if (const auto missed = impact_without_partner(others, mine, match))
            findings.push_back(other_impact(name(*missed), *missed, false, phase));
        else if (const auto extra = impact_without_partner(mine, others, match))
            findings.push_back(other_impact(name(*extra), *extra, true, phase));
    }
}

}  // namespace carom
