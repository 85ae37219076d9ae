// Contact points of hulls with many corners, and pairs of balls of very different sizes.

#include "geometry/ball_pairs.hpp"
#include "geometry/contact_points.hpp"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using carom::Vec3;

Vec3 random_direction(std::mt19937_64& random)
{
    std::normal_distribution<double> normal;
    return Vec3(normal(random), normal(random), normal(random)).normalized();
}

carom::Collider stone(std::mt19937_64& random, long corners)
{
    carom::PolyhedronShape shape;
    for (long i = 0; i < corners; ++i) {
        shape.vertices_m.push_back(random_direction(random));
    }
    return carom::make_collider(shape);
}

/// Two stones of so many corners on the unit sphere that lie a hundredth deep in each other, at 64 places.
void hull_contact(benchmark::State& run)
{
    std::mt19937_64 random(7);
    const carom::Collider a = stone(random, run.range(0)), b = stone(random, run.range(0));
    std::vector<std::array<carom::PlacedCollider, 2>> places(64);
    for (auto& [first, second] : places) {
        const auto pose = [&](const Vec3& position) {
            return carom::Pose{.position_m = position,
                               .rotation = carom::rotation_by(3 * random_direction(random))};
        };
        const double apart = 2 * (1 - 2.5 / static_cast<double>(run.range(0))) - 0.01;
        carom::place(a, pose(Vec3::Zero()), first);
        carom::place(b, pose(apart * random_direction(random)), second);
    }
    std::vector<carom::ContactPoint> points;
    double touching = 0;
    std::size_t at = 0;
    for (auto _ : run) {
        points.clear();
        const auto& [first, second] = places[at++ % places.size()];
        carom::find_contact_points(first, second, 0.0, points);
        touching += points.empty() ? 0 : 1;
    }
    run.counters["touching"] = touching / static_cast<double>(run.iterations());
}
BENCHMARK(hull_contact)->Arg(32)->Arg(200)->Arg(1000)->Unit(benchmark::kMicrosecond);

/// Balls that touch each other on a lattice, 20,000 of them, and one that is `ratio` times as large over
/// them.
void ball_pairs(benchmark::State& run)
{
    std::vector<Vec3> centres{Vec3(13.5, 13.5, 13.5)};
    std::vector<double> radii{0.5 * static_cast<double>(run.range(0))};
    for (int k = 0; k < 20'000; ++k) {
        centres.emplace_back(k % 28, k / 28 % 28, k / 784);
        radii.push_back(0.501);
    }
    carom::BallPairs pairs;
    for (auto _ : run) {
        pairs.find(centres, radii);
        benchmark::DoNotOptimize(pairs.of(0).data());
    }
}
BENCHMARK(ball_pairs)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
