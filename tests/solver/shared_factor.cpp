#include "solver/body_factor.hpp"
#include "support/thread_messages.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

namespace carom {
namespace {

using Vectors = std::vector<BodyFactor::Vector>;

/// Bodies on a grid, each coupled to its neighbours. `singular`: the block row of one of them is zero.
struct Grid {
    int side = 0, singular = -1;
    std::vector<std::array<int, 2>> pairs;

    explicit Grid(int along) : side(along)
    {
        for (int k = 0; k < side * side; ++k) {
            if (k % side + 1 < side) pairs.push_back({k, k + 1});
            if (k + side < side * side) pairs.push_back({k, k + side});
        }
    }

    /// What a factorisation makes of a right-hand side; nothing where it fails.
    [[nodiscard]] Vectors solved(BodyFactor& factor, bool analyses) const
    {
        const int count = side * side;
        if (analyses) factor.analyse(count, pairs);
        factor.set_identity();
        std::mt19937 random(9);
        std::uniform_real_distribution<double> uniform(-1, 1);
        const auto noise = [&] { return BodyFactor::Block::NullaryExpr([&] { return uniform(random); }); };
        for (const auto& [a, b] : pairs) {
            factor.at(a, b) += 0.2 * noise();
            factor.at(b, a) += 0.2 * noise();
        }
        for (int k = 0; k < count; ++k) {
            factor.at(k, k) += 5 * BodyFactor::Block::Identity() + 0.3 * noise();
        }
        if (singular >= 0) {
            factor.at(singular, singular).setZero();
            for (const auto& [a, b] : pairs) {
                if (a == singular) factor.at(a, b).setZero();
                if (b == singular) factor.at(b, a).setZero();
            }
        }
        if (!factor.factorise({})) return {};
        Vectors x(static_cast<std::size_t>(count));
        for (auto& one : x) {
            one = BodyFactor::Vector::NullaryExpr([&] { return uniform(random); });
        }
        factor.solve(x);
        return x;
    }
};

bool same_bits(const Vectors& a, const Vectors& b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

}  // namespace

TEST_CASE("a factorisation shared among ranks gives the bits of one process, again and again")
{
    const Grid grid(26);
    BodyFactor alone;
    const Vectors expected = grid.solved(alone, true);
    REQUIRE(expected.size() == 26 * 26);
    for (const int ranks : {2, 3, 5}) {
        CAPTURE(ranks);
        ThreadRanks together(ranks);
        together.run([&](int) {
            BodyFactor factor;
            for (const bool analyses : {true, false, true}) {
                const SharedWork work;
                if (!same_bits(grid.solved(factor, analyses), expected))
                    throw std::logic_error("they differ");
            }
            // and alone in between
            if (!same_bits(grid.solved(factor, false), expected)) throw std::logic_error("alone they differ");
        });
        CHECK(together.sent() > 0);
    }
}

TEST_CASE("a factorisation that fails on one rank fails on all, and none waits")
{
    Grid grid(26);
    for (const int singular : {0, 300, 26 * 26 - 1}) {
        CAPTURE(singular);
        grid.singular = singular;
        BodyFactor alone;
        REQUIRE(grid.solved(alone, true).empty());
        ThreadRanks together(3);
        together.run([&](int) {
            const SharedWork work;
            BodyFactor factor;
            if (!grid.solved(factor, true).empty()) throw std::logic_error("one did not fail");
            const Grid good(26);
            if (good.solved(factor, false).empty()) throw std::logic_error("the next one fails");
        });
        CHECK(together.sent() > 0);
    }
}

TEST_CASE("a small factorisation is not shared")
{
    const Grid grid(6);
    ThreadRanks together(2);
    together.run([&](int) {
        const SharedWork work;
        BodyFactor factor;
        if (grid.solved(factor, true).empty()) throw std::logic_error("it failed");
    });
    CHECK(together.sent() == 0);
}

}  // namespace carom
