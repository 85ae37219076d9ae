#include "geometry/four_frames.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace carom {
namespace {

/// Directions of every kind: at random, along and between axes, in planes of the axes, next to them.
std::vector<Vec3> directions()
{
    std::vector<Vec3> all;
    for (const double x : {-1.0, 0.0, 1.0}) {
        for (const double y : {-1.0, 0.0, 1e-9, 1.0}) {
            for (const double z : {-1.0, -0.0, 0.0, 1e-300, 1.0}) {
                if (Vec3(x, y, z).norm() > 0.1) all.push_back(Vec3(x, y, z).normalized());
            }
        }
    }
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    while (all.size() < 400)
        all.push_back(Vec3(normal(random), normal(random), normal(random)).normalized());
    return all;
}

TEST_CASE("tangents of four normals have the bits of one after the other, and make right-handed frames")
{
    const std::vector<Vec3> normals = directions();
    for (std::size_t i = 0; i + 4 <= normals.size(); ++i) {
        std::array<detail::Axes, 4> axes;
        for (std::size_t k = 0; k < 4; ++k)
            axes[k][0] = normals[i + k];
        detail::set_tangents({&axes[0], &axes[1], &axes[2], &axes[3]});
        for (const auto& [n, t1, t2] : axes) {
            Vec3 one, two;
            tangents(n, one, two);
            CHECK(t1 == one);
            CHECK(t2 == two);
            // products of unit vectors, a few roundings each
            CHECK(std::abs(t1.norm() - 1) < 1e-15);
            CHECK(std::abs(n.dot(t1)) < 1e-15);
            CHECK((n.cross(t1) - t2).norm() < 1e-15);
        }
    }
}

}  // namespace
}  // namespace carom
