#include "carom/law/law.hpp"

#include "carom/convex/sets.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace carom;
using test::near;

TEST_CASE("a unilateral contact pushes and never pulls")
{
    double P = -2.0;
    project_on_set(Unilateral{}, {&P, 1});
    CHECK(P == 0.0);

    P = 3.0;
    project_on_set(Unilateral{}, {&P, 1});
    CHECK(P == 3.0);
}

TEST_CASE("a firm bilateral constraint takes any percussion")
{
    double P = -2.0;
    project_on_set(Bilateral{}, {&P, 1});
    CHECK(P == -2.0);
}

TEST_CASE("restitution shifts the velocity of approaching contacts only")
{
    const Law law = Unilateral{.restitution = 0.5};
    double s = 7;
    const double approaching = -4.0, separating = 4.0, after = 0.0;
    velocity_shift(law, {&approaching, 1}, {&after, 1}, {&s, 1});
    CHECK(s == -2.0);
    velocity_shift(law, {&separating, 1}, {&after, 1}, {&s, 1});
    CHECK(s == 0.0);
}

TEST_CASE("restitutions outside 0 to 1 and NaN are refused")
{
    for (const double e : {-0.1, 1.1, 2.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        const auto checked = check(Law{Unilateral{.restitution = e}});
        REQUIRE_FALSE(checked.has_value());
        CHECK(checked.error().code == ErrorCode::SettingOutOfRange);
    }
    CHECK(check(Law{Unilateral{.restitution = 0}}).has_value());
    CHECK(check(Law{Unilateral{.restitution = 1}}).has_value());
}

TEST_CASE("the dissipation index runs from elastic at 0 to soft at 1")
{
    CHECK(*restitution_of_dissipation_index(0) == 1.0);
    CHECK(*restitution_of_dissipation_index(1) == 0.0);
    CHECK(*restitution_of_dissipation_index(1.0 / 3) == near(0.5, 2e-16));
    CHECK_FALSE(restitution_of_dissipation_index(-0.01).has_value());
    CHECK_FALSE(restitution_of_dissipation_index(1.01).has_value());
    CHECK_FALSE(restitution_of_dissipation_index(std::nan("")).has_value());
}

TEST_CASE("a limited reaction is clamped, and its bounds must allow none at all")
{
    const Law brake = Limited{.low = -2, .high = 3};
    for (const auto& [P, nearest] : {std::pair{-5.0, -2.0}, {1.0, 1.0}, {4.0, 3.0}}) {
        double x = P;
        project_on_set(brake, {&x, 1});
        CHECK(x == nearest);
    }
    CHECK(gives_way(brake));
    CHECK_FALSE(is_unilateral(brake));
    CHECK_FALSE(check(Law{Limited{.low = 1, .high = 2}}).has_value());
    CHECK_FALSE(check(Law{Limited{.low = -1, .high = std::nan("")}}).has_value());
}

TEST_CASE("a scaled set keeps its shape: the nearest point of 2 B to (3, 4) is (1.2, 1.6)")
{
    const auto ball = std::make_shared<const Ball>(*Ball::make(Eigen::Vector2d::Zero(), 1.0));
    std::vector<double> P{3, 4};
    project_on_set(NonFirm{.set = ball, .size = 2}, P);
    CHECK(P[0] == near(1.2, 1e-15));
    CHECK(P[1] == near(1.6, 1e-15));
    project_on_set(NonFirm{.set = ball, .size = 0}, P);
    CHECK(P == std::vector<double>{0, 0});
    CHECK(dimension(Law{NonFirm{.set = ball}}) == 2);
    CHECK_FALSE(check(Law{NonFirm{.set = ball, .size = -1}}).has_value());
    CHECK_FALSE(check(Law{NonFirm{}}).has_value());
}

TEST_CASE("the nearest point of a cone over a product leaves a remainder in the polar cone")
{
    std::mt19937 random(3);
    std::normal_distribution<double> number;
    for (int k = 0; k < 2000; ++k) {
        const Resisting law{.flat = k % 2 == 0,
                            .friction = std::abs(number(random)),
                            .rolling = 0.3 * std::abs(number(random)),
                            .spinning = k % 5 == 0 ? 0 : 0.3 * std::abs(number(random))};
        const auto d = static_cast<std::size_t>(dimension(law));
        std::vector<double> x(d);
        for (double& value : x) {
            value = number(random);
        }
        std::vector<double> P = x;
        project_on_set(law, P);

        // P is in the cone, x - P is across it, and no percussion of the cone is on its side
        std::vector<double> again = P;
        project_on_set(law, again);
        double across = 0, deepest = 0;
        for (std::size_t i = 0; i < d; ++i) {
            CHECK(again[i] == near(P[i], 1e-14));
            across += (x[i] - P[i]) * P[i];
        }
        CHECK(across == near(0, 1e-13));
        for (int trial = 0; trial < 20; ++trial) {
            std::vector<double> y(d);
            for (double& value : y) {
                value = number(random);
            }
            project_on_set(law, y);
            double product = 0;
            for (std::size_t i = 0; i < d; ++i) {
                product += (x[i] - P[i]) * y[i];
            }
            deepest = std::max(deepest, product);
        }
        CHECK(deepest <= 1e-13);
    }
    CHECK_FALSE(check(Law{Resisting{.rolling = -1}}).has_value());
}
