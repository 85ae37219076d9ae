#include "body_drivers.hpp"
#include "body_motion.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace carom::reference {
namespace {

/// Discs of mean diameter and density one, under a gravity of one.
constexpr double grain_friction = 0.5, grain_spread = 0.15;
constexpr int fewest_grains = 1000;

/// A column that is a times as high as wide.
struct Column {
    double a;
    double width_m;

    explicit Column(double aspect) : a(aspect)
    {
        constexpr double solid_fraction = 0.82, area_of_disc = 0.785;
        width_m = std::sqrt(1.12 * fewest_grains * area_of_disc / (solid_fraction * a));
    }
    /// Grains that are poured: what stands above the column is taken away.
    [[nodiscard]] int poured() const { return fewest_grains * 13 / 10; }
};

/// The grains, then a smooth wall at x = 0, a floor of grains that are glued to it, side by side with their
/// tops at y = 0, and where it is closed a smooth gate.
BodySetup grains_at_wall(const Column& column, std::vector<Body> grains, bool gate)
{
    BodySetup setup{.bodies = std::move(grains),
                    .materials = {{.friction = grain_friction}, {.friction = 0}},
                    .gravity_m_s2 = {0, -1, 0}};
    const auto wall = [&](const Vec3& normal, double offset_m) {
        setup.bodies.push_back(
            {.shape = PlaneShape{normal, offset_m}, .motion = BodyMotion::Fixed, .material = 1});
    };
    wall({1, 0, 0}, 0);
    if (gate) wall({-1, 0, 0}, -column.width_m);
    const int length = static_cast<int>(column.width_m * (2 + 3 * std::pow(column.a, 0.8)));
    for (int k = 0; k < length; ++k) {
        setup.bodies.push_back({.shape = DiscShape{0.5},
                                .pose = {.position_m = {k + 0.5, -0.5, 0}},
                                .motion = BodyMotion::Fixed});
    }
    return setup;
}

std::vector<Body> loose_grains(const Column& column)
{
    std::mt19937 random(29);
    const auto uniform = [&] { return 2 * (static_cast<double>(random()) / 4294967296.0) - 1; };
    const double cell = 1.01 * (1 + grain_spread);
    const int across = std::max(1, static_cast<int>(column.width_m / cell));
    std::vector<Body> grains;
    for (int n = 0; n < column.poured(); ++n) {
        const double radius = 0.5 * (1 + grain_spread * uniform());
        const Vec3 at(column.width_m / across * (n % across + 0.5), cell * (n / across + 0.5), 0);
        grains.push_back({.shape = DiscShape{radius}, .pose = {.position_m = at}, .density = 1});
    }
    return grains;
}

constexpr BodyWalkSettings granular{.time_step_s = 0.02, .tolerance = 1e-3, .accept_unsolved = true};

/// Moves on for a time. The energy must not grow, but for what the ledger says that moving overlapping grains
/// apart has lifted them.
void move_grains(BodyWalk& walk, double duration_s)
{
    const double start_J = walk.energy_J();
    double lifted_J = 0;
    for (double end_s = walk.state().t_s + duration_s; walk.state().t_s < end_s;) {
        walk.step(granular.time_step_s);
        lifted_J += walk.report().energy.correction_J;
    }
    if (walk.energy_J() > start_J + lifted_J + 1e-6 * std::abs(start_J)) {
        throw DriverFailure("grains gain energy");
    }
}

/// Settled behind the gate, and cut off at its height.
std::vector<Body> settled(const Column& column)
{
    const std::vector<Body> loose = loose_grains(column);
    BodyWalk walk(grains_at_wall(column, loose, true), granular);
    constexpr double quiet_J = 2e-3;
    for (int n = 0; n < 100; ++n) {
        move_grains(walk, 4);
        if (walk.kinetic_J() < quiet_J * column.poured()) break;
    }
    std::vector<Body> kept;
    for (std::size_t n = 0; n < loose.size(); ++n) {
        const Vec3& x = walk.state().x[n];
        if (x.y() > column.a * column.width_m - 0.5) continue;
        kept.push_back(loose[n]);
        kept.back().pose.position_m = x;
    }
    return kept;
}

/// Where the deposit ends: grains that lie on the floor, none farther from the one before it than this. The
/// front of a thin deposit has holes of two diameters; grains that have left it are farther off.
constexpr double widest_hole_m = 3;

double front_m(const BodyWalk& walk, std::size_t grains)
{
    std::vector<double> low;
    for (std::size_t i = 0; i < grains; ++i) {
        if (walk.state().x[i].y() < 1) low.push_back(walk.state().x[i].x());
    }
    std::sort(low.begin(), low.end());
    double front = 0;
    for (const double x : low) {
        if (x - front > widest_hole_m) break;
        front = x;
    }
    return front + 0.5;
}

/// (L - L0) / L0 of a column that is released at once.
double run_out(double a)
{
    const Column column(a);
    const std::vector<Body> grains = settled(column);
    if (static_cast<int>(grains.size()) < fewest_grains) throw DriverFailure("the column has too few grains");
    BodyWalk walk(grains_at_wall(column, grains, false), granular);
    // over when the front has stood still for a while
    move_grains(walk, 3 * std::sqrt(a * column.width_m));
    for (int n = 0; n < 40; ++n) {
        const double before_m = front_m(walk, grains.size());
        move_grains(walk, 5);
        const double after_m = front_m(walk, grains.size());
        if (std::abs(after_m - before_m) < 0.5) return (after_m - column.width_m) / column.width_m;
    }
    throw DriverFailure("the deposit does not come to rest");
}

}  // namespace

/// C-GRAN-1: columns of discs that collapse beside a wall, on a floor of glued grains.
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
        double n = 0, x = 0, y = 0, xx = 0, xy = 0, last = 0;
        for (const double a : task.vector("a")) {
            if (a < number_in(p[0]) || a > number_in(p[1])) continue;
            const double u = std::log(a), v = std::log(run_out_of(a));
            if (run_out_of(a) <= last) throw DriverFailure("a higher column does not run out farther");
            last = run_out_of(a);
            n += 1, x += u, y += v, xx += u * u, xy += u * v;
        }
        if (n < 2) throw DriverFailure("an exponent needs two columns");
        return Json((n * xy - x * y) / (n * xx - x * x));
    });
}

}  // namespace carom::reference
