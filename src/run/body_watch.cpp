#include "body_watch.hpp"

#include "body_delays.hpp"
#include "body_impacts.hpp"
#include "first_slip.hpp"
#include "impact_order.hpp"
#include "stepping/body_islands.hpp"
#include "stepping/body_queries.hpp"
#include "struck_groups.hpp"
#include "time_resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr const char* axes[] = {"x", "y", "z"};

/// (LE-14) of what moves or pushes by itself.
void look_at_drives(const BodyModel& model, const State& start, double h_s, const RunPlan& plan,
                    Certifier& certifier)
{
    const BodySetup& setup = model.setup();
    const auto look = [&](std::string name, std::function<double(double)> value) {
        look_at_time_dependence({std::move(name), std::move(value)}, start.t_s, h_s, plan.duration_s,
                                plan.energy_tolerance, certifier);
    };
    State at = start;
    std::vector<Wrench> wrenches;
    for (int i = 0; i < model.bodies(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Body& body = setup.bodies[k];
        for (int axis = 0; axis < 3; ++axis) {
            if (body.motion == BodyMotion::Prescribed) {
                look(fmt::format("the path of {} along {}", body.name, axes[axis]),
                     [&, axis](double t_s) { return body.path(start.t_s + t_s).position_m[axis]; });
                look(fmt::format("the rotation of {} about {}", body.name, axes[axis]),
                     [&, axis](double t_s) { return body.path(start.t_s + t_s).rotation.coeffs()[axis]; });
            }
            if (!setup.forces || model.inverse_mass[k] == 0) continue;
            const auto wrench = [&](double t_s) -> const Wrench& {
                at.t_s = start.t_s + t_s;
                wrenches.assign(k + 1, {});
                wrenches.resize(static_cast<std::size_t>(model.bodies()));
                setup.forces(at, wrenches);
                return wrenches[k];
            };
            look(fmt::format("the load of {} along {}", body.name, axes[axis]),
                 [&, axis](double t_s) { return wrench(t_s).force_N[axis]; });
            look(fmt::format("the load of {} about {}", body.name, axes[axis]),
                 [&, axis](double t_s) { return wrench(t_s).torque_Nm[axis]; });
        }
    }
    for (const Joint& joint : setup.joints) {
        for (const JointFreedom* freedom : {&joint.turn, &joint.slide}) {
            const auto of_state = [&](const std::function<double(const State&)>& value) {
                return [&](double t_s) {
                    at.t_s = start.t_s + t_s;
                    return value(at);
                };
            };
            if (freedom->motor_rate)
                look("the motor of " + joint.name,
                     [&](double t_s) { return freedom->motor_rate(start.t_s + t_s); });
            if (freedom->motor_rate_of) look("the motor of " + joint.name, of_state(freedom->motor_rate_of));
            if (freedom->motor_limit_of)
                look("the limit of the motor of " + joint.name, of_state(freedom->motor_limit_of));
        }
    }
}

Closing closing_of(const ApproachedContact& met, double h_s)
{
    Closing closing{
        .k = met.k, .U_minus_m_s = met.U_minus_m_s, .restitution = met.persists ? 0.0 : met.restitution};
    // an open soft contact whose impact this step ends: it began in the step before
    if (met.before != nullptr && met.before->closing.percussion_Ns > 0) {
        closing.recent = true;
        closing.since_s = 2 * h_s;
    } else if (met.closing ||
               (!met.persists && !touched(met.before) && met.U_minus_m_s < 0 && met.P_Ns > 0)) {
        closing.fresh = true;
        closing.since_s = met.gap_m / met.U_minus_m_s;
    }
    return closing;
}

/// How many pairs of bodies close. The points of one pair are those of faces or edges that meet, found
/// together: they close with the first of them.
std::size_t pairs_that_close(const FinishedBodyStep& bodies, std::vector<Closing>& closings)
{
    std::map<std::pair<int, int>, double> first;
    const auto pair_of = [&](const Closing& closing) {
        const BodyContact& contact = bodies.contacts()[static_cast<std::size_t>(closing.k)];
        return std::pair(contact.first, contact.second);
    };
    for (const Closing& closing : closings) {
        if (!closing.fresh && !closing.recent) continue;
        const auto [at, is_new] = first.emplace(pair_of(closing), closing.since_s);
        at->second = std::max(at->second, closing.since_s);
    }
    for (Closing& closing : closings) {
        if (closing.fresh || closing.recent) closing.since_s = first[pair_of(closing)];
    }
    return first.size();
}

/// (IM-11), island by island.
void look_at_order_of_bodies(const TakenStep& step, FinishedBodyStep& bodies, Certifier& certifier)
{
    if (bodies.contacts().size() < 2 || bodies.contacts().size() > max_contacts_in_order ||
        step.report.map_acted)
        return;
    const bool any = bodies.leaves_impacts_open() || std::ranges::any_of(step.events, [](const Event& event) {
                         return event.kind == EventKind::Impact && event.first >= 0;
                     });
    if (!any || bodies.has_formulas()) return;
    std::map<int, std::vector<Closing>> islands;
    for (const ApproachedContact& met : bodies.approached()) {
        islands[bodies.island_of(met.k)].push_back(closing_of(met, step.report.h_s));
    }
    if (islands.empty()) return;
    for (auto& [root, closings] : islands) {
        if (pairs_that_close(bodies, closings) < 2 || std::ranges::none_of(closings, &Closing::fresh))
            continue;
        std::ranges::stable_sort(closings, std::greater<>{}, &Closing::since_s);
        look_at_order({.problem = bodies.assembled_problem(),
                       .closings = closings,
                       .h_s = step.report.h_s,
                       .time_s = step.began_s + step.report.h_s / 2,
                       .kinetic_J = certifier.sums().watch.kinetic_J,
                       .name = [&](int k) { return bodies.name_of(k); }},
                      certifier);
    }
}

/// Contacts that persist are on each other to this many activation gaps.
constexpr double visible_activation_gaps = 1e3;

/// Acceleration of the point of a body, as the forces of the last step make it.
Vec3 acceleration_at(const BodyModel& model, const State& state, const FinishedBodyStep& bodies, int body,
                     const Vec3& arm)
{
    const auto i = static_cast<std::size_t>(body);
    if (model.inverse_mass[i] == 0) return Vec3::Zero();
    Vec3 force = model.mass[i] * model.setup().gravity_m_s2, torque = Vec3::Zero();
    if (const auto acting = bodies.force_on(body)) {
        force = acting->force_N;
        torque = acting->torque_Nm;
    }
    const Vec3& W = state.W[i];
    const Vec3 turn =
        model.inverse_inertia[i] * (state.R[i].conjugate() * torque - W.cross(model.inertia[i] * W));
    return model.inverse_mass[i] * force + (state.R[i] * turn).cross(arm);
}

}  // namespace

std::optional<double> first_closed_before_middle_s(const FinishedBodyStep& bodies, double slowest_m_s)
{
    std::optional<double> first_s;
    for (const ApproachedContact& met : bodies.approached()) {
        if (met.persists || touched(met.before) || !(met.P_Ns > 0)) continue;
        if (!(-(1 + met.restitution) * met.U_minus_m_s > slowest_m_s)) continue;
        const double since_s = met.gap_m / met.U_minus_m_s;
        first_s = std::max(first_s.value_or(since_s), since_s);
    }
    return first_s;
}

BodyWatch::BodyWatch(const BodyModel& model, const BodyGroups& groups, const MoreauSettings& settings,
                     const RunPlan& plan)
    : model_(model), groups_(groups), settings_(settings), plan_(plan)
{
}

void BodyWatch::begin(const State& state, RunSoFar& run)
{
    RunProgress& progress = run.progress;
    if (progress.steps == 0) look_at_drives(model_, state, settings_.time_step_s, plan_, progress.certifier);
    times_impacts_ = plan_.keep_events;
    note_impacts(run.events);
    // of a damaged recording
    std::erase_if(progress.pairs, [&](const PairDelays& pair) { return pair.second >= model_.bodies(); });
    if (!times_impacts_) {
        progress.pairs.clear();
        return;
    }
    start_ = make_body_state(model_).x;
    // a checkpoint from before this was kept knows the farthest of all bodies only
    if (progress.moved_m.size() != start_.size())
        progress.moved_m.assign(start_.size(), progress.reaches.back().largest_gap_m);
}

void BodyWatch::note_impacts(std::span<const Event> events)
{
    for (const Event& event : events) {
        if (!times_impacts_) return;
        if (event.kind != EventKind::Impact || event.first < 0) continue;
        impacts_[{event.first, event.second, event.feature}].add(event.velocity_after_m_s -
                                                                 event.velocity_before_m_s);
        if (impacts_.size() <= max_struck_pairs) continue;
        times_impacts_ = false;
        impacts_.clear();
    }
}

void BodyWatch::note_motion(const State& after, RunProgress& progress) const
{
    GapReach& all = progress.reaches.back();
    for (std::size_t i = 0; i < start_.size(); ++i) {
        if (model_.inverse_mass[i] == 0) continue;
        double& moved_m = progress.moved_m[i];
        moved_m = std::max(moved_m, (after.x[i] - start_[i]).norm());
        all.largest_gap_m = std::max(all.largest_gap_m, moved_m);
    }
}

void BodyWatch::after_step(const TakenStep& step, const State& before, const State& after,
                           FinishedBodyStep& bodies, RunProgress& progress)
{
    if (progress.steps == 1 && before.u.size() > 0)
        look_at_first_slip(step, before.u.cwiseAbs().maxCoeff(), progress.certifier);
    look_at_order_of_bodies(step, bodies, progress.certifier);
    look_at_resolution(model_, settings_.max_overlap, step, bodies, progress.certifier);
    if (!times_impacts_) return;
    note_impacts(step.events);
    const BodyDelayStep seen{model_, step, after, plan_.duration_s};
    if (times_impacts_ && !step.events.empty()) times_impacts_ = detail::note_impacts(seen, bodies, progress);
    if (!times_impacts_) {
        impacts_.clear();
        progress.pairs.clear();
        return;
    }
    look_for_near_misses(seen, settings_.activation_gap_m, groups_, bodies, progress);
    note_motion(after, progress);
}

std::string BodyWatch::name_of(const Place& place) const
{
    const auto& bodies = model_.setup().bodies;
    return bodies[static_cast<std::size_t>(std::get<0>(place))].name + "-" +
           bodies[static_cast<std::size_t>(std::get<1>(place))].name;
}

void BodyWatch::look_for_unseen(const State& end, const RunProgress& progress, FinishedBodyStep& bodies,
                                std::vector<Finding>& findings) const
{
    const double h_s = settings_.time_step_s;
    std::vector<Vec3> w;
    for (std::size_t i = 0; i < end.R.size(); ++i) {
        w.emplace_back(end.R[i] * end.W[i]);
    }
    for (const BodyContact& contact : body_contacts(model_, end, 2 * settings_.activation_gap_m)) {
        const double U = relative_velocity(contact, end.v, w)[0];
        if (!(U < 0)) continue;
        const bool begun = have_begun_impact(end, contact.first, contact.second);
        // what the last step saw is told; an approach so slow has lasted for longer than a step
        const bool unseen = contact.at.gap_m < -settings_.activation_gap_m && contact.at.gap_m / U <= h_s &&
                            !have_touched(end, contact.first, contact.second);
        if (!begun && !unseen) continue;
        const double of_all_J = progress.certifier.sums().watch.kinetic_J;
        const auto moves = [&](int body) { return model_.inverse_mass[static_cast<std::size_t>(body)] > 0; };
        double kinetic_J = 0;  // of both: they are about to be one group
        for (const int body : {contact.first, contact.second})
            if (moves(body)) kinetic_J += groups_.kinetic_J(body, progress, of_all_J);
        kinetic_J = std::min(kinetic_J, of_all_J);
        if (!(lost_J(model_, end, contact, U) > negligible_part * kinetic_J)) continue;
        // what turning makes of the velocity in a step, and what forces do
        const auto ahead = bodies.carried_on(contact, end, h_s);
        const double bend = ahead ? relative_velocity(*ahead, end.v, w)[0] - U : 0.0;
        const double a =
            contact.axes[0].dot(acceleration_at(model_, end, bodies, contact.first, contact.arm_first) -
                                acceleration_at(model_, end, bodies, contact.second, contact.arm_second));
        look_for_unseen_impact({.name = name_of({contact.first, contact.second, 0}),
                                .gap_m = contact.at.gap_m,
                                .U_m_s = U,
                                .acceleration_m_s2 = std::abs(a) + std::abs(bend) / h_s,
                                .begun = begun},
                               h_s, end.t_s, findings);
    }
}

void BodyWatch::look_for_losses(const State& end, const RunProgress& progress, FinishedBodyStep& bodies,
                                std::vector<Finding>& findings) const
{
    constexpr double rounding = 1e-9;
    // formulas and joints may press as well
    if (bodies.has_formulas() || !model_.setup().joints.empty() || end.kept.size() > max_contacts_in_order)
        return;
    const auto persists = [](const KeptContact& kept) { return kept.first >= 0 && kept.status == 2; };
    if (std::ranges::none_of(end.kept, persists)) return;

    // bodies that touch are lost together, or not at all: nothing presses if all points part without forces
    BodyIslands islands;
    islands.clear(model_.bodies());
    for (const KeptContact& kept : end.kept) {
        if (model_.inverse_mass[static_cast<std::size_t>(kept.first)] > 0 &&
            model_.inverse_mass[static_cast<std::size_t>(kept.second)] > 0)
            islands.join(kept.first, kept.second);
    }
    struct Parting {
        bool all = true;
        const KeptContact* first = nullptr;
        double acceleration_m_s2 = 0;
    };
    std::map<int, Parting> partings;
    const std::vector<Wrench> wrenches = wrenches_at(model_, end);
    const double h_s = settings_.time_step_s, ahead_s = 1e-3 * h_s;
    std::vector<Vec3> w;
    for (std::size_t i = 0; i < end.R.size(); ++i) {
        w.emplace_back(end.R[i] * end.W[i]);
    }
    const double reach_m = visible_activation_gaps * settings_.activation_gap_m;
    for (const BodyContact& contact : body_contacts(model_, end, reach_m)) {
        const auto ours = [&](const KeptContact& one) {
            return one.first == contact.first && one.second == contact.second;
        };
        const auto kept = std::ranges::find_if(end.kept, ours);
        if (kept == end.kept.end()) continue;
        const bool first_moves = model_.inverse_mass[static_cast<std::size_t>(contact.first)] > 0;
        Parting& parting = partings[islands.root(first_moves ? contact.first : contact.second)];
        const Vec3 by_first =
            free_acceleration_at(model_, end, h_s, wrenches, contact.first, contact.arm_first);
        const Vec3 by_second =
            free_acceleration_at(model_, end, h_s, wrenches, contact.second, contact.arm_second);
        const auto there = bodies.carried_on(contact, end, ahead_s);
        const auto U_at = [&](const BodyContact& at) { return relative_velocity(at, end.v, w)[0]; };
        const double bend = there ? (U_at(*there) - U_at(contact)) / ahead_s : 0.0;
        const double a = contact.axes[0].dot(by_first - by_second) + bend;
        const bool sticky = model_.surface(contact.first, contact.second).detail.cohesion_N > 0;
        if (sticky || !persists(*kept) ||
            !(a > rounding * (by_first.norm() + by_second.norm() + std::abs(bend))))
            parting.all = false;
        if (parting.first == nullptr) {
            parting.first = &*kept;
            parting.acceleration_m_s2 = a;
        }
    }
    for (const auto& [root, parting] : partings) {
        if (!parting.all || parting.first == nullptr) continue;
        look_for_unseen_loss({.name = name_of({parting.first->first, parting.first->second, 0}),
                              .acceleration_m_s2 = parting.acceleration_m_s2},
                             h_s, end.t_s, groups_.fastest_m_s(root, progress), findings);
    }
}

std::vector<Finding> BodyWatch::at_end(const State& end, const RunSoFar& run, bool stopped,
                                       FinishedBodyStep& bodies)
{
    std::vector<Finding> findings;
    if (!stopped && run.progress.steps > 0) look_for_unseen(end, run.progress, bodies, findings);
    if (!stopped && run.progress.steps > 0) look_for_losses(end, run.progress, bodies, findings);
    if (!times_impacts_ || run.progress.reaches.empty()) return findings;
    const std::vector<double> moved_m = moved_by_groups(model_, run);
    look_at_delays(model_, {settings_.time_step_s, settings_.activation_gap_m, settings_.max_overlap},
                   moved_m, run, findings);
    // what delays have done is known: what they may do by chance is not asked
    const auto is_late = [](const Finding& one) { return one.code == "impact_instants"; };
    if (run.progress.rest.at_rest() || std::ranges::any_of(findings, is_late)) return findings;
    int all = 0;
    for (const auto& [place, impacts] : impacts_) {
        all += impacts.count;
    }
    for (const auto& [place, impacts] : impacts_) {
        if (all < 2) break;
        const double group_m = std::max(moved_m[static_cast<std::size_t>(std::get<0>(place))],
                                        moved_m[static_cast<std::size_t>(std::get<1>(place))]);
        look_at_instants({.name = name_of(place),
                          .jumps2_m2_s2 = impacts.jumps2_m2_s2,
                          .h_s = settings_.time_step_s,
                          .max_spread_m = settings_.max_overlap * group_m,
                          .small_m = min_overlap * settings_.activation_gap_m,
                          .largest_gap_m = group_m},
                         end.t_s, findings);
    }
    return findings;
}

}  // namespace carom::detail
