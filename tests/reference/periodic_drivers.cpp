#include "answers.hpp"
#include "orbit_drivers.hpp"
#include "orbit_scenes.hpp"
#include "periodic_support.hpp"

#include "carom/orbit/periodic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace carom::reference {
namespace {

constexpr Means exact = Means::Exact;
constexpr double turn = 2 * std::numbers::pi;

Json pair_of(const std::complex<double>& z)
{
    return Json::array({z.real(), z.imag()});
}

double phase_of(const Task& task, double t_s)
{
    const double phase = std::fmod(task.number("w") * t_s + task.number("ph", 0), turn);
    return phase < 0 ? phase + turn : phase;
}

}  // namespace

Json multipliers_json(std::vector<std::complex<double>> multipliers, std::size_t count)
{
    // what closed contacts forbid is forgotten: zero
    multipliers.resize(count, 0.0);
    Json list = Json::array();
    for (const auto& one : multipliers) {
        list.push_back(pair_of(one));
    }
    return list;
}

Orbit orbit_or_fail(const Scene& scene, const OrbitOptions& options)
{
    auto orbit = find_orbit(scene, options);
    if (!orbit) throw DriverFailure(orbit.error().front().message);
    if (!orbit->converged) throw DriverFailure("no orbit: " + orbit->trouble);
    return std::move(*orbit);
}

std::vector<SensitiveEvent> events_of(const Orbit& orbit, EventKind kind)
{
    std::vector<SensitiveEvent> found;
    for (const SensitiveEvent& one : orbit.events) {
        if (one.event.kind == kind && one.event.time_s > orbit.start.t_s) found.push_back(one);
    }
    return found;
}

namespace {

/// What all ask for of an orbit: the coordinate `at` and its velocity.
void give_orbit(const Orbit& orbit, int at, Answers& answers)
{
    const std::array place{at};
    const Eigen::MatrixXd M = monodromy_of(orbit, place);
    answers.give("period", exact, [&] { return Json(orbit.period_s); });
    answers.give("strobe_state", exact, [&] { return Json::array({orbit.start.q[at], orbit.start.u[at]}); });
    answers.give("monodromy", exact, [&] { return matrix_of(M); });
    answers.give("multipliers", exact, [&] { return multipliers_json(multipliers_of(M), 2); });
    answers.give("det", exact, [&] { return Json(M.determinant()); });
    answers.give("trace", exact, [&] { return Json(M.trace()); });
    answers.give("stable", exact, [&] {
        const auto m = multipliers_of(M);
        return Json(std::ranges::all_of(m, [](const auto& z) { return std::abs(z) < 1; }));
    });
}

}  // namespace

void orbit_oscillator(const Task& task, Answers& answers)
{
    const auto guess = task.vector("guess");
    const Scene scene =
        oscillator_scene(task).read(1, task.number("t_section"), {{"x0", guess[0]}, {"v0", guess[1]}});
    const Orbit orbit =
        orbit_or_fail(scene, {.period = fmt::format("{}*2*pi/w", task.number("n")), .section = {}});
    give_orbit(orbit, 0, answers);
    const auto impacts = events_of(orbit, EventKind::Impact);
    answers.give("impact_phase", exact, [&] { return Json(phase_of(task, impacts.at(0).event.time_s)); });
    answers.give("v_before", exact, [&] { return Json(impacts.at(0).u_before[0]); });
    answers.give("v_after", exact, [&] { return Json(impacts.at(0).u_after[0]); });
    answers.give("x_min", exact, [&] { return Json(orbit.lowest[0]); });
}

void orbit_table(const Task& task, Answers& answers)
{
    const auto guess = task.vector("guess");
    const OrbitScene family = table_scene(task);
    const Scene scene = family.read(1, task.number("t_section"), {{"z0", guess[0]}, {"v0", guess[1]}});
    const Orbit orbit =
        orbit_or_fail(scene, {.period = fmt::format("{}*2*pi/w", task.number("k")), .section = {}});
    give_orbit(orbit, 0, answers);
    const auto impacts = events_of(orbit, EventKind::Impact);
    answers.give("impact_phases", exact, [&] {
        Json list = Json::array();
        for (const auto& one : impacts) {
            list.push_back(phase_of(task, one.event.time_s));
        }
        return list;
    });
    answers.give("v_after", exact, [&] {
        Json list = Json::array();
        for (const auto& one : impacts) {
            list.push_back(one.u_after[0]);
        }
        return list;
    });
    give_table_limits(task, family, answers);
}

void orbit_belt(const Task& task, Answers& answers)
{
    const OrbitScene family = belt_scene(task);
    const Scene scene = family.read(1000, 0, {{"v0", task.number("vb")}});
    const Orbit orbit = orbit_or_fail(
        scene, {.period = {}, .section = "-x'", .parameters = {"vb", "N", "k", "mu_s", "mu_d"}, .settle = 1});
    const auto sticks = events_of(orbit, EventKind::Stick), slips = events_of(orbit, EventKind::Slip);
    if (sticks.size() != 1 || slips.size() != 1) throw DriverFailure("not one stick and one slip");
    const double stick_s = slips[0].event.time_s - sticks[0].event.time_s;
    answers.give("period", exact, [&] { return Json(orbit.period_s); });
    answers.give("stick_duration", exact, [&] { return Json(stick_s); });
    answers.give("slip_duration", exact, [&] { return Json(orbit.period_s - stick_s); });
    answers.give("x_slip_start", exact, [&] { return Json(slips[0].q[0]); });
    answers.give("x_stick_start", exact, [&] { return Json(sticks[0].q[0]); });
    answers.give("x_max", exact, [&] { return Json(orbit.highest[0]); });
    answers.give("x_min", exact, [&] { return Json(orbit.lowest[0]); });
    answers.give("multipliers", exact, [&] { return multipliers_json(orbit.multipliers, 2); });
    answers.give("section_multiplier", exact, [&] { return Json(orbit.section_multipliers.at(0).real()); });
    const std::array names{"vb", "N", "k", "mu_s", "mu_d"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        answers.give(fmt::format("dperiod/d{}", names[i]), exact,
                     [&] { return Json(orbit.dperiod[static_cast<Eigen::Index>(i)]); });
    }
}

void orbit_forced_belt(const Task& task, Answers& answers)
{
    const auto guess = task.vector("guess");
    const Scene scene =
        belt_scene(task).read(1, task.number("t_section"), {{"x0", guess[0]}, {"v0", guess[1]}});
    const Orbit orbit = orbit_or_fail(scene, {.period = "2*pi/w", .section = {}});
    give_orbit(orbit, 0, answers);
    Json kinds = Json::array(), times = Json::array();
    bool stuck = false;
    for (const SensitiveEvent& one : orbit.events) {
        const bool stick = one.event.kind == EventKind::Stick;
        if (!stick && one.event.kind != EventKind::Slip) continue;
        if (one.event.time_s > orbit.start.t_s) {
            kinds.push_back(stick ? "stick_start" : stuck ? "slip_start" : "reversal");
            times.push_back(one.event.time_s);
        }
        stuck = stick;
    }
    answers.give("event_kinds", exact, [&] { return kinds; });
    answers.give("event_times", exact, [&] { return times; });
}

namespace {

Orbit rolling_orbit(const Task& task, double gamma, double speed)
{
    const OrbitScene family = rimless_scene(task);
    OrbitOptions options{.period = {},
                         .section = "sin(2*pi*(x + y*tan(gamma))/d)",
                         .shift = {{"x", "d"}},
                         .parameters = {"gamma"}};
    // rolling attracts: some steps lead near to it, where the wheel does not stop or fly before
    for (const double part : {1.0, 1.5, 2.5, 0.7, 0.5, 0.35, 0.15}) {
        for (const int steps : {0, 6}) {
            options.settle = steps;
            const auto orbit =
                find_orbit(family.read(100, 0, {{"gamma", gamma}, {"speed0", part * speed}}), options);
            if (orbit && orbit->converged) return *orbit;
        }
    }
    return orbit_or_fail(family.read(100, 0, {{"gamma", gamma}, {"speed0", speed}}), options);
}

/// The slope at which the wheel only just passes the top: the square of the speed there, along the orbits,
/// is a smooth function of the slope that vanishes; extrapolated from slopes where there are orbits.
double min_slope(const Task& task)
{
    const double g = task.number("g"), l = task.number("l"), start = task.number("gamma");
    // orbits begin where the hub is straight above its foot
    const auto speed_at_top = [&](double gamma) {
        return rolling_orbit(task, gamma, std::sqrt(0.5 * g * l)).start.u.squaredNorm();
    };
    std::vector<double> slopes, squares;
    double gamma = start;
    for (int k = 0; k < 12; ++k) {
        slopes.push_back(gamma);
        squares.push_back(speed_at_top(gamma));
        // gamma as a polynomial of the square, at a square eight times smaller and at zero
        const std::size_t first = slopes.size() > 6 ? slopes.size() - 6 : 0;
        const auto at = [&](double square) {
            std::vector<double> p(slopes.begin() + static_cast<std::ptrdiff_t>(first), slopes.end());
            for (std::size_t j = 1; j < p.size(); ++j) {
                for (std::size_t i = 0; i + j < p.size(); ++i) {
                    const double a = squares[first + i], b = squares[first + i + j];
                    p[i] = ((square - b) * p[i] - (square - a) * p[i + 1]) / (a - b);
                }
            }
            return p[0];
        };
        if (k == 0) {
            gamma = start * 0.995;
            continue;
        }
        const double limit = at(0);
        if (k > 6 && std::abs(limit - gamma) < 1e-3 * std::abs(limit) &&
            squares.back() < 1e-3 * squares.front())
            return limit;
        gamma = at(squares.back() / 4);
    }
    return gamma;
}

}  // namespace

void orbit_rimless(const Task& task, Answers& answers)
{
    const double l = task.number("l"), g = task.number("g");
    const Orbit orbit = rolling_orbit(task, task.number("gamma"), std::sqrt(0.5 * g * l));
    const auto impacts = events_of(orbit, EventKind::Impact);
    const SensitiveEvent& landing = impacts.at(0);
    const double before = landing.u_before.norm() / l, after = landing.u_after.norm() / l;
    answers.give("alpha", exact, [&] { return Json(std::asin(orbit.end_shift[0] / (2 * l))); });
    answers.give("eta", exact, [&] { return Json(after / before); });
    answers.give("omega_before", exact, [&] { return Json(before); });
    answers.give("omega_after", exact, [&] { return Json(after); });
    answers.give("multiplier", exact, [&] { return Json(orbit.section_multipliers.at(0).real()); });
    answers.give("step_period", exact, [&] { return Json(orbit.period_s); });
    answers.give("mean_speed", exact, [&] { return Json(orbit.end_shift[0] / orbit.period_s); });
    answers.give("gamma_min", exact, [&] { return Json(min_slope(task)); });
    answers.give("domega_before/dgamma", exact, [&] {
        return Json(landing.u_before.dot(landing.du_before.col(0)) / landing.u_before.norm() / l);
    });
    answers.give("stable", exact, [&] { return Json(orbit.stable); });
}

void orbit_rocking(const Task& task, Answers& answers)
{
    const Scene scene = rocking_scene(task).read(1, task.number("t_section"));
    const Orbit orbit = orbit_or_fail(scene, {.period = "2*pi/w", .section = {}, .free = {"x"}});
    give_orbit(orbit, 2, answers);
    const auto impacts = events_of(orbit, EventKind::Impact);
    // ratio of angular velocities at the first landing
    answers.give("r", exact, [&] { return Json(impacts.at(0).u_after[2] / impacts.at(0).u_before[2]); });
    answers.give("alpha", exact, [&] { return Json(std::atan2(task.number("b"), task.number("h"))); });
    answers.give("impact_times", exact, [&] {
        Json list = Json::array();
        for (const auto& one : impacts) {
            list.push_back(one.event.time_s);
        }
        return list;
    });
    answers.give("omega_before", exact, [&] {
        Json list = Json::array();
        for (const auto& one : impacts) {
            list.push_back(one.u_before[2]);
        }
        return list;
    });
    answers.give("symmetric", exact, [&] {
        SensitivityOptions options;
        options.by = {"parameters.g"};
        options.at_s = {task.number("t_section") + orbit.period_s / 2};
        Scene half = scene;
        half.start = orbit.start;
        half.plan.duration_s = orbit.period_s;
        const auto motion = sensitivities(half, options);
        if (!motion) throw DriverFailure(motion.error().front().message);
        const double q = motion->states.front().q[2], u = motion->states.front().u[2];
        return Json(std::abs(q + orbit.start.q[2]) < 1e-9 && std::abs(u + orbit.start.u[2]) < 1e-8);
    });
}

void orbit_chatter(const Task& task, Answers& answers)
{
    OrbitScene family = table_scene(task);
    const double A = task.number("A"), w = task.number("w"), ph = task.number("ph", 0);
    const Scene scene = family.read(1, 0, {{"z0", A * std::sin(ph)}, {"v0", A * w * std::cos(ph)}});
    const Orbit orbit =
        orbit_or_fail(scene, {.period = "2*pi/w", .section = {}, .parameters = {"A", "w", "g", "e"}});
    const auto impacts = events_of(orbit, EventKind::Impact),
               rests = events_of(orbit, EventKind::Accumulation),
               leaves = events_of(orbit, EventKind::ContactLost);
    const SensitiveEvent& rest = rests.empty() ? impacts.at(0) : rests.at(0);
    const double leave_s = leaves.at(0).event.time_s;
    answers.give("period", exact, [&] { return Json(orbit.period_s); });
    answers.give("departure_phase", exact, [&] { return Json(w * leave_s + ph); });
    answers.give("t_departure", exact, [&] { return Json(leave_s); });
    answers.give("v_departure", exact, [&] { return Json(leaves.at(0).u_before[0]); });
    answers.give("z_max", exact, [&] { return Json(orbit.highest[0]); });
    answers.give("impact_times", exact, [&] {
        Json list = Json::array();
        for (std::size_t i = 0; i < std::min<std::size_t>(4, impacts.size()); ++i) {
            list.push_back(impacts[i].event.time_s);
        }
        return list;
    });
    answers.give("t_acc", exact, [&] { return Json(rest.event.time_s); });
    answers.give("contact_fraction", exact,
                 [&] { return Json(1 - (rest.event.time_s - leave_s) / orbit.period_s); });
    answers.give("multipliers", exact, [&] { return multipliers_json(orbit.multipliers, 2); });
    answers.give("stable", exact, [&] { return Json(orbit.stable); });
    answers.give("dt_acc/d(A,w,g)", exact, [&] { return list_of(rest.dtime_s.head(3)); });
    answers.give("dt_acc/de", exact, [&] { return Json(rest.dtime_s[3]); });
    answers.give("dt_1/d(A,w,g)", exact, [&] { return list_of(impacts.at(0).dtime_s.head(3)); });
}

void orbit_elastic(const Task& task, Answers& answers)
{
    const OrbitScene family = elastic_scene(task);
    const Scene scene = family.read(1000, 0);
    const Orbit orbit = orbit_or_fail(scene, {.period = {}, .section = "-x'"});
    give_orbit(orbit, 0, answers);
    const auto impacts = events_of(orbit, EventKind::Impact);
    answers.give("v_impact", exact, [&] { return Json(std::abs(impacts.at(0).u_before[0])); });

    // the return to the top as a function of the height
    OrbitScene returning = family;
    auto text = read_scene_text("title = \"t\"\nduration_s = 1000\nuntil = \"-x'\"\n" + returning.text() +
                                    "\n[integrator]\nkind = \"series\"\n",
                                "t");
    if (!text) throw DriverFailure(text.error().front().message);
    SensitivityOptions options;
    options.by = {"coordinate.x.start"};
    const auto motion = sensitivities(*text, options);
    if (!motion || motion->dend_s.size() == 0) throw DriverFailure("no return");
    const double slope = motion->dend_s[0];
    answers.give("dT/dH", exact, [&] { return Json(slope); });
    answers.give("dT/dE", exact,
                 [&] { return Json(slope / (task.number("g") + task.number("kappa") * task.number("H"))); });
}

}  // namespace carom::reference
