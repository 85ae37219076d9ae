#include "punctual_bodies.hpp"

#include "body_impacts.hpp"
#include "body_watch.hpp"
#include "impact_partners.hpp"
#include "phase_error.hpp"
#include "punctual.hpp"
#include "stepping/body_queries.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace carom::detail {
namespace {

/// Bodies of a run, by their places in it: those that a copy follows, with all obstacles.
struct Followed {
    const BodyModel& model;
    std::vector<int> places;
};

/// How a group of bodies that have met moves in the copy: what its errors are small or large against.
struct GroupMotion {
    std::vector<std::size_t> bodies;  ///< places in the copy
    double moved_m = 0;               ///< the farthest that one of them has moved, in the run or here
    GroupEnergy energy = {};
};

/// Bodies, tried step by step.
class BodyRetakes final : public Retakes {
public:
    BodyRetakes(const BodyOrder& order, const Followed& followed, State start, Smooth smooth)
        : smooth_(smooth),
          order_(order),
          model_(followed.model),
          places_(followed.places),
          stepper_(followed.model, order.scheme, order.solver),
          at_(std::move(start)),
          tried_(at_),
          start_(at_.x),
          small_m_(slow_impact * min_overlap * order.settings.activation_gap_m)
    {
        for (const StruckGroup& group : order.groups) {
            GroupMotion& motion = groups_.emplace_back();
            motion.moved_m = group.moved_m;
            for (std::size_t k = 0; k < places_.size(); ++k)
                if (std::ranges::find(group.bodies, places_[k]) != group.bodies.end())
                    motion.bodies.push_back(k);
        }
        note_motion(0);
    }

    bool take(double h_s) override
    {
        const bool halved = smooth_ == Smooth::Extrapolated && take_halves(h_s);
        tried_ = at_;
        tried_s_ = h_s;
        if (!take_from(tried_, h_s)) return false;
        if (!halved || !stepper_.finished().events().empty()) return true;
        extrapolate();
        double kinetic_J = 0;
        for (std::size_t k = 0; k < tried_.x.size(); ++k)
            if (model_.inverse_mass[k] > 0) kinetic_J += kinetic_energy_J(k, tried_.v[k], tried_.W[k]);
        return !(kinetic_J > max_energy_of_copy * order_.exchanged_J);
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
        if (smooth_ == Smooth::Extrapolated)
            happened_.insert(happened_.end(), stepper_.finished().events().begin(),
                             stepper_.finished().events().end());
        last_ = at_;
        std::swap(at_, tried_);
        const auto strikes = [](const Event& event) { return event.kind == EventKind::Impact; };
        last_s_ = std::ranges::any_of(stepper_.finished().events(), strikes) ? 0 : tried_s_;
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
    /// The most kinetic energy that a body has had; bodies by their places in the copy.
    [[nodiscard]] double max_J(int k) const { return max_J_[static_cast<std::size_t>(k)]; }

private:
    bool take_from(State& state, double h_s)
    {
        const double end_s = state.t_s + h_s;
        const StepReport report = stepper_.take(h_s, h_s, state);
        state.t_s = end_s;
        return !end_of_failed(report.status);
    }

    /// Two steps of half the length, from where the motion is. False: something happens in them.
    bool take_halves(double h_s)
    {
        halves_ = at_;
        for (int k = 0; k < 2; ++k)
            if (!take_from(halves_, h_s / 2) || !stepper_.finished().events().empty()) return false;
        return true;
    }

    /// The step that was tried, with the halves: errors of second order cancel.
    void extrapolate()
    {
        for (std::size_t k = 0; k < tried_.x.size(); ++k) {
            tried_.x[k] += 4.0 / 3 * (halves_.x[k] - tried_.x[k]);
            tried_.v[k] += 4.0 / 3 * (halves_.v[k] - tried_.v[k]);
            tried_.W[k] += 4.0 / 3 * (halves_.W[k] - tried_.W[k]);
            tried_.R[k] = tried_.R[k].slerp(4.0 / 3, halves_.R[k]);
        }
        write_coordinates(model_, tried_);
    }

    void note_motion(double h_s);
    [[nodiscard]] double kinetic_energy_J(std::size_t k, const Vec3& v, const Vec3& W) const
    {
        return (model_.mass[k] * v.squaredNorm() + W.dot(model_.inertia[k] * W)) / 2;
    }

    Smooth smooth_;
    const BodyOrder& order_;
    const BodyModel& model_;
    const std::vector<int>& places_;
    BodyStepper stepper_;
    State at_, tried_, last_, halves_;
    std::vector<Event> happened_;
    std::vector<Vec3> start_;
    std::vector<double> max_J_;
    std::vector<GroupMotion> groups_;
    double small_m_, tried_s_ = 0, last_s_ = 0;
};

void BodyRetakes::note_motion(double h_s)
{
    max_J_.resize(at_.x.size());
    for (std::size_t k = 0; k < max_J_.size(); ++k)
        if (model_.inverse_mass[k] > 0)
            max_J_[k] = std::max(max_J_[k], kinetic_energy_J(k, at_.v[k], at_.W[k]));
    for (GroupMotion& group : groups_) {
        double kinetic_J = 0;
        for (const std::size_t k : group.bodies) {
            kinetic_J += kinetic_energy_J(k, at_.v[k], at_.W[k]);
            group.moved_m = std::max(group.moved_m, (at_.x[k] - start_[k]).norm());
        }
        group.energy.note(kinetic_J, h_s / order_.grid.h_s);
    }
}

Departure BodyRetakes::from_run() const
{
    Departure far;
    for (const GroupMotion& group : groups_) {
        double between_J = 0;
        for (const std::size_t k : group.bodies) {
            const auto i = static_cast<std::size_t>(places_[k]);
            between_J += kinetic_energy_J(k, at_.v[k] - order_.end.v[i], at_.W[k] - order_.end.W[i]);
            const double off_m = (at_.x[k] - order_.end.x[i]).norm(), part = off_m / group.moved_m;
            if (!(off_m > small_m_ && part > far.place)) continue;
            far.place = part;
            far.where = model_.setup().bodies[k].name;
        }
        const double velocity = group.energy.part_of(between_J);
        if (velocity > far.velocity) far.velocity = velocity;
    }
    return far;
}

/// Whether one of these bodies passes its own thickness in a step. Such a one is struck along the normal of its
/// first touch (BO-23), which pieces of a step do not have.
bool has_fast_bodies(const BodyOrder& order, std::span<const int> bodies)
{
    return std::ranges::any_of(bodies, [&](int i) {
        const auto k = static_cast<std::size_t>(i);
        return order.model.inverse_mass[k] > 0 &&
               order.end.v[k].norm() * order.grid.h_s > order.model.colliders[k].thickness_m;
    });
}

/// Bodies of the groups whose impacts are late, all together where `until` looks at all of them.
std::vector<int> late_bodies(const BodyOrder& order)
{
    const double small_m = min_overlap * order.settings.activation_gap_m;
    const bool together = order.plan.until.formula.has_value();
    const auto late = [&](double jumps2_m2_s2, int impacts, double moved_m) {
        return is_late(jumps2_m2_s2, order.grid.h_s, moved_m,
                       order.settings.max_overlap * (impacts > 1 ? followed : 1), small_m);
    };
    double all_m2_s2 = 0, farthest_m = 0;
    std::vector<int> bodies;
    for (const StruckGroup& group : order.groups) {
        all_m2_s2 += group.jumps2_m2_s2;
        farthest_m = std::max(farthest_m, group.moved_m);
        if (late(group.jumps2_m2_s2, together ? 2 : group.impacts, group.moved_m))
            bodies.insert(bodies.end(), group.bodies.begin(), group.bodies.end());
    }
    if (!together || (bodies.empty() && !late(all_m2_s2, 2, farthest_m))) return bodies;
    bodies.resize(static_cast<std::size_t>(order.model.bodies()));
    std::iota(bodies.begin(), bodies.end(), 0);
    return bodies;
}

/// The bodies and all obstacles as a model of their own; none where joints, springs or maps are in the way,
/// or where it would have all bodies.
std::optional<BodyModel> model_of(const BodyOrder& order, std::vector<int>& bodies)
{
    const BodySetup& setup = order.model.setup();
    if (!setup.joints.empty() || !setup.springs.empty() || setup.impact_map) return std::nullopt;
    for (int i = 0; i < order.model.bodies(); ++i) {
        if (order.model.inverse_mass[static_cast<std::size_t>(i)] == 0) bodies.push_back(i);
    }
    std::ranges::sort(bodies);
    if (static_cast<int>(bodies.size()) == order.model.bodies()) return std::nullopt;
    BodySetup part = setup;
    part.flat = order.model.is_flat();
    part.bodies.clear();
    for (const int i : bodies)
        part.bodies.push_back(setup.bodies[static_cast<std::size_t>(i)]);
    auto made = make_body_model(std::move(part));
    if (!made) return std::nullopt;
    return std::move(*made);
}

/// Loads that a caller gives from step to step cannot be given once more, and a run that began elsewhere than
/// the scene has no copy.
bool has_copy(const BodyOrder& order)
{
    if (order.model.setup().with_formulas || order.model.setup().forces) return false;
    const State all = make_body_state(order.model);
    return all.q.size() == order.start.q.size() && all.q == order.start.q;
}

State start_of(const BodyOrder& order, const BodyModel& model)
{
    State start = make_body_state(model);
    find_touching(model, order.settings.activation_gap_m, start);
    return start;
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
    if (run.progress.rest.at_rest()) return;
    std::vector<int> bodies = late_bodies(order);
    if (bodies.empty() || !has_copy(order)) return;
    // bodies that have met none of these have no part in their motion
    const auto part = model_of(order, bodies);
    const Followed followed_bodies = part ? Followed{*part, bodies} : all_bodies(order.model);
    if (has_fast_bodies(order, followed_bodies.places)) return;
    BodyRetakes copy(order, followed_bodies, start_of(order, followed_bodies.model), Smooth::AsInRun);
    look_at_punctual_copy(copy,
                          {.grid = order.grid,
                           .until = order.plan.until,
                           .end_s = run.state.t_s,
                           .by_until = run.progress.end == RunEnd::Formula,
                           .max_overlap = settings.max_overlap},
                          findings);
}

namespace {

/// Impacts of each two bodies: of the points of a pair in one step the hardest, with the energy of all.
std::map<std::pair<int, int>, std::vector<Event>> impacts_of_pairs(std::span<const Event> events)
{
    std::map<std::pair<int, int>, std::vector<Event>> pairs;
    for (const Event& event : events) {
        if (event.kind != EventKind::Impact || event.first < 0) continue;
        std::vector<Event>& impacts = pairs[{event.first, event.second}];
        const double jump_m_s = event.velocity_after_m_s - event.velocity_before_m_s;
        if (impacts.empty() || impacts.back().time_s != event.time_s) {
            impacts.push_back(event);
            continue;
        }
        Event& all = impacts.back();
        const double all_m_s = all.velocity_after_m_s - all.velocity_before_m_s;
        const double energy2_J = all.percussion_Ns * all_m_s + event.percussion_Ns * jump_m_s;
        if (jump_m_s > all_m_s) {
            all.velocity_before_m_s = event.velocity_before_m_s;
            all.velocity_after_m_s = event.velocity_after_m_s;
        }
        all.percussion_Ns = energy2_J / std::max(jump_m_s, all_m_s);
    }
    for (auto& [bodies, impacts] : pairs)
        for (Event& impact : impacts)
            impact.contact = 0;
    return pairs;
}

}  // namespace

void look_at_phases_of_bodies(const BodyOrder& order, const RunSoFar& run, std::vector<Finding>& findings)
{
    // what hardly moves, as bodies at rest by the tolerance of the solver, has no phase
    const std::vector<double> moved_m = moved_by_groups(order.model, run);
    const double small_m = min_overlap * order.settings.activation_gap_m;
    RunInPhase phase{0, order.grid.h_s, order.settings.max_overlap};
    for (std::size_t k = 0; k < run.progress.body_phases.size(); ++k)
        if (moved_m[k] > small_m)
            phase.phase_rad = std::max(phase.phase_rad, run.progress.body_phases[k].sum_rad);
    if (!phase.is_followed() || run.progress.rest.at_rest() || !has_copy(order)) return;
    const Followed all = all_bodies(order.model);
    if (has_fast_bodies(order, all.places)) return;
    BodyRetakes copy(order, all, start_of(order, order.model), Smooth::Extrapolated);
    for (double left_s; (left_s = run.state.t_s - copy.at().t_s) > 1e-9 * phase.h_s;)
        if (!take_punctually(copy, std::min(phase.h_s, left_s))) return;

    const auto mine = impacts_of_pairs(run.events), others = impacts_of_pairs(copy.happened());
    const auto look = [&](const auto& some, const auto& rest, bool in_run) {
        for (const auto& [bodies, impacts] : some) {
            const auto [a, b] = bodies;
            const double group_m =
                std::max(moved_m[static_cast<std::size_t>(a)], moved_m[static_cast<std::size_t>(b)]);
            if (!(group_m > small_m)) continue;
            const ImpactMatch match{.end_s = run.state.t_s,
                                    .shortest_s = known_steps * phase.h_s,
                                    .off_m = phase.max_overlap * group_m,
                                    .energy_J =
                                        small_impact(phase.max_overlap) * (copy.max_J(a) + copy.max_J(b))};
            const auto partners = rest.find(bodies);
            const std::span<const Event> known =
                partners == rest.end() ? std::span<const Event>() : std::span<const Event>(partners->second);
            const auto alone = impact_without_partner(impacts, known, match);
            if (!alone) continue;
            findings.push_back(other_impact(name_of_pair(order.model, a, b), *alone, in_run, phase));
            return true;
        }
        return false;
    };
    if (!look(others, mine, false)) look(mine, others, true);
}

}  // namespace carom::detail
