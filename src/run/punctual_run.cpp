#include "punctual_run.hpp"

#include "impact_partners.hpp"
#include "one_step.hpp"
#include "punctual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace carom {
namespace {

/// Phases off by less than this part of max_overlap are followed no further.
constexpr double followed_phase = 0.5;

/// Impacts that turn over less than this part of the energies of the run change little.
constexpr double small_impact = 0.01;

/// An impact of the run is where its step is, up to so many steps.
constexpr double known_steps = 4;

/// How smooth steps are taken.
enum class Smooth {
    AsInRun,
    Extrapolated,  ///< from one step and two halves: their errors of second order cancel
};

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
          small_m_(slow_impact * min_overlap * order.scheme.activation_gap_m)
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
        }
        return true;
    }

    std::optional<double> struck_s() override
    {
        std::optional<double> first_s;
        for (const Event& event : scratch_.events) {
            if (event.kind != EventKind::Impact || !(event.velocity_before_m_s < 0)) continue;
            const double jump_m_s = event.velocity_after_m_s - event.velocity_before_m_s;
            if (!(jump_m_s * order_.scheme.h_s > small_m_)) continue;
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
    double small_m_, tried_s_ = 0, last_s_ = 0;
};

/// Forces that a caller gives from step to step cannot be given once more.
bool has_copy(const CoordinateOrder& order)
{
    return order.start.q.size() > 0 && !order.model.system().force_function;
}

Departure CoordinateRetakes::from_run() const
{
    Workspace work;
    State between = run_.state;
    between.u = at_.u - run_.state.u;
    const double between_J = order_.model.kinetic_energy(point_of(between), work);
    Departure far{.velocity = std::sqrt(between_J / run_.progress.certifier.sums().watch.kinetic_J)};
    for (int c = 0; c < order_.model.contacts(); ++c) {
        const double part = std::abs(order_.model.gap_m(c, point_of(at_), work) -
                                     order_.model.gap_m(c, point_of(run_.state), work)) /
                            order_.largest_gap_m;
        if (!(part > far.place)) continue;
        far.place = part;
        far.where = "the gap of " + order_.model.system().contacts[static_cast<std::size_t>(c)].name;
    }
    return far;
}

}  // namespace

void look_at_punctual_run(const CoordinateOrder& order, const RunSoFar& run, std::vector<Finding>& findings)
{
    double jumps2_m2_s2 = 0;
    for (const ImpactDelays& delays : run.progress.delays) {
        jumps2_m2_s2 += delays.jumps2_m2_s2;
    }
    const SchemeOfRun& scheme = order.scheme;
    if (!has_copy(order) || run.progress.rest.at_rest() ||
        !is_late(jumps2_m2_s2, scheme.h_s, order.largest_gap_m, followed * scheme.max_overlap,
                 min_overlap * scheme.activation_gap_m))
        return;
    CoordinateRetakes copy(order, run, Smooth::AsInRun);
    look_at_punctual_copy(copy,
                          {.grid = StepGrid(order.start.t_s, scheme.h_s, order.plan.duration_s),
                           .until = order.plan.until,
                           .end_s = run.state.t_s,
                           .by_until = run.progress.end == RunEnd::Formula,
                           .max_overlap = scheme.max_overlap},
                          findings);
}

namespace {

/// An impact that only one of the two has.
Finding other_impact(const CoordinateOrder& order, const Event& impact, bool in_run, double phase_rad)
{
    const double limit_rad = followed_phase * order.scheme.max_overlap;
    return {.code = "impact_instants",
            .time_s = impact.time_s,
            .message = fmt::format(
                "{} strikes at {:.4g} s with {:.3g} m/s only {}: the scheme shifts the phases of smooth "
                "oscillations, by about {:.1g} rad in this run. Take a step below {:.1e} s",
                order.model.system().contacts[static_cast<std::size_t>(impact.contact)].name, impact.time_s,
                -impact.velocity_before_m_s,
                in_run ? "in this run, not in the same run with smooth steps of higher order"
                       : "in the same run with smooth steps of higher order, not in this one",
                phase_rad, order.scheme.h_s * std::sqrt(limit_rad / phase_rad)),
            .count = 1,
            .uncertifies = true,
            .about = "run"};
}

}  // namespace

void look_at_phases(const CoordinateOrder& order, const RunSoFar& run, std::vector<Finding>& findings)
{
    const SchemeOfRun& scheme = order.scheme;
    const double phase_rad = run.progress.phase.sum_rad;
    if (!has_copy(order) || !order.plan.keep_events || !(phase_rad > followed_phase * scheme.max_overlap))
        return;
    CoordinateRetakes copy(order, run, Smooth::Extrapolated);
    const StepGrid grid(order.start.t_s, scheme.h_s, order.plan.duration_s);
    for (double left_s; (left_s = run.state.t_s - copy.at().t_s) > 1e-9 * grid.h_s;)
        if (!take_punctually(copy, std::min(grid.h_s, left_s))) return;
    const ImpactMatch match{.end_s = run.state.t_s,
                            .shortest_s = known_steps * scheme.h_s,
                            .off_m = scheme.max_overlap * order.largest_gap_m,
                            .energy_J = small_impact * run.progress.certifier.sums().watch.run_scale_J};
    if (const auto missed = impact_without_partner(copy.happened(), run.events, match))
        findings.push_back(other_impact(order, *missed, false, phase_rad));
    else if (const auto extra = impact_without_partner(run.events, copy.happened(), match))
        findings.push_back(other_impact(order, *extra, true, phase_rad));
}

}  // namespace carom
