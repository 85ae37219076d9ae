#include "answers.hpp"
#include "orbit_drivers.hpp"
#include "orbit_scenes.hpp"
#include "periodic_support.hpp"

#include "carom/orbit/branch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace carom::reference {
namespace {

constexpr Means exact = Means::Exact;
constexpr double turn = 2 * std::numbers::pi;

using Values = std::map<std::string, double>;

/// Orbits with that many impacts a period from a grid of starts, each once; without runs of the motion.
std::vector<Orbit> search(const OrbitScene& family, const Values& values, const OrbitOptions& options,
                          std::size_t impacts, const std::vector<std::array<double, 3>>& starts)
{
    std::vector<Orbit> found;
    const std::string at = family.parameters.contains("z0") ? "z0" : "x0";
    for (const auto& [t_s, q, u] : starts) {
        Values with = values;
        with[at] = q;
        with["v0"] = u;
        const Scene scene = family.read(1, t_s, with);
        const auto orbit = find_orbit(scene, options);
        if (!orbit || !orbit->converged || events_of(*orbit, EventKind::Impact).size() != impacts) continue;
        const bool known = std::ranges::any_of(found, [&](const Orbit& other) {
            return other.start.t_s == orbit->start.t_s && (other.start.q - orbit->start.q).norm() < 1e-7 &&
                   (other.start.u - orbit->start.u).norm() < 1e-6;
        });
        if (!known) found.push_back(*orbit);
    }
    return found;
}

double phase_at(double w, double ph, double t_s)
{
    const double phase = std::fmod(w * t_s + ph, turn);
    return phase < 0 ? phase + turn : phase;
}

double impact_phase(const Orbit& orbit, double w, double ph)
{
    return phase_at(w, ph, events_of(orbit, EventKind::Impact).at(0).event.time_s);
}

Branch branch_or_fail(const Scene& scene, const BranchOptions& options, const Orbit& first)
{
    auto branch = follow_branch(scene, options, first);
    if (!branch) throw DriverFailure(branch.error().front().message);
    if (branch->points.empty()) throw DriverFailure(branch->end);
    return std::move(*branch);
}

const SpecialPoint& first_of(const Branch& branch, const std::string& kind)
{
    const auto found = std::ranges::find(branch.special, kind, &SpecialPoint::kind);
    if (found == branch.special.end())
        throw DriverFailure("the branch has no " + kind + "; it ends: " + branch.end);
    return *found;
}

/// The parameters with the orbit's start in them, so that the scene begins there.
Scene scene_at(const OrbitScene& family, Values values, const Orbit& orbit)
{
    values[family.parameters.contains("z0") ? "z0" : "x0"] = orbit.start.q[0];
    values["v0"] = orbit.start.u[0];
    return family.read(1, orbit.start.t_s, values);
}

OrbitOptions periods(double count)
{
    return {.period = fmt::format("{}*2*pi/w", count), .section = {}};
}

/// Starts of a ball that has just left the table at some phase with the speed that a flight of k periods
/// needs on a table at rest; a tenth of a period later.
std::vector<std::array<double, 3>> flights(double A, double w, double g, double ph, double k)
{
    std::vector<std::array<double, 3>> starts;
    const double T = turn / w, v = g * k * T / 2, s = 0.1 * T;
    for (int i = -7; i <= 7; ++i) {
        const double phase = 0.2 * i;
        const double t_s = (phase - ph) / w + s + T;
        starts.push_back({t_s, A * std::sin(phase) + v * s - g * s * s / 2, v - g * s});
    }
    return starts;
}

/// One-impact orbits of k table periods at an amplitude whose impact phase is in (low, high).
Orbit table_orbit(const Task& task, const OrbitScene& family, double A, double k, double low, double high)
{
    const double w = task.number("w"), ph = task.number("ph", 0);
    for (const Orbit& orbit :
         search(family, {{"A", A}}, periods(k), 1, flights(A, w, task.number("g"), ph, k))) {
        const double phase = impact_phase(orbit, w, ph);
        if (phase > low && phase < high) return orbit;
    }
    throw DriverFailure("no orbit of one impact at this amplitude");
}

Branch table_branch(const Task& task, const OrbitScene& family, double A, double k, bool upwards,
                    const std::vector<double>& values = {}, double low = 0, double high = 0)
{
    const Orbit first = table_orbit(task, family, A, k, 0, turn / 4);
    BranchOptions options;
    options.orbit = periods(k);
    options.over = "A";
    options.low = low > 0 ? low : 0.3 * A;
    options.high = high > 0 ? high : 2.5 * A;
    options.upwards = upwards;
    options.values = values;
    options.max_step = 0.05;
    bool folded = false;
    double last = upwards ? -1 : 1e300;
    options.on_point = [&](double value) {
        folded = folded || (upwards ? value < last : value > last);
        last = value;
        return !folded;
    };
    return branch_or_fail(scene_at(family, {{"A", A}}, first), options, first);
}

/// Upwards to a period doubling: with much restitution it is far from the fold.
Branch doubling_branch(const Task& task, const OrbitScene& family, double A, double k)
{
    double reach = 2.5;
    for (;; reach *= 3) {
        Branch branch = table_branch(task, family, A, k, true, {}, 0.3 * A, reach * A);
        const bool found =
            std::ranges::find(branch.special, "period_doubling", &SpecialPoint::kind) != branch.special.end();
        if (found || branch.end != "range" || reach > 100) return branch;
    }
}

}  // namespace

void give_table_limits(const Task& task, const OrbitScene& family, Answers& answers)
{
    const double k = task.number("k") / task.number("n_imp", 1);
    answers.give("A_fold", exact, [&] {
        return Json(first_of(table_branch(task, family, task.number("A"), k, false), "fold").value);
    });
    answers.give("A_flip", exact, [&] {
        // from an amplitude near the fold, where the orbit is stable
        const double A =
            first_of(table_branch(task, family, task.number("A"), k, false), "fold").value * 1.05;
        return Json(first_of(doubling_branch(task, family, A, k), "period_doubling").value);
    });
}

void flip_table(const Task& task, Answers& answers)
{
    const OrbitScene family = table_scene(task);
    const Branch branch = doubling_branch(task, family, task.number("A_start"), task.number("k"));
    const SpecialPoint& flip = first_of(branch, "period_doubling");
    answers.give("A_flip", exact, [&] { return Json(flip.value); });
    answers.give("impact_phase", exact, [&] { return Json(impact_phase(flip.orbit, task.number("w"), 0)); });
    answers.give("v_after", exact,
                 [&] { return Json(events_of(flip.orbit, EventKind::Impact).at(0).u_after[0]); });
    answers.give("multipliers", exact, [&] { return multipliers_json(flip.orbit.multipliers, 2); });
}

void fold_table(const Task& task, Answers& answers)
{
    const OrbitScene family = table_scene(task);
    const double w = task.number("w"), A_start = task.number("A_start"), k = task.number("k");
    Branch branch = table_branch(task, family, A_start, k, false);
    // with much restitution the fold is far below
    for (double low = 0.03 * A_start; branch.end == "range" && low > 1e-4 * A_start; low /= 10) {
        branch = table_branch(task, family, A_start, k, false, {}, low);
    }
    const SpecialPoint& fold = first_of(branch, "fold");
    answers.give("A_fold", exact, [&] { return Json(fold.value); });
    answers.give("impact_phase", exact, [&] {
        const double phase = impact_phase(fold.orbit, w, 0);
        return Json(phase > turn / 2 ? phase - turn : phase);
    });
    answers.give("multipliers", exact, [&] { return multipliers_json(fold.orbit.multipliers, 2); });
    const auto offsets = task.vector("offsets");
    std::vector<double> wanted, phases(static_cast<std::size_t>(offsets.size()), NAN);
    for (const double d : offsets) {
        wanted.push_back(fold.value * (1 + d));
    }
    for (const bool upwards : {false, true}) {
        const Branch near = table_branch(task, family, A_start, k, upwards, wanted, 0.9 * fold.value);
        for (const BranchPoint& point : near.at) {
            const auto at = std::ranges::find(wanted, point.value) - wanted.begin();
            if (std::isnan(phases[static_cast<std::size_t>(at)])) {
                phases[static_cast<std::size_t>(at)] = impact_phase(point.orbit, w, 0);
            }
        }
    }
    answers.give("phase_at", exact, [&] { return Json(phases); });
    answers.give("sqrt_coefficient", exact,
                 [&] { return Json(phases.back() / std::sqrt(offsets[offsets.size() - 1])); });
}

namespace {

/// One of these amplitudes at which there is an orbit: the middle one, or one of those above.
double amplitude_with_orbit(const Task& task, const OrbitScene& family, const std::vector<double>& amplitudes,
                            double k)
{
    for (std::size_t i = amplitudes.size() / 2; i + 1 < amplitudes.size(); ++i) {
        try {
            static_cast<void>(table_orbit(task, family, amplitudes[i], k, 0, turn / 4));
            return amplitudes[i];
        } catch (const DriverFailure&) {
            continue;
        }
    }
    return amplitudes.back();
}

}  // namespace

void branch_table(const Task& task, Answers& answers)
{
    const OrbitScene family = table_scene(task);
    const double w = task.number("w"), k = task.number("k");
    const auto list = task.vector("A_list");
    Json exists = Json::array(), phases = Json::array(), multipliers = Json::array(), stable = Json::array();
    // one branch over all amplitudes, from one of them where there is an orbit, both ways
    std::map<double, Orbit> found;
    std::vector<double> wanted(list.begin(), list.end());
    const double middle = amplitude_with_orbit(task, family, wanted, k);
    for (const bool upwards : {false, true}) {
        const Branch branch = table_branch(task, family, middle, k, upwards, wanted, 0.9 * wanted.front(),
                                           1.01 * wanted.back());
        for (const BranchPoint& point : branch.at) {
            if (impact_phase(point.orbit, w, 0) < turn / 4) found.emplace(point.value, point.orbit);
        }
    }
    for (const double A : wanted) {
        const auto at = found.find(A);
        exists.push_back(at != found.end());
        if (at == found.end()) continue;
        phases.push_back(impact_phase(at->second, w, 0));
        multipliers.push_back(multipliers_json(at->second.multipliers, 2));
        stable.push_back(at->second.stable);
    }
    answers.give("exists", exact, [&] { return exists; });
    answers.give("impact_phase", exact, [&] { return phases; });
    answers.give("multipliers", exact, [&] { return multipliers; });
    answers.give("stable", exact, [&] { return stable; });
}

void branch_two_impacts(const Task& task, Answers& answers)
{
    const OrbitScene family = table_scene(task);
    const double w = task.number("w");
    const auto list = task.vector("A_list");
    const auto guess = task.matrix("guess");
    Json phases = Json::array(), multipliers = Json::array(), stable = Json::array();
    const auto sorted_phases = [&](const Orbit& orbit) {
        std::vector<double> result;
        for (const auto& one : events_of(orbit, EventKind::Impact)) {
            result.push_back(phase_at(w, 0, one.event.time_s));
        }
        std::ranges::sort(result);
        return result;
    };
    std::optional<Orbit> first;
    for (Eigen::Index i = 0; i < list.size(); ++i) {
        const Scene scene = family.read(1, task.number("t_section"),
                                        {{"A", list[i]}, {"z0", guess(i, 0)}, {"v0", guess(i, 1)}});
        const Orbit orbit = orbit_or_fail(scene, periods(2));
        if (i == 0) first = orbit;
        phases.push_back(sorted_phases(orbit));
        multipliers.push_back(multipliers_json(orbit.multipliers, 2));
        stable.push_back(orbit.stable);
    }
    answers.give("impact_phases", exact, [&] { return phases; });
    answers.give("multipliers", exact, [&] { return multipliers; });
    answers.give("stable", exact, [&] { return stable; });
    answers.give("A_flip_1", exact, [&] {
        return Json(first_of(table_branch(task, family, list[0] * 0.9, 1, true), "period_doubling").value);
    });
    BranchOptions options;
    options.orbit = periods(2);
    options.over = "A";
    options.low = 0.98 * list[0];
    options.high = 1.2 * list[list.size() - 1];
    options.max_step = 0.05;
    const Branch branch = branch_or_fail(scene_at(family, {{"A", list[0]}}, *first), options, *first);
    const SpecialPoint& flip = first_of(branch, "period_doubling");
    answers.give("A_flip_2", exact, [&] { return Json(flip.value); });
    answers.give("impact_phases_at_flip_2", exact, [&] { return Json(sorted_phases(flip.orbit)); });
    answers.give("multipliers_at_flip_2", exact, [&] { return multipliers_json(flip.orbit.multipliers, 2); });
}

namespace {

/// Starts of the oscillator at t = 0, in sizes of its motion without impacts.
std::vector<std::array<double, 3>> oscillations(const Task& task, const Values& values)
{
    const auto number = [&](const char* name) {
        const auto at = values.find(name);
        return at == values.end() ? task.number(name, 0) : at->second;
    };
    const double w = number("w"), stiff = number("k") - number("m") * w * w;
    const double B = number("F") / std::hypot(stiff, number("c") * w);
    std::vector<std::array<double, 3>> starts;
    // in the size of the motion without impacts, and where the stop is beyond that, in that of the way to it
    std::vector<double> sizes{B};
    if (std::abs(number("sigma")) > 1.5 * B) sizes.push_back(std::abs(number("sigma")));
    for (const double size : sizes) {
        for (const double x : {-0.3, -1.0, -2.0, -3.5}) {
            for (const double v : {-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0}) {
                starts.push_back({0.05 * turn / w, number("sigma") + x * size, v * size * w});
            }
        }
    }
    return starts;
}

/// The one-impact orbit of n forcing periods with the fastest impact, all gaps open elsewhere.
std::optional<Orbit> oscillator_orbit(const Task& task, const OrbitScene& family, const Values& values,
                                      bool stable_first)
{
    const double n = task.number("n");
    auto orbits = search(family, values, periods(n), 1, oscillations(task, values));
    std::ranges::sort(orbits, [&](const Orbit& a, const Orbit& b) {
        if (stable_first && a.stable != b.stable) return a.stable;
        return events_of(a, EventKind::Impact).at(0).u_before[0] >
               events_of(b, EventKind::Impact).at(0).u_before[0];
    });
    if (orbits.empty()) return std::nullopt;
    return orbits.front();
}

Branch oscillator_branch(const Task& task, const OrbitScene& family, const std::string& over, double from,
                         double low, double high, bool upwards, const std::vector<double>& values = {},
                         bool stop_at_fold = true)
{
    const auto first = oscillator_orbit(task, family, {{over, from}}, false);
    if (!first) throw DriverFailure("no orbit of one impact to begin with");
    BranchOptions options;
    options.orbit = periods(task.number("n"));
    options.over = over;
    options.low = low;
    options.high = high;
    options.upwards = upwards;
    options.values = values;
    options.max_step = 0.05;
    bool folded = false;
    double last = upwards ? -1e300 : 1e300;
    options.on_point = [&](double value) {
        folded = folded || (upwards ? value < last : value > last);
        last = value;
        return !(folded && stop_at_fold);
    };
    return branch_or_fail(scene_at(family, {{over, from}}, *first), options, *first);
}

/// From one end of the frequencies to the other, or back where no orbit is found there or the branch does not
/// get to such a point; and whether it goes upwards.
std::pair<Branch, bool> branch_with(const Task& task, const OrbitScene& family, const std::string& kind,
                                    double lo, double hi, bool upwards)
{
    const auto follow = [&](bool up) {
        return oscillator_branch(task, family, "w", up ? lo : hi, lo - 1e-9, hi + 1e-9, up);
    };
    try {
        Branch branch = follow(upwards);
        if (std::ranges::find(branch.special, kind, &SpecialPoint::kind) != branch.special.end())
            return {std::move(branch), upwards};
    } catch (const DriverFailure&) {
        // the other end may have one
    }
    return {follow(!upwards), !upwards};
}

}  // namespace

void flip_oscillator(const Task& task, Answers& answers)
{
    const OrbitScene family = oscillator_scene(task);
    const double lo = task.number("w_lo"), hi = task.number("w_hi"), ph = task.number("ph");
    const auto [branch, upwards] = branch_with(task, family, "period_doubling", lo, hi, true);
    const SpecialPoint& flip = first_of(branch, "period_doubling");
    answers.give("w_flip", exact, [&] { return Json(flip.value); });
    answers.give("impact_phase", exact, [&] { return Json(impact_phase(flip.orbit, flip.value, ph)); });
    answers.give("v_after", exact,
                 [&] { return Json(events_of(flip.orbit, EventKind::Impact).at(0).u_after[0]); });
    answers.give("multipliers", exact, [&] { return multipliers_json(flip.orbit.multipliers, 2); });
    answers.give("stable_side", exact,
                 [&] { return Json(branch.points.front().orbit.stable == upwards ? "lo" : "hi"); });
}

void fold_oscillator(const Task& task, Answers& answers)
{
    const OrbitScene family = oscillator_scene(task);
    const double start = task.number("sigma_start");
    const Branch branch =
        oscillator_branch(task, family, "sigma", start, 0.8 * start, 2 * start, true, {}, true);
    const SpecialPoint& fold = first_of(branch, "fold");
    answers.give("sigma_fold", exact, [&] { return Json(fold.value); });
    answers.give("v_before", exact,
                 [&] { return Json(events_of(fold.orbit, EventKind::Impact).at(0).u_before[0]); });
    answers.give("impact_phase", exact,
                 [&] { return Json(impact_phase(fold.orbit, task.number("w"), task.number("ph"))); });
    answers.give("multipliers", exact, [&] { return multipliers_json(fold.orbit.multipliers, 2); });
    answers.give("amplitude_B", exact, [&] {
        // the motion without impacts: the stop far away
        const Scene free = family.read(1, 0, {{"sigma", 1e3}});
        const Orbit orbit = orbit_or_fail(free, periods(1));
        return Json((orbit.highest[0] - orbit.lowest[0]) / 2);
    });
    answers.give("v_before_at", exact, [&] {
        const auto offsets = task.vector("offsets");
        std::vector<double> wanted;
        for (const double d : offsets) {
            wanted.push_back(fold.value * (1 - d));
        }
        const double from = std::min(start, *std::ranges::min_element(wanted)) * 0.999;
        const Branch round =
            oscillator_branch(task, family, "sigma", from, from * 0.9999, 2 * start, true, wanted, false);
        Json all = Json::array();
        for (const double value : wanted) {
            std::vector<double> speeds;
            for (const BranchPoint& point : round.at) {
                if (point.value == value)
                    speeds.push_back(events_of(point.orbit, EventKind::Impact).at(0).u_before[0]);
            }
            std::ranges::sort(speeds, std::greater<>());
            all.push_back(speeds);
        }
        return all;
    });
}

void branch_oscillator(const Task& task, Answers& answers)
{
    const OrbitScene family = oscillator_scene(task);
    const auto list = task.vector("w_list");
    const std::vector<double> wanted(list.begin(), list.end());
    const Branch branch = oscillator_branch(task, family, "w", wanted.front(), wanted.front() - 1e-9,
                                            wanted.back() + 1e-9, true, wanted);
    Json phases = Json::array(), speeds = Json::array(), multipliers = Json::array(), stable = Json::array();
    for (const BranchPoint& point : branch.at) {
        phases.push_back(impact_phase(point.orbit, point.value, task.number("ph")));
        speeds.push_back(events_of(point.orbit, EventKind::Impact).at(0).u_after[0]);
        multipliers.push_back(multipliers_json(point.orbit.multipliers, 2));
        stable.push_back(point.orbit.stable);
    }
    answers.give("impact_phase", exact, [&] { return phases; });
    answers.give("v_after", exact, [&] { return speeds; });
    answers.give("multipliers", exact, [&] { return multipliers; });
    answers.give("stable", exact, [&] { return stable; });
}

void graze_orbit(const Task& task, Answers& answers)
{
    const OrbitScene family = oscillator_scene(task);
    const double lo = task.number("w_lo"), hi = task.number("w_hi");
    const Branch branch = branch_with(task, family, "grazing", lo, hi, false).first;
    const SpecialPoint& graze = first_of(branch, "grazing");
    const auto impact = events_of(graze.orbit, EventKind::Impact).at(0);
    const double period = graze.orbit.period_s;
    answers.give("w_graze", exact, [&] { return Json(graze.value); });
    answers.give("t_graze", exact, [&] {
        const double away = std::fmod(graze.time_s - impact.event.time_s, period);
        return Json(away < 0 ? away + period : away);
    });
    answers.give("impact_phase", exact,
                 [&] { return Json(impact_phase(graze.orbit, graze.value, task.number("ph"))); });
    answers.give("v_after", exact, [&] { return Json(impact.u_after[0]); });
    answers.give("gap_slope", exact, [&] { return Json(-graze.slope); });
    answers.give("multipliers", exact, [&] { return multipliers_json(graze.orbit.multipliers, 2); });
}

void graze_oscillator(const Task& task, Answers& answers)
{
    const OrbitScene family = oscillator_scene(task);
    const double start = task.number("F_start"), w = task.number("w");
    // the motion without impacts, not one of those with impacts that may stand beside it: a stop far away
    const Orbit without = orbit_or_fail(family.read(1, 0, {{"F", start}, {"sigma", 1e3}}), periods(1));
    const Scene scene =
        family.read(1, 0, {{"F", start}, {"x0", without.start.q[0]}, {"v0", without.start.u[0]}});
    BranchOptions options;
    options.orbit = periods(1);
    options.over = "F";
    options.low = 0.5 * start;
    options.high = 2 * start;
    auto branch = follow_branch(scene, options);
    // the force that grazes may be far away
    while (branch && branch->end == "range" && options.high < 1e3 * start) {
        options.high *= 4;
        branch = follow_branch(scene, options);
    }
    if (!branch) throw DriverFailure(branch.error().front().message);
    const double F_graze = first_of(*branch, "grazing").value;
    answers.give("F_graze", exact, [&] { return Json(F_graze); });
    const auto offsets = task.vector("offsets");
    Json first = Json::array(), saltations = Json::array();
    std::vector<double> speeds;
    for (const double d : offsets) {
        // on the steady motion without impacts: that of a stop far away, at t = 0
        const Values at{{"F", F_graze * (1 + d)}};
        Values far = at;
        far["sigma"] = 1e3;
        const Orbit steady = orbit_or_fail(family.read(1, 0, far), periods(1));
        Values begin = at;
        begin["x0"] = steady.start.q[0];
        begin["v0"] = steady.start.u[0];
        const Scene motion = family.read(1.5 * turn / w, 0, begin);
        SensitivityOptions by;
        by.by = {"coordinate.x.start", "coordinate.x.start_velocity"};
        const auto result = sensitivities(motion, by);
        if (!result) throw DriverFailure(result.error().front().message);
        const auto impact = std::ranges::find_if(
            result->events, [](const SensitiveEvent& one) { return one.event.kind == EventKind::Impact; });
        if (impact == result->events.end()) throw DriverFailure("no impact");
        speeds.push_back(impact->u_before[0]);
        first.push_back(speeds.back());
        saltations.push_back((impact->dz_after * impact->dz_before.inverse())(1, 0));
    }
    answers.give("v_first", exact, [&] { return first; });
    answers.give("saltation_21", exact, [&] { return saltations; });
    const std::size_t last = speeds.size() - 1;
    const double d_last = offsets[static_cast<Eigen::Index>(last)],
                 d_before = offsets[static_cast<Eigen::Index>(last) - 1];
    answers.give("sqrt_exponent", exact, [&] {
        return Json(std::log(speeds[last] / speeds[last - 1]) / std::log(d_last / d_before));
    });
    answers.give("sqrt_coefficient", exact, [&] { return Json(speeds[last] / std::sqrt(d_last)); });
}

void stick_coulomb(const Task& task, Answers& answers)
{
    const OrbitScene family = coulomb_scene(task);
    const double F0 = task.number("F0"), k = task.number("k");
    // a force at which the motion has no stops: twice the friction, or more
    std::optional<Orbit> first;
    double F = 2 * F0;
    for (int i = 0; i < 8 && !first; ++i, F *= 1.5) {
        OrbitOptions options = periods(1);
        options.settle = 60;
        auto orbit = find_orbit(family.read(1, 0, {{"F", F}, {"x0", F / k}}), options);
        if (!orbit || !orbit->converged || !events_of(*orbit, EventKind::Stick).empty()) continue;
        first = *orbit;
        break;
    }
    if (!first) throw DriverFailure("no motion without stops");
    BranchOptions options;
    options.orbit = periods(1);
    options.over = "F";
    options.low = 0.2 * F0;
    options.high = 3 * F;
    options.upwards = false;
    options.max_step = 0.05;
    const auto amplitude = [](const Orbit& orbit) { return (orbit.highest[0] - orbit.lowest[0]) / 2; };
    const Branch branch = branch_or_fail(scene_at(family, {{"F", F}}, *first), options, *first);
    const SpecialPoint& birth = first_of(branch, "stick");
    answers.give("F_stick", exact, [&] { return Json(birth.value); });
    answers.give("amplitude_at_F_stick", exact, [&] { return Json(amplitude(birth.orbit)); });
    const double wanted = task.number("factor") * birth.value;
    OrbitOptions settled = periods(1);
    settled.settle = 60;
    const Orbit orbit = orbit_or_fail(family.read(1, 0, {{"F", wanted}, {"x0", wanted / k}}), settled);
    answers.give("amplitude_at_factor", exact, [&] { return Json(amplitude(orbit)); });
    const std::array place{0};
    const auto m = multipliers_of(monodromy_of(orbit, place));
    answers.give("multipliers_at_factor", exact, [&] { return multipliers_json(m, 2); });
    answers.give("stable_at_factor", exact, [&] { return Json(std::abs(m.at(0)) < 1); });
}

namespace {

/// Departure and landing of a ball that rests on the table at phase -pi/2, with derivatives by A.
struct Flight {
    double leave_s = 0, land_s = 0, dduration = 0;
    bool flies = false;
};

Flight flight_at(const OrbitScene& family, double A, double w)
{
    const double t0 = -turn / 4 / w;
    const Scene scene = family.read(6 * turn / w, t0, {{"A", A}, {"z0", -A}, {"v0", 0}});
    SensitivityOptions options;
    options.by = {"parameters.A"};
    Scene start = scene;
    const auto motion = sensitivities(scene, options);
    if (!motion) throw DriverFailure(motion.error().front().message);
    Flight flight;
    for (const SensitiveEvent& one : motion->events) {
        if (one.event.kind == EventKind::ContactLost && !flight.flies) {
            flight.leave_s = one.event.time_s;
            flight.flies = true;
            flight.dduration = one.dtime_s.size() > 0 ? -one.dtime_s[0] : 0;
        }
        if (one.event.kind == EventKind::Impact && flight.flies) {
            flight.land_s = one.event.time_s;
            flight.dduration += one.dtime_s.size() > 0 ? one.dtime_s[0] : 0;
            return flight;
        }
    }
    flight.flies = false;
    return flight;
}

}  // namespace

void stick_inelastic(const Task& task, Answers& answers)
{
    const OrbitScene family = table_scene(task);
    const double w = task.number("w"), g = task.number("g"), T = turn / w;
    // the ball that rides on the table for a period: where its reaction vanishes
    const double small = 0.5 * g / (w * w);
    const Scene riding = family.read(1, 0, {{"A", small}, {"z0", 0}, {"v0", small * w}});
    BranchOptions options;
    options.orbit = periods(1);
    options.over = "A";
    options.low = 0.1 * small;
    options.high = 10 * small;
    const auto branch = follow_branch(riding, options);
    if (!branch) throw DriverFailure(branch.error().front().message);
    const double detach = first_of(*branch, "contact_lost").value;
    answers.give("A_detach", exact, [&] { return Json(detach); });

    // flights that last n periods: Newton's method on the duration, from where it is passed
    const auto lasting = [&](int n) {
        double A = 1.5 * detach, before = A;
        while (true) {
            const Flight flight = flight_at(family, A, w);
            if (flight.flies && flight.land_s - flight.leave_s >= n * T) break;
            before = A;
            A *= 1.1;
            if (A > 1e3 * detach) throw DriverFailure("no flight of that length");
        }
        double low = before, high = A;
        for (int i = 0; i < 60; ++i) {
            const Flight flight = flight_at(family, A, w);
            const double left = flight.land_s - flight.leave_s - n * T;
            if (left >= 0)
                high = A;
            else
                low = A;
            double next = A - left / flight.dduration;
            if (!(next > low && next < high)) next = (low + high) / 2;
            if (std::abs(next - A) < 1e-14 * A) break;
            A = next;
        }
        return A;
    };
    const double A_1 = lasting(1);
    answers.give("A_1", exact, [&] { return Json(A_1); });
    answers.give("A_2", exact, [&] { return Json(lasting(2)); });
    answers.give("departure_phase_at_A_1", exact,
                 [&] { return Json(w * flight_at(family, A_1, w).leave_s); });
    answers.give("flight_fraction", exact, [&] {
        Json list = Json::array();
        for (const double f : task.vector("factors")) {
            const Flight flight = flight_at(family, f * detach, w);
            list.push_back((flight.land_s - flight.leave_s) / T);
        }
        return list;
    });
}

}  // namespace carom::reference
