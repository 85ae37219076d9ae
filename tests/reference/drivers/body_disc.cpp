#include "body_drivers.hpp"
#include "body_motion.hpp"
#include "one_step.hpp"
#include "search.hpp"
#include "system/bodies/body_model.hpp"

#include <cmath>

namespace carom::reference {
namespace {

/// A thin uniform disc of unit mass on its edge, body 0, on a rough floor; its centre at rest, turning about
/// the diameter through the contact so that it would precess at the rate Omega.
struct TiltedDisc {
    double radius_m, alpha, g;

    [[nodiscard]] BodySetup setup(double Omega) const
    {
        const double a = radius_m;
        const Vec3 to_contact(std::cos(alpha), 0, -std::sin(alpha));
        return {.bodies = {{.shape = CylinderShape{a, 0},
                            .pose = {.position_m = {0, 0, a * std::sin(alpha)},
                                     .rotation = rotation_by({0, alpha, 0})},
                            .angular_velocity_rad_s = -Omega * std::sin(alpha) * to_contact,
                            .mass_kg = 1,
                            .inertia_kg_m2 = Mat3(Vec3(a * a / 4, a * a / 4, a * a / 2).asDiagonal())},
                           solid_floor()},
                .materials = {{.friction = rough}},
                .gravity_m_s2 = {0, 0, -g}};
    }

    /// Rate at which the axis rises: d/dt of its height n_z, n' = w x n.
    [[nodiscard]] static double rising(const State& state)
    {
        const Vec3 n = state.R[0] * Vec3::UnitZ(), w = state.R[0] * state.W[0];
        return w.cross(n).z();
    }

    /// How the disc begins to straighten or to sink. The first step from the exact start only brings in the
    /// velocity by which the scheme, whose contacts are those half-way, lags behind; the steps after it
    /// differ by the acceleration.
    [[nodiscard]] double straightening(double Omega) const
    {
        const double h_s = 1e-6 * std::sqrt(radius_m / g);
        BodyWalk walk(setup(Omega), {.time_step_s = h_s, .tolerance = 1e-13, .correction = false});
        walk.step();
        const double first = rising(walk.state());
        walk.step();
        return rising(walk.state()) - first;
    }

    /// The rate with which the inclination stays.
    [[nodiscard]] double steady_rate() const
    {
        const double unit = std::sqrt(g / radius_m);
        const bool sinks_when_slow = straightening(0.01 * unit) > 0;
        double high = unit;
        while ((straightening(high) > 0) == sinks_when_slow) {
            high *= 2;
            if (high > 1e6 * unit) throw DriverFailure("no rate keeps the inclination");
        }
        return limit_of(0.01 * unit, high,
                        [&](double Omega) { return (straightening(Omega) > 0) == sinks_when_slow; });
    }
};

}  // namespace

/// C-EULER: the rate of steady rolling is searched for by pairs of short steps; then the inclination is
/// watched in a run.
void body_euler_disc(const Task& task, Answers& answers)
{
    const TiltedDisc disc{task.number("a"), radians(task.number("alpha_deg")), task.number("g")};
    const double Omega = disc.steady_rate();
    const BodyWalk start(disc.setup(Omega), {});
    answers.give("Omega", Means::TimeStepping, [&] { return Json(Omega); });
    answers.give("omega_magnitude", Means::TimeStepping, [&] { return Json(start.state().W[0].norm()); });
    answers.give("energy_per_mass", Means::TimeStepping, [&] { return Json(start.energy_J()); });
    answers.give("alpha_deg after # s", Means::TimeStepping, [&](const Pieces& p) {
        // a quarter of the step: rolling on an edge loses energy like h
        BodyWalk walk(disc.setup(Omega), {.time_step_s = task.step_s(1e-5) / 4, .tolerance = 1e-10});
        walk.advance(number_in(p[0]));
        return Json(std::acos((walk.state().R[0] * Vec3::UnitZ()).z()) / radians(1));
    });
}

}  // namespace carom::reference
