#include "body_runs.hpp"
#include "stepping/body_memory.hpp"

#include <numbers>
#include <random>

namespace carom {
namespace {

using namespace test;

TEST_CASE("a free top keeps its energy and the size of its momentum, whatever the step")
{
    const auto top = [](double h) {
        Body body = box({0.3, 0.2, 0.1}, {0, 0, 0});
        body.angular_velocity_rad_s = {0.1, 20, 0.05};  // near the unstable axis
        Run run{model_of({.bodies = {body}, .gravity_m_s2 = {0, 0, 0}})};
        run.settings.time_step_s = h;
        return run;
    };
    const Vec3 momentum = angular_momentum(top(0.1), 0);
    double error[2] = {};
    for (int k = 0; k < 2; ++k) {
        Run run = top(k == 0 ? 1e-3 : 5e-4);
        const double energy = run.model.kinetic_energy_J(run.state);
        run.until(2);
        CHECK(run.model.kinetic_energy_J(run.state) == near(energy, 1e-12 * energy));
        CHECK(angular_momentum(run, 0).norm() == near(momentum.norm(), 1e-12 * momentum.norm()));
        error[k] = (angular_momentum(run, 0) - momentum).norm() / momentum.norm();
        CHECK(run.state.R[0].norm() == near(1, 1e-15));
    }
    // its direction is kept to the second order of the scheme
    CHECK(error[0] < 1e-3);
    CHECK(error[0] / error[1] == near(4, 0.4));
}

TEST_CASE("a symmetric top precesses about its momentum at |L| / J1")
{
    Body body{.shape = CylinderShape{0.2, 0.1}, .mass_kg = 1};
    body.angular_velocity_rad_s = {3, 0, 10};
    Run run{model_of({.bodies = {body}, .gravity_m_s2 = {0, 0, 0}})};
    run.settings.time_step_s = 1e-4;
    const Vec3 L = angular_momentum(run, 0);
    const double J1 = run.model.inertia[0](0, 0);
    run.until(1);
    // the axis turns about L by |L| t / J1; the scheme errs by (rate h)^2 / 12 of the angle
    const Vec3 axis = rotation_by(L / J1) * Vec3::UnitZ();
    CHECK((run.state.R[0] * Vec3::UnitZ() - axis).norm() < 1e-5);
}

TEST_CASE("a box on a slope stays below the angle of friction and slides above it as Coulomb says")
{
    const double angle = std::atan(0.5);
    const Vec3 normal(std::sin(angle), 0, std::cos(angle)), downhill(std::cos(angle), 0, -std::sin(angle));
    for (const double mu : {0.51, 0.49}) {
        Body crate = box({0.4, 0.4, 0.2}, 0.1 * normal);
        crate.pose.rotation = rotation_by({0, angle, 0});
        Run run{model_of({.bodies = {floor_body(normal), crate}, .materials = {{.friction = mu}}})};
        run.until(3);
        const Vec3 way = run.state.x[1] - 0.1 * normal;
        // constant acceleration is exact in the midpoint rule: rounding and the solver's 1e-8 remain
        const double exact = mu > 0.5 ? 0 : 0.5 * g * (std::sin(angle) - mu * std::cos(angle)) * 9;
        CHECK(way.dot(downhill) == near(exact, mu > 0.5 ? 1e-12 : 1e-7 * exact));
        CHECK(std::abs(way.dot(normal)) < 1e-10);
        CHECK(run.deepest_m < 1e-10);
    }
}

TEST_CASE("a box thrown along the floor stops after v^2 / (2 mu g), straight ahead")
{
    Body crate = box({0.4, 0.4, 0.2}, {0, 0, 0.1});
    crate.velocity_m_s = {std::sqrt(2.0), std::sqrt(2.0), 0};
    Run run{model_of({.bodies = {floor_body(), crate}, .materials = {{.friction = 0.5}}})};
    run.until(1);
    const double exact = 4 / (2 * 0.5 * g);
    // the last step of sliding is cut short: at most mu g h^2 of way, and before it nothing
    CHECK(run.state.x[1].head<2>().norm() == near(exact, 0.5 * g / 240 / 240));
    CHECK(std::abs(run.state.x[1].x() - run.state.x[1].y()) < 1e-9);
}

TEST_CASE("a sliding ball rolls after 2 v / (7 mu g) at 5/7 of its speed")
{
    Body marble = ball(0.1, {0, 0, 0.1});
    marble.velocity_m_s = {2, 0, 0};
    Run run{model_of({.bodies = {floor_body(), marble}, .materials = {{.friction = 0.3}}})};
    run.until(1);
    CHECK(run.state.v[1].x() == near(10.0 / 7, 1e-9));
    CHECK((run.state.R[1] * run.state.W[1]).y() == near(100.0 / 7, 1e-7));
    CHECK(run.state.x[1].z() == near(0.1, 1e-12));
}

TEST_CASE("a stack stands, also with a thousand times the weight on top")
{
    for (const double top_kg : {1.0, 1000.0}) {
        BodySetup setup{.bodies = {floor_body()}, .materials = {{.friction = 0.6}}};
        for (int k = 0; k < 20; ++k) {
            setup.bodies.push_back(box({0.2, 0.2, 0.2}, {0, 0, 0.1 + 0.2 * k}, k == 19 ? top_kg : 1));
        }
        Run run{model_of(setup)};
        run.solver.tolerance = 1e-11;
        run.until(0.5);
        // what a step leaves unsolved, 1e-11 of its g h, times the mass ratio, in 120 steps of h
        CHECK(drift(run) < 1e-8);
        CHECK(run.deepest_m < 1e-7 * 0.2);

        // the floor carries everything
        double force = 0;
        for (const BodyContact& contact : run.scratch->contacts) {
            if (contact.first == 0) force -= contact.percussion_Ns().z() * 240;
        }
        CHECK(force == near((19 + top_kg) * g, 1e-6 * (19 + top_kg) * g));
    }
}

TEST_CASE("soft boxes that fall close exactly: no hovering, no sinking")
{
    BodySetup setup{.bodies = {floor_body()}, .materials = {{.friction = 0.4}}};
    setup.bodies.push_back(box({0.2, 0.2, 0.2}, {0, 0, 0.117}));
    setup.bodies.push_back(ball(0.05, {0.5, 0, 0.31}));
    Run run{model_of(setup)};
    run.until(0.6);
    CHECK(run.state.x[1].z() == near(0.1, 1e-9));
    CHECK(run.state.x[2].z() == near(0.05, 1e-9));
    CHECK(run.deepest_m <= 1e-8);
    CHECK(run.model.kinetic_energy_J(run.state) < 1e-12);
}

TEST_CASE("points and thin bars move in E and E x S2: what has no inertia does not turn")
{
    constexpr double J = 1.0 / 12, lean = 0.6;
    const Mat3 of_bar = Vec3(J, J, 0).asDiagonal();
    BodySetup setup{.bodies = {floor_body()}, .gravity_m_s2 = {0, 0, 0}};
    setup.bodies.push_back({.name = "point", .velocity_m_s = {1, 2, 3}, .mass_kg = 2});
    setup.bodies.push_back({.name = "thrown",
                            .velocity_m_s = {0, 0, 1},
                            .angular_velocity_rad_s = {2, 0, 0},
                            .mass_kg = 1,
                            .inertia_kg_m2 = of_bar});
    // its lower end touches the floor and comes down at 1 m/s
    setup.bodies.push_back({.name = "striking",
                            .shape = CapsuleShape{.radius_m = 1e-4, .length_m = 1},
                            .pose = {.position_m = {5, 0, 0.5 * std::cos(lean) + 1e-4},
                                     .rotation = Rotation(Eigen::AngleAxisd(lean, Vec3::UnitY()))},
                            .velocity_m_s = {0, 0, -1},
                            .mass_kg = 1,
                            .inertia_kg_m2 = of_bar});
    Run run{model_of(setup)};
    run.settings.time_step_s = 1e-6;
    run.step();
    // P (1/m + x^2 / J) = 1 m/s at the lever x: the bar turns about y, not about itself
    const double x = 0.5 * std::sin(lean), P = 1 / (1 + x * x / J);
    CHECK(run.state.v[3].z() == near(P - 1, 1e-5));
    CHECK(run.state.W[3].y() == near(P * x / J, 1e-5));
    CHECK(run.state.W[3].z() == near(0, 1e-12));

    run.settings.time_step_s = 0.01;
    for (int k = 0; k < 100; ++k) {
        run.step();
    }
    const double t = run.state.t_s;
    CHECK((run.state.x[1] - t * Vec3(1, 2, 3)).norm() < 1e-12);
    CHECK(run.state.W[1].norm() == 0);
    CHECK((run.state.R[2] * Vec3::UnitZ() - Vec3(0, -std::sin(2 * t), std::cos(2 * t))).norm() < 1e-12);
}

TEST_CASE("a bouncing ball keeps e^2 of its height, to the first order in h")
{
    const auto apex = [](double h) {
        Run run{model_of({.bodies = {floor_body(), ball(0.05, {0, 0, 1.05})},
                          .materials = {{.friction = 0.5, .restitution = 0.8}}})};
        run.settings.time_step_s = h;
        double highest = 0;
        bool bounced = false;
        while (run.state.t_s < 1.1) {
            run.step();
            bounced = bounced || run.state.v[1].z() > 0;
            if (bounced) highest = std::max(highest, run.state.x[1].z() - 0.05);
        }
        return highest;
    };
    // the impact is late by up to h / 2: v h of the height, twice
    CHECK(apex(1.0 / 240) == near(0.64, 0.03 * 0.64));
    CHECK(apex(1e-4) == near(0.64, 0.0015 * 0.64));
}

TEST_CASE("balls in a row: the canonical law shares the momentum")
{
    BodySetup setup{.materials = {{.restitution = 1}}, .gravity_m_s2 = {0, 0, 0}};
    for (int k = 0; k < 5; ++k) {
        setup.bodies.push_back(ball(0.05, {k == 0 ? -0.2 : 0.1 * (k - 1), 0, 0}));
    }
    setup.bodies[0].velocity_m_s = {1, 0, 0};
    Run run{model_of(setup)};
    run.until(0.5);
    CHECK(run.state.v[0].x() == near(-0.6, 1e-9));
    for (int k = 1; k < 5; ++k) {
        CHECK(run.state.v[k].x() == near(0.4, 1e-9));
    }
    CHECK(run.model.kinetic_energy_J(run.state) == near(0.5, 1e-9));
}

/// Boxes and balls thrown at each other, far from everything.
TEST_CASE("five touching balls: the sequential map lets the last one fly, the canonical law moves all")
{
    const auto struck = [](ImpactMap map) {
        BodySetup setup{.materials = {{.restitution = 1}}, .gravity_m_s2 = {0, 0, 0}};
        for (int i = 0; i < 5; ++i) {
            setup.bodies.push_back(ball(0.1, {0.2 * i + (i > 0 ? 0.05 : 0), 0, 0}));
        }
        setup.bodies[0].velocity_m_s = {1, 0, 0};
        setup.impact_map = std::move(map);
        Run run{model_of(setup)};
        run.until(0.2);
        std::vector<double> v;
        for (const Vec3& one : run.state.v) {
            v.push_back(one.x());
        }
        return v;
    };
    const auto sequential = struck(sequential_map({}));
    const auto canonical = struck(canonical_map(1));
    const auto by_surfaces = struck({});
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(sequential[i] == near(i == 4 ? 1 : 0, 1e-12));
        CHECK(canonical[i] == near(i == 0 ? -0.6 : 0.4, 1e-12));
        CHECK(by_surfaces[i] == near(canonical[i], 1e-9));
    }
}

BodySetup crowd(unsigned seed, double restitution)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
    BodySetup setup{.materials = {{.friction = 0.4, .restitution = restitution}}, .gravity_m_s2 = {0, 0, 0}};
    for (int i = 0; i < 27; ++i) {
        const Vec3 at(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        Body body{.shape = BoxShape{{0.3, 0.2, 0.25}}, .pose = {.position_m = 0.5 * at + 0.02 * vector()}};
        if (i % 4 == 1) body.shape = SphereShape{0.15};
        if (i % 4 == 2) body.shape = CapsuleShape{0.08, 0.15};
        body.pose.rotation = rotation_by(2 * vector());
        body.velocity_m_s = -2 * at + vector();
        body.angular_velocity_rad_s = 5 * vector();
        setup.bodies.push_back(body);
    }
    return setup;
}

struct Momenta {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};

Momenta momenta(const Run& run)
{
    Momenta sum;
    for (int i = 0; i < run.model.bodies(); ++i) {
        const Vec3 p = run.model.mass[i] * run.state.v[i];
        sum.linear += p;
        sum.angular += run.state.x[i].cross(p) + angular_momentum(run, i);
    }
    return sum;
}

TEST_CASE("a crowd in collision keeps its momentum and never gains energy")
{
    for (const double restitution : {0.0, 0.5}) {
        Run run{model_of(crowd(5, restitution))};
        run.settings.time_step_s = 1e-3;
        const Momenta start = momenta(run);
        const double energy = run.model.kinetic_energy_J(run.state);
        run.until(0.4);
        const Momenta end = momenta(run);
        const double scale = energy;  // speeds of about 1 m/s
        CHECK((end.linear - start.linear).norm() < 1e-10 * scale);
        // the direction of spins is kept to h^2, and a contact's arms are those half-way
        CHECK((end.angular - start.angular).norm() < 1e-3 * scale);
        CHECK(run.model.kinetic_energy_J(run.state) < 0.7 * energy);
        CHECK(run.sums.impact_J < 0);
        CHECK(run.sums.friction_J < 0);
        CHECK(run.deepest_m < 5e-3);
    }
}

TEST_CASE("the order of the bodies and the frame do not matter")
{
    BodySetup setup = crowd(7, 0);
    Run run{model_of(setup)};

    // the same crowd, numbered backwards and turned
    const Rotation turn = rotation_by({0.3, -0.7, 0.4});
    BodySetup other = setup;
    std::reverse(other.bodies.begin(), other.bodies.end());
    for (Body& body : other.bodies) {
        body.pose.position_m = turn * body.pose.position_m;
        body.pose.rotation = turn * body.pose.rotation;
        body.velocity_m_s = turn * body.velocity_m_s;
        body.angular_velocity_rad_s = turn * body.angular_velocity_rad_s;
    }
    Run turned_run{model_of(other)};
    run.settings.time_step_s = turned_run.settings.time_step_s = 1e-3;
    run.solver.tolerance = turned_run.solver.tolerance = 1e-12;
    run.until(0.1);
    turned_run.until(0.1);
    for (int i = 0; i < run.model.bodies(); ++i) {
        const int j = run.model.bodies() - 1 - i;
        // collisions amplify rounding; a tenth of a second is short enough
        CHECK((turn * run.state.x[i] - turned_run.state.x[j]).norm() < 1e-6);
    }
}

TEST_CASE("discs and polygons move in their plane, with two components per contact")
{
    BodySetup setup{
        .bodies = {{.name = "floor", .shape = PlaneShape{{0, 1, 0}, 0}, .motion = BodyMotion::Fixed},
                   {.shape = PolygonShape{{{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}}},
                    .pose = {.position_m = {0, 0.1, 0}},
                    .velocity_m_s = {1, 0, 0}},
                   {.shape = DiscShape{0.1}, .pose = {.position_m = {0, 0.3, 0}}, .velocity_m_s = {1, 0, 0}}},
        .materials = {{.friction = 0.5}},
        .gravity_m_s2 = {0, -g, 0}};
    Run run{model_of(setup)};
    run.until(0.1);
    CHECK(run.model.is_flat());
    for (const BodyContact& contact : run.scratch->contacts) {
        CHECK(contact.dimension == 2);
    }
    CHECK(run.state.x[1].y() == near(0.1, 1e-9));
    CHECK(run.state.x[2].y() == near(0.3, 1e-9));
    // the slab brakes by the floor on all the weight and holds the disc back below, which rolls forward
    CHECK(run.state.v[1].x() < 1 - 0.4 * g * 0.1);
    CHECK(run.state.W[2].z() < -0.1);
    CHECK(run.state.x[1].z() == 0);
    CHECK(run.state.x[2].z() == 0);
}

TEST_CASE("a lift raises its load, and the ledger says who worked")
{
    Body lift{.shape = BoxShape{{1, 1, 0.2}}, .motion = BodyMotion::Prescribed};
    lift.path = [](double t) { return Pose{.position_m = {0, 0, 0.5 * (1 - std::cos(2 * t))}}; };
    BodySetup setup{.bodies = {lift, box({0.2, 0.2, 0.2}, {0, 0, 0.2})}, .materials = {{.friction = 0.5}}};
    Run run{model_of(setup)};
    run.settings.time_step_s = 1e-3;
    double prescribed = 0;
    while (run.state.t_s < 1) {
        prescribed += body_step(run.model, run.settings, run.solver, run.state, *run.scratch)
                          .energy.prescribed_motions_J;
    }
    const double height = 0.5 * (1 - std::cos(2.0)), speed = std::sin(2.0);
    CHECK(run.state.x[1].z() == near(0.2 + height, 1e-6));
    // to the first order in h: velocities belong to the middles of steps
    CHECK(prescribed == near(g * height + 0.5 * speed * speed, 0.01));
}

TEST_CASE("a weight on a spring swings at sqrt(k / m)")
{
    BodySetup setup{.bodies = {ball(0.1, {0, 0, 0}, 2)}, .gravity_m_s2 = {0, 0, 0}};
    setup.springs.push_back(
        {.first = 0, .second_point_m = {0, 0, 1}, .stiffness_N_m = 50, .rest_length_m = 1.1});
    Run run{model_of(setup)};
    run.settings.time_step_s = 1e-3;
    run.until(1);
    // second order: (omega h)^2 / 24 of the phase
    CHECK(run.state.x[0].z() == near(-0.1 + 0.1 * std::cos(5.0), 1e-5));
}

TEST_CASE("bodies that cannot be are refused by name, all at once")
{
    BodySetup setup{
        .bodies = {{.name = "a", .shape = PlaneShape{}},
                   {.name = "b", .shape = SphereShape{-1}},
                   {.name = "c", .shape = SphereShape{1}, .mass_kg = -2},
                   {.name = "d", .shape = SphereShape{1}, .inertia_kg_m2 = Mat3(Vec3(1, 1, 5).asDiagonal())},
                   {.name = "e", .motion = BodyMotion::Prescribed},
                   {.name = "f", .shape = SphereShape{1}, .material = 3},
                   {.name = "g", .shape = BoxShape{}}},
        .materials = {{.friction = -1}}};
    const auto model = make_body_model(setup);
    REQUIRE_FALSE(model.has_value());
    std::string where;
    for (const Error& error : model.error()) {
        where += error.where + " ";
    }
    CHECK(where == "material. body.a body.b body.c body.d body.e body.f ");

    const BodySetup mixed{
        .bodies = {{.name = "disc", .shape = DiscShape{1}}, {.name = "ball", .shape = SphereShape{1}}},
        .gravity_m_s2 = {0, -g, 0}};
    REQUIRE_FALSE(make_body_model(mixed).has_value());
    CHECK(make_body_model(mixed).error().front().code == ErrorCode::NotAllowedHere);
}

}  // namespace
}  // namespace carom
