#include "carom/core/threads.hpp"

#include "body_runs.hpp"
#include "stepping/body_places.hpp"
#include "support/thread_messages.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <span>

namespace carom {
namespace {

using test::box;
using test::floor_body;
using test::model_of;

/// Spheres thrown together in a corner, more contacts in a colour than one thread takes at once.
BodyModel pour(bool mixed = false)
{
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = 0.4}};
    setup.bodies = {floor_body()};
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    constexpr int side = 11;
    for (int k = 0; k < side * side * side; ++k) {
        Body ball = test::ball(k % 3 == 0 ? 0.048 : 0.05, {0.0999 * (k % side), 0.0999 * (k / side % side),
                                                           0.05 + 0.0999 * (k / side / side)});
        ball.velocity_m_s = {0.3 * uniform(random), 0.3 * uniform(random), -0.5};
        setup.bodies.push_back(ball);
    }
    if (mixed) std::shuffle(setup.bodies.begin() + 1, setup.bodies.end(), random);
    return model_of(std::move(setup));
}

/// Small balls and, numbered after them, large ones that lie between them.
BodyModel two_kinds()
{
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = 0.4}};
    setup.bodies = {floor_body()};
    constexpr int side = 10;
    for (int k = 0; k < side * side * side; ++k) {
        const bool is_large = k >= side * side * side / 2;
        const int x = 2 * (k % (side / 2)) + (is_large ? 1 : 0), rest = k / (side / 2);
        setup.bodies.push_back(test::ball(is_large ? 0.05 : 0.049, {0.0999 * x, 0.0999 * (rest % side),
                                                                    0.05 + 0.0999 * (rest / side % side)}));
    }
    return model_of(std::move(setup));
}

/// Boxes on each other, each a little turned, one body that all of the lowest stand on.
BodyModel boxes()
{
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = 0.5}};
    setup.bodies = {floor_body(), box({12, 12, 0.5}, {5, 5, 0.25}, 100)};
    std::mt19937 random(8);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int k = 0; k < 9 * 9 * 5; ++k) {
        Body one = box({0.98, 0.98, 1}, {1.0 * (k % 9), 1.0 * (k / 9 % 9), 1 + 1.0 * (k / 81)});
        one.pose.rotation = Rotation(Eigen::AngleAxisd(1e-3 * uniform(random), Vec3::UnitZ()));
        one.velocity_m_s = {0.2 * uniform(random), 0.2 * uniform(random), -0.3};
        setup.bodies.push_back(one);
    }
    return model_of(std::move(setup));
}

/// Pairs of boxes with a hinge between them that fall on each other.
BodyModel hinged()
{
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = 0.5}};
    setup.bodies = {floor_body()};
    for (int k = 0; k < 24; ++k) {
        const double x = 1.3 * (k % 4), y = 3 * (k / 4 % 2), z = 0.5 + 1.0 * (k / 8);
        setup.bodies.push_back(box({1, 1, 1}, {x, y, z}));
        setup.bodies.push_back(box({1, 1, 1}, {x, y + 1.1, z}));
        setup.joints.push_back({.kind = JointKind::Revolute,
                                .first = 2 * k + 1,
                                .second = 2 * k + 2,
                                .point_m = {x, y + 0.55, z},
                                .axis = {1, 0, 0}});
    }
    return model_of(std::move(setup));
}

struct Ended {
    State state;
    double friction_J = 0, overlap_m = 0;
    int sweeps = 0;
    std::size_t contacts = 0;
};

Ended run(const BodyModel& model, int threads, int steps, double tolerance)
{
    const Threads scope(threads);
    const auto scratch = std::make_unique<BodyStepMemory>();
    Ended result{.state = make_body_state(model)};
    for (int k = 0; k < steps; ++k) {
        const StepReport report =
            body_step(model, {.time_step_s = 1.0 / 240}, {.tolerance = tolerance}, result.state, *scratch);
        if (report.status != StepStatus::Solved) throw std::runtime_error("a step was not solved");
        result.overlap_m += report.max_penetration_m;
        result.friction_J += report.energy.friction_J;
        result.sweeps += report.solve.iterations;
        result.contacts = std::max(result.contacts, scratch->contacts.size());
    }
    return result;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// The same places, velocities, ledger, overlaps and sweeps.
void check_same(const Ended& together, const Ended& alone)
{
    CHECK(same_bits(together.state.x, alone.state.x));
    CHECK(same_bits(together.state.R, alone.state.R));
    CHECK(same_bits(together.state.v, alone.state.v));
    CHECK(same_bits(together.state.W, alone.state.W));
    CHECK(together.friction_J == alone.friction_J);
    CHECK(together.overlap_m == alone.overlap_m);
    CHECK(together.sweeps == alone.sweeps);
}

/// On 1, 2, 3 and 8 threads, and on 2 and 3 ranks. Returns the most contacts.
std::size_t check_threads(const BodyModel& model, int steps, double tolerance)
{
    const Ended alone = run(model, 1, steps, tolerance);
    for (const int threads : {2, 3, 8}) {
        CAPTURE(threads);
        check_same(run(model, threads, steps, tolerance), alone);
    }
    for (const int ranks : {2, 3}) {
        CAPTURE(ranks);
        std::vector<Ended> all(static_cast<std::size_t>(ranks));
        ThreadRanks together(ranks);
        together.run([&](int rank) {
            const SharedWork work;
            all[static_cast<std::size_t>(rank)] = run(model, 1, steps, tolerance);
        });
        for (const Ended& one : all) {
            check_same(one, alone);
        }
    }
    return alone.contacts;
}

}  // namespace

TEST_CASE("a pour is the same bit for bit on any number of threads and ranks")
{
    CHECK(check_threads(pour(), 6, 1e-3) > 3500);
}

TEST_CASE("balls whose numbers say nothing of places are the same bit for bit on any number of ranks")
{
    CHECK(check_threads(pour(true), 4, 1e-3) > 3500);
}

TEST_CASE("places follow the scene where numbers do not: a part of them is a part of the scene")
{
    CHECK(detail::places_along_scene(pour()).empty());
    CHECK(!detail::places_along_scene(two_kinds()).empty());
    const BodyModel model = pour(true);
    const std::vector<int> places = detail::places_along_scene(model);
    REQUIRE(places.size() == static_cast<std::size_t>(model.bodies()));

    // each once; the floor, which does not move, has none of its own
    std::vector<int> balls(places.size() - 1);
    for (std::size_t i = 1; i < places.size(); ++i) {
        balls[static_cast<std::size_t>(places[i])] = static_cast<int>(i);
    }
    std::vector<int> sorted = balls;
    std::ranges::sort(sorted);
    std::vector<int> all(balls.size());
    std::iota(all.begin(), all.end(), 1);
    CHECK(sorted == all);

    // the first half of the places lies on one side of a plane across an axis, the second on the other
    const auto half = balls.size() / 2;
    bool apart = false;
    for (const int axis : {0, 1, 2}) {
        const auto at = [&](int body) {
            return model.setup().bodies[static_cast<std::size_t>(body)].pose.position_m[axis];
        };
        const auto first = std::span(balls).first(half), second = std::span(balls).subspan(half);
        const double low = at(*std::ranges::max_element(first, {}, at));
        const double high = at(*std::ranges::min_element(second, {}, at));
        apart = apart || low <= high;
    }
    CHECK(apart);
}

TEST_CASE("a heap of boxes on a board is the same bit for bit on any number of threads and ranks")
{
    CHECK(check_threads(boxes(), 4, 1e-3) > 1500);
}

TEST_CASE("boxes with hinges are the same bit for bit on any number of threads and ranks")
{
    CHECK(check_threads(hinged(), 30, 1e-6) > 50);
}

}  // namespace carom
