#include "body_drivers.hpp"
#include "body_motion.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace carom::reference {
namespace {

constexpr double friction = 0.5;
constexpr int fewest_grains = 1000;

/// Discs of mean diameter and density one, their diameters 15 % about it, under a gravity of one, between a
/// smooth wall at x = 0 and, where there is one, a smooth gate at x = width; the floor is as rough as they
/// are.
BodySetup grains_at_wall(const std::vector<Body>& grains, double gate_at_m)
{
    BodySetup setup{.bodies = {flat_floor()},
                    .materials = {{.friction = friction}, {.friction = 0}},
                    .gravity_m_s2 = {0, -1, 0}};
    setup.bodies.push_back({.shape = PlaneShape{{1, 0, 0}, 0}, .motion = BodyMotion::Fixed, .material = 1});
    if (gate_at_m > 0) {
        setup.bodies.push_back(
            {.shape = PlaneShape{{-1, 0, 0}, -gate_at_m}, .motion = BodyMotion::Fixed, .material = 1});
    }
    setup.bodies.insert(setup.bodies.end(), grains.begin(), grains.end());
    return setup;
}

std::vector<Body> loose_grains(double width_m, int count)
{
    std::mt19937 random(29);
    const auto uniform = [&] { return 2 * (static_cast<double>(random()) / 4294967296.0) - 1; };
    const int across = std::max(1, static_cast<int>(width_m / 1.17));
    const double cell = width_m / across;
    std::vector<Body> grains;
    for (int n = 0; n < count; ++n) {
        const double radius = 0.5 * (1 + 0.15 * uniform());
        const Vec3 at(cell * (n % across + 0.5) + 0.01 * uniform(), 1.17 * (n / across + 0.5), 0);
        grains.push_back({.shape = DiscShape{radius}, .pose = {.position_m = at}, .density = 1});
    }
    return grains;
}

constexpr BodyWalkSettings granular{.time_step_s = 0.02, .tolerance = 1e-3, .accept_unsolved = true};

/// Moves on for a time; the energy must not grow, whatever happens.
void move_on(BodyWalk& walk, double duration_s)
{
    const double start_J = walk.energy_J();
    walk.go_on(duration_s);
    if (walk.energy_J() > start_J * (1 + 1e-9)) throw DriverFailure("grains gain energy");
}

/// Moves until a grain has less than `quiet_J` of kinetic energy in the mean.
void settle(BodyWalk& walk, double quiet_J)
{
    for (int n = 0; n < 200; ++n) {
        move_on(walk, 2);
        if (walk.kinetic_J() < quiet_J * walk.state().bodies()) return;
    }
    throw DriverFailure("grains do not come to rest");
}

/// A column a times as high as wide that stands behind a gate: settled, and cut off at its height.
std::vector<Body> column(double a, double width_m, int count)
{
    const std::vector<Body> loose = loose_grains(width_m, count);
    BodyWalk walk(grains_at_wall(loose, width_m), granular);
    settle(walk, 2e-3);
    std::vector<Body> kept;
    for (std::size_t n = 0; n < loose.size(); ++n) {
        const Vec3& x = walk.state().x[n + 3];
        if (x.y() > a * width_m - 0.5) continue;
        kept.push_back(loose[n]);
        kept.back().pose.position_m = x;
    }
    return kept;
}

/// Where the deposit ends: the last grain at rest on the floor that has another within two diameters before
/// it. Grains that roll on belong to it no more.
double front_m(const BodyWalk& walk)
{
    std::vector<double> low;
    for (int i = 2; i < walk.state().bodies(); ++i) {
        const bool rests = walk.state().v[i].norm() < 0.05;
        if (rests && walk.state().x[i].y() < 1) low.push_back(walk.state().x[i].x());
    }
    std::sort(low.begin(), low.end());
    double front = 0;
    for (const double x : low) {
        if (x - front > 2) break;
        front = x;
    }
    return front + 0.5;
}

/// (L - L0) / L0 of a column that is released at once.
double run_out(double a)
{
    constexpr double solid = 0.82, pi_4 = 0.785;
    const double width_m = std::sqrt(1.06 * fewest_grains * pi_4 / (solid * a));
    const std::vector<Body> grains = column(a, width_m, fewest_grains * 12 / 10);
    if (static_cast<int>(grains.size()) < fewest_grains) throw DriverFailure("the column has too few grains");
    BodyWalk walk(grains_at_wall(grains, 0), granular);
    // it is over when the deposit does not grow any more; single grains may roll on for ever
    move_on(walk, 3 * std::sqrt(a * width_m));
    for (int n = 0; n < 100; ++n) {
        const double before_m = front_m(walk);
        move_on(walk, 5);
        if (std::abs(front_m(walk) - before_m) > 0.5) continue;
        return (front_m(walk) - width_m) / width_m;
    }
    throw DriverFailure("the deposit does not come to rest");
}

}  // namespace

/// C-GRAN-1: columns of discs that collapse beside a wall.
void body_column_collapse(const Task& task, Answers& answers)
{
    std::map<double, double> known;
    const auto run_out_of = [&](double a) {
        if (!known.contains(a)) known[a] = run_out(a);
        return known[a];
    };
    answers.give("ratio runout(a=#)/runout(a=#)", Means::Exact, [&](const Pieces& p) {
        return Json(run_out_of(number_in(p[0])) / run_out_of(number_in(p[1])));
    });
    answers.give("exponent for a in #..#", Means::Exact, [&](const Pieces& p) {
        // least squares of the logarithms
        double n = 0, x = 0, y = 0, xx = 0, xy = 0;
        for (const double a : task.vector("a")) {
            if (a < number_in(p[0]) || a > number_in(p[1])) continue;
            const double u = std::log(a), v = std::log(run_out_of(a));
            n += 1, x += u, y += v, xx += u * u, xy += u * v;
        }
        if (n < 2) throw DriverFailure("an exponent needs two columns");
        return Json((n * xy - x * y) / (n * xx - x * x));
    });
}

}  // namespace carom::reference
