#include "punctual_bodies.hpp"

#include "body_watch.hpp"
#include "punctual.hpp"
#include "stepping/body_queries.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom::detail {
namespace {

/// Bodies of a run, by their places in it: those that a copy follows, with all obstacles.
struct Followed {
    const BodyModel& model;
    std::vector<int> places;
};

/// Bodies, tried step by step.
class BodyRetakes final : public Retakes {
public:
    BodyRetakes(const BodyOrder& order, const Followed& followed, State start)
        : order_(order),
          model_(followed.model),
          places_(followed.places),
          stepper_(followed.model, order.scheme, order.solver),
          at_(std::move(start)),
          tried_(at_),
          small_m_(slow_impact * min_overlap * order.settings.activation_gap_m)
    {
    }

    bool take(double h_s) override
    {
        tried_ = at_;
        tried_s_ = h_s;
        const StepReport report = stepper_.take(h_s, h_s, tried_);
        tried_.t_s = at_.t_s + h_s;
        return !end_of_failed(report.status);
    }

    std::optional<double> struck_s() override
    {
        const double slowest_m_s = small_m_ / order_.grid.h_s;
        const auto before_middle_s = first_closed_before_middle_s(stepper_.finished(), slowest_m_s);
        if (!before_middle_s) return std::nullopt;
        return tried_s_ / 2 - *before_middle_s;
    }

    void keep() override
    {
        last_ = at_;
        std::swap(at_, tried_);
        const auto strikes = [](const Event& event) { return event.kind == EventKind::Impact; };
        last_s_ = std::ranges::any_of(stepper_.finished().events(), strikes) ? 0 : tried_s_;
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
    const BodyModel& model_;
    const std::vector<int>& places_;
    BodyStepper stepper_;
    State at_, tried_, last_;
    double small_m_, tried_s_ = 0, last_s_ = 0;
};

Departure BodyRetakes::from_run() const
{
    double between_J = 0;
    Departure far;
    for (std::size_t k = 0; k < places_.size(); ++k) {
        if (model_.inverse_mass[k] == 0) continue;
        const auto i = static_cast<std::size_t>(places_[k]);
        const Vec3 dv = at_.v[k] - order_.end.v[i], dW = at_.W[k] - order_.end.W[i];
        between_J += (model_.mass[k] * dv.squaredNorm() + dW.dot(model_.inertia[k] * dW)) / 2;
        const double part = (at_.x[k] - order_.end.x[i]).norm() / order_.moved_m;
        if (!(part > far.place)) continue;
        far.place = part;
        far.where = model_.setup().bodies[k].name;
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

/// Bodies of the groups whose impacts are late, all together where `until` looks at all of them.
std::vector<int> late_bodies(const BodyOrder& order)
{
    const double small_m = min_overlap * order.settings.activation_gap_m;
    const auto late = [&](double jumps2_m2_s2, int impacts) {
        return is_late(jumps2_m2_s2, order.grid.h_s, order.moved_m,
                       order.settings.max_overlap * (impacts > 1 ? followed : 1), small_m);
    };
    double all_m2_s2 = 0;
    std::vector<int> bodies;
    for (const StruckGroup& group : order.groups) {
        all_m2_s2 += group.jumps2_m2_s2;
        if (late(group.jumps2_m2_s2, group.impacts))
            bodies.insert(bodies.end(), group.bodies.begin(), group.bodies.end());
    }
    if (!order.plan.until.formula) return bodies;
    bodies.clear();
    if (!late(all_m2_s2, 2)) return bodies;
    for (int i = 0; i < order.model.bodies(); ++i)
        bodies.push_back(i);
    return bodies;
}

/// The bodies and all obstacles as a model of their own; none where joints, springs or maps are in the way,
/// or where it would have nearly all bodies.
std::optional<BodyModel> model_of(const BodyOrder& order, std::vector<int>& bodies)
{
    const BodySetup& setup = order.model.setup();
    if (!setup.joints.empty() || !setup.springs.empty() || setup.impact_map) return std::nullopt;
    for (int i = 0; i < order.model.bodies(); ++i) {
        if (order.model.inverse_mass[static_cast<std::size_t>(i)] == 0) bodies.push_back(i);
    }
    std::ranges::sort(bodies);
    if (2 * static_cast<int>(bodies.size()) > order.model.bodies()) return std::nullopt;
    BodySetup part = setup;
    part.flat = order.model.is_flat();
    part.bodies.clear();
    for (const int i : bodies)
        part.bodies.push_back(setup.bodies[static_cast<std::size_t>(i)]);
    auto made = make_body_model(std::move(part));
    if (!made) return std::nullopt;
    return std::move(*made);
}

/// All bodies of the run.
Followed all_bodies(const BodyModel& model)
{
    Followed all{model, {}};
    for (int i = 0; i < model.bodies(); ++i)
        all.places.push_back(i);
    return all;
}

}  // namespace

void look_at_punctual_bodies(const BodyOrder& order, const RunSoFar& run, std::vector<Finding>& findings)
{
    const MoreauSettings& settings = order.settings;
    // loads that a caller gives from step to step cannot be given once more
    if (order.model.setup().with_formulas || order.model.setup().forces || run.progress.rest.at_rest() ||
        has_fast_bodies(order))
        return;
    std::vector<int> bodies = late_bodies(order);
    if (bodies.empty()) return;
    // a run that began elsewhere than the scene has no copy
    const State all = make_body_state(order.model);
    if (all.q.size() != order.start.q.size() || all.q != order.start.q) return;
    // bodies that have met none of these have no part in their motion
    const auto part = model_of(order, bodies);
    const Followed followed_bodies = part ? Followed{*part, bodies} : all_bodies(order.model);
    State start = make_body_state(followed_bodies.model);
    find_touching(followed_bodies.model, settings.activation_gap_m, start);
    BodyRetakes copy(order, followed_bodies, start);
    look_at_punctual_copy(copy,
                          {.grid = order.grid,
                           .until = order.plan.until,
                           .end_s = run.state.t_s,
                           .by_until = run.progress.end == RunEnd::Formula,
                           .max_overlap = settings.max_overlap},
                          findings);
}

}  // namespace carom::detail
