#include "carom/geometry/broad_phase.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

namespace carom {
namespace {

TEST_CASE("the grid finds the pairs that a look at all of them finds")
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    BroadPhase phase;
    std::vector<std::array<int, 2>> pairs;
    for (int round = 0; round < 200; ++round) {
        // sizes of one kind, or of all, and sometimes a plane
        std::vector<AxisBox> boxes(static_cast<std::size_t>(random() % 80));
        const double largest = round % 3 == 0 ? 0.1 : std::pow(10.0, -3 * uniform(random));
        for (AxisBox& box : boxes) {
            const Vec3 low(3 * uniform(random), uniform(random), uniform(random));
            const double size = round % 2 == 0 ? largest : largest * std::pow(10.0, -2 * uniform(random));
            box = {.low = low,
                   .high = low + size * Vec3(uniform(random), 1, uniform(random)),
                   .moves = uniform(random) < 0.8};
        }
        if (round % 5 == 0 && !boxes.empty()) {
            boxes[boxes.size() / 2].low = Vec3::Constant(-std::numeric_limits<double>::infinity());
            boxes[boxes.size() / 2].high = Vec3::Constant(std::numeric_limits<double>::infinity());
        }
        std::vector<std::array<int, 2>> all;
        for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
            for (int j = i + 1; j < static_cast<int>(boxes.size()); ++j) {
                const bool overlap = (boxes[i].low.array() <= boxes[j].high.array()).all() &&
                                     (boxes[j].low.array() <= boxes[i].high.array()).all();
                if (overlap && (boxes[i].moves || boxes[j].moves)) all.push_back({i, j});
            }
        }
        phase.find_pairs(boxes, pairs);
        REQUIRE(pairs == all);
    }
}

TEST_CASE("all boxes in one place, and one box alone")
{
    BroadPhase phase;
    std::vector<std::array<int, 2>> pairs;
    phase.find_pairs({}, pairs);
    CHECK(pairs.empty());
    const std::vector<AxisBox> points(5);
    phase.find_pairs(points, pairs);
    CHECK(pairs.size() == 10);
}

}  // namespace
}  // namespace carom
