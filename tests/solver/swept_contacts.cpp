#include "solver/swept_contacts.hpp"

#include "carom/core/threads.hpp"
#include "solver/rigid_contacts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace carom {
namespace {

using Vector = std::array<double, 3>;

/// Bodies of some kind on a lattice that fall together on a floor; one more that touches very many of them.
/// Every third one is a ball, whose contacts with other balls and with the floor have the closed form; others
/// are long, and are touched beside their axes.
struct Heap {
    std::vector<RigidBody> bodies;
    std::vector<RigidContact> contacts;
    std::vector<char> round;
    bool through_centres = false, pressed = false;

    explicit Heap(int side, int height, int balls_of_three)
    {
        std::mt19937 random(4);
        std::uniform_real_distribution<double> uniform(-1, 1);
        bodies.resize(1);  // the floor
        std::vector<char> ball(1, 1);
        for (int k = 0; k < side * side * height; ++k) {
            RigidBody body{.v = {0.3 * uniform(random), 0.3 * uniform(random), -1 + 0.3 * uniform(random)},
                           .w = {uniform(random), uniform(random), uniform(random)},
                           .inverse_mass = k % 5 == 0 ? 2.0 : 1.0};
            ball.push_back(k % 3 < balls_of_three);
            const double x = 250, y = ball.back() ? 250 : 120, xy = ball.back() ? 0 : 40;
            body.inverse_inertia = {x, xy, 0, xy, y, 0, 0, 0, ball.back() ? 250.0 : 90.0};
            bodies.push_back(body);
        }
        const int huge = static_cast<int>(bodies.size());
        bodies.push_back(
            {.v = {0, 0, -2}, .inverse_mass = 0.01, .inverse_inertia = {0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01}});
        ball.push_back(1);
        const auto touch = [&](int a, int b, Vector n) {
            const bool both = ball[static_cast<std::size_t>(a)] && ball[static_cast<std::size_t>(b)];
            RigidContact contact{
                .normal = n, .shift_m_s = 0.05 * uniform(random), .friction = 0.4, .a = a, .b = b};
            for (std::size_t k = 0; k < 3; ++k) {
                const double beside = both ? 0.0 : 0.02 * uniform(random);
                contact.arm_a[k] = -0.05 * n[k] + beside;
                contact.arm_b[k] = 0.05 * n[k] + beside;
            }
            if (contacts.size() % 7 == 0) contact.friction = 0;
            contacts.push_back(contact);
            round.push_back(both);
        };
        for (int k = 0; k < side * side * height; ++k) {
            const int x = k % side, y = k / side % side, z = k / side / side;
            if (z == 0) touch(k + 1, 0, {0, 0, 1});
            if (x + 1 < side) touch(k + 1, k + 2, {-1, 0, 0});
            if (y + 1 < side) touch(k + 1, k + 1 + side, {0, -0.6, -0.8});
            if (z + 1 < height) touch(k + 1, k + 1 + side * side, {0, 0, -1});
            if (z + 1 == height && x % 2 == 0) touch(huge, k + 1, {0, 0, 1});
        }
    }

    /// Of balls: no friction, and percussions through the centres, so that nothing turns.
    void act_through_centres()
    {
        through_centres = true;
        for (RigidContact& contact : contacts) {
            contact.friction = 0;
            contact.arm_a = contact.arm_b = {};
        }
        for (RigidBody& body : bodies) {
            body.w = {};
        }
    }

    [[nodiscard]] SweptContacts<float> swept(int threads, const Budget& budget, int& sweeps) const
    {
        const Threads scope(threads);
        SweptContacts<float> quick;
        std::vector<std::array<int, 2>> pairs;
        for (const RigidContact& contact : contacts) {
            pairs.push_back({contact.a, contact.b});
        }
        std::vector<char> moves;
        for (const RigidBody& body : bodies) {
            moves.push_back(body.inverse_mass > 0);
        }
        quick.begin(pairs, round, moves);
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            const auto& [v, w, inverse_mass, J] = bodies[k];
            quick.set_body(k, {.v = v,
                               .w = w,
                               .inverse_mass = inverse_mass,
                               .inverse_inertia = J[0],
                               .tensor = {J[0], J[4], J[8], J[5], J[2], J[1]}});
        }
        for (std::size_t c = 0; c < contacts.size(); ++c) {
            const RigidContact& contact = contacts[c];
            SweptContact to{.normal = contact.normal,
                            .arm_a = contact.arm_a,
                            .arm_b = contact.arm_b,
                            .shift_m_s = contact.shift_m_s,
                            .friction = contact.friction};
            if (round[c] && !through_centres) {
                to.arm_a = {0.05, 0, 0};
                to.arm_b = {0.05, 0, 0};
            }
            quick.set_contact(c, to);
        }
        if (pressed)
            quick.start_pressing();
        else
            quick.start();
        sweeps = quick.run(budget);
        return quick;
    }

    /// Errors of its percussions by sweeps of double precision, which share nothing with it.
    [[nodiscard]] FlatError judged(const SweptContacts<float>& quick) const
    {
        std::vector<RigidContact> ended = contacts;
        for (std::size_t c = 0; c < ended.size(); ++c) {
            ended[c].P = quick.percussion(c);
        }
        RigidContacts judge;
        REQUIRE(judge.load(bodies, ended));
        return judge.error();
    }
};

}  // namespace

TEST_CASE("sweeps in single precision solve what sweeps in double precision solve")
{
    for (const int balls_of_three : {3, 1, 0}) {
        CAPTURE(balls_of_three);
        const Heap heap(7, 5, balls_of_three);
        int sweeps = 0;
        constexpr double tolerance = 1e-4;
        SweptContacts<float> quick = heap.swept(1, {.tolerance = tolerance, .max_iterations = 2000}, sweeps);
        CHECK(quick.error().unit_free <= tolerance);
        // single precision has rounded the data as well: to 1e-7 of velocities of 1 m/s, in 600 contacts
        CHECK(heap.judged(quick).unit_free <= tolerance + 1e-5);

        // and the exact local solutions of double precision do not need many sweeps less
        RigidContacts exact;
        REQUIRE(exact.load(heap.bodies, heap.contacts));
        CHECK(sweeps <= 2 * exact.run({.tolerance = tolerance, .max_iterations = 2000}) + 32);
    }
}

TEST_CASE("percussions that are numbers press balls apart as those of space without friction do")
{
    Heap heap(7, 5, 3);
    heap.act_through_centres();
    constexpr int count = 30;
    const Budget budget{.tolerance = 1e-6, .max_iterations = count};
    int sweeps = 0, others = 0;
    const SweptContacts<float> in_space = heap.swept(1, budget, sweeps);
    heap.pressed = true;
    const SweptContacts<float> pressed = heap.swept(1, budget, others);
    CHECK(sweeps == count);
    CHECK(others == count);

    // the same map from the same start, which is far from its end: what rounding, 6e-8 of each of some hundred
    // operations, makes of percussions and velocities
    double largest = 0, apart = 0, faster = 0;
    for (std::size_t c = 0; c < heap.contacts.size(); ++c) {
        for (std::size_t k = 0; k < 3; ++k) {
            largest = std::max(largest, std::abs(in_space.percussion(c)[k]));
            apart = std::max(apart, std::abs(in_space.percussion(c)[k] - pressed.percussion(c)[k]));
        }
    }
    for (std::size_t body = 0; body < heap.bodies.size(); ++body) {
        for (std::size_t k = 0; k < 3; ++k)
            faster = std::max(faster, std::abs(in_space.velocity(body)[k] - pressed.velocity(body)[k]));
        CHECK(pressed.angular_velocity(body) == Vector{});
    }
    CHECK(largest > 0);
    CHECK(apart <= 1e-4 * largest);
    CHECK(faster <= 1e-4);

    for (const int threads : {2, 3, 8}) {
        CAPTURE(threads);
        const SweptContacts<float> together = heap.swept(threads, budget, others);
        int different = 0;
        for (std::size_t c = 0; c < heap.contacts.size(); ++c) {
            different += together.percussion(c) != pressed.percussion(c) ? 1 : 0;
        }
        CHECK(different == 0);
    }
}

TEST_CASE("sweeps in single precision are the same bit for bit on any number of threads")
{
    const Heap heap(26, 4, 2);  // the floor in several blocks
    int sweeps = 0, others = 0;
    const Budget budget{.tolerance = 1e-4, .max_iterations = 40};
    SweptContacts<float> alone = heap.swept(1, budget, sweeps);
    for (const int threads : {2, 3, 8}) {
        CAPTURE(threads);
        SweptContacts<float> together = heap.swept(threads, budget, others);
        CHECK(others == sweeps);
        CHECK(together.error().unit_free == alone.error().unit_free);
        int different = 0;
        for (std::size_t c = 0; c < heap.contacts.size(); ++c) {
            different += together.percussion(c) != alone.percussion(c) ? 1 : 0;
        }
        CHECK(different == 0);
        CHECK(together.velocity(0) == Vector{});  // the floor
    }
}

TEST_CASE("a warm start that solves the problem is left alone")
{
    const Heap heap(5, 3, 1);
    int sweeps = 0;
    SweptContacts<float> quick = heap.swept(1, {.tolerance = 1e-5, .max_iterations = 4000}, sweeps);
    Heap again = heap;
    for (std::size_t c = 0; c < again.contacts.size(); ++c) {
        again.contacts[c].P = quick.percussion(c);
    }
    RigidContacts judge;
    REQUIRE(judge.load(again.bodies, again.contacts));
    CHECK(judge.run({.tolerance = 1e-4, .max_iterations = 4000}) == 1);
}

}  // namespace carom
