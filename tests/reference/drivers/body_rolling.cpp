#include "body_drivers.hpp"
#include "body_motion.hpp"
#include "system/bodies/body_model.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

/// A homogeneous ball, body 0, that rolls on a rough floor, body 1.
BodySetup ball_on_floor(double mass_kg, double radius_m, const Vec3& v, const Rotation& turn)
{
    return {.bodies = {{.shape = SphereShape{radius_m},
                        .pose = {.position_m = {0, 0, radius_m}, .rotation = turn},
                        .velocity_m_s = v,
                        .angular_velocity_rad_s = Vec3::UnitZ().cross(v) / radius_m,
                        .mass_kg = mass_kg},
                       solid_floor()},
            .materials = {{.friction = rough}},
            .gravity_m_s2 = {0, 0, -9.81}};
}

Json rows_of_matrix(const Mat3& matrix)
{
    Json rows = Json::array();
    for (int i = 0; i < 3; ++i) {
        rows.push_back(list_of(matrix.row(i).transpose()));
    }
    return rows;
}

/// psi, theta, phi of a rotation about z, x and z.
Json euler_angles(const Mat3& R)
{
    return {std::atan2(R(0, 2), -R(1, 2)), std::acos(std::clamp(R(2, 2), -1.0, 1.0)),
            std::atan2(R(2, 0), R(2, 1))};
}

/// A rigid table on four feet, the corners of a box, body 0; its mass centre at floor height. Tilting has
/// half the inertia of spinning, and does not happen.
BodySetup table_on_feet(const Task& task)
{
    const double a = task.number("a"), b = task.number("b"), height = 0.2 * (a + b), I = task.number("I");
    return {.bodies = {{.shape = BoxShape{{2 * a, 2 * b, height}},
                        .pose = {.position_m = {0, 0, height / 2}},
                        .mass_kg = task.number("m"),
                        .centre_m = Vec3(0, 0, -height / 2),
                        .inertia_kg_m2 = Mat3(Vec3(I / 2, I / 2, I).asDiagonal())},
                       solid_floor()},
            .materials = {{.friction = task.number("mu")}},
            .gravity_m_s2 = {0, 0, -task.number("g", 9.81)}};
}

struct TableStop {
    double t_s = 0, way_m = 0, angle_rad = 0, normal_force_N = 0;
};

/// When and where a table that moves comes to rest.
TableStop stop_of(const Task& task, double v, double omega)
{
    BodySetup setup = table_on_feet(task);
    setup.bodies[0].velocity_m_s = {v, 0, 0};
    setup.bodies[0].angular_velocity_rad_s = {0, 0, omega};
    BodyWalk walk(setup, {.time_step_s = task.step_s(1e-4)});
    TableStop stop;
    const double start = walk.fastest();
    for (int n = 0; n < 1'000'000; ++n) {
        const Rotation before = walk.state().R[0];
        walk.step();
        stop.angle_rad += rotation_vector(before.conjugate() * walk.state().R[0]).z();
        if (walk.fastest() > 1e-9 * start) continue;
        stop.t_s = walk.state().t_s;
        stop.way_m = walk.state().x[0].x();
        stop.normal_force_N = walk.normal_force_N(0, 1);
        return stop;
    }
    throw DriverFailure("the table does not stop");
}

/// What friction takes of a torque on the table at rest in one step of a second.
double torque_taken_Nm(const Task& task, double torque_Nm)
{
    BodySetup setup = table_on_feet(task);
    setup.forces = [=](const State&, std::span<Wrench> wrenches) { wrenches[0].torque_Nm.z() += torque_Nm; };
    BodyWalk walk(setup, {.time_step_s = 1, .tolerance = 1e-14});
    walk.step();
    return torque_Nm - walk.state().W[0].z() * task.number("I");
}

/// Normal reactions that the motion does not determine: feet less rank of their Delassus operator.
int free_normal_reactions(const Task& task)
{
    BodyWalk walk(table_on_feet(task), {});
    walk.step();
    const OneStepProblem& problem = walk.problem();
    const int n = problem.interactions();
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
    for (int c = 0; c < n; ++c) {
        for (const BlockSparse::Entry& entry : problem.W.row(c)) {
            W(c, entry.column) = problem.W.block(c, entry)[0];
        }
    }
    Eigen::FullPivLU<Eigen::MatrixXd> lu(W);
    lu.setThreshold(1e-9);
    return n - static_cast<int>(lu.rank());
}

constexpr int rolling_steps_to_see = 100;

}  // namespace

/// C-ROLL: a disc of unit mass with I = beta R^2 is thrown along a rough floor with a spin, positive in the
/// sense of rolling, until it rolls.
void body_rolling(const Task& task, Answers& answers)
{
    const double R = task.number("R"), v0 = task.number("v0"), w0 = task.number("w0");
    BodyWalk disc({.bodies = {{.shape = DiscShape{R},
                               .pose = {.position_m = {0, R, 0}},
                               .velocity_m_s = {v0, 0, 0},
                               .angular_velocity_rad_s = {0, 0, -w0},
                               .mass_kg = 1,
                               .inertia_kg_m2 = flat_inertia(task.number("beta") * R * R)},
                              flat_floor()},
                   .materials = {{.friction = task.number("mu")}},
                   .gravity_m_s2 = {0, -task.number("g"), 0}},
                  {.time_step_s = task.step_s(1e-4)});
    const double met = std::abs(v0) + std::abs(R * w0);
    double t_roll_s = 0, distance_m = 0, lost_J = 0;
    for (int rolls = 0, n = 0; rolls < rolling_steps_to_see; ++n) {
        const double x = disc.state().x[0].x(), t_s = disc.state().t_s;
        disc.step();
        lost_J -= disc.report().energy.friction_J;
        const bool slides = slip_m_s(disc.pressing(0, 1)).norm() > 1e-9 * met;
        rolls = slides ? 0 : rolls + 1;
        if (rolls == 1) {
            t_roll_s = (t_s + disc.state().t_s) / 2;
            distance_m = (x + disc.state().x[0].x()) / 2;
        }
        if (n > 1'000'000) throw DriverFailure("the disc slides to the end of the run");
    }
    answers.give("t_roll", Means::TimeStepping, [&] { return Json(t_roll_s); });
    answers.give("v_roll", Means::TimeStepping, [&] { return Json(disc.state().v[0].x()); });
    answers.give("distance_slid", Means::TimeStepping, [&] { return Json(distance_m); });
    answers.give("energy_lost_per_mass", Means::TimeStepping, [&] { return Json(lost_J); });
    answers.give("friction_force_while_rolling", Means::TimeStepping,
                 [&] { return Json(disc.pressing(0, 1).P[1] / disc.h_s()); });
}

/// B-EX9-1: a ball that rolls under a force at its centre (Ballard 2002, example 9); its weight presses it on
/// a rough floor.
void body_rolling_ball(const Task& task, Answers& answers)
{
    const double F0 = task.number("F0"), w = task.number("w");
    const Rotation start(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
    BodySetup setup = ball_on_floor(task.number("M"), task.number("R"), Vec3::Zero(), start);
    setup.forces = [=](const State& state, std::span<Wrench> wrenches) {
        wrenches[0].force_N += Vec3(F0 * std::cos(w * state.t_s), F0 * std::sin(2 * w * state.t_s), 0);
    };
    const auto at = [&](const Pieces& p) {
        BodyWalk walk(setup, {.time_step_s = task.step_s(1e-4)});
        walk.advance(number_in(p[0]));
        return walk;
    };
    answers.give("(x,y)(#)", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(at(p).state().x[0].head<2>()); });
    answers.give("(x',y')(#)", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(at(p).state().v[0].head<2>()); });
    answers.give("reaction(#)", Means::TimeStepping, [&](const Pieces& p) {
        const BodyWalk walk = at(p);
        return list_of(walk.pressing(0, 1).percussion_Ns().head<2>() / walk.h_s());
    });
    answers.give("Euler(psi,theta,phi)(#)", Means::TimeStepping,
                 [&](const Pieces& p) { return euler_angles(at(p).state().R[0].toRotationMatrix()); });
    answers.give("rotation_matrix_rel_to_start(#)", Means::TimeStepping, [&](const Pieces& p) {
        return rows_of_matrix((at(p).state().R[0] * start.conjugate()).toRotationMatrix());
    });
}

/// B-EX9-HOL: what is left of the orientation of a ball that was rolled around a square, side by side.
void body_ball_holonomy(const Task& task, Answers& answers)
{
    Rotation turn = Rotation::Identity();
    const double side = task.number("side");
    for (const auto& v : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-1, 0, 0), Vec3(0, -1, 0)}) {
        BodyWalk walk(ball_on_floor(1, task.number("R"), v, turn), {.time_step_s = side / 100});
        walk.advance(side);
        turn = walk.state().R[0];
    }
    answers.give("rotation_matrix", Means::Exact, [&] { return rows_of_matrix(turn.toRotationMatrix()); });
    answers.give("net_rotation_angle_rad", Means::Exact, [&] { return Json(rotation_vector(turn).norm()); });
}

/// B-EX12-1: a table with four feet that rub (Ballard 2002, example 12). The feet share its weight as they
/// like; the motion does not depend on it.
void body_table_feet(const Task& task, Answers& answers)
{
    const TableStop translated = stop_of(task, task.number("v0"), 0);
    const TableStop turned_stop = stop_of(task, 0, task.number("omega0"));
    answers.give("stop_time_translation", Means::TimeStepping, [&] { return Json(translated.t_s); });
    answers.give("stop_distance", Means::TimeStepping, [&] { return Json(translated.way_m); });
    answers.give("stop_time_spin", Means::TimeStepping, [&] { return Json(turned_stop.t_s); });
    answers.give("angle_turned", Means::TimeStepping, [&] { return Json(turned_stop.angle_rad); });
    answers.give("total_normal_reaction", Means::TimeStepping,
                 [&] { return Json(translated.normal_force_N); });
    answers.give("static_torque_limit", Means::Exact, [&] {
        // by maximal dissipation it is what friction takes from a greater torque
        double torque_Nm = 1;
        while (torque_taken_Nm(task, torque_Nm) > 0.9 * torque_Nm) {
            torque_Nm *= 2;
        }
        return Json(torque_taken_Nm(task, torque_Nm));
    });
    answers.give("degree_of_indeterminacy_normal", Means::Exact,
                 [&] { return Json(free_normal_reactions(task)); });
}

}  // namespace carom::reference
