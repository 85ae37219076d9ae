#include "body_runs.hpp"

#include <algorithm>
#include <random>
#include <variant>

namespace carom {
namespace {

using namespace test;

// Many contacts beside joints, or beside contacts with other laws (SO-42): sweeps over the contacts, which end
// with what the joints hold and with those laws.

/// Balls in layers that fall onto a floor and a paddle, which a motor turns about a hinge; beside them a
/// pendulum of two bars, which touches nothing.
BodyModel stirred_balls(double friction, double motor_limit_Nm)
{
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = friction}};
    setup.bodies = {floor_body()};
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const double r = 0.05;
    for (int k = 0; k < 6 * 6 * 6; ++k) {
        // overlapping by up to the activation gap: they touch
        const Vec3 at{2 * r * (k % 6), 2 * r * (k / 6 % 6), r + 2 * r * (k / 36)};
        Body one = ball(r, at, 1 + 0.5 * uniform(random));
        one.velocity_m_s = Vec3(uniform(random), uniform(random), -1 + 0.5 * uniform(random));
        setup.bodies.push_back(one);
    }
    const int paddle = static_cast<int>(setup.bodies.size());
    const double top = 12 * r;
    setup.bodies.push_back(box({0.6, 0.1, 0.04}, {0.25, 0.2, top + 0.02}, 3));
    setup.bodies.push_back(box({0.2, 0.02, 0.02}, {3.1, 0, 2}));
    setup.bodies.push_back(box({0.2, 0.02, 0.02}, {3.3, 0, 2}));
    setup.joints = {
        {.first = paddle,
         .point_m = {-0.05, 0.2, top + 0.02},
         .axis = {0, 1, 0},
         .turn = {.motor_rate = [](double) { return 2.0; }, .motor_limit = motor_limit_Nm}},
        {.kind = JointKind::Spherical, .first = paddle + 1, .point_m = {3, 0, 2}},
        {.first = paddle + 2, .second = paddle + 1, .point_m = {3.2, 0, 2}, .axis = {0, 1, 0}},
    };
    return model_of(std::move(setup));
}

struct Stepped {
    State state;
    StepReport report;
    BodyStepMemory memory;
};

std::unique_ptr<Stepped> one_step(const BodyModel& model, const SolverSettings& solver)
{
    auto result = std::make_unique<Stepped>();
    result->state = make_body_state(model);
    result->report = body_step(model, {.time_step_s = 1e-3, .activation_gap_m = 1e-6, .correction = false},
                               solver, result->state, result->memory);
    return result;
}

/// The percussion of the motor, which is the only limited reaction.
double motor_Nms(const Stepped& step)
{
    const OneStepProblem& problem = step.memory.problem;
    for (int c = 0; c < problem.interactions(); ++c) {
        if (std::holds_alternative<Limited>(problem.laws[static_cast<std::size_t>(c)]))
            return step.memory.P[static_cast<std::size_t>(problem.offsets[c])];
    }
    return std::nan("");
}

TEST_CASE("sweeps over many contacts beside joints give the velocities of the assembled problem")
{
    // without friction velocities are unique, whatever finds them. The motor holds its rate, or is too weak
    for (const double limit_Nm : {1e4, 20.0, 0.5}) {
        CAPTURE(limit_Nm);
        const BodyModel model = stirred_balls(0, limit_Nm);
        const auto swept = one_step(model, {.tolerance = 1e-10});
        const auto assembled = one_step(model, {.kind = SolverKind::ProximalNewton, .tolerance = 1e-12});
        REQUIRE(swept->report.status == StepStatus::Solved);
        REQUIRE(assembled->report.status == StepStatus::Solved);
        REQUIRE(swept->memory.contacts.size() >= 200);
        CHECK(swept->report.solve.by_factors);
        CHECK_FALSE(assembled->report.solve.by_factors);

        // the error that is left in percussions of some N s on bodies of about a kilogram
        double off = 0;
        for (std::size_t i = 0; i < swept->state.v.size(); ++i) {
            off = std::max({off, (swept->state.v[i] - assembled->state.v[i]).norm(),
                            0.1 * (swept->state.W[i] - assembled->state.W[i]).norm()});
        }
        CHECK(off < 1e-7);
        const double motor = motor_Nms(*swept), most = 1e-3 * limit_Nm;
        CHECK(motor == test::near(motor_Nms(*assembled), 1e-7));
        CHECK(std::abs(motor) <= most);
    }
    // the cases are different ones: it holds its rate, or does all it can
    const auto strong = one_step(stirred_balls(0, 1e4), {});
    CHECK(std::abs(motor_Nms(*strong)) < 1e-3 * 1e4);
    const auto weak = one_step(stirred_balls(0, 20), {});
    CHECK(std::abs(motor_Nms(*weak)) == test::near(1e-3 * 20, 1e-15));
}

TEST_CASE("many contacts with friction beside joints: steps are solved, joints hold, ledgers close")
{
    Run run{
        .model = stirred_balls(0.4, 20), .settings = {.time_step_s = 1e-3}, .solver = {.tolerance = 1e-4}};
    const State start = run.state;
    bool by_factors = false;  // in some step W has not been assembled
    for (int k = 0; k < 60; ++k) {
        run.step();
        by_factors = by_factors || (run.scratch->joint_sweeps && !run.scratch->whole.known);
    }
    CHECK(by_factors);
    // corrections leave a part of the activation gap, 1e-9 of some metres
    CHECK(run.worst_violation < 1e-8);
    // the pendulum falls as if there were no balls: with them taken away its motion is the same
    BodySetup alone;
    const auto bodies = run.model.setup().bodies;
    alone.bodies = {bodies[bodies.size() - 2], bodies[bodies.size() - 1]};
    alone.joints = {run.model.setup().joints[1], run.model.setup().joints[2]};
    alone.joints[0].first = 0;
    alone.joints[1].first = 1;
    alone.joints[1].second = 0;
    Run pendulum{.model = model_of(std::move(alone)), .settings = {.time_step_s = 1e-3}};
    for (int k = 0; k < 60; ++k)
        pendulum.step();
    for (const std::size_t i : {0U, 1U}) {
        const std::size_t at = bodies.size() - 2 + i;
        CHECK((run.state.x[at] - pendulum.state.x[i]).norm() < 1e-10);
        CHECK((run.state.v[at] - pendulum.state.v[i]).norm() < 1e-9);
    }
}

/// Balls in layers that fall onto a floor, the one on top of another material; then materials that no body
/// has.
BodyModel heap_with_another(const std::vector<Material>& materials, double friction = 0)
{
    BodySetup setup;
    setup.materials = {{.name = "all", .friction = friction}};
    setup.materials.insert(setup.materials.end(), materials.begin(), materials.end());
    setup.bodies = {floor_body()};
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const double r = 0.05;
    for (int k = 0; k < 5 * 5 * 5; ++k) {
        const Vec3 at{2 * r * (k % 5), 2 * r * (k / 5 % 5), r + 2 * r * (k / 25)};
        Body one = ball(r, at, 1 + 0.5 * uniform(random));
        one.velocity_m_s = Vec3(uniform(random), uniform(random), -1 + 0.5 * uniform(random));
        one.angular_velocity_rad_s = 10 * Vec3(uniform(random), uniform(random), uniform(random));
        setup.bodies.push_back(one);
    }
    if (materials.size() == 1) setup.bodies.back().material = 1;
    return model_of(std::move(setup));
}

TEST_CASE("a ball that resists rolling among many that do not: their contacts are swept, and all move as by "
          "the whole problem")
{
    // without friction elsewhere the others are a problem with one solution
    const Material cork{.name = "cork", .friction = 0.3, .detail = {.rolling_m = 2e-3, .spinning_m = 1e-3}};
    const BodyModel model = heap_with_another({cork});
    const auto swept = one_step(model, {.tolerance = 1e-10});
    const auto whole = one_step(model, {.kind = SolverKind::ProximalNewton, .tolerance = 1e-12});
    REQUIRE(swept->report.status == StepStatus::Solved);
    REQUIRE(whole->report.status == StepStatus::Solved);
    REQUIRE(swept->memory.contacts.size() >= 200);
    CHECK(swept->report.solve.by_factors);
    CHECK_FALSE(whole->report.solve.by_factors);

    // its rolling is resisted: it is not what it would be as any other ball
    const std::size_t last = swept->state.v.size() - 1;
    const auto smooth =
        one_step(heap_with_another({{.name = "as all", .friction = 0}}), {.tolerance = 1e-10});
    CHECK((swept->state.W[last] - smooth->state.W[last]).norm() > 1e-3);

    double off = 0;
    for (std::size_t i = 0; i < swept->state.v.size(); ++i) {
        off = std::max({off, (swept->state.v[i] - whole->state.v[i]).norm(),
                        0.1 * (swept->state.W[i] - whole->state.W[i]).norm()});
    }
    CHECK(off < 1e-7);
}

TEST_CASE("materials that no body has change nothing, to the last bit")
{
    const BodyModel plain = heap_with_another({}, 0.4);
    const BodyModel beside =
        heap_with_another({{.name = "cork", .friction = 0.3, .detail = {.rolling_m = 2e-3}},
                           {.name = "rubber", .friction = 0.9, .restitution = 0.8}},
                          0.4);
    const auto one = one_step(plain, {.tolerance = 1e-4}), other = one_step(beside, {.tolerance = 1e-4});
    REQUIRE(one->report.status == StepStatus::Solved);
    for (std::size_t i = 0; i < one->state.v.size(); ++i) {
        CHECK(one->state.v[i] == other->state.v[i]);
        CHECK(one->state.W[i] == other->state.W[i]);
    }
}

}  // namespace
}  // namespace carom
