#include "follower_system.hpp"
#include "series_drivers.hpp"
#include "series_motion.hpp"

#include "carom/model/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

/// Frictionless families by the series integrator.
namespace carom::reference {
namespace {

constexpr double pi = std::numbers::pi;

double last_of(const Answers& answers, std::initializer_list<const char*> patterns)
{
    double last_s = 0;
    for (const char* pattern : patterns) {
        last_s = std::max(last_s, last_instant(answers.asked(pattern)));
    }
    return last_s;
}

Eigen::VectorXd one(double x)
{
    return Eigen::VectorXd::Constant(1, x);
}

std::vector<double> instants_of(const std::vector<Event>& events, std::size_t count)
{
    if (events.size() < count) throw DriverFailure("there were fewer impacts");
    std::vector<double> result;
    for (std::size_t k = 0; k < count; ++k) {
        result.push_back(events[k].time_s);
    }
    return result;
}

double first_accumulation_s(const SeriesMotion& motion)
{
    const auto ends = motion.events(EventKind::Accumulation);
    if (ends.empty()) throw DriverFailure("impacts do not accumulate");
    return ends.front().time_s;
}

}  // namespace

void series_cube_root(const Task& task, Answers& answers)
{
    const Model model =
        model_of({.coordinates = {"q"}, .kinetic = "q'^2/2", .forces = {"6*abs(q)^(1/3)"}}, task);
    answers.give("residual of q=t^3 at t=#", Means::Exact, [&](const Pieces& p) {
        const double t_s = number_in(p[0]);
        Workspace work;
        double force = 0;
        const Eigen::VectorXd q = one(t_s * t_s * t_s), u = one(3 * t_s * t_s);
        model.given_forces({view(q), view(u), t_s}, {&force, 1}, work);
        return Json(6 * t_s - force);
    });
    const auto moved = [&](const std::string& t, const std::string& q0) {
        SeriesMotion motion(model, make_state(model, one(number_in(q0)), one(0)), 0.1);
        motion.until_s(number_in(t));
        return Json(motion.state().q[0]);
    };
    answers.give("q(#) from q0=#, v0=0", Means::Exact, [&](const Pieces& p) { return moved(p[0], p[1]); });
    answers.give("q(#) from q0=#", Means::Exact, [&](const Pieces& p) { return moved(p[0], p[1]); });
}

void series_blow_up(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"q"}, .kinetic = "q'^2/2", .forces = {"q'^2"}}, task);
    SeriesMotion motion(model, make_state(model, one(0), one(1)), 0.01);
    motion.may_fail();
    motion.until_s(3);
    answers.give("q(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).q[0]); });
    answers.give("v(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).u[0]); });
    answers.give("t_max", Means::Exact, [&] { return Json(motion.failure().findings.back().time_s); });
}

void series_follower(const Task& task, Answers& answers)
{
    const Model model = model_of(follower_system(), task);
    SeriesMotion motion(model, make_state(model, task.vector("q0"), task.vector("v0")), 1);
    motion.until_s(last_of(answers, {"state(t=*)"}));
    answers.give("state(t=*)", Means::Exact, [&](const Pieces& p) {
        const State at = motion.at(number_in(p[0]));
        return Json({at.q[0], at.q[1], at.u[0], at.u[1]});
    });
}

void series_pressed_particle(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"q"}, .kinetic = "q'^2/2", .forces = {"f"}, .contacts = {{"obstacle", "-q", "e"}}},
        task);
    SeriesMotion motion(model, make_state(model, one(task.number("q0")), one(task.number("v0"))), 0.25);
    motion.until_s(last_of(answers, {"q(*)", "v(*)", "v+(*)", "reaction density for t>#"}) + 0.5);
    answers.give("q(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).q[0]); });
    answers.give("v(*)", Means::Exact,
                 [&](const Pieces& p) { return Json(motion.at(number_in(p[0])).u[0]); });
    answers.give("v+(*)", Means::Exact, [&](const Pieces& p) {
        // the impact at that instant, up to its rounding
        const double t_s = number_in(p[0]);
        for (const Event& event : motion.events(EventKind::Impact)) {
            if (std::abs(event.time_s - t_s) < 1e-12) return Json(motion.at(event.time_s).u[0]);
        }
        return Json(motion.at(t_s).u[0]);
    });
    answers.give("impact times 1..#", Means::Exact, [&](const Pieces& p) {
        return Json(instants_of(motion.events(EventKind::Impact), count_in(p[0])));
    });
    answers.give("t_accumulation", Means::Exact, [&] { return Json(first_accumulation_s(motion)); });
    answers.give("reaction density for t>#", Means::Exact, [&](const Pieces& p) {
        // on the particle: the normal points towards smaller q
        return Json(-motion.reaction_N(0, number_in(p[0]) + 0.25)[0]);
    });
}

void series_bouncing_ball(const Task& task, Answers& answers)
{
    const Model model = model_of(
        {.coordinates = {"z"}, .kinetic = "z'^2/2", .potential = "g*z", .contacts = {{"floor", "z", "e"}}},
        task);
    SeriesMotion motion(model, make_state(model, one(task.number("h0")), one(0)), 0.5);
    motion.until([&] { return !motion.events(EventKind::Accumulation).empty(); });
    answers.give("impact_times_1..#", Means::Exact, [&](const Pieces& p) {
        return Json(instants_of(motion.events(EventKind::Impact), count_in(p[0])));
    });
    answers.give("apex_heights_1..#", Means::Exact, [&](const Pieces& p) {
        Json list = Json::array();
        for (const double t_s : instants_of(motion.events(EventKind::Impact), count_in(p[0]))) {
            const double top_s = motion.first_fall_s(t_s, [](const State& state) { return state.u[0]; });
            list.push_back(motion.at(top_s).q[0]);
        }
        return list;
    });
    answers.give("t_accumulation", Means::Exact, [&] { return Json(first_accumulation_s(motion)); });
    answers.give("total_energy_lost_per_mass", Means::Exact, [&] { return Json(-motion.energy().impact_J); });
}

void series_double_pendulum(const Task& task, Answers& answers)
{
    SystemText text = double_pendulum_system("e");
    text.potential = "k1/2*q1^2 + k2/2*(q2 - q1)^2";
    text.forces = {"lam*l1*sin(q1 - q2)", "0"};
    const Model model = model_of(text, task);
    SeriesMotion motion(model, make_state(model, task.vector("q0"), task.vector("v0")), 0.5);
    const std::size_t count = largest_count(answers.asked("impact_#_*"));
    motion.until([&] { return motion.events(EventKind::Impact).size() >= count; });
    const auto impacts = motion.events(EventKind::Impact);
    const auto impact = [&](const Pieces& p) { return impacts[count_in(p[0]) - 1]; };
    answers.give("impact_#_time", Means::Exact, [&](const Pieces& p) { return Json(impact(p).time_s); });
    answers.give("impact_#_constraint", Means::Exact,
                 [&](const Pieces& p) { return Json(impact(p).contact + 1); });
    answers.give("impact_#_state_after", Means::Exact, [&](const Pieces& p) {
        const State after = motion.at(impact(p).time_s);
        return Json({after.q[0], after.q[1], after.u[0], after.u[1]});
    });
    answers.give("impact_#_energy_loss", Means::Exact,
                 [&](const Pieces& p) { return Json(-impact(p).energy_J); });
}

void series_collision_count(const Task& task, Answers& answers)
{
    const auto collisions = [&](const Pieces& p) {
        const Model model = model_of({.coordinates = {"small", "big"},
                                      .kinetic = "small'^2/2 + M/2*big'^2",
                                      .contacts = {{"wall", "small", "1"}, {"between", "big - small", "1"}}},
                                     task, {{"M", number_in(p[0])}});
        SeriesMotion motion(model,
                            make_state(model, Eigen::Vector2d(task.number("x_small"), task.number("x_big")),
                                       Eigen::Vector2d(0, task.number("v_big"))),
                            0.5);
        const double still = 1e-12 * std::abs(task.number("v_big"));
        motion.until([&] {
            const Eigen::VectorXd& u = motion.state().u;
            return u[0] >= -still && u[1] - u[0] >= -still;
        });
        return std::pair(motion.events(EventKind::Impact).size(), motion.state().u);
    };
    answers.give("number_of_impacts(M=#)", Means::Exact,
                 [&](const Pieces& p) { return Json(collisions(p).first); });
    answers.give("final_velocities(M=#) small,big", Means::Exact,
                 [&](const Pieces& p) { return list_of(collisions(p).second); });
}

void series_square_billiard(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .contacts = {{"left", "x", "1"},
                                               {"right", "1 - x", "1"},
                                               {"bottom", "y", "1"},
                                               {"top", "1 - y", "1"}}},
                                 task);
    SeriesMotion motion(model, make_state(model, task.vector("x0"), task.vector("v")), 1);
    motion.until_s(task.number("T"));
    answers.give("x(T)", Means::Exact, [&] { return list_of(motion.state().q); });
    answers.give("v(T)", Means::Exact, [&] { return list_of(motion.state().u); });
    answers.give("bounces", Means::Exact, [&] { return Json(motion.events(EventKind::Impact).size()); });
}

void series_triangle_billiard(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .contacts = {{"base", "y", "1"},
                                               {"left", "sqrt(3)/2*x - y/2", "1"},
                                               {"right", "sqrt(3)/2*(1 - x) - y/2", "1"}}},
                                 task);
    const Eigen::Vector2d base(0.5, 0), side(0.75, std::sqrt(3.0) / 4);
    const State start = make_state(model, base, (side - base).normalized());
    SeriesMotion motion(model, start, 0.5);
    motion.until_s(std::max(3.0, last_of(answers, {"position at t=*", "bounces up to t=*"})));
    answers.give("period", Means::Exact, [&] {
        for (const Event& impact : motion.events(EventKind::Impact)) {
            const State after = motion.at(impact.time_s);
            if ((after.q - start.q).norm() < 1e-6 && (after.u - start.u).norm() < 1e-6)
                return Json(impact.time_s);
        }
        throw DriverFailure("the motion did not come back to its start");
    });
    answers.give("position at t=*", Means::Exact,
                 [&](const Pieces& p) { return list_of(motion.at(number_in(p[0])).q); });
    answers.give("bounces up to t=*", Means::Exact, [&](const Pieces& p) {
        const auto impacts = motion.events(EventKind::Impact);
        return Json(std::ranges::count_if(
            impacts, [&](const Event& impact) { return impact.time_s <= number_in(p[0]); }));
    });
}

void series_parabola(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .potential = "g*y",
                                  .contacts = {{"floor", "y - x^2/2", "1"}}},
                                 task);
    const State start =
        make_state(model, Eigen::Vector2d(task.number("x0"), task.number("y0")), task.vector("v0"));
    SeriesMotion motion(model, start, 1);
    const auto count = static_cast<std::size_t>(task.number("bounces"));
    motion.until([&] { return motion.events(EventKind::Impact).size() >= count; });
    const auto impacts = motion.events(EventKind::Impact);
    answers.give("impact_# (t,x,vx+,vy+)", Means::Exact, [&](const Pieces& p) {
        const double t_s = impacts[count_in(p[0]) - 1].time_s;
        const State after = motion.at(t_s);
        return Json({t_s, after.q[0], after.u[0], after.u[1]});
    });
    answers.give("energy_drift", Means::Exact, [&] {
        Workspace work;
        const auto energy_J = [&](const State& state) {
            return model.kinetic_energy(point_of(state), work) +
                   model.potential_energy(point_of(state), work);
        };
        double drift = 0;
        for (const Event& impact : impacts) {
            drift = std::max(drift, std::abs(energy_J(motion.at(impact.time_s)) - energy_J(start)));
        }
        return Json(drift);
    });
}

void series_impact_oscillator(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x"},
                                  .kinetic = "x'^2/2",
                                  .potential = "x^2/2",
                                  .forces = {"cos(w*t)"},
                                  .contacts = {{"stop", "sigma - x", "e"}}},
                                 task);
    const double period_s = 2 * pi / task.number("w");
    for (int part = 0; part < 8; ++part) {
        SeriesMotion motion(
            model, make_state(model, one(task.number("sigma")), one(-1), part / 8.0 * period_s), period_s);
        motion.until_s(300 * period_s);
        const auto impacts = motion.events(EventKind::Impact);
        if (impacts.size() < 3) continue;
        const Event& last = impacts[impacts.size() - 1];
        const Event& before = impacts[impacts.size() - 2];
        if (std::abs(last.time_s - before.time_s - period_s) > 1e-8) continue;
        answers.give("phase_at_impact", Means::Exact,
                     [&] { return Json(std::fmod(task.number("w") * last.time_s, 2 * pi)); });
        answers.give("v_before", Means::Exact, [&] { return Json(-last.velocity_before_m_s); });
        answers.give("v_after", Means::Exact, [&] { return Json(-last.velocity_after_m_s); });
        answers.give("x_min", Means::Exact, [&] {
            const double t_s =
                motion.first_fall_s(before.time_s, [](const State& state) { return -state.u[0]; });
            return Json(motion.at(t_s).q[0]);
        });
        return;
    }
    throw DriverFailure("no start was attracted by a motion with one impact per period");
}

void series_cylinder(const Task& task, Answers& answers)
{
    const Model model = model_of({.coordinates = {"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .potential = "g*y",
                                  .contacts = {{"cylinder", "sqrt(x^2 + y^2) - R"}}},
                                 task);
    const double R = task.number("R");
    SeriesMotion motion(model,
                        make_state(model, Eigen::Vector2d(0, R), Eigen::Vector2d(task.number("v0"), 0)), 0.1);
    motion.until([&] { return motion.state().q[1] + R <= 0; });
    const auto lost = motion.events(EventKind::ContactLost);
    if (lost.empty()) throw DriverFailure("the mass did not leave");
    const State leaving = motion.at(lost.back().time_s);
    answers.give("t_leave", Means::Exact, [&] { return Json(lost.back().time_s); });
    answers.give("cos_theta_leave", Means::Exact, [&] { return Json(leaving.q[1] / leaving.q.norm()); });
    answers.give("speed_leave", Means::Exact, [&] { return Json(leaving.u.norm()); });
    const double ground_s =
        motion.first_fall_s(leaving.t_s, [&](const State& state) { return state.q[1] + R; });
    answers.give("t_ground", Means::Exact, [&] { return Json(ground_s); });
    answers.give("x_ground", Means::Exact, [&] { return Json(motion.at(ground_s).q[0]); });
}

namespace {

/// The ball on its table from one impact to the next: (instant, velocity after).
class SeriesTable {
public:
    SeriesTable(const Task& task, double amplitude_m)
        : period_s_(1 / task.number("f")),
          model_(model_of({.coordinates = {"z"},
                           .kinetic = "z'^2/2",
                           .potential = "g*z",
                           .contacts = {{"table", "z - amplitude*sin(2*pi*f*t)", "e"}}},
                          task, {{"amplitude", amplitude_m}})),
          amplitude_m_(amplitude_m)
    {
    }

    [[nodiscard]] Eigen::Vector2d next(const Eigen::Vector2d& bounce) const
    {
        const double z = amplitude_m_ * std::sin(2 * pi * bounce[0] / period_s_);
        SeriesMotion motion(model_, make_state(model_, one(z), one(bounce[1]), bounce[0]), period_s_ / 2);
        motion.until([&] { return !motion.events(EventKind::Impact).empty(); });
        const double t_s = motion.events(EventKind::Impact).front().time_s;
        return {t_s - period_s_, motion.at(t_s).u[0]};
    }

    /// Derivative of next, by differences of fourth order.
    [[nodiscard]] Eigen::Matrix2d derivative(const Eigen::Vector2d& bounce) const
    {
        Eigen::Matrix2d D;
        for (int i = 0; i < 2; ++i) {
            const double step = 1e-3 * (i == 0 ? period_s_ : bounce[1]);
            Eigen::Vector2d d = Eigen::Vector2d::Zero();
            d[i] = step;
            D.col(i) =
                (8 * (next(bounce + d) - next(bounce - d)) - (next(bounce + 2 * d) - next(bounce - 2 * d))) /
                (12 * step);
        }
        return D;
    }
    [[nodiscard]] Eigen::Vector2d fixed_point(Eigen::Vector2d bounce) const
    {
        for (int i = 0; i < 8; ++i) {
            bounce -= (derivative(bounce) - Eigen::Matrix2d::Identity()).inverse() * (next(bounce) - bounce);
        }
        return bounce;
    }
    [[nodiscard]] double deceleration(double phi) const
    {
        const double w = 2 * pi / period_s_;
        return amplitude_m_ * w * w * std::sin(phi);
    }
    [[nodiscard]] double phase(const Eigen::Vector2d& bounce) const
    {
        const double part = bounce[0] / period_s_;
        return 2 * pi * (part - std::floor(part));
    }

private:
    double period_s_;
    Model model_;
    double amplitude_m_;
};

}  // namespace

void series_bouncing_table(const Task& task, Answers& answers)
{
    const double A = task.number("A");
    const SeriesTable table(task, A);
    Eigen::Vector2d bounce(0.1 / task.number("f"), task.number("g") / task.number("f") / 2);
    for (int i = 0; i < 300; ++i) {
        bounce = table.next(bounce);
    }
    bounce = table.fixed_point(bounce);
    const double phi = table.phase(bounce);
    answers.give("cos_phi", Means::Exact, [&] { return Json(std::cos(phi)); });
    answers.give("phi", Means::Exact, [&] { return Json(phi); });
    answers.give("velocity_after", Means::Exact, [&] { return Json(bounce[1]); });
    answers.give("A w^2 sin phi", Means::Exact, [&] { return Json(table.deceleration(phi)); });
    answers.give("stability_limit", Means::Exact, [&] {
        // the amplitude grows until a multiplier is -1, the motion followed on the way
        const auto multiplier = [&](double amplitude_m) {
            const SeriesTable other(task, amplitude_m);
            bounce = other.fixed_point(bounce);
            return (other.derivative(bounce) + Eigen::Matrix2d::Identity()).determinant();
        };
        double low = A, high = A;
        for (int i = 0; multiplier(high) > 0; ++i) {
            if (i > 200) throw DriverFailure("the motion attracts at amplitudes far greater too");
            low = high;
            high *= 1.02;
        }
        for (int i = 0; i < 45; ++i) {
            const double middle = (low + high) / 2;
            (multiplier(middle) > 0 ? low : high) = middle;
        }
        const SeriesTable at_limit(task, low);
        return Json(at_limit.deceleration(at_limit.phase(bounce)));
    });
}

namespace {

/// Three unit masses on a line that strike with the restitution r.
Model three_masses(const Task& task, double r)
{
    return model_of({.coordinates = {"a", "b", "c"},
                     .kinetic = "(a'^2 + b'^2 + c'^2)/2",
                     .contacts = {{"left", "b - a", "r"}, {"right", "c - b", "r"}}},
                    task, {{"r", r}});
}

/// Velocities after one round of impacts, left then right, as a linear map.
Eigen::MatrixXd round_of_impacts(const Model& model, double r)
{
    const auto A = value_of(metric_at(model, Eigen::Vector3d::Zero()));
    Eigen::MatrixXd product = Eigen::MatrixXd::Identity(3, 3);
    for (const int contact : {0, 1}) {
        const Eigen::MatrixXd H = gap_gradients_at(model, Eigen::Vector3d::Zero(), std::array{contact});
        // linear on approaching velocities: a basis of them
        Eigen::MatrixXd before(3, 3), after(3, 3);
        const Eigen::VectorXd approach = -H.row(0).transpose();
        for (int i = 0; i < 3; ++i) {
            before.col(i) = 10 * approach + Eigen::Vector3d::Unit(i);
            after.col(i) = value_of(canonical_impact(A, H, before.col(i), r)).u_plus;
        }
        product = after * before.inverse() * product;
    }
    return product;
}

}  // namespace

void series_collapse(const Task& task, Answers& answers)
{
    const auto start = [&](const Model& model) {
        return make_state(model, task.vector("x"), task.vector("v"));
    };
    // impacts go on for ever where the round of impacts has real multipliers on relative velocities: they
    // then keep approaching in turns
    answers.give("r_c", Means::Exact, [&] {
        double low = 0, high = 1;
        for (int i = 0; i < 60; ++i) {
            const double r = (low + high) / 2;
            const Eigen::MatrixXd M = round_of_impacts(three_masses(task, r), r);
            // one multiplier is 1, that of the common velocity: the other two from trace and determinant
            const double trace = M.trace() - 1, determinant = M.determinant();
            (trace * trace - 4 * determinant >= 0 && trace > 0 ? low : high) = r;
        }
        return Json(low);
    });
    const auto collapsed = [&](const std::string& r) {
        const Model model = three_masses(task, number_in(r));
        SeriesMotion motion(model, start(model), 0.5);
        motion.until_s(2);
        const double t_s = first_accumulation_s(motion);
        return motion.at(t_s);
    };
    answers.give("accumulation_time(r=#)", Means::Exact,
                 [&](const Pieces& p) { return Json(collapsed(p[0]).t_s); });
    answers.give("accumulation_point(r=#)", Means::Exact,
                 [&](const Pieces& p) { return Json(collapsed(p[0]).q[1]); });
    answers.give("limit_velocity(r=#) of all three", Means::Exact,
                 [&](const Pieces& p) { return Json(collapsed(p[0]).u.cwiseAbs().maxCoeff()); });
    const auto finished = [&](const std::string& r) {
        const Model model = three_masses(task, number_in(r));
        SeriesMotion motion(model, start(model), 100);
        motion.until_s(1e4);
        return std::pair(motion.events(EventKind::Impact).size(), motion.state().u);
    };
    answers.give("impacts(r=#)", Means::Exact, [&](const Pieces& p) { return Json(finished(p[0]).first); });
    answers.give("final_velocities(r=#)", Means::Exact,
                 [&](const Pieces& p) { return list_of(finished(p[0]).second); });
}

}  // namespace carom::reference
