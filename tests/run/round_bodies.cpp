#include "stepping/body_memory.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>

namespace carom {
namespace {

using test::near;

/// Spheres of two sizes, nearly touching, thrown together over a floor between two walls, one of which has
/// the last number. A box far away makes the step take the general way.
BodyModel pour(bool general, double restitution, int side)
{
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = 0.4, .restitution = restitution}};
    const auto plane = [&](const char* name, const Vec3& normal, double offset) {
        setup.bodies.push_back(
            {.name = name, .shape = PlaneShape{normal, offset}, .motion = BodyMotion::Fixed});
    };
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1, 1);
    plane("floor", Vec3::UnitZ(), 0);
    for (int k = 0; k < side * side * side; ++k) {
        const double radius = k % 3 == 0 ? 0.048 : 0.05;
        Body body{.name = "ball" + std::to_string(k), .shape = SphereShape{radius}};
        body.pose.position_m = {0.05 + 0.1001 * (k % side), 0.05 + 0.1001 * (k / side % side),
                                0.05 + 0.1001 * (k / side / side)};
        body.mass_kg = k % 3 == 0 ? 0.7 : 0.5;
        body.velocity_m_s = {0.3 * uniform(random), 0.3 * uniform(random), -0.5 - 0.3 * uniform(random)};
        setup.bodies.push_back(body);
    }
    plane("left", Vec3::UnitX(), 0);
    plane("front", Vec3::UnitY(), 0);
    if (general) {
        Body far{.name = "far", .shape = BoxShape{Vec3::Constant(1)}, .motion = BodyMotion::Fixed};
        far.pose.position_m = {50, 50, 50};
        setup.bodies.push_back(far);
    }
    auto model = make_body_model(std::move(setup));
    REQUIRE(model);
    return std::move(*model);
}

struct Poured {
    BodyModel model;
    State state = make_body_state(model);
    std::unique_ptr<BodyStepMemory> scratch = std::make_unique<BodyStepMemory>();
    MoreauSettings settings = {.time_step_s = 1.0 / 240};

    StepReport step(double tolerance = 1e-8)
    {
        const StepReport report = body_step(model, settings, {.tolerance = tolerance}, state, *scratch);
        CHECK(report.status == StepStatus::Solved);
        CHECK(report.solve.residual.unit_free <= tolerance);
        return report;
    }
};

}  // namespace

TEST_CASE("spheres among themselves find the contacts that the general way finds")
{
    Poured quick{.model = pour(false, 0, 6)}, general{.model = pour(true, 0, 6)};
    for (int k = 0; k < 3; ++k) {
        quick.state = general.state;
        quick.state.x.pop_back();
        quick.state.R.pop_back();
        quick.state.v.pop_back();
        quick.state.W.pop_back();
        const StepReport a = quick.step(), b = general.step();
        REQUIRE(quick.scratch->round);
        REQUIRE_FALSE(general.scratch->round);

        // the same contacts to rounding
        const auto &found = quick.scratch->contacts, &expected = general.scratch->contacts;
        REQUIRE(found.size() == expected.size());
        REQUIRE(found.size() > 200);
        double worst = 0, W = 0;
        bool ordered = true;
        for (std::size_t c = 0; c < found.size(); ++c) {
            ordered = ordered && found[c].first == expected[c].first &&
                      found[c].second == expected[c].second && found[c].at.feature == expected[c].at.feature;
            worst = std::max({worst, std::abs(found[c].at.gap_m - expected[c].at.gap_m),
                              (found[c].at.normal - expected[c].at.normal).norm(),
                              (found[c].at.point_m - expected[c].at.point_m).norm(),
                              std::abs(found[c].may_close_m_s - expected[c].may_close_m_s)});
            const auto W_a = quick.scratch->problem.W.diagonal(static_cast<int>(c)),
                       W_b = general.scratch->problem.W.diagonal(static_cast<int>(c));
            for (std::size_t i = 0; i < W_a.size(); ++i) {
                W = std::max(W, std::abs(W_a[i] - W_b[i]));
            }
        }
        CHECK(ordered);
        CHECK(worst < 1e-13);
        CHECK(W < 1e-12);

        // and the same step, to what an error of 1e-8 leaves open in velocities of 1 m/s
        double apart = 0;
        for (std::size_t i = 0; i < quick.state.v.size(); ++i) {
            apart = std::max(apart, (quick.state.v[i] - general.state.v[i]).norm());
        }
        CHECK(apart < 1e-5);
        // works are percussions, of some 100 N s together, times such velocities
        CHECK(a.energy.friction_J == near(b.energy.friction_J, 1e-3));
        CHECK(a.energy.impact_J == near(b.energy.impact_J, 1e-3));
    }
}

TEST_CASE("a pour of spheres: solved in every step, ledger closed, overlaps small")
{
    for (const double restitution : {0.0, 0.3}) {
        Poured quick{.model = pour(false, restitution, 6)};
        const double size = 0.05;
        for (int k = 0; k < 60; ++k) {
            const StepReport report = quick.step(1e-3);
            const EnergyLines& lines = report.energy;
            CHECK(std::abs(lines.balance_J()) <= 1e-9 * (1 + lines.magnitude_J()));
            // in the first hits one correction leaves a few hundredths; restitution lets bodies leave alone
            if (restitution == 0) CHECK(report.max_penetration_m < (k < 30 ? 0.06 : 0.02) * size);
        }
    }
}

TEST_CASE("a pour that is taken up again goes on bit for bit")
{
    Poured whole{.model = pour(false, 0, 6)};
    for (int k = 0; k < 10; ++k) {
        (void)whole.step(1e-3);
    }
    Poured resumed{.model = pour(false, 0, 6)};
    resumed.state = whole.state;
    for (int k = 0; k < 10; ++k) {
        (void)whole.step(1e-3);
        (void)resumed.step(1e-3);
    }
    CHECK(whole.state.x == resumed.state.x);
    CHECK(whole.state.v == resumed.state.v);
    CHECK(whole.state.W == resumed.state.W);
}

TEST_CASE("a wall is solved once and then stands by its own percussions")
{
    // courses of five bricks and of four in turn: enough contacts for sweeps
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = 0.6}};
    setup.bodies.push_back(
        {.name = "floor", .shape = PlaneShape{Vec3::UnitZ(), 0}, .motion = BodyMotion::Fixed});
    for (int course = 0; course < 10; ++course) {
        for (int k = 0; k < 5 - course % 2; ++k) {
            Body brick{.name = "brick" + std::to_string(setup.bodies.size()),
                       .shape = BoxShape{Vec3(0.198, 0.1, 0.1)}};
            brick.pose.position_m = {0.2 * k + 0.1 * (course % 2), 0, 0.05 + 0.1 * course};
            brick.mass_kg = 4;
            setup.bodies.push_back(brick);
        }
    }
    auto model = make_body_model(std::move(setup));
    REQUIRE(model);
    Poured wall{.model = std::move(*model)};
    const State before = wall.state;
    int later = 0;
    for (int k = 0; k < 240; ++k) {
        const StepReport report = wall.step();
        if (k > 0) later += report.solve.iterations;
    }
    REQUIRE(wall.scratch->contacts.size() >= 200);
    // solved to the last digits, which drift by a part a step: two steps in three and more do nothing
    CHECK(later < 240 / 2);
    double drift = 0;
    for (std::size_t i = 0; i < before.x.size(); ++i) {
        drift = std::max(drift, (wall.state.x[i] - before.x[i]).norm());
    }
    CHECK(drift < 1e-9);
}

TEST_CASE("a high column does not sink into itself at a coarse tolerance")
{
    // a hundred close-packed layers of four and three grains in turn, between smooth walls: the percussions
    // at its foot are a hundred times those of a grain, and an error that is small beside them is none beside
    // a grain
    for (const bool spheres : {true, false}) {
        const Vec3 up = spheres ? Vec3::UnitZ() : Vec3::UnitY();
        BodySetup setup{.materials = {{.friction = 0.5}, {.friction = 0}}, .gravity_m_s2 = -up};
        const Shape grain = spheres ? Shape(SphereShape{0.5}) : Shape(DiscShape{0.5});
        for (int layer = 0; layer < 100; ++layer) {
            for (int k = 0; k < 4 - layer % 2; ++k) {
                const Vec3 at =
                    (0.5 + k + 0.5 * (layer % 2)) * Vec3::UnitX() + (0.5 + layer * std::sqrt(0.75)) * up;
                setup.bodies.push_back({.shape = grain, .pose = {.position_m = at}, .density = 1});
            }
        }
        const auto plane = [&](const Vec3& normal, double offset, int material) {
            setup.bodies.push_back(
                {.shape = PlaneShape{normal, offset}, .motion = BodyMotion::Fixed, .material = material});
        };
        plane(Vec3::UnitX(), 0, 1);
        plane(-Vec3::UnitX(), -4, 1);
        plane(up, 0, 0);
        auto model = make_body_model(std::move(setup));
        REQUIRE(model);
        Poured column{.model = std::move(*model), .settings = {.time_step_s = 0.02}};
        const State before = column.state;
        for (int k = 0; k < 100; ++k) {
            column.step(1e-3);
        }
        REQUIRE(column.scratch->round == spheres);
        CHECK(column.model.kinetic_energy_J(column.state) < 1e-2);
        for (std::size_t i = 0; i < before.x.size(); ++i) {
            CHECK((column.state.x[i] - before.x[i]).norm() < 4e-3);
        }
    }
}

TEST_CASE("contacts of spheres that stand somewhere are those that the general way finds")
{
    const BodyModel spheres = pour(false, 0, 4), general = pour(true, 0, 4);
    for (const double reach_m : {0.0, 1e-4, 3e-3, 0.02}) {
        // some overlap: neighbours are 0.1001 m apart, or less where they are smaller
        const auto close = [&](const BodyModel& model) {
            State state = make_body_state(model);
            for (Vec3& x : state.x)
                x *= 0.999;
            return body_contacts(model, state, reach_m);
        };
        const auto found = close(spheres), known = close(general);
        REQUIRE(found.size() == known.size());
        CHECK(found.size() > 10);
        for (std::size_t c = 0; c < found.size(); ++c) {
            CHECK(found[c].first == known[c].first);
            CHECK(found[c].second == known[c].second);
            CHECK(found[c].at.feature == known[c].at.feature);
            // the same products, but for the order of those with planes
            CHECK(found[c].at.gap_m == near(known[c].at.gap_m, 1e-15));
            CHECK((found[c].at.point_m - known[c].at.point_m).norm() < 1e-15);
            for (std::size_t k = 0; k < 3; ++k)
                CHECK((found[c].axes[k] - known[c].axes[k]).norm() < 1e-15);
        }
    }
}

TEST_CASE("nine of ten steps of a heap that settles between walls are solved to 1e-8")
{
    BodySetup setup;
    setup.materials = {{.name = "glass", .friction = 0.5}};
    for (const Vec3& normal : {Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)}) {
        const double offset = normal.z() > 0 ? 0 : -0.29;
        setup.bodies.push_back({.name = "plane" + std::to_string(setup.bodies.size()),
                                .shape = PlaneShape{normal, offset},
                                .motion = BodyMotion::Fixed});
    }
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-0.003, 0.003);
    for (int k = 0; k < 125; ++k) {
        Body body{.name = "ball" + std::to_string(k), .shape = SphereShape{0.05}};
        body.pose.position_m = {0.11 * (k % 5 - 2) + uniform(random),
                                0.11 * (k / 5 % 5 - 2) + uniform(random), 0.06 + 0.105 * (k / 25)};
        body.mass_kg = 1.3;
        setup.bodies.push_back(body);
    }
    auto model = make_body_model(std::move(setup));
    REQUIRE(model);
    Poured heap{.model = std::move(*model), .settings = {.time_step_s = 4e-3}};
    const auto step = [&](double tolerance) {
        return body_step(heap.model, heap.settings, {.tolerance = tolerance}, heap.state, *heap.scratch);
    };

    // on its way a coarse tolerance is enough; then so many contacts that W is not assembled at first
    for (int k = 0; k < 200; ++k)
        CHECK(step(1e-3).status == StepStatus::Solved);
    constexpr int looked_at = 20;
    int solved = 0;
    for (int k = 0; k < looked_at; ++k) {
        const StepReport report = step(1e-8);
        CHECK(heap.scratch->contacts.size() >= 200);
        CHECK((report.status == StepStatus::Solved) == is_solved(report.solve.residual, 1e-8));
        solved += report.status == StepStatus::Solved ? 1 : 0;
    }
    CHECK(solved >= 9 * looked_at / 10);
}

}  // namespace carom
