#include "punctual_bodies.hpp"

#include "body_watch.hpp"
#include "punctual.hpp"
#include "stepping/body_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom::detail {
namespace {

/// Bodies, tried step by step.
class BodyRetakes final : public Retakes {
public:
    BodyRetakes(const BodyOrder& order, State start)
        : order_(order),
          at_(std::move(start)),
          tried_(at_),
          small_m_(slow_impact * min_overlap * order.settings.activation_gap_m)
    {
    }

    bool take(double h_s) override
    {
        tried_ = at_;
        tried_s_ = h_s;
        const StepReport report = order_.step(h_s, tried_, scratch_);
        tried_.t_s = at_.t_s + h_s;
        return !end_of_failed(report.status);
    }

    std::optional<double> struck_s() override
    {
        const double slowest_m_s = small_m_ / order_.grid.h_s;
        const auto before_middle_s = first_closed_before_middle_s(scratch_, slowest_m_s);
        if (!before_middle_s) return std::nullopt;
        return tried_s_ / 2 - *before_middle_s;
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
    const BodyOrder& order_;
    BodyStepMemory scratch_;
    State at_, tried_, last_;
    double small_m_, tried_s_ = 0, last_s_ = 0;
};

Departure BodyRetakes::from_run() const
{
    const BodyModel& model = order_.model;
    double between_J = 0;
    Departure far;
    for (int i = 0; i < model.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (model.inverse_mass[k] == 0) continue;
        const Vec3 dv = at_.v[k] - order_.end.v[k], dW = at_.W[k] - order_.end.W[k];
        between_J += (model.mass[k] * dv.squaredNorm() + dW.dot(model.inertia[k] * dW)) / 2;
        const double part = (at_.x[k] - order_.end.x[k]).norm() / order_.moved_m;
        if (!(part > far.place)) continue;
        far.place = part;
        far.where = model.setup().bodies[k].name;
    }
    far.velocity = std::sqrt(between_J / order_.recent_J);
    return far;
}

/// Whether a body passes its own thickness in a step. Such a one is struck along the normal of its first
/// touch (BO-23), which pieces of a step do not have.
bool has_fast_bodies(const BodyOrder& order)
{
    for (int i = 0; i < order.model.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (order.model.inverse_mass[k] > 0 &&
            order.end.v[k].norm() * order.grid.h_s > order.model.colliders[k].thickness_m)
            return true;
    }
    return false;
}

}  // namespace

void look_at_punctual_bodies(const BodyOrder& order, const RunSoFar& run, std::vector<Finding>& findings)
{
    const MoreauSettings& settings = order.settings;
    // loads that a caller gives from step to step cannot be given once more
    if (order.model.setup().with_formulas || order.model.setup().forces || run.progress.rest.at_rest() ||
        has_fast_bodies(order) ||
        !is_late(order.jumps2_m2_s2, order.grid.h_s, order.moved_m, settings.max_overlap,
                 min_overlap * settings.activation_gap_m))
        return;
    State start = make_body_state(order.model);
    // a run that began elsewhere than the scene has no copy
    if (start.q.size() != order.start.q.size() || start.q != order.start.q) return;
    find_touching(order.model, settings.activation_gap_m, start);
    BodyRetakes copy(order, start);
    look_at_punctual_copy(copy,
                          {.grid = order.grid,
                           .until = order.plan.until,
                           .end_s = run.state.t_s,
                           .by_until = run.progress.end == RunEnd::Formula,
                           .max_overlap = settings.max_overlap},
                          findings);
}

}  // namespace carom::detail
