#include "body_drivers.hpp"
#include "body_motion.hpp"
#include "stepping/body_contact.hpp"

#include <cmath>

namespace carom::reference {
namespace {

/// Balls of unit mass and diameter in a row along x, `gap_m` apart and a little more from gap to gap, so that
/// no two collisions meet.
BodySetup row_of_spheres(const Eigen::VectorXd& v, double restitution, double gap_m)
{
    BodySetup setup{.materials = {{.restitution = restitution}}, .gravity_m_s2 = {0, 0, 0}};
    double x = 0;
    for (Eigen::Index k = 0; k < v.size(); ++k) {
        setup.bodies.push_back({.shape = SphereShape{0.5},
                                .pose = {.position_m = {x, 0, 0}},
                                .velocity_m_s = {v[k], 0, 0},
                                .mass_kg = 1});
        const auto step = static_cast<double>(k);
        x += 1 + gap_m * (1 + 0.37 * step + 0.011 * step * step);
    }
    return setup;
}

Eigen::VectorXd velocities_along_x(const BodyWalk& row)
{
    Eigen::VectorXd v(row.state().bodies());
    for (int k = 0; k < row.state().bodies(); ++k) {
        v[k] = row.state().v[k].x();
    }
    return v;
}

struct BinaryImpacts {
    Eigen::VectorXd v_plus;
    int count = 0;
};

/// Elastic balls with gaps between them, until none can catch up with the next.
BinaryImpacts separate_impacts(const Eigen::VectorXd& v_minus)
{
    const double speed = v_minus.maxCoeff() - v_minus.minCoeff(), gap_m = 1e-2;
    BinaryImpacts result{v_minus, 0};
    if (!(speed > 0)) return result;
    BodyWalk row(row_of_spheres(v_minus, 1, gap_m), {.time_step_s = 1e-3 * gap_m / speed});
    for (long n = 0; n < 10'000'000; ++n) {
        bool approach = false;
        for (Eigen::Index k = 0; k + 1 < v_minus.size(); ++k) {
            approach = approach || result.v_plus[k] - result.v_plus[k + 1] > 1e-12 * speed;
        }
        if (!approach) return result;
        row.step();
        for (const BodyContact& contact : row.contacts()) {
            if (contact.P[0] > 1e-9 * speed) ++result.count;
        }
        result.v_plus = velocities_along_x(row);
    }
    throw DriverFailure("the balls go on colliding");
}

/// A homogeneous disc of unit mass, body 0, that rolls to the right on a smooth floor, body 1, and touches
/// the rough corner (0, h) of a step, body 2.
class DiscAtStep {
public:
    explicit DiscAtStep(const Task& task)
        : R_(task.number("R")),
          height_(task.number("h")),
          g_(task.number("g")),
          x_touch_(-std::sqrt(R_ * R_ - (R_ - height_) * (R_ - height_))),
          h_s_(task.step_s(1e-4))
    {
    }

    [[nodiscard]] BodyWalk impact(double v) const { return struck(setup(v)); }

    /// Whether the disc gets over the corner, or comes back to the floor.
    [[nodiscard]] bool climbs(double v) const
    {
        BodyWalk walk(setup(v), {.time_step_s = h_s_});
        walk.state() = impact(v).state();
        for (int n = 0; n < 100'000; ++n) {
            walk.step();
            const double x = walk.state().x[0].x();
            if (x > 0) return true;
            if (x < x_touch_ || walk.normal_force_N(0, 1) > 0) return false;
        }
        throw DriverFailure("the disc neither climbs nor comes back");
    }

    /// The least speed with which it climbs, by bisection to a step's worth of the first-order scheme.
    [[nodiscard]] double critical_speed() const
    {
        double low = 0, high = std::sqrt(g_ * height_);
        while (!climbs(high)) {
            low = high;
            high *= 2;
            if (high > 1e3 * std::sqrt(g_ * height_)) {
                throw DriverFailure("the disc does not climb at any speed");
            }
        }
        while (high - low > 1e-4 * high) {
            const double middle = (low + high) / 2;
            (climbs(middle) ? high : low) = middle;
        }
        return (low + high) / 2;
    }

private:
    [[nodiscard]] BodySetup setup(double v) const
    {
        const double far = 10 * R_;
        return {.bodies = {{.shape = DiscShape{R_},
                            .pose = {.position_m = {x_touch_, R_, 0}},
                            .velocity_m_s = {v, 0, 0},
                            .angular_velocity_rad_s = {0, 0, -v / R_},
                            .mass_kg = 1},
                           flat_floor(1),
                           {.shape = PolygonShape{{{0, -R_}, {far, -R_}, {far, height_}, {0, height_}}},
                            .motion = BodyMotion::Fixed,
                            .material = 2}},
                .materials = {{}, {}, {}},
                .pairs = {{.first = 0, .second = 2, .friction = rough}},
                .gravity_m_s2 = {0, -g_, 0}};
    }

    double R_, height_, g_, x_touch_, h_s_;
};

}  // namespace

/// C-OBL: a disc of unit mass and radius strikes the floor obliquely with spin. By one step without length,
/// from the floor.
void body_oblique_impact(const Task& task, Answers& answers)
{
    const double beta = task.number("beta"), vx = task.number("vx"), w = task.number("w");
    const BodySetup setup{.bodies = {{.shape = DiscShape{1},
                                      .pose = {.position_m = {0, 1, 0}},
                                      .velocity_m_s = {vx, -task.number("vy"), 0},
                                      .angular_velocity_rad_s = {0, 0, w},
                                      .mass_kg = 1,
                                      .inertia_kg_m2 = flat_inertia(beta)},
                                     flat_floor()},
                          .materials = {{.friction = task.number("mu"), .restitution = task.number("e")}},
                          .gravity_m_s2 = {0, 0, 0}};
    const double before_J = BodyWalk(setup, {}).kinetic_J();
    const BodyWalk impact = struck(setup);
    const BodyContact& floor = impact.pressing(0, 1);
    const Vec3 P = floor.percussion_Ns(), slip = slip_m_s(floor);
    const State& after = impact.state();

    answers.give("P", Means::Exact, [&] { return Json{P.x(), P.y()}; });
    answers.give("v_plus", Means::Exact, [&] { return Json{after.v[0].x(), after.v[0].y()}; });
    answers.give("w_plus", Means::Exact, [&] { return Json(after.W[0].z()); });
    answers.give("u_t_plus", Means::Exact, [&] { return Json(slip.x()); });
    answers.give("energy_loss", Means::Exact, [&] { return Json(before_J - impact.kinetic_J()); });
    answers.give("status", Means::Exact, [&] {
        const double met = std::abs(vx + w) + (1 + 1 / beta) * P.norm();
        return Json(slip.norm() > 1e-12 * met ? "slides" : "sticks/rolls");
    });
}

/// B-CRADLE: a row of equal balls. The canonical law by one step without length of balls that touch, binary
/// elastic collisions by a run of balls that do not quite.
void body_cradle(const Task& task, Answers& answers)
{
    const Eigen::VectorXd v_minus = task.vector("v_minus");
    if (static_cast<double>(v_minus.size()) != task.number("n"))
        throw DriverFailure("v_minus has not n entries");
    const BodyWalk canonical = struck(row_of_spheres(v_minus, task.number("e"), 0));
    answers.give("v_plus_canonical", Means::Exact, [&] { return list_of(velocities_along_x(canonical)); });
    answers.give("momentum", Means::Exact, [&] { return Json(velocities_along_x(canonical).sum()); });
    answers.give("kinetic_energy_after", Means::Exact, [&] { return Json(canonical.kinetic_J()); });

    const BinaryImpacts sequential = separate_impacts(v_minus);
    answers.give("v_plus_sequential_elastic", Means::Exact, [&] { return list_of(sequential.v_plus); });
    answers.give("number_of_binary_impacts", Means::Exact, [&] { return Json(sequential.count); });
}

/// C-STEP: a rolling disc hits the corner of a step, soft and rough. The impact by one step without length,
/// the least speed to climb by runs.
void body_kerb(const Task& task, Answers& answers)
{
    const DiscAtStep disc(task);
    const BodyWalk one = disc.impact(1);
    answers.give("omega_ratio", Means::Exact, [&] { return Json(-one.state().W[0].z() * task.number("R")); });
    answers.give("mu_needed_at_impact", Means::Exact,
                 [&] { return Json(friction_used(one.pressing(0, 2))); });
    answers.give("v_c", Means::TimeStepping, [&] { return Json(disc.critical_speed()); });
    answers.give("centre_velocity_after_for_v=#", Means::Exact, [&](const Pieces& p) {
        return list_of(disc.impact(number_in(p[0])).state().v[0].head<2>());
    });
    answers.give("energy_loss_for_v=#", Means::Exact, [&](const Pieces& p) {
        const double v = number_in(p[0]), R = task.number("R");
        const BodyWalk after = disc.impact(v);
        const double before_J = (v * v + after.model().inertia[0](2, 2) * v * v / (R * R)) / 2;
        return Json(before_J - after.kinetic_J());
    });
}

}  // namespace carom::reference
