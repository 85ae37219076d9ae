#include "solver/body_newton.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace carom {
namespace {

using test::near;

constexpr double weight = 9.81e-3;  ///< of a unit mass, times the step

/// A wall in the form of a pyramid: `base` cubes in the lowest row, one fewer in each row above, four points
/// between two cubes or a cube and the floor, which is body 0.
struct Pyramid {
    std::vector<RigidBody> bodies{RigidBody{}};
    std::vector<RigidContact> contacts;

    explicit Pyramid(int base, double friction)
    {
        std::vector<int> below;
        for (int row = 0; row < base; ++row) {
            std::vector<int> here;
            for (int k = 0; k < base - row; ++k) {
                here.push_back(static_cast<int>(bodies.size()));
                bodies.push_back({.v = {0, 0, -weight},
                                  .inverse_mass = 1,
                                  .inverse_inertia = {6, 0, 0, 0, 6, 0, 0, 0, 6}});
                if (row == 0) {
                    add(here.back(), 0, 0, 0.5, friction);
                } else {
                    add(here.back(), below[static_cast<std::size_t>(k)], -0.25, 0.25, friction);
                    add(here.back(), below[static_cast<std::size_t>(k) + 1], 0.25, 0.25, friction);
                }
            }
            below = here;
        }
    }

    /// Four points about x = `middle` of the upper cube.
    void add(int a, int b, double middle, double half, double friction)
    {
        const double of_b = b == 0 ? 0 : -middle;
        for (int corner = 0; corner < 4; ++corner) {
            const double x = corner % 2 == 0 ? -half : half, y = corner < 2 ? -0.5 : 0.5;
            contacts.push_back({.normal = {0, 0, 1},
                                .arm_a = {middle + x, y, -0.5},
                                .arm_b = {of_b + x, y, b == 0 ? 0.0 : 0.5},
                                .friction = friction,
                                .a = a,
                                .b = b});
        }
    }
};

/// The error of the percussions as sweeps see it, which share nothing with Newton's method.
double seen_by_sweeps(std::span<const RigidBody> bodies, std::vector<RigidContact> contacts,
                      const BodyNewton& newton)
{
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        contacts[c].P = newton.percussion(static_cast<int>(c));
    }
    RigidContacts sweeps;
    REQUIRE(sweeps.load(bodies, contacts));
    return sweeps.error().worst();
}

}  // namespace

TEST_CASE("a pyramid is held by a few factorisations, and the floor carries its weight")
{
    for (const int base : {5, 20}) {
        const Pyramid pyramid(base, 0.6);
        BodyNewton newton;
        newton.load(pyramid.bodies, pyramid.contacts);
        const int factorisations = newton.run({.tolerance = 1e-8, .max_iterations = 40});
        CHECK(factorisations <= 12);
        CHECK(newton.error() <= 1e-10);
        CHECK(seen_by_sweeps(pyramid.bodies, pyramid.contacts, newton) <= 1e-9);
        double carried = 0;
        for (std::size_t c = 0; c < pyramid.contacts.size(); ++c) {
            if (pyramid.contacts[c].b == 0) carried += newton.percussion(static_cast<int>(c))[2];
        }
        CHECK(carried == near(weight * (static_cast<double>(pyramid.bodies.size()) - 1), 1e-10));

        // and what was found is a start that needs no factorisation
        std::vector<RigidContact> again = pyramid.contacts;
        for (std::size_t c = 0; c < again.size(); ++c) {
            again[c].P = newton.percussion(static_cast<int>(c));
        }
        newton.load(pyramid.bodies, again);
        CHECK(newton.run({.tolerance = 1e-8, .max_iterations = 40}) <= 2);
    }
}

TEST_CASE("what stands is left without velocity, to rounding of its loads (SO-41)")
{
    for (const int base : {8, 20}) {
        CAPTURE(base);
        const Pyramid pyramid(base, 0.6);
        BodyNewton newton;
        newton.load(pyramid.bodies, pyramid.contacts);
        newton.run({.tolerance = 1e-8, .max_iterations = 100});
        REQUIRE(newton.error() <= 1e-8);
        std::vector<Eigen::Vector3d> v(pyramid.bodies.size(), Eigen::Vector3d(0, 0, -weight)), w(v.size());
        std::ranges::fill(w, Eigen::Vector3d::Zero());
        const auto vector = [](const std::array<double, 3>& a) { return Eigen::Vector3d(a[0], a[1], a[2]); };
        for (std::size_t c = 0; c < pyramid.contacts.size(); ++c) {
            const RigidContact& at = pyramid.contacts[c];
            const Eigen::Vector3d P = vector(newton.percussion(static_cast<int>(c)));
            const auto a = static_cast<std::size_t>(at.a), b = static_cast<std::size_t>(at.b);
            v[a] += P;
            w[a] += 6 * vector(at.arm_a).cross(P);
            if (b == 0) continue;
            v[b] -= P;
            w[b] -= 6 * vector(at.arm_b).cross(P);
        }
        // the sum of some tens of percussions of at most `base` weights, with the rounding of each
        const double rounding = base * weight * 40 * std::numeric_limits<double>::epsilon();
        for (std::size_t i = 1; i < v.size(); ++i) {
            CHECK(v[i].norm() <= rounding);
            CHECK(w[i].norm() <= 6 * rounding);
        }
    }
}

TEST_CASE("a cube that slides brakes with mu g, and one that is thrown up is let go")
{
    Pyramid cube(1, 0.3);
    cube.bodies[1].v = {0.05, 0, -weight};
    BodyNewton newton;
    newton.load(cube.bodies, cube.contacts);
    (void)newton.run({.tolerance = 1e-10, .max_iterations = 60});
    REQUIRE(newton.error() <= 1e-10);
    std::array<double, 3> sum{};
    for (int c = 0; c < 4; ++c) {
        for (std::size_t k = 0; k < 3; ++k) {
            sum[k] += newton.percussion(c)[k];
        }
    }
    CHECK(sum[2] == near(weight, 1e-9));
    CHECK(sum[0] == near(-0.3 * weight, 1e-9));
    CHECK(std::abs(sum[1]) <= 1e-9 * weight);

    cube.bodies[1].v = {0.05, 0, 0.2};
    newton.load(cube.bodies, cube.contacts);
    CHECK(newton.run({.tolerance = 1e-10, .max_iterations = 60}) == 0);
    CHECK(newton.percussion(0)[2] == 0);
}

TEST_CASE("without friction a pyramid stands as well, and random pushes are solved as sweeps solve them")
{
    Pyramid smooth(8, 0.0);
    BodyNewton newton;
    newton.load(smooth.bodies, smooth.contacts);
    (void)newton.run({.tolerance = 1e-8, .max_iterations = 40});
    CHECK(seen_by_sweeps(smooth.bodies, smooth.contacts, newton) <= 1e-8);

    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    int solved = 0;
    for (int k = 0; k < 20; ++k) {
        Pyramid pushed(4, 0.4);
        for (std::size_t i = 1; i < pushed.bodies.size(); ++i) {
            for (int d = 0; d < 3; ++d) {
                pushed.bodies[i].v[static_cast<std::size_t>(d)] += weight * uniform(random);
            }
        }
        newton.load(pushed.bodies, pushed.contacts);
        (void)newton.run({.tolerance = 1e-8, .max_iterations = 200});
        if (newton.error() > 1e-8) continue;
        ++solved;
        CHECK(seen_by_sweeps(pushed.bodies, pushed.contacts, newton) <= 2e-8);
    }
    CHECK(solved >= 15);
}

TEST_CASE("as a heap, walls that are shaken so that many contacts slide or open are solved one and all")
{
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1, 1);
    BodyNewton newton;
    int solved = 0;
    for (int k = 0; k < 20; ++k) {
        Pyramid shaken(7, 0.5);
        for (std::size_t i = 1; i < shaken.bodies.size(); ++i) {
            for (std::size_t d = 0; d < 3; ++d) {
                shaken.bodies[i].v[d] += 3 * weight * uniform(random);
                shaken.bodies[i].w[d] += 3 * weight * uniform(random);
            }
        }
        const Budget budget{.tolerance = 1e-8, .max_iterations = 1000};
        newton.load(shaken.bodies, shaken.contacts);
        const int factorisations = newton.run(budget, BodyNewton::Of::Heap);
        if (newton.error() > 1e-8) continue;
        ++solved;
        CHECK(factorisations <= 1000);
        CHECK(seen_by_sweeps(shaken.bodies, shaken.contacts, newton) <= 2e-8);
    }
    CHECK(solved == 20);
}

}  // namespace carom
