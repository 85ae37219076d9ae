#include "carom/law/law.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

using namespace carom;
using test::near;

namespace {

const double pi = std::numbers::pi;

FrictionPolygon pentagon()
{
    return *make_polygon({{1.2, 0.1}, {0.3, 0.9}, {-0.7, 0.5}, {-0.8, -0.4}, {0.4, -0.6}});
}

/// Every shape in space, isotropic and not, centred and not.
std::vector<FrictionShape> shapes_in_space()
{
    return {FrictionDisc{}, FrictionEllipse{.half_axes = {1.5, 0.4}, .angle_rad = 0.7},
            FrictionEllipse{.half_axes = {0.8, 0.5}, .angle_rad = -0.3, .centre = {0.2, -0.3}}, pentagon()};
}

std::vector<double> random_vector(std::mt19937& random, std::size_t n)
{
    std::normal_distribution<double> normal;
    std::vector<double> x(n);
    for (double& value : x) {
        value = normal(random);
    }
    return x;
}

double inner(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b)
{
    std::vector<double> result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        result[i] = a[i] - b[i];
    }
    return result;
}

}  // namespace

TEST_CASE(
    "the nearest point of a shape is the one from which x lies in the normal cone; support is a maximum")
{
    std::mt19937 random(1);
    for (const FrictionShape& shape : shapes_in_space()) {
        for (int k = 0; k < 300; ++k) {
            const auto x = random_vector(random, 2);
            auto p = x;
            project_on_shape(shape, 0.8, p);
            // <x - p, p> = sigma(x - p): p maximises the product with x - p over the shape
            const auto away = difference(x, p);
            CHECK(inner(away, p) == near(0.8 * support(shape, away), 1e-13));
            auto again = p;
            project_on_shape(shape, 0.8, again);
            CHECK(std::sqrt(inner(difference(again, p), difference(again, p))) < 1e-13);
        }
    }
}

TEST_CASE("the support function of an ellipse is the largest product over its boundary")
{
    const FrictionEllipse ellipse{.half_axes = {0.8, 0.5}, .angle_rad = -0.3, .centre = {0.2, -0.3}};
    std::mt19937 random(2);
    for (int k = 0; k < 50; ++k) {
        const auto y = random_vector(random, 2);
        double largest = -1e300;
        for (int i = 0; i < 100000; ++i) {
            const double phi = 2 * pi * i / 100000, a = 0.8 * std::cos(phi), b = 0.5 * std::sin(phi);
            const double x0 = 0.2 + a * std::cos(-0.3) - b * std::sin(-0.3),
                         x1 = -0.3 + a * std::sin(-0.3) + b * std::cos(-0.3);
            largest = std::max(largest, x0 * y[0] + x1 * y[1]);
        }
        CHECK(support(ellipse, y) == near(largest, 1e-8));  // the boundary is sampled every 6e-5
    }
}

TEST_CASE("the friction cone: Moreau's decomposition, idempotence, and no point of the cone is nearer")
{
    std::mt19937 random(3);
    for (const FrictionShape& shape : shapes_in_space()) {
        for (int k = 0; k < 200; ++k) {
            const double mu = 0.1 + 0.01 * k;
            const auto x = random_vector(random, 3);
            auto p = x;
            project_on_friction_cone(shape, mu, p);
            const auto rest = difference(x, p);
            CHECK(inner(p, rest) == near(0, 1e-12));
            // the rest is in the polar cone: rest_N + mu sigma(rest_T) <= 0
            CHECK(rest[0] + mu * support(shape, std::span(rest).subspan(1)) <= 1e-12);
            // and p in the cone
            auto tangential = std::vector<double>{p[1], p[2]};
            project_on_shape(shape, mu * p[0], tangential);
            CHECK(p[0] >= 0);
            CHECK(std::hypot(tangential[0] - p[1], tangential[1] - p[2]) < 1e-12);
        }
    }
}

TEST_CASE("in the plane the two edges of the cone may differ")
{
    const FrictionInterval shape{.low = -0.3, .high = 0.8};
    std::vector<double> inside{1, 0.5}, below{1, -2}, above{0.1, 3}, behind{-4, 1};
    for (auto* P : {&inside, &below, &above, &behind}) {
        project_on_friction_cone(shape, 1.0, *P);
    }
    CHECK(inside == std::vector<double>{1, 0.5});
    CHECK(below[1] == near(-0.3 * below[0], 1e-15));
    CHECK(below[0] == near((1 + 0.6) / (1 + 0.09), 1e-15));
    CHECK(above[1] == near(0.8 * above[0], 1e-15));
    CHECK(behind == std::vector<double>{0, 0});
}

TEST_CASE("sets that are no set of friction are refused by name")
{
    CHECK(make_polygon({{1, 0}, {0, 1}}).error().message.find("2 vertices") != std::string::npos);
    CHECK(make_polygon({{1, 1}, {3, 1}, {2, 2}}).error().message.find("origin") != std::string::npos);
    CHECK(make_polygon({{1, 0}, {0, 0.1}, {0, 1}, {-1, -1}}).error().message.find("convex") !=
          std::string::npos);
    CHECK(make_polygon({{1, 0}, {0, 1}, {-std::numeric_limits<double>::infinity(), 0}})
              .error()
              .message.find("bounded") != std::string::npos);
    // a pentagram turns left at every vertex, and goes round twice
    std::vector<std::array<double, 2>> star;
    for (int i = 0; i < 5; ++i) {
        star.push_back({std::cos(4 * pi * i / 5), std::sin(4 * pi * i / 5)});
    }
    CHECK_FALSE(make_polygon(star).has_value());
    // the other sense of rotation is as good
    CHECK(make_polygon({{0, -1}, {-1, 0}, {0, 1}, {1, 0}}).has_value());

    const auto refused = [](const FrictionShape& shape) { return !check(shape).has_value(); };
    CHECK(refused(FrictionInterval{.low = 0.1, .high = 1}));
    CHECK(refused(FrictionInterval{.low = -1, .high = std::nan("")}));
    CHECK(refused(FrictionEllipse{.half_axes = {1, 0}}));
    CHECK(refused(FrictionEllipse{.half_axes = {1, -1}}));
    CHECK(refused(FrictionEllipse{.half_axes = {1, 0.5}, .centre = {0, 0.6}}));
    CHECK(refused(FrictionPolygon{}));
    CHECK(refused(FrictionRough{.dimension = 3}));
    CHECK_FALSE(refused(FrictionEllipse{.half_axes = {1, 0.5}, .centre = {0, 0.4}}));

    CHECK(check(Law{Coulomb{.friction = -0.1}}).error().where == "Coulomb::friction");
    CHECK(check(Law{Coulomb{.friction = std::nan("")}}).error().where == "Coulomb::friction");
    CHECK(check(Law{Coulomb{.restitution = 1.1}}).error().where == "Coulomb::restitution");
    CHECK(check(Law{Coulomb{.tangential_restitution = -1}}).error().where ==
          "Coulomb::tangential_restitution");
    CHECK(check(Law{Coulomb{.friction = 0.3, .restitution = 0.5}}).has_value());
}
