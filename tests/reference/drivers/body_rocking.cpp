#include "body_drivers.hpp"
#include "body_motion.hpp"
#include "stepping/body_contact.hpp"

#include <cmath>

namespace carom::reference {
namespace {

/// A homogeneous block of unit mass, 2b wide and 2h high, body 0, on a floor with friction on which it does
/// not slide; it turns on the left corner, or for a negative angle on the right one.
BodySetup block_on_corner(const Task& task, double theta, double omega)
{
    const double b = task.number("b"), h = task.number("h"), side = theta < 0 ? -b : b;
    const Vec3 centre(side * std::cos(theta) - h * std::sin(theta),
                      side * std::sin(theta) + h * std::cos(theta), 0);
    return {.bodies = {{.shape = PolygonShape{{{-b, -h}, {b, -h}, {b, h}, {-b, h}}},
                        .pose = {.position_m = centre, .rotation = rotation_by({0, 0, theta})},
                        .velocity_m_s = Vec3(0, 0, omega).cross(centre),
                        .angular_velocity_rad_s = {0, 0, omega},
                        .mass_kg = 1},
                       flat_floor()},
            .materials = {{.friction = rough}},
            .gravity_m_s2 = {0, -task.number("g"), 0}};
}

/// Pressure on the left (-1) or right (1) corner in the last step.
double pressure_Ns(const BodyWalk& block, int corner)
{
    double sum = 0;
    for (const BodyContact& contact : block.contacts()) {
        const Vec3 X = block.state().R[0].conjugate() * (contact.at.point_m - block.state().x[0]);
        if (X.x() * corner > 0) sum += contact.P[0];
    }
    return sum;
}

struct BlockLanding {
    double t_s, omega_before, omega_after;
};

/// The corner that is up comes down: it closes at the end of one step and stops in the next (BO-9).
std::vector<BlockLanding> landings_of(BodyWalk block, int pivot, std::size_t count)
{
    std::vector<BlockLanding> landings;
    for (long n = 0; n < 2'000'000 && landings.size() < count; ++n) {
        const double before = block.state().W[0].z();
        block.step();
        if (!(pressure_Ns(block, -pivot) > 0)) continue;
        pivot = -pivot;
        const double t_s = block.state().t_s;
        block.step();
        landings.push_back({t_s, before, block.state().W[0].z()});
    }
    return landings;
}

/// p of theta'' = -p^2 sin(alpha - theta): from the first step after the release.
double body_rocking_rate(const Task& task)
{
    const double theta0 = task.number("theta0"), alpha = std::atan2(task.number("b"), task.number("h"));
    BodyWalk block(block_on_corner(task, theta0, 0), {.time_step_s = 1e-3, .tolerance = 1e-13});
    block.step();
    const double side = theta0 < 0 ? -1 : 1;
    return std::sqrt(-block.state().W[0].z() / block.h_s() / std::sin(alpha * side - theta0));
}

/// The time in which theta'' = -p^2 (alpha - theta), a body on a line under that force, gets down to zero in
/// so many equal steps.
double fall_time_s(double p, double alpha, double theta0, int steps)
{
    const BodySetup setup{
        .bodies = {{.pose = {.position_m = {theta0, 0, 0}}, .mass_kg = 1, .inertia_kg_m2 = Mat3::Identity()}},
        .gravity_m_s2 = {0, 0, 0},
        .forces = [=](const State& state, std::span<Wrench> wrenches) {
            wrenches[0].force_N.x() -= p * p * (alpha - state.x[0].x());
        }};
    const auto above = [&](double time_s) {
        BodyWalk walk(setup, {.time_step_s = time_s / steps});
        for (int k = 0; k < steps; ++k) {
            walk.step();
        }
        return walk.state().x[0].x() > 0;
    };
    double low_s = 0, high_s = 0.1 / p;
    while (above(high_s)) {
        low_s = high_s;
        high_s *= 2;
    }
    for (int k = 0; k < 55; ++k) {
        const double middle_s = (low_s + high_s) / 2;
        (above(middle_s) ? low_s : high_s) = middle_s;
    }
    return (low_s + high_s) / 2;
}

/// Four times the fall to zero. The error of the scheme goes with h^2, h^4, ...: three numbers of steps take
/// out the first two.
double linearised_period_s(const Task& task, double p)
{
    const double alpha = std::atan2(task.number("b"), task.number("h"));
    const auto fall_s = [&](int steps) {
        return fall_time_s(p, alpha, std::abs(task.number("theta0")), steps);
    };
    const double T1 = fall_s(64), T2 = fall_s(128), T4 = fall_s(256);
    const double R1 = (4 * T2 - T1) / 3, R2 = (4 * T4 - T2) / 3;
    return 4 * (16 * R2 - R1) / 15;
}

}  // namespace

/// C-ROCK: Housner's block as a body. The impact by one step without length, from the instant at which it
/// stands on both corners; rocking by a run.
void body_rocking_block(const Task& task, Answers& answers)
{
    const BodyWalk landing = struck(block_on_corner(task, 0, -1));
    answers.give("r", Means::Exact, [&] { return Json(-landing.state().W[0].z()); });
    answers.give("mu_needed_at_impact", Means::Exact,
                 [&] { return Json(friction_used(landing.pressing(0, 1))); });

    const double p = body_rocking_rate(task);
    answers.give("p", Means::Exact, [&] { return Json(p); });
    answers.give("Housner_linear_period*", Means::Exact,
                 [&](const Pieces&) { return Json(linearised_period_s(task, p)); });

    const std::size_t count = largest_count(answers.asked("impact_# (t, w_before, w_after)"));
    if (count == 0) return;
    const double theta0 = task.number("theta0");
    // a quarter of the step: turning on a corner loses energy like h
    const auto landings =
        landings_of(BodyWalk(block_on_corner(task, theta0, 0), {.time_step_s = task.step_s(1e-4) / 4}),
                    theta0 < 0 ? 1 : -1, count);
    answers.give("impact_# (t, w_before, w_after)", Means::TimeStepping, [&](const Pieces& pieces) {
        if (count_in(pieces[0]) > landings.size()) throw DriverFailure("there is no such impact");
        const BlockLanding& one = landings[count_in(pieces[0]) - 1];
        return Json{one.t_s, one.omega_before, one.omega_after};
    });
}

}  // namespace carom::reference
