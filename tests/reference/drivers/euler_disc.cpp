#include "bodies.hpp"
#include "drivers.hpp"

#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

/// A thin disc on its edge at the inclination, its centre at rest, turning about the diameter through the
/// contact.
struct Disc {
    double a, alpha, g;

    [[nodiscard]] BodySetup setup(double Omega) const
    {
        const Vec3 down(std::cos(alpha), 0, -std::sin(alpha));  // from the centre to the contact
        Body disc{.shape = CylinderShape{a, 0},
                  .pose = {.position_m = {0, 0, a * std::sin(alpha)}, .rotation = rotation_by({0, alpha, 0})},
                  .angular_velocity_rad_s = -Omega * std::sin(alpha) * down,
                  .mass_kg = 1,
                  .inertia_kg_m2 = Mat3(Vec3(a * a / 4, a * a / 4, a * a / 2).asDiagonal())};
        return {.bodies = {{.shape = PlaneShape{}, .motion = BodyMotion::Fixed}, disc},
                .materials = {{.friction = 10}},
                .gravity_m_s2 = {0, 0, -g}};
    }

    /// How the inclination of a run changes in a short time.
    [[nodiscard]] double sinking(double Omega) const
    {
        BodyMotionRun run(setup(Omega), 1e-7, 1e-13);
        run.run(1e-5);
        return inclination(run) - alpha;
    }
    [[nodiscard]] static double inclination(const BodyMotionRun& run)
    {
        return std::acos((run.state().R[1] * Vec3::UnitZ()).z());
    }
};

/// Where the inclination neither grows nor falls.
double steady_rate(const Disc& disc)
{
    double low = 0.1 * std::sqrt(disc.g / disc.a),
           high = 100 * std::sqrt(disc.g / (disc.a * std::sin(disc.alpha)));
    if (!(disc.sinking(low) * disc.sinking(high) < 0)) throw DriverFailure("no rate keeps the inclination");
    const bool falls_when_slow = disc.sinking(low) < 0;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        ((disc.sinking(middle) < 0) == falls_when_slow ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace

/// C-EULER: the rate of steady rolling is searched for by short runs; then a second of motion with the step
/// of the case.
void drive_euler_disc(const Task& task, Answers& answers)
{
    const Disc disc{task.number("a"), task.number("alpha_deg") * std::numbers::pi / 180, task.number("g")};
    const double Omega = steady_rate(disc);
    const BodyMotionRun start(disc.setup(Omega), 1e-5);
    answers.give("Omega", Means::TimeStepping, [&] { return Json(Omega); });
    answers.give("omega_magnitude", Means::TimeStepping, [&] { return Json(start.state().W[1].norm()); });
    answers.give("energy_per_mass", Means::TimeStepping, [&] {
        return Json(start.model().kinetic_energy_J(start.state()) +
                    start.model().potential_energy_J(start.state().x, start.state().R));
    });
    answers.give("alpha_deg after # s", Means::TimeStepping, [&](const Pieces& p) {
        BodyMotionRun run(disc.setup(Omega), task.step_s(1e-5));
        run.run(number_in(p[0]));
        return Json(Disc::inclination(run) * 180 / std::numbers::pi);
    });
}

}  // namespace carom::reference
