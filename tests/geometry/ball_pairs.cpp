#include "geometry/ball_pairs.hpp"

#include "support/thread_messages.hpp"

#include <doctest/doctest.h>

#include <random>

namespace carom {
namespace {

/// All lists by comparing everything with everything.
void check_lists(const std::vector<Vec3>& centres, const std::vector<double>& radii, BallPairs& pairs)
{
    pairs.find(centres, radii);
    for (std::size_t i = 0; i < centres.size(); ++i) {
        std::vector<int> expected;
        for (std::size_t j = i + 1; j < centres.size(); ++j) {
            const double reach = radii[i] + radii[j];
            const bool there = radii[i] >= 0 && radii[j] >= 0;
            if (there && (centres[i] - centres[j]).squaredNorm() <= reach * reach) {
                expected.push_back(static_cast<int>(j));
            }
        }
        const auto found = pairs.of(static_cast<int>(i));
        CHECK(std::vector<int>(found.begin(), found.end()) == expected);
    }
}

}  // namespace

TEST_CASE("balls overlap where their centres are nearer than their radii together")
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    BallPairs pairs;  // one object for all: nothing of the last scene is left
    for (const double spread : {0.5, 3.0, 40.0, 1e7}) {
        for (const int count : {1, 2, 30, 300}) {
            std::vector<Vec3> centres;
            std::vector<double> radii;
            for (int k = 0; k < count; ++k) {
                centres.emplace_back(spread * uniform(random), spread * uniform(random) - 7,
                                     0.2 * spread * uniform(random));
                radii.push_back(uniform(random) < 0.1 ? -1.0 : 0.05 + 0.3 * uniform(random));
            }
            check_lists(centres, radii, pairs);
        }
    }
}

TEST_CASE("balls of all sizes at once: a large one among thousands, and every size between")
{
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1, 1);
    BallPairs pairs;
    std::vector<Vec3> centres{Vec3::Zero(), Vec3(2.5, 0, 0)};
    std::vector<double> radii{1.0, 0.0};
    for (int k = 0; k < 1500; ++k) {
        centres.emplace_back(1.2 * uniform(random), 1.2 * uniform(random), 1.2 * uniform(random));
        radii.push_back(0.01);
    }
    check_lists(centres, radii, pairs);
    for (double& radius : radii) {
        radius = std::exp2(-15 * std::abs(uniform(random)));
    }
    check_lists(centres, radii, pairs);
}

TEST_CASE("balls at one place, on a lattice, of no size, or none at all")
{
    BallPairs pairs;
    check_lists({}, {}, pairs);
    check_lists(std::vector<Vec3>(5, Vec3(1, 2, 3)), std::vector<double>(5, 0.1), pairs);
    check_lists(std::vector<Vec3>(3, Vec3::Zero()), {0.0, 0.0, -1.0}, pairs);
    check_lists(std::vector<Vec3>(2, Vec3::Zero()), {-1.0, -1.0}, pairs);
    std::vector<Vec3> lattice;
    for (int k = 0; k < 64; ++k) {
        lattice.emplace_back(k % 4, k / 4 % 4, k / 16);
    }
    check_lists(lattice, std::vector<double>(64, 0.5), pairs);  // neighbours touch exactly
}

TEST_CASE("balls that move a little, leap, grow, appear and vanish: lists are those of the moment")
{
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    BallPairs pairs;
    std::vector<Vec3> centres;
    std::vector<double> radii;
    for (int k = 0; k < 120; ++k) {
        centres.emplace_back(uniform(random), uniform(random), uniform(random));
        radii.push_back(k % 40 == 0 ? 0.4 : 0.15);
    }
    for (int pass = 0; pass < 60; ++pass) {
        CAPTURE(pass);
        // slow at first, then every ball moves by its radius, then slow again; sizes breathe
        const double step = pass > 20 && pass < 40 ? 0.15 : 0.004;
        for (std::size_t k = 0; k < centres.size(); ++k) {
            centres[k] += step * Vec3(uniform(random), uniform(random), uniform(random));
            if (radii[k] >= 0) radii[k] *= 1 + 0.01 * uniform(random);
        }
        if (pass == 7) radii[3] = -1;
        if (pass == 9) radii[3] = 0.2;
        if (pass == 11) centres[5] = centres[90];
        if (pass == 13) {
            centres.emplace_back(0, 0, 0);
            radii.push_back(0.3);
        }
        check_lists(centres, radii, pairs);
    }
}

TEST_CASE("ranks that share a search have all lists")
{
    std::mt19937 random(6);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<Vec3> centres;
    for (int k = 0; k < 3000; ++k) {
        centres.emplace_back(6 * uniform(random), 3 * uniform(random), 3 * uniform(random));
    }
    // with neighbours that are kept, and without
    for (const double step : {0.001, 0.3}) {
        std::vector<std::vector<Vec3>> moments;
        for (int k = 0; k < 4; ++k) {
            moments.push_back(centres);
            for (Vec3& centre : centres) {
                centre += step * Vec3(uniform(random), uniform(random), uniform(random));
            }
        }
        const std::vector<double> radii(centres.size(), 0.12);
        std::vector<std::vector<int>> expected;
        BallPairs alone;
        const auto lists = [&](BallPairs& pairs, auto see) {
            for (const auto& moment : moments) {
                pairs.find(moment, radii);
                for (int i = 0; i < 3000; ++i) {
                    const auto found = pairs.of(i);
                    see(std::vector<int>(found.begin(), found.end()));
                }
            }
        };
        lists(alone, [&](const std::vector<int>& list) { expected.push_back(list); });
        for (const int ranks : {2, 3}) {
            ThreadRanks together(ranks);
            together.run([&](int) {
                const SharedWork work;
                BallPairs shared;
                std::size_t k = 0;
                lists(shared, [&](const std::vector<int>& list) {
                    if (list != expected[k++]) throw std::logic_error("they differ");
                });
            });
        }
    }
}

}  // namespace carom
