#include "solver/block_cholesky.hpp"

#include <Eigen/Cholesky>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

namespace carom {
namespace {

/// A positive definite matrix of blocks with the pattern of a graph, and its factor.
struct Blocks {
    std::vector<int> sizes, first{0};
    std::vector<std::array<int, 2>> pairs;
    Eigen::MatrixXd A;
    BlockCholesky factor;

    Blocks(std::vector<int> of_rows, std::vector<std::array<int, 2>> coupled, unsigned seed)
        : sizes(std::move(of_rows)), pairs(std::move(coupled))
    {
        for (const int size : sizes) {
            first.push_back(first.back() + size);
        }
        // G^T G with one more row block for each pair: only coupled blocks meet
        std::mt19937 random(seed);
        std::normal_distribution<double> number;
        A = 0.1 * Eigen::MatrixXd::Identity(first.back(), first.back());
        for (const auto& [i, j] : pairs) {
            Eigen::MatrixXd G = Eigen::MatrixXd::Zero(4, first.back());
            for (const int k : {i, j}) {
                G.middleCols(first[k], sizes[k]) =
                    Eigen::MatrixXd::NullaryExpr(4, sizes[k], [&] { return number(random); });
            }
            A += G.transpose() * G;
        }
        REQUIRE(factor.analyse(sizes, pairs));
        fill();
    }

    void fill()
    {
        factor.set_zero();
        for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
            put(i, i);
        }
        for (const auto& [i, j] : pairs) {
            put(i, j);
        }
    }

    void put(int i, int j)
    {
        const auto slot = factor.slot(i, j);
        if (slot.transposed) std::swap(i, j);
        for (int r = 0; r < sizes[i]; ++r) {
            for (int c = 0; c < sizes[j]; ++c) {
                factor.values()[slot.at + static_cast<std::size_t>(r * sizes[j] + c)] =
                    A(first[i] + r, first[j] + c);
            }
        }
    }

    /// Against a dense factor of another program; 1e-12: cond(A) is below 1e4 here.
    void check_solves()
    {
        REQUIRE(factor.factorise(1e-9));
        const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(first.back(), -1, 2);
        Eigen::VectorXd x = b;
        factor.solve({x.data(), static_cast<std::size_t>(x.size())});
        const Eigen::VectorXd exact = A.llt().solve(b);
        CHECK((x - exact).norm() <= 1e-12 * exact.norm());
    }
};

std::vector<std::array<int, 2>> chain(int n)
{
    std::vector<std::array<int, 2>> pairs;
    for (int i = 1; i < n; ++i) {
        pairs.push_back({i, i - 1});
    }
    return pairs;
}

}  // namespace

TEST_CASE("factors of blocks solve what a dense factor solves: chains, trees and loops of any sizes")
{
    for (const int size : {1, 2, 3, 4, 5, 6}) {
        CAPTURE(size);
        Blocks(std::vector<int>(20, size), chain(20), 1).check_solves();
    }
    std::mt19937 random(7);
    for (unsigned graph = 0; graph < 20; ++graph) {
        std::vector<int> sizes;
        std::vector<std::array<int, 2>> pairs;
        for (int i = 0; i < 15; ++i) {
            sizes.push_back(1 + static_cast<int>(random() % 6));
            if (i > 0) pairs.push_back({static_cast<int>(random() % static_cast<unsigned>(i)), i});
        }
        // loops, and pairs that are named twice
        for (unsigned more = 0; more < graph; ++more) {
            const int i = static_cast<int>(random() % 15), j = static_cast<int>(random() % 15);
            if (i != j) pairs.push_back({i, j});
        }
        Blocks(sizes, pairs, graph).check_solves();
    }
}

TEST_CASE("a chain of blocks has the memory of its blocks and no more")
{
    Blocks blocks(std::vector<int>(50, 5), chain(50), 3);
    CHECK(blocks.factor.values().size() == 25 * (50 + 49));
}

TEST_CASE("a factor that would be too large is not made")
{
    // all coupled to all: 25 numbers for each of n (n + 1) / 2 blocks
    std::vector<std::array<int, 2>> pairs;
    for (int i = 0; i < 600; ++i) {
        for (int j = 0; j < i; ++j) {
            pairs.push_back({i, j});
        }
    }
    BlockCholesky factor;
    CHECK_FALSE(factor.analyse(std::vector<int>(600, 5), pairs));
    CHECK(factor.values().empty());
}

TEST_CASE("a block row that repeats another one is seen, and the factor can be made again")
{
    Blocks blocks({2, 2}, {{0, 1}}, 5);
    blocks.A << 2, 1, 2, 1, 1, 3, 1, 3, 2, 1, 2, 1, 1, 3, 1, 3;
    blocks.fill();
    CHECK_FALSE(blocks.factor.factorise(1e-9));
    blocks.A += Eigen::MatrixXd::Identity(4, 4);
    blocks.fill();
    blocks.check_solves();
    CHECK(blocks.factor.smallest_pivot() < 1);
    blocks.A(0, 0) = std::numeric_limits<double>::quiet_NaN();
    blocks.fill();
    CHECK_FALSE(blocks.factor.factorise(0));
}

}  // namespace carom
