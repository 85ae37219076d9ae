#include "series_drivers.hpp"
#include "series_motion.hpp"
#include "shared_systems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

/// Families with friction, and one force that is smooth but not analytic, by the series integrator.
namespace carom::reference {
namespace {

using std::numbers::pi;

double last_of(const Answers& answers, const char* pattern)
{
    return last_instant(answers.asked(pattern));
}

State at_rest(const Model& model)
{
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.coordinates());
    return make_state(model, zero, zero);
}

/// Ends of sliding: where the contact stops or turns, after the start.
std::vector<Event> ends_of_sliding(const SeriesMotion& motion, double after_s)
{
    std::vector<Event> result;
    for (const Event& event : motion.all_events()) {
        if (event.time_s > after_s && (event.kind == EventKind::Slip || event.kind == EventKind::Stick)) {
            result.push_back(event);
        }
    }
    return result;
}

/// 1, -1 or 0: how a coordinate moves just after an instant.
int direction_after(const SeriesMotion& motion, int coordinate, double t_s)
{
    const double u = motion.at(std::min(t_s + 1e-6, motion.state().t_s)).u[coordinate];
    return u > 0 ? 1 : u < 0 ? -1 : 0;
}

}  // namespace

/// B-CE7: the force is zero within rounding where its exponent is below -500, and is cut off there.
void series_smooth_force(const Task& task, Answers& answers)
{
    // sum of (i + 5)^2 / ((i + 1)(i + 2)(i + 3)(i + 4)) from n on: partial fractions telescope
    const auto a = [](int n) {
        const double A = 16.0 / 6, B = -9.0 / 2, C = 4.0 / 2;
        return A / (n + 1) + (A + B) / (n + 2) + (A + B + C) / (n + 3);
    };
    const auto delta = [](int n) { return (n + 5.0) / ((n + 1.0) * (n + 2.0) * (n + 4.0)); };
    // the trapezoidal rule converges faster than any power: all derivatives vanish at both ends
    double integral = 0;
    constexpr int parts = 2000;
    for (int k = 1; k < parts; ++k) {
        const double x = static_cast<double>(k) / parts;
        integral += std::exp(1 / (x * (x - 1))) / parts;
    }
    const double C = 1 / integral, ramp_s = a(1) + delta(0), length_s = a(0) - ramp_s;
    answers.give("T=a_0", Means::Exact, [&] { return Json(a(0)); });
    answers.give("a_1..a_#", Means::Exact, [&](const Pieces& p) {
        Json list = Json::array();
        for (int n = 1; n <= static_cast<int>(count_in(p[0])); ++n) {
            list.push_back(a(n));
        }
        return list;
    });
    answers.give("C", Means::Exact, [&] { return Json(C); });

    const double margin = 2e-3;
    const Model model = model_of({.coordinates = {"q"},
                                  .kinetic = "q'^2/2",
                                  .forces = {"if(t < first, 0, if(t > last, 0, strength*exp(1/((t - "
                                             "ramp)/length*((t - ramp)/length - 1)))))"},
                                  .contacts = {{"obstacle", "-q", "1"}}},
                                 task,
                                 {{"first", ramp_s + margin * length_s},
                                  {"last", ramp_s + (1 - margin) * length_s},
                                  {"strength", C / 2},
                                  {"ramp", ramp_s},
                                  {"length", length_s}});
    const Eigen::VectorXd q = Eigen::VectorXd::Zero(1), u = Eigen::VectorXd::Constant(1, -1.0 / 24);
    SeriesMotion motion(model, make_state(model, q, u, a(1)), length_s / 2000);
    motion.until_s(a(0) - 1e-9);
    const double middle_s = ramp_s + length_s / 2;
    answers.give("q(a_1+delta_0)", Means::Exact, [&] { return Json(motion.at(ramp_s).q[0]); });
    answers.give("t_mid*", Means::Exact, [&] { return Json(middle_s); });
    answers.give("q(t_mid)", Means::Exact, [&] { return Json(motion.at(middle_s).q[0]); });
    answers.give("v(t_mid)", Means::Exact, [&] { return Json(motion.at(middle_s).u[0]); });
    answers.give("v(a_0-)", Means::Exact, [&] { return Json(motion.state().u[0]); });
    answers.give("q(a_0-)", Means::Exact,
                 [&] { return Json(motion.state().q[0] + 1e-9 * motion.state().u[0]); });
    answers.give("min of q on intervals n=0..# lies below v_{n+1} delta_n =", Means::Exact,
                 [&](const Pieces& p) {
                     Json list = Json::array();
                     double factorial = 24;
                     for (int n = 0; n <= static_cast<int>(count_in(p[0])); ++n) {
                         list.push_back(-delta(n) / factorial);
                         factorial *= n + 5;
                     }
                     return list;
                 });
}

void series_status_line(const Task& task, Answers& answers)
{
    const auto forces = std::map<std::string, std::string>{
        {"a", "1 + t"}, {"b", "1 - t"}, {"c", "1 + t^2"}, {"d", "1 - t^2 + 2*t^3"}, {"e", "1"}, {"f", "1.3"}};
    const auto moved = [&](const std::string& name, double t_s, auto&& value) {
        // thresholds scale with mu N, the forces of the statement are parts of it
        const Model model =
            model_of({.coordinates = {"x", "y"},
                      .kinetic = "(x'^2 + y'^2)/2",
                      .potential = "N*y",
                      .forces = {"mu*N*(" + forces.at(name) + ")", "0"},
                      .contacts = {{.name = "floor", .gap = "y", .friction = "mu", .sliding = {"x'"}}}},
                     task);
        SeriesMotion motion(model, at_rest(model), 0.25);
        motion.until_s(t_s);
        return Json(value(motion));
    };
    answers.give("*: u(#)", Means::Exact, [&](const Pieces& p) {
        return moved(p[0], number_in(p[1]), [](const SeriesMotion& motion) { return motion.state().q[0]; });
    });
    answers.give("*: slip instant", Means::Exact, [&](const Pieces& p) {
        return moved(p[0], 1, [](const SeriesMotion& motion) {
            const auto slips = motion.events(EventKind::Slip);
            if (slips.empty()) throw DriverFailure("it does not slip");
            return slips.front().time_s;
        });
    });
}

void series_status_plane(const Task& task, Answers& answers)
{
    const auto model_with = [&](const std::string& fx, const std::string& fy) {
        return model_of({.coordinates = {"x", "y", "z"},
                         .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                         .potential = "2*threshold*z",
                         .forces = {fx, fy, "0"},
                         .contacts = {{.name = "floor",
                                       .gap = "z",
                                       .friction = "0.5",
                                       .shape = FrictionDisc{},
                                       .sliding = {"x'", "y'"}}}},
                        task);
    };
    const Model turning = model_with("1", "t");
    SeriesMotion motion(turning, at_rest(turning), 0.25);
    motion.until_s(std::max(0.25, last_of(answers, "(ux,uy,vx,vy)(t=#)")));
    answers.give("(ux,uy,vx,vy)(t=#)", Means::Exact, [&](const Pieces& p) {
        const State at = motion.at(number_in(p[0]));
        return Json({at.q[0], at.q[1], at.u[0], at.u[1]});
    });
    // leading coefficients: the motion over the power, near the start
    const auto leading = [&](int coordinate, int power) {
        const double t_s = 1e-4;
        return Json(motion.at(t_s).q[coordinate] / std::pow(t_s, power));
    };
    answers.give("leading u_x coefficient (t^#)", Means::Exact,
                 [&](const Pieces& p) { return leading(0, static_cast<int>(count_in(p[0]))); });
    answers.give("leading u_y coefficient (t^#)", Means::Exact,
                 [&](const Pieces& p) { return leading(1, static_cast<int>(count_in(p[0]))); });
    answers.give("F=(cos t,sin t): u(#)", Means::Exact, [&](const Pieces& p) {
        const Model model = model_with("cos(t)", "sin(t)");
        SeriesMotion rest(model, at_rest(model), 0.25);
        rest.until_s(number_in(p[0]));
        return list_of(rest.state().q.head(2));
    });
}

void series_status_cascade(const Task& task, Answers& answers)
{
    SystemText text{.coordinates = {"x1", "y1", "x2", "y2", "x3", "y3"}, .kinetic = "0", .potential = "0"};
    text.forces = {"0.5 + t^2", "-1", "0", "x1", "a*t^4", "-x1"};
    const char* const frictions[] = {"0.5", "0.5", "mu3"};
    for (int i = 1; i <= 3; ++i) {
        text.kinetic += fmt::format(" + (x{0}'^2 + y{0}'^2)/2", i);
        text.contacts.push_back({.name = fmt::format("floor{}", i),
                                 .gap = fmt::format("y{}", i),
                                 .friction = frictions[i - 1],
                                 .sliding = {fmt::format("x{}'", i)}});
    }
    const Model model = model_of(text, task);
    SeriesMotion motion(model, at_rest(model), 0.25);
    motion.until_s(1.25);
    // the case counts normals and their reactions the other way round
    answers.give("u_t^1(#)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).q[0]); });
    answers.give("u_n^2(#)", Means::Exact,
                 [&](const Pieces& p) { return Json(-motion.at(number_in(p[0])).q[3]); });
    answers.give("u_t^3(#)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).q[4]); });
    answers.give("r_n^3(#)", Means::Exact,
                 [&](const Pieces& p) { return Json(-motion.reaction_N(2, number_in(p[0]))[0]); });
}

void series_particle_impact(const Task& task, Answers& answers)
{
    const Model model = particle_on_obstacle(task);
    const Eigen::VectorXd vt = task.vector("vt");
    if (vt.size() != 2) throw DriverFailure("vt is not a tangential velocity in space");
    const Eigen::Vector3d u(vt[0], vt[1], -task.number("vn"));
    SeriesMotion motion(model, make_state(model, -u, u), 2);
    motion.until_s(2);
    const auto impacts = motion.events(EventKind::Impact);
    if (impacts.size() != 1) throw DriverFailure("there was no impact");
    const State after = motion.at(impacts[0].time_s);
    answers.give("vt_plus", Means::Exact, [&] { return Json({after.u[0], after.u[1]}); });
    answers.give("vn_rebound", Means::Exact, [&] { return Json(after.u[2]); });
    answers.give("percussion_norm_tangential", Means::Exact,
                 [&] { return Json((after.u - u).head(2).norm()); });
    answers.give("energy_loss", Means::Exact, [&] { return Json(-impacts[0].energy_J); });
}

void series_thrown_particle(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "g*y",
         .contacts =
             {{.name = "floor", .gap = "y", .restitution = "e", .friction = "mu", .sliding = {"x'"}}}},
        task);
    SeriesMotion motion(
        model,
        make_state(model, Eigen::Vector2d(0, task.number("h0")), Eigen::Vector2d(task.number("vx"), 0)),
        0.25);
    motion.until([&] { return !motion.events(EventKind::Stick).empty(); });
    const auto impacts = motion.events(EventKind::Impact);
    const auto at_impacts = [&](const Pieces& p, auto&& value) {
        Json list = Json::array();
        for (const double number : numbers_in(p[0])) {
            const auto k = static_cast<std::size_t>(number);
            if (k < 1 || k > impacts.size()) throw DriverFailure("there is no such impact");
            list.push_back(value(motion.at(impacts[k - 1].time_s)));
        }
        return list;
    };
    answers.give("u_x after impacts *", Means::Exact, [&](const Pieces& p) {
        return at_impacts(p, [](const State& state) { return state.u[0]; });
    });
    answers.give("x at impacts *", Means::Exact, [&](const Pieces& p) {
        return at_impacts(p, [](const State& state) { return state.q[0]; });
    });
    const auto ends = motion.events(EventKind::Accumulation);
    if (ends.empty()) throw DriverFailure("impacts do not accumulate");
    const State last = motion.at(ends.front().time_s);
    answers.give("t_accumulation", Means::Exact, [&] { return Json(last.t_s); });
    answers.give("u_x at accumulation", Means::Exact, [&] { return Json(last.u[0]); });
    answers.give("x at accumulation", Means::Exact, [&] { return Json(last.q[0]); });
    const State stop = motion.at(motion.events(EventKind::Stick).front().time_s);
    answers.give("t_stop", Means::Exact, [&] { return Json(stop.t_s); });
    answers.give("x_stop", Means::Exact, [&] { return Json(stop.q[0]); });
}

void series_inclined_plane(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y", "z"},
                                  .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                                  .potential = "g*(cos(slope_deg*pi/180)*z - sin(slope_deg*pi/180)*x)",
                                  .contacts = {{.name = "plane",
                                                .gap = "z",
                                                .friction = "mu",
                                                .shape = FrictionDisc{},
                                                .position = {"x", "y", "z"}}}},
                                 task);
    const double phi0 = task.number("phi0_deg") * pi / 180, v0 = task.number("v0");
    SeriesMotion motion(model,
                        make_state(model, Eigen::Vector3d::Zero(),
                                   Eigen::Vector3d(v0 * std::cos(phi0), v0 * std::sin(phi0), 0)),
                        0.25);
    motion.until_s(last_of(answers, "(x,y,vx,vy)(t=#)"));
    answers.give("(x,y,vx,vy)(t=#)", Means::Exact, [&](const Pieces& p) {
        const State at = motion.at(number_in(p[0]));
        return Json({at.q[0], at.q[1], at.u[0], at.u[1]});
    });
}

void series_bowl(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "g*y",
         .contacts =
             {{.name = "bowl", .gap = "R - sqrt(x^2 + y^2)", .friction = "mu", .position = {"x", "y"}}}},
        task);
    const double theta0 = task.number("theta0_deg") * pi / 180, R = task.number("R"), v0 = task.number("v0");
    const Eigen::Vector2d along(std::cos(theta0), std::sin(theta0));
    SeriesMotion motion(model, make_state(model, R * Eigen::Vector2d(along[1], -along[0]), v0 * along), 0.25);
    const std::size_t count = largest_count(answers.asked("turning_# (t,theta_rad)"));
    motion.until([&] { return ends_of_sliding(motion, 1e-9).size() >= count; });
    motion.until_s(motion.state().t_s + 1);
    const auto turning = ends_of_sliding(motion, 1e-9);
    answers.give("turning_# (t,theta_rad)", Means::Exact, [&](const Pieces& p) {
        const State at = motion.at(turning[count_in(p[0]) - 1].time_s);
        return Json({at.t_s, std::atan2(at.q[0], -at.q[1])});
    });
    answers.give("sticks_at_last_turning_point", Means::Exact, [&] {
        return Json(turning[count - 1].kind == EventKind::Stick && turning.size() == count);
    });
}

void series_rough_cylinder(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "g*y",
         .contacts =
             {{.name = "cylinder", .gap = "sqrt(x^2 + y^2) - R", .friction = "mu", .position = {"x", "y"}}}},
        task);
    const double R = task.number("R");
    const State start = make_state(model, Eigen::Vector2d(0, R), Eigen::Vector2d(task.number("v0"), 0));
    SeriesMotion motion(model, start, 0.05);
    motion.until([&] { return !motion.events(EventKind::ContactLost).empty(); });
    const State leaving = motion.at(motion.events(EventKind::ContactLost).front().time_s);
    answers.give("theta_leave_rad", Means::Exact,
                 [&] { return Json(std::atan2(leaving.q[0], leaving.q[1])); });
    answers.give("t_leave", Means::Exact, [&] { return Json(leaving.t_s); });
    answers.give("speed_leave", Means::Exact, [&] { return Json(leaving.u.norm()); });
    answers.give("min w on the way", Means::Exact, [&] {
        // u.u' = 0, u' by differences of the motion
        double slowest = start.u.norm();
        constexpr int samples = 20'000;
        for (int k = 0; k < samples; ++k) {
            slowest = std::min(slowest, motion.at(leaving.t_s * k / samples).u.norm());
        }
        return Json(slowest * slowest / (task.number("g") * R));
    });
}

void series_klarbring(const Task& task, Answers& answers)
{
    const Model model = klarbring_particle(task);
    SeriesMotion motion(model, make_state(model, task.vector("u0"), task.vector("v0")), 0.5);
    motion.until_s(std::max(task.number("T"), last_of(answers, "state(t=#)")));
    answers.give("state(t=#)", Means::Exact, [&](const Pieces& p) {
        const State at = motion.at(number_in(p[0]));
        return Json({at.q[0], at.q[1], at.u[0], at.u[1]});
    });
    // what the contact does, and since when; free at the start unless it is closed then
    std::vector<std::pair<double, std::string>> statuses;
    for (const Event& event : motion.all_events()) {
        if (event.kind == EventKind::ContactLost) statuses.emplace_back(event.time_s, "free");
        if (event.kind == EventKind::Stick) statuses.emplace_back(event.time_s, "stick");
        if (event.kind != EventKind::Slip) continue;
        statuses.emplace_back(event.time_s, direction_after(motion, 0, event.time_s) > 0 ? "slip+" : "slip-");
    }
    if (statuses.empty() || statuses.front().first > 0) statuses.insert(statuses.begin(), {0.0, "free"});
    answers.give("status_instants", Means::Exact, [&] {
        Json list = Json::array();
        for (const auto& [t_s, name] : statuses) {
            list.push_back(t_s);
        }
        return list;
    });
    answers.give("status_sequence", Means::Exact, [&] {
        std::string text;
        for (const auto& [t_s, name] : statuses) {
            text += fmt::format("{}{}@{:.6f}", text.empty() ? "" : " -> ", name, t_s);
        }
        return Json(text);
    });
}

void series_spring_chain(const Task& task, Answers& answers)
{
    const int n = static_cast<int>(task.number("n"));
    if (!(n >= 1 && n <= 50)) throw DriverFailure("n is not from 1 to 50");
    const Model model = row_of_masses(task, n);
    SeriesMotion motion(model, at_rest(model), 1);
    motion.until_s(task.number("T"));
    answers.give("u(t=#)", Means::Exact,
                 [&](const Pieces& p) { return list_of(motion.at(number_in(p[0])).q.head(n)); });
    answers.give("v(t=#)", Means::Exact,
                 [&](const Pieces& p) { return list_of(motion.at(number_in(p[0])).u.head(n)); });
    answers.give("first_switches", Means::Exact, [&] {
        Json list = Json::array();
        for (const Event& event : ends_of_sliding(motion, 1e-12)) {
            const int code =
                event.kind == EventKind::Stick ? 0 : direction_after(motion, event.contact, event.time_s);
            list.push_back({event.time_s, event.contact + 1, code});
        }
        return list;
    });
}

void series_coulomb_oscillator(const Task& task, Answers& answers)
{
    const Model model =
        model_of({.coordinates = {"x", "y"},
                  .kinetic = "(x'^2 + y'^2)/2",
                  .potential = "x^2/2 + y",
                  .forces = {"cos(beta*t)", "0"},
                  .contacts = {{.name = "floor", .gap = "y", .friction = "f", .sliding = {"x'"}}}},
                 task);
    const double period_s = 2 * pi / task.number("beta");
    SeriesMotion motion(model, make_state(model, Eigen::Vector2d(2, 0), Eigen::Vector2d::Zero()), period_s);
    motion.until_s(200 * period_s);
    answers.give("amplitude", Means::Exact, [&] {
        double amplitude = 0;
        for (const Event& turn : ends_of_sliding(motion, 198 * period_s)) {
            amplitude = std::max(amplitude, std::abs(motion.at(turn.time_s).q[0]));
        }
        return Json(amplitude);
    });
}

void series_belt(const Task& task, Answers& answers)
{
    const Model model = mass_on_belt(task);
    SeriesMotion motion(
        model, make_state(model, Eigen::Vector2d::Zero(), Eigen::Vector2d(task.number("vb"), 0)), 0.5);
    constexpr std::size_t cycles = 3;
    motion.until([&] { return motion.events(EventKind::Stick).size() > cycles; });
    const auto sticks = motion.events(EventKind::Stick), slips = motion.events(EventKind::Slip);
    if (slips.size() < cycles) throw DriverFailure("sticking and slipping do not take turns");
    const double stick_s = sticks[cycles - 1].time_s, slip_s = slips[cycles - 1].time_s,
                 end_s = sticks[cycles].time_s;
    answers.give("stick_duration", Means::Exact, [&] { return Json(slip_s - stick_s); });
    answers.give("slip_duration", Means::Exact, [&] { return Json(end_s - slip_s); });
    answers.give("period", Means::Exact, [&] { return Json(end_s - stick_s); });
    answers.give("x_max", Means::Exact, [&] {
        const double t_s = motion.first_fall_s(slip_s, [](const State& state) { return state.u[0]; });
        return Json(motion.at(t_s).q[0]);
    });
    answers.give("x_slip_start", Means::Exact, [&] { return Json(motion.at(slip_s).q[0]); });
    answers.give("first_slip_instant", Means::Exact, [&] { return Json(slips.front().time_s); });
}

}  // namespace carom::reference
