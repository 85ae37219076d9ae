#include "carom/run/run.hpp"

#include "expression/machine_code.hpp"
#include "run/one_step.hpp"
#include "stepping/body_memory.hpp"
#include "stepping/scratch.hpp"
#include "support/systems.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>

using namespace carom;
using test::model_of;
using test::Sketch;
using test::vector;

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Every allocation of this program is counted, those of Eigen too, which does not call operator new. Under
// the address sanitizer, which has its own malloc, by its hook; otherwise in front of that of glibc.
#if defined(__SANITIZE_ADDRESS__)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
namespace {

[[maybe_unused]] const int hooks_installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});

}  // namespace
#else
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size)
{
    ++allocations;
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size)
{
    ++allocations;
    return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size)
{
    ++allocations;
    return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size)
{
    ++allocations;
    return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size)
{
    ++allocations;
    *memory = __libc_memalign(alignment, size);
    return *memory != nullptr ? 0 : ENOMEM;
}
}
#endif

namespace {

/// What a run allocates that has the memory of the same run done before.
long allocations_of_second_run(const Sketch& sketch, const State& start, const IntegratorSettings& settings,
                               int steps)
{
    // a program allocates once more when it becomes machine code, which may be at any step
    use_machine_code(false);
    const Model model = model_of(sketch);
    Scratch scratch(model);
    long counted = 0, active = 0, corrected = 0;
    for (int run = 0; run < 2; ++run) {
        State state = start;
        const long before = allocations;
        for (int n = 0; n < steps; ++n) {
            const StepReport report = step(model, settings, {}, state, scratch);
            if (report.status != StepStatus::Solved) FAIL("step " << n << " was not solved");
            active += static_cast<long>(scratch.contacts.size());
            corrected += report.energy.correction_J != 0;
        }
        counted = allocations - before;
    }
    use_machine_code(true);
    INFO("contacts " << active << ", corrections " << corrected);
    REQUIRE(active > 0);
    return counted;
}

State start_of(const Sketch& sketch, const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    return make_state(model_of(sketch), q, u);
}

/// Three balls in a column above a floor; they come to rest on each other.
const Sketch column{
    .coordinates = {"a", "b", "c"},
    .kinetic = "0.3*a'^2 + 0.15*b'^2 + 0.05*c'^2",
    .potential = "9.81*(0.6*a + 0.3*b + 0.1*c)",
    .contacts = {{"floor", "a", "0.8"}, {"lower", "b - a - 0.1", "0.6"}, {"upper", "c - b - 0.1", "0.4"}}};

/// Bars that strike a wall, with a kinetic matrix that depends on the configuration.
const Sketch pendulum{.coordinates = {"a", "b"},
                      .kinetic = "1.0333*a'^2/2 + 0.0747*b'^2 + 0.28*cos(a - b)*a'*b'",
                      .potential = "a^2 + 0.75*(b - a)^2",
                      .forces = {"sin(a - b) - 0.1*a'", "0"},
                      .contacts = {{"joint", "sin(a)", "0.5"}, {"tip", "sin(a) + 0.8*sin(b)", "0"}}};

/// Two blocks, one on the other, thrown along a rough floor.
const Sketch blocks{
    .coordinates = {"x1", "y1", "x2", "y2"},
    .kinetic = "x1'^2 + y1'^2 + (x2'^2 + y2'^2)/2",
    .potential = "9.81*(2*y1 + y2)",
    .contacts = {{.name = "floor", .gap = "y1", .restitution = "0.3", .friction = "0.3", .sliding = {"x1'"}},
                 {.name = "blocks",
                  .gap = "y2 - y1 - 0.1",
                  .restitution = "0.2",
                  .friction = "0.4",
                  .sliding = {"x2' - x1'"}}}};

/// Two beads on a rod without mass in a bowl, in space.
const Sketch beads{.coordinates = {"x1", "y1", "z1", "x2", "y2", "z2"},
                   .kinetic = "(x1'^2 + y1'^2 + z1'^2 + x2'^2 + y2'^2 + z2'^2)/2",
                   .potential =
                       "9.81*(z1 + z2) + 200*(sqrt((x1 - x2)^2 + (y1 - y2)^2 + (z1 - z2)^2) - 0.5)^2",
                   .contacts = {{.name = "first",
                                 .gap = "z - 0.4*((x - 0.2*t)^2 + y^2)",
                                 .restitution = "0.3",
                                 .friction = "0.25",
                                 .shape = FrictionDisc{},
                                 .position = {"x1", "y1", "z1"},
                                 .obstacle_velocity = {"0.2", "0", "0"}},
                                {.name = "second",
                                 .gap = "z - 0.4*((x - 0.2*t)^2 + y^2)",
                                 .friction = "0.25",
                                 .shape = FrictionEllipse{.half_axes = {1, 0.5}},
                                 .position = {"x2", "y2", "z2"}}}};

const Eigen::VectorXd column_start = vector({0.3, 0.5, 0.7}), pendulum_start = vector({0.5, 0.4}),
                      blocks_start = vector({0, 0.05, 0, 0.2}),
                      beads_start = vector({0.6, 0.1, 0.4, 0.2, 0.3, 0.2});

}  // namespace

TEST_CASE("the counter sees what Eigen and the standard library allocate")
{
    const long before = allocations;
    const Eigen::VectorXd x = Eigen::VectorXd::Zero(1000);
    const std::vector<double> y(1000, x[0]);
    CHECK(allocations - before >= 2);
    CHECK(y.size() == 1000);
}

TEST_CASE("a warmed-up step of Moreau's scheme allocates nothing")
{
    const MoreauSettings settings{.time_step_s = 1e-3};
    CHECK(allocations_of_second_run(column, start_of(column, column_start, vector({0, 0, 0})), settings,
                                    3000) == 0);
    CHECK(allocations_of_second_run(pendulum, start_of(pendulum, pendulum_start, vector({-1, 0.3})), settings,
                                    3000) == 0);
    CHECK(allocations_of_second_run(blocks, start_of(blocks, blocks_start, vector({1.5, 0, 0, 0})), settings,
                                    1500) == 0);
    CHECK(allocations_of_second_run(beads, start_of(beads, beads_start, vector({0, 1, 0, 0.5, 0, 0})),
                                    settings, 1500) == 0);
}

TEST_CASE("a warmed-up step of the theta scheme allocates nothing")
{
    const MoreauJeanSettings settings{.time_step_s = 1e-3, .theta = 0.6};
    CHECK(allocations_of_second_run(column, start_of(column, column_start, vector({0, 0, 0})), settings,
                                    1000) == 0);
    CHECK(allocations_of_second_run(pendulum, start_of(pendulum, pendulum_start, vector({-1, 0.3})), settings,
                                    1000) == 0);
    CHECK(allocations_of_second_run(blocks, start_of(blocks, blocks_start, vector({1.5, 0, 0, 0})), settings,
                                    500) == 0);
    CHECK(allocations_of_second_run(beads, start_of(beads, beads_start, vector({0, 1, 0, 0.5, 0, 0})),
                                    settings, 500) == 0);
}

/// A row of masses pulled over a rough floor: they stick, slide and stick again.
const Sketch row{.coordinates = {"x1", "y1", "x2", "y2"},
                 .kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2",
                 .potential = "2*(x1 - sin(t))^2 + 2*(x2 - x1)^2 + 10*(y1 + y2)",
                 .contacts = {{.name = "one", .gap = "y1", .friction = "0.15", .sliding = {"x1'"}},
                              {.name = "two", .gap = "y2", .friction = "0.1", .sliding = {"x2'"}}}};

/// A particle that is pulled round on a floor in space; its mass couples pressure and sliding.
const Sketch puck{
    .coordinates = {"x", "y", "z"},
    .kinetic = "(x'^2 + y'^2 + z'^2)/2 + 0.3*x'*z'",
    .potential = "2*z",
    .forces = {"2*cos(t)", "1.5*sin(2*t) - y", "0"},
    .contacts = {
        {.name = "floor", .gap = "z", .friction = "0.5", .shape = FrictionDisc{}, .sliding = {"x'", "y'"}}}};

TEST_CASE("a warmed-up report of the series integrator allocates nothing, through stick and slip")
{
    const SeriesSettings settings{.time_step_s = 0.1};
    const State at_rest = start_of(row, vector({0, 0, 0, 0}), vector({0, 0, 0, 0}));
    CHECK(allocations_of_second_run(row, at_rest, settings, 80) == 0);
    const State thrown = start_of(puck, vector({0, 0, 0}), vector({1, 0.2, 0}));
    CHECK(allocations_of_second_run(puck, thrown, settings, 20) == 0);
}

TEST_CASE("a warmed-up step of a chain of joints allocates nothing")
{
    BodySetup setup;
    for (int i = 0; i < 10; ++i) {
        setup.bodies.push_back({.pose = {.position_m = {0.1 * i + 0.05, 0, 0}},
                                .mass_kg = 1,
                                .inertia_kg_m2 = Mat3(Vec3(1e-3, 1.5e-3, 2e-3).asDiagonal())});
        setup.joints.push_back({.first = i,
                                .second = i - 1,
                                .point_m = {0.1 * i, 0, 0},
                                .axis = i % 2 == 0 ? Vec3(0, 1, 0) : Vec3(0, 0, 1)});
    }
    const auto model = make_body_model(std::move(setup));
    REQUIRE(model);
    BodyStepMemory scratch;
    State state = make_body_state(*model);
    long before = 0;
    for (int n = 0; n < 200; ++n) {
        if (n == 100) before = allocations;
        const StepReport report = body_step(*model, {.time_step_s = 1e-3}, {}, state, scratch);
        if (report.status != StepStatus::Solved) FAIL("step " << n << " was not solved");
    }
    CHECK(allocations == before);
}
