#include "geometry/broad_phase.hpp"

#include "carom/core/threads.hpp"

#include "support/property.hpp"
#include "support/thread_messages.hpp"

#include <algorithm>
#include <cmath>

#include <limits>
#include <random>

namespace carom {
namespace {

TEST_CASE("grid and tree find the pairs that a look at all of them finds")
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
        for (const auto kind : {BroadPhaseKind::Auto, BroadPhaseKind::Grid, BroadPhaseKind::Tree}) {
            phase.kind = kind;
            phase.find_pairs(boxes, pairs);
            REQUIRE(pairs == all);
        }
    }
}

TEST_CASE("grid and tree agree on any boxes")
{
    // whole numbers: boxes that touch, coincide, or are empty
    test::holds_for(300, [] {
        const auto numbers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-5, 6));
        std::vector<AxisBox> boxes;
        for (std::size_t i = 0; i + 6 < numbers.size(); i += 7) {
            const Vec3 low(numbers[i], numbers[i + 1], numbers[i + 2]);
            const Vec3 size(std::abs(numbers[i + 3]), std::abs(numbers[i + 4]), numbers[i + 5]);
            boxes.push_back({.low = low, .high = low + size, .moves = numbers[i + 6] > -2});
        }
        BroadPhase grid, tree;
        grid.kind = BroadPhaseKind::Grid;
        tree.kind = BroadPhaseKind::Tree;
        std::vector<std::array<int, 2>> by_grid, by_tree;
        grid.find_pairs(boxes, by_grid);
        tree.find_pairs(boxes, by_tree);
        RC_ASSERT(by_grid == by_tree);
    });
}

TEST_CASE("threads and ranks that share a search find the pairs of one process, in its order")
{
    std::mt19937 random(4);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<AxisBox> boxes;
    for (int k = 0; k < 4000; ++k) {
        const Vec3 low(8 * uniform(random), 5 * uniform(random), 4 * uniform(random));
        boxes.push_back({.low = low, .high = low + 0.4 * Vec3(uniform(random), 1, uniform(random))});
    }
    std::vector<std::array<int, 2>> alone;
    BroadPhase().find_pairs(boxes, alone);
    CHECK(alone.size() > 5'000);
    {
        const Threads threads(3);
        std::vector<std::array<int, 2>> pairs;
        BroadPhase().find_pairs(boxes, pairs);
        CHECK(pairs == alone);
    }
    for (const int ranks : {2, 5}) {
        ThreadRanks together(ranks);
        together.run([&](int) {
            const SharedWork work;
            std::vector<std::array<int, 2>> pairs;
            BroadPhase().find_pairs(boxes, pairs);
            if (pairs != alone) throw std::logic_error("they differ");
        });
    }
}

TEST_CASE("a query of a tree finds the boxes that a look at all of them finds")
{
    std::mt19937 random(4);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
    for (const int n : {0, 1, 4, 5, 300}) {
        std::vector<BoxTree::Box> boxes;
        for (int i = 0; i < n; ++i) {
            // some of them all at one place
            const Vec3 low = i % 7 == 0 ? Vec3(0.5, 0.5, 0.5) : vector();
            boxes.push_back({low, low + 0.1 * vector()});
        }
        BoxTree tree;
        tree.build(boxes);
        for (int k = 0; k < 50; ++k) {
            const Vec3 low = vector(), high = low + 0.3 * vector();
            std::vector<int> found, all;
            tree.find(low, high, found);
            for (int i = 0; i < n; ++i) {
                const auto& box = boxes[static_cast<std::size_t>(i)];
                if ((box.low.array() <= high.array()).all() && (low.array() <= box.high.array()).all())
                    all.push_back(i);
            }
            std::sort(found.begin(), found.end());
            REQUIRE(found == all);
        }
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
