#include "body_drivers.hpp"
#include "body_motion.hpp"
#include "stepping/body_contact.hpp"

#include <algorithm>
#include <cmath>

namespace carom::reference {
namespace {

enum CrankBodies { Crank, Rod, Slider, UpperWall, LowerWall };

/// Crank and rod along x at first, without shapes, and a slider between two walls, joined by pins.
BodySetup slider_crank_bodies(const Task& task)
{
    const double l1 = task.number("l1"), l2 = task.number("l2"), a = task.number("a"), b = task.number("b");
    const double wall = b + task.number("c"), w1 = 150, w2 = -75;
    const auto link = [](double at, double v, double w, double m, double J) {
        return Body{.pose = {.position_m = {at, 0, 0}},
                    .velocity_m_s = {0, v, 0},
                    .angular_velocity_rad_s = {0, 0, w},
                    .mass_kg = m,
                    .inertia_kg_m2 = flat_inertia(J)};
    };
    Body slider = link(l1 + l2, w1 * l1 + w2 * l2, 0, task.number("m3"), task.number("J3"));
    slider.shape = PolygonShape{{{-a, -b}, {a, -b}, {a, b}, {-a, b}}};
    const auto wall_body = [&](double up) {
        return Body{.shape = PlaneShape{{0, up, 0}, -wall}, .motion = BodyMotion::Fixed};
    };
    return {.bodies = {link(l1 / 2, w1 * l1 / 2, w1, task.number("m1"), task.number("J1")),
                       link(l1 + l2 / 2, w1 * l1 + w2 * l2 / 2, w2, task.number("m2"), task.number("J2")),
                       slider, wall_body(-1), wall_body(1)},
            .materials = {{.friction = task.number("mu"), .restitution = task.number("eN")}},
            .gravity_m_s2 = {0, -task.number("g"), 0},
            .joints = {{.first = Crank, .second = -1, .point_m = {0, 0, 0}},
                       {.first = Crank, .second = Rod, .point_m = {l1, 0, 0}},
                       {.first = Rod, .second = Slider, .point_m = {l1 + l2, 0, 0}}}};
}

struct CrankStrike {
    double t_s = 0, loss_J = 0;
    std::vector<int> corners;
    Vec3 angles, rates;  ///< of crank, rod and slider
};

/// Steps of h where nothing happens, and of h / 100 around impacts: a step in which one falls is taken back
/// and walked again in a hundred smaller ones. Not smaller: two corners that strike at once in exact
/// arithmetic must still do so where rounding has turned the slider a little.
class RefinedCrank {
public:
    explicit RefinedCrank(const Task& task) : walk_(slider_crank_bodies(task), {}) {}

    void advance(double h_s, int level)
    {
        const State before = walk_.state();
        walk_.step(h_s);
        const bool overlaps = walk_.report().max_penetration_m > 1e-9;
        if (level < 1 && (overlaps || !striking_corners().empty())) {
            walk_.state() = before;
            for (int k = 0; k < 100; ++k) {
                advance(h_s / 100, level + 1);
            }
            return;
        }
        if (!striking_corners().empty()) keep_strike();
    }

    [[nodiscard]] const std::vector<CrankStrike>& strikes() const { return strikes_; }
    [[nodiscard]] double t_s() const { return walk_.state().t_s; }

private:
    /// Corners 1 and 2 are the upper ones, 1 and 3 those towards the crank.
    [[nodiscard]] std::vector<int> striking_corners() const
    {
        std::vector<int> corners;
        for (const BodyContact& contact : walk_.contacts()) {
            if (!(contact.P[0] > 0)) continue;
            const Vec3 X =
                walk_.state().R[Slider].conjugate() * (contact.at.point_m - walk_.state().x[Slider]);
            corners.push_back((X.y() > 0 ? 1 : 3) + (X.x() > 0 ? 1 : 0));
        }
        std::sort(corners.begin(), corners.end());
        return corners;
    }

    void keep_strike()
    {
        const EnergyLines& energy = walk_.report().energy;
        CrankStrike strike{.t_s = walk_.state().t_s,
                           .loss_J = -energy.impact_J - energy.friction_J,
                           .corners = striking_corners()};
        for (const int body : {Crank, Rod, Slider}) {
            strike.angles[body] = rotation_vector(walk_.state().R[body]).z();
            strike.rates[body] = walk_.state().W[body].z();
        }
        strikes_.push_back(strike);
    }

    BodyWalk walk_;
    std::vector<CrankStrike> strikes_;
};

}  // namespace

/// C-CRANK: a slider-crank of three bodies and three pins, whose slider has play in its guide.
void body_slider_crank(const Task& task, Answers& answers)
{
    std::size_t count = 1;
    for (const char* pattern : {"impact_#_time", "impact_#_corners", "impact_#_angles",
                                "impact_#_velocities_after", "impact_#_energy_loss"}) {
        count = std::max(count, largest_count(answers.asked(pattern)));
    }
    RefinedCrank crank(task);
    const double h_s = task.step_s(1e-6);
    for (long n = 0; n < 2'000'000 && crank.strikes().size() < count; ++n) {
        crank.advance(h_s, 0);
    }
    const auto strike = [&](const Pieces& p) -> const CrankStrike& {
        const std::size_t number = count_in(p[0]);
        if (number > crank.strikes().size()) throw DriverFailure("there is no such impact");
        return crank.strikes()[number - 1];
    };
    answers.give("impact_#_time", Means::TimeStepping, [&](const Pieces& p) { return Json(strike(p).t_s); });
    answers.give("impact_#_corners", Means::Exact, [&](const Pieces& p) { return Json(strike(p).corners); });
    answers.give("impact_#_angles", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(strike(p).angles); });
    answers.give("impact_#_velocities_after", Means::TimeStepping,
                 [&](const Pieces& p) { return list_of(strike(p).rates); });
    answers.give("impact_#_energy_loss", Means::Exact,
                 [&](const Pieces& p) { return Json(strike(p).loss_J); });
}

}  // namespace carom::reference
