#include "carom/report/json.hpp"

#include "carom/core/expected.hpp"

#include "report/json_text.hpp"

#include <cmath>

namespace carom {
namespace {

using detail::Json;

Json list_of(const Eigen::VectorXd& x)
{
    return Json(std::vector<double>(x.data(), x.data() + x.size()));
}

Json by_names(const std::vector<std::string>& names, const Eigen::VectorXd& values)
{
    if (values.size() == 0) return nullptr;
    Json object = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i) {
        object[names[i]] = values[static_cast<Eigen::Index>(i)];
    }
    return object;
}

Json event_of(const SensitiveEvent& one, const std::vector<std::string>& by)
{
    Json item = {{"time_s", one.event.time_s},
                 {"kind", name_of(one.event.kind)},
                 {"place", one.place},
                 {"percussion_Ns", one.event.percussion_Ns}};
    item["dtime_s"] = by_names(by, one.dtime_s);
    if (one.dpercussion_Ns.size() > 0 && one.dpercussion_Ns.allFinite())
        item["dpercussion_Ns"] = by_names(by, one.dpercussion_Ns);
    return item;
}

Json lost_of(const std::optional<NotDifferentiable>& lost)
{
    if (!lost) return nullptr;
    Json item = {
        {"time_s", lost->time_s}, {"kind", lost->kind}, {"place", lost->place}, {"words", lost->words}};
    if (lost->order > 0) {
        item["order"] = lost->order;
        item["instant_exponent"] = lost->instant_exponent;
        item["state_exponent"] = lost->state_exponent;
    }
    return item;
}

/// Impacts that came together, one after the other in every order.
Json orders_of(const Scene& scene, const Sensitivities& result)
{
    const NotDifferentiable& lost = *result.lost;
    Json instants = Json::object(), list = Json::array();
    for (std::size_t i = 0; i < lost.struck.size(); ++i) {
        instants[lost.struck[i]] =
            by_names(result.by, lost.dstruck_s.row(static_cast<Eigen::Index>(i)).transpose());
    }
    for (const OrderedImpacts& order : lost.orders) {
        Json item = {{"contacts", order.contacts}, {"ends", order.ends}, {"coordinates", Json::object()}};
        for (int i = 0; i < scene.model.coordinates(); ++i) {
            item["coordinates"][scene.model.system().coordinates[static_cast<std::size_t>(i)].name] = {
                {"u", order.u_after[i]},
                {"dq", by_names(result.by, order.dq.row(i).transpose())},
                {"du", by_names(result.by, order.du.row(i).transpose())}};
        }
        list.push_back(std::move(item));
    }
    return {{"dtime_s", std::move(instants)}, {"orders", std::move(list)}};
}

/// Touches behind which derivatives hold on one side.
Json one_sided_of(const Sensitivities& result)
{
    Json list = Json::array();
    for (const NotDifferentiable& one : result.one_sided) {
        Json item = lost_of(one);
        item["dgap_m"] = by_names(result.by, one.dgap_m);
        list.push_back(std::move(item));
    }
    return list;
}

Json multipliers_of(const std::vector<std::complex<double>>& multipliers)
{
    Json list = Json::array();
    for (const auto& m : multipliers) {
        list.push_back(Json::array({m.real(), m.imag()}));
    }
    return list;
}

Json state_of(const Scene& scene, const Orbit& orbit)
{
    Json state = Json::object();
    const auto& coordinates = scene.model.system().coordinates;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        state[coordinates[i].name] = {
            {"q", orbit.start.q[k]},
            {"u", orbit.start.u[k]},
            {"min", orbit.lowest.size() > k ? Json(orbit.lowest[k]) : Json(nullptr)},
            {"max", orbit.highest.size() > k ? Json(orbit.highest[k]) : Json(nullptr)}};
    }
    return state;
}

std::string_view kind_of(const Nearness& near)
{
    switch (near.kind) {
    case Nearness::Kind::Gap: return "gap";
    case Nearness::Kind::Reaction: return "reaction";
    case Nearness::Kind::Reversal: return "reversal";
    case Nearness::Kind::Impact: return "impact";
    case Nearness::Kind::Slip: return "slip";
    case Nearness::Kind::Stop: return "stop";
    case Nearness::Kind::Hold: return "hold";
    case Nearness::Kind::Onset: return "onset";
    case Nearness::Kind::ImpactSlip: return "impact_slip";
    case Nearness::Kind::ImpactHold: return "impact_hold";
    case Nearness::Kind::Interval: return "interval";
    }
    throw InternalError("an orbit is close to an event without a name");
}

Json orbit_json(const Scene& scene, const std::vector<std::string>& parameters, const Orbit& orbit)
{
    Json item = {{"converged", orbit.converged},
                 {"residual", orbit.residual},
                 {"period_s", orbit.period_s},
                 {"start_s", orbit.start.t_s},
                 {"start", state_of(scene, orbit)},
                 {"stable", orbit.stable},
                 {"stability", stability_of(orbit)},
                 {"rests", orbit.rests},
                 {"multipliers", multipliers_of(orbit.section_multipliers)}};
    item["dperiod_s"] = by_names(parameters, orbit.dperiod);
    item["events"] = Json::array();
    for (const SensitiveEvent& one : orbit.events) {
        if (one.event.time_s > orbit.start.t_s) item["events"].push_back(event_of(one, parameters));
    }
    if (!orbit.trouble.empty()) item["trouble"] = orbit.trouble;
    item["near"] = Json::array();
    for (const Nearness& one : orbit.near) {
        item["near"].push_back(
            {{"kind", kind_of(one)},
             {"place", scene.model.system().contacts[static_cast<std::size_t>(one.contact)].name},
             {"time_s", one.time_s},
             {"value", one.value},
             {"d", by_names(parameters, one.slope)}});
    }
    return item;
}

}  // namespace

std::string json_of(const Scene& scene, const Sensitivities& result)
{
    Json out = {{"title", scene.title}, {"by", result.by}, {"reached_end", result.reached_end}};
    const auto& system = scene.model.system();
    out["states"] = Json::array();
    for (const SensitiveState& state : result.states) {
        Json item = {{"time_s", state.time_s}, {"coordinates", Json::object()}};
        if (state.one_sided) item["one_sided"] = true;
        for (int i = 0; i < scene.model.coordinates(); ++i) {
            Json one = {{"q", state.q[i]}, {"u", state.u[i]}};
            if (state.dq.size() > 0) {
                one["dq"] = by_names(result.by, state.dq.row(i).transpose());
                one["du"] = by_names(result.by, state.du.row(i).transpose());
            }
            item["coordinates"][system.coordinates[static_cast<std::size_t>(i)].name] = std::move(one);
        }
        for (std::size_t i = 0; i < state.probes.size(); ++i) {
            Json one = {{"value", state.probes[i]}};
            if (state.dprobes.size() > 0)
                one["d"] = by_names(result.by, state.dprobes.row(static_cast<Eigen::Index>(i)).transpose());
            item["probes"][system.probes[i].name] = std::move(one);
        }
        out["states"].push_back(std::move(item));
    }
    out["events"] = Json::array();
    for (const SensitiveEvent& one : result.events) {
        out["events"].push_back(event_of(one, result.by));
    }
    if (result.dend_s.size() > 0) out["dend_s"] = by_names(result.by, result.dend_s);
    out["not_differentiable"] = lost_of(result.lost);
    if (result.lost && !result.lost->orders.empty())
        out["not_differentiable"].update(orders_of(scene, result));
    out["one_sided"] = one_sided_of(result);
    out["findings"] = Json::array();
    for (const Finding& finding : result.findings) {
        out["findings"].push_back(
            {{"code", finding.code}, {"time_s", finding.time_s}, {"message", finding.message}});
    }
    return out.dump(2) + "\n";
}

std::string json_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit)
{
    return orbit_json(scene, options.parameters, orbit).dump(2) + "\n";
}

namespace {

void add_branch(const Scene& scene, const FollowedBranch& followed, Json& out)
{
    const Branch& branch = followed.branch;
    out["name"] = followed.name;
    out["end"] = branch.end;
    const std::vector<std::string> by{followed.options.over};
    out["coordinates"] = Json::array();
    for (const Coordinate& coordinate : scene.model.system().coordinates)
        out["coordinates"].push_back(coordinate.name);
    out["points"] = Json::array();
    for (const BranchPoint& point : branch.points) {
        out["points"].push_back({{"value", point.value},
                                 {"period_s", point.orbit.period_s},
                                 {"stable", point.orbit.stable},
                                 {"stability", stability_of(point.orbit)},
                                 {"multipliers", multipliers_of(point.orbit.section_multipliers)},
                                 {"start_s", point.orbit.start.t_s},
                                 {"start", list_of(point.orbit.start.q)},
                                 {"start_velocity", list_of(point.orbit.start.u)},
                                 {"min", list_of(point.orbit.lowest)},
                                 {"max", list_of(point.orbit.highest)}});
    }
    out["special"] = Json::array();
    for (const SpecialPoint& point : branch.special) {
        Json item = {
            {"kind", point.kind}, {"value", point.value}, {"orbit", orbit_json(scene, by, point.orbit)}};
        if (!point.place.empty()) {
            item["place"] = point.place;
            item["time_s"] = point.time_s;
        }
        out["special"].push_back(std::move(item));
    }
    out["curves"] = Json::array();
    for (const Curve& curve : followed.curves) {
        Json first = Json::array(), second = Json::array();
        for (const CurvePoint& point : curve.points) {
            first.push_back(point.first);
            second.push_back(point.second);
        }
        out["curves"].push_back({{"kind", curve.kind},
                                 {"place", curve.place},
                                 {"end", curve.end},
                                 {followed.options.over, first},
                                 {followed.curves_over, second}});
    }
}

}  // namespace

std::string json_of(const Scene& scene, const std::vector<FollowedBranch>& branches)
{
    Json out = {{"title", scene.title}, {"over", branches.front().options.over}};
    add_branch(scene, branches.front(), out);
    out["switched"] = Json::array();
    for (std::size_t i = 1; i < branches.size(); ++i) {
        Json one = Json::object();
        add_branch(scene, branches[i], one);
        out["switched"].push_back(std::move(one));
    }
    return out.dump(2) + "\n";
}

std::string json_of(const Scene& scene, const EquilibriumOptions& options, const Equilibria& found)
{
    Json out = {{"title", scene.title}, {"over", options.over}, {"contacts", found.contacts}};
    out["branches"] = Json::array();
    for (const EquilibriumBranch& branch : found.branches) {
        Json one = {{"sides", branch.sides}, {"end", branch.end}};
        one["points"] = Json::array();
        for (const Equilibrium& point : branch.points) {
            one["points"].push_back({{"value", point.value},
                                     {"q", list_of(point.q)},
                                     {"r_N", point.r_N},
                                     {"stable", point.stable},
                                     {"eigenvalues_1_s", multipliers_of(point.eigenvalues)}});
        }
        one["special"] = Json::array();
        for (const EquilibriumPoint& point : branch.special) {
            one["special"].push_back({{"kind", point.kind}, {"value", point.value}, {"place", point.place}});
        }
        out["branches"].push_back(std::move(one));
    }
    return out.dump(2) + "\n";
}

std::string json_of(const Scene& scene, const Lyapunov& result)
{
    Json out = {{"title", scene.title}, {"finished", result.finished}};
    if (!result.finished) {
        out["trouble"] = result.trouble;
        return out.dump(2) + "\n";
    }
    out["time_s"] = result.time_s;
    out["impacts"] = result.impacts;
    // no number of JSON is infinite: null, and how many
    out["exponents_1_s"] = list_of(result.exponents_1_s);
    out["minus_infinity"] = (result.exponents_1_s.array() == -INFINITY).count();
    out["errors_1_s"] = list_of(result.errors_1_s);
    out["chaotic"] = result.exponents_1_s[0] > 3 * result.errors_1_s[0];
    return out.dump(2) + "\n";
}

}  // namespace carom
