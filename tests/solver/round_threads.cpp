#include "carom/core/threads.hpp"
#include "solver/round_contacts.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace carom {
namespace {

/// Spheres on a lattice that fall together on a floor, each touching its six neighbours; one more body that
/// touches very many of them.
struct Lattice {
    std::vector<RoundBody> bodies;
    std::vector<RoundContact> contacts;

    Lattice(int side, int height)
    {
        std::mt19937 random(4);
        std::uniform_real_distribution<double> uniform(-1, 1);
        bodies.resize(1);  // the floor
        for (int k = 0; k < side * side * height; ++k) {
            bodies.push_back({.v = {0.3 * uniform(random), 0.3 * uniform(random), -1 + 0.3 * uniform(random)},
                              .inverse_mass = k % 3 == 0 ? 2.0 : 1.0,
                              .inverse_inertia = 250});
        }
        const int huge = static_cast<int>(bodies.size());
        bodies.push_back({.v = {0, 0, -2}, .inverse_mass = 0.01, .inverse_inertia = 0.01});
        const auto touch = [&](int a, int b, std::array<double, 3> normal) {
            contacts.push_back(
                {.normal = normal, .arm_a = 0.05, .arm_b = 0.05, .friction = 0.4, .a = a, .b = b});
        };
        for (int k = 0; k < side * side * height; ++k) {
            const int x = k % side, y = k / side % side, z = k / side / side;
            if (z == 0) touch(k + 1, 0, {0, 0, 1});
            if (x + 1 < side) touch(k + 1, k + 2, {-1, 0, 0});
            if (y + 1 < side) touch(k + 1, k + 1 + side, {0, -1, 0});
            if (z + 1 < height) touch(k + 1, k + 1 + side * side, {0, 0, -1});
            if (z + 1 == height && x % 2 == 0) touch(huge, k + 1, {0, 0, 1});
        }
    }

    [[nodiscard]] RoundContacts swept(int threads, int& sweeps) const
    {
        const Threads scope(threads);
        RoundContacts result;
        REQUIRE(result.load(bodies, contacts));
        sweeps = result.run({.tolerance = 1e-5, .max_iterations = 60});
        return result;
    }
};

}  // namespace

TEST_CASE("sweeps over spheres are the same bit for bit on any number of threads")
{
    const Lattice lattice(26, 4);  // the floor in several blocks
    int sweeps = 0, others = 0;
    RoundContacts alone = lattice.swept(1, sweeps);
    CHECK(alone.error().unit_free < 1e-2);
    for (const int threads : {2, 3, 8}) {
        CAPTURE(threads);
        RoundContacts together = lattice.swept(threads, others);
        CHECK(others == sweeps);
        CHECK(together.error().unit_free == alone.error().unit_free);
        int different = 0;
        for (int c = 0; c < alone.contacts(); ++c) {
            different += together.percussion(c) != alone.percussion(c) ? 1 : 0;
        }
        CHECK(different == 0);
    }
}

TEST_CASE("the floor is as it was after sweeps, and no percussion leaves its cone")
{
    const Lattice lattice(6, 6);
    int sweeps = 0;
    const RoundContacts swept = lattice.swept(2, sweeps);
    CHECK(swept.velocity(0) == std::array<double, 3>{});
    CHECK(swept.angular_velocity(0) == std::array<double, 3>{});
    for (int c = 0; c < swept.contacts(); ++c) {
        const auto P = swept.percussion(c);
        const auto& n = lattice.contacts[static_cast<std::size_t>(c)].normal;
        const double P_n = P[0] * n[0] + P[1] * n[1] + P[2] * n[2];
        const double P_t = std::hypot(P[0] - P_n * n[0], P[1] - P_n * n[1], P[2] - P_n * n[2]);
        CHECK(P_n >= -1e-15);
        CHECK(P_t <= 0.4 * P_n + 1e-12);
    }
}

}  // namespace carom
