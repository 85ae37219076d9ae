#include "punctual_run.hpp"

#include "one_step.hpp"
#include "punctual.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {
namespace {

/// A system in coordinates, tried step by step.
class CoordinateRetakes final : public Retakes {
public:
    CoordinateRetakes(const CoordinateOrder& order, const RunSoFar& run)
        : order_(order),
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
        settings_ = with_time_step(settings_, h_s);
        tried_ = at_;
        const StepReport report = step(order_.model, settings_, order_.solver, tried_, scratch_);
        tried_.t_s = at_.t_s + h_s;
        tried_s_ = h_s;
        return !end_of_failed(report.status);
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

private:
    const CoordinateOrder& order_;
    const RunSoFar& run_;
    IntegratorSettings settings_;
    Scratch scratch_;
    State at_, tried_, last_;
    double small_m_, tried_s_ = 0, last_s_ = 0;
};

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
    // forces that a caller gives from step to step cannot be given once more
    if (order.start.q.size() == 0 || order.model.system().force_function || run.progress.rest.at_rest() ||
        !is_late(jumps2_m2_s2, scheme.h_s, order.largest_gap_m, followed * scheme.max_overlap,
                 min_overlap * scheme.activation_gap_m))
        return;
    CoordinateRetakes copy(order, run);
    look_at_punctual_copy(copy,
                          {.grid = StepGrid(order.start.t_s, scheme.h_s, order.plan.duration_s),
                           .until = order.plan.until,
                           .end_s = run.state.t_s,
                           .by_until = run.progress.end == RunEnd::Formula,
                           .max_overlap = scheme.max_overlap},
                          findings);
}

}  // namespace carom
