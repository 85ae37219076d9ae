#include "convex/nonnegative_qp.hpp"

#include "carom/core/expected.hpp"
#include "convex/support.hpp"
#include "support/near.hpp"

#include <random>

using namespace carom;
using carom::test::near;

namespace {

/// Worst violation of 0 <= x perp W x + b >= 0 (w = 0 where free). W_ik is a scalar product of columns, so
/// that row i relates to its length W_ii^(1/2) times the sum of all lengths met.
double complementarity_error(const Eigen::MatrixXd& W, const Eigen::VectorXd& b,
                             std::span<const char> is_free, const Eigen::VectorXd& x)
{
    const Eigen::VectorXd w = W * x + b;
    const Eigen::VectorXd length = W.diagonal().cwiseSqrt();
    double size = length.dot(x.cwiseAbs());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        if (length[i] > 0) size = std::max(size, std::abs(b[i]) / length[i]);
    }
    double worst = 0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        const double relative = w[i] == 0 ? 0 : w[i] / (length[i] * size);
        const bool free = !is_free.empty() && is_free[static_cast<std::size_t>(i)] != 0;
        if (!free && x[i] < 0) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, x[i] != 0 || free ? std::abs(relative) : -relative);
    }
    return worst;
}

/// Gaussian matrices from a seed: generic data, where `small_integers` gives degenerate ones.
Eigen::MatrixXd gaussian(int rows, int cols, std::mt19937_64& random)
{
    std::normal_distribution<double> normal;
    return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return normal(random); });
}

std::vector<char> some_free(int n)
{
    return *rc::gen::container<std::vector<char>>(static_cast<std::size_t>(n),
                                                  rc::gen::elementOf(std::vector<char>{0, 0, 1}));
}

}  // namespace

TEST_CASE("one unknown: the positive part of -b / W")
{
    Eigen::MatrixXd W(1, 1);
    Eigen::VectorXd b(1);
    Eigen::VectorXd x(1);
    W << 4;

    x << 0;
    b << -2;
    CHECK(solve_nonnegative_qp(W, b, {}, x).status == QpStatus::Solved);
    CHECK(x[0] == 0.5);

    x << 7;  // a warm start that turns out wrong
    b << 2;
    CHECK(solve_nonnegative_qp(W, b, {}, x).status == QpStatus::Solved);
    CHECK(x[0] == 0);

    const std::vector<char> is_free{1};
    CHECK(solve_nonnegative_qp(W, b, is_free, x).status == QpStatus::Solved);
    CHECK(x[0] == -0.5);
}

TEST_CASE("complementarity holds to roundoff for every rank, size, free set and warm start")
{
    test::holds_for(500, [] {
        const int n = *rc::gen::inRange(1, 61);
        const int rank = *rc::gen::inRange(1, n + 1);
        std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
        const bool is_integer = *rc::gen::arbitrary<bool>();
        const Eigen::MatrixXd F = is_integer ? test::small_integers(rank, n) : gaussian(rank, n, random);
        const Eigen::VectorXd z = is_integer ? test::small_integers(rank, 1) : gaussian(rank, 1, random);
        const auto is_free = some_free(n);

        // b in the range of W: the programme is the projection of z on a cone and has a solution
        const Eigen::MatrixXd W = F.transpose() * F;
        const Eigen::VectorXd b = -F.transpose() * z;
        Eigen::VectorXd x = *rc::gen::arbitrary<bool>() ? Eigen::VectorXd(gaussian(n, 1, random).cwiseAbs())
                                                        : Eigen::VectorXd::Zero(n);
        const auto report = solve_nonnegative_qp(W, b, is_free, x);
        RC_ASSERT(report.status == QpStatus::Solved);

        // refined on the passive rows; in rows that depend on them errors grow with their condition
        RC_ASSERT(complementarity_error(W, b, is_free, x) < 1e-11);
    });
}

TEST_CASE("both forms of the programme give the same nearest point")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 30);
        const int rows = *rc::gen::inRange(1, 20);
        const Eigen::MatrixXd F = test::small_integers(rows, n);
        const Eigen::VectorXd z = test::small_integers(rows, 1);
        const auto is_free = some_free(n);
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
        Eigen::VectorXd c = Eigen::VectorXd::Zero(n);
        Eigen::VectorXd remainder(rows);
        RC_ASSERT(solve_nonnegative_qp(F.transpose() * F, -F.transpose() * z, is_free, x).status ==
                  QpStatus::Solved);
        RC_ASSERT(solve_nonnegative_least_squares(F, z, is_free, c, remainder).status == QpStatus::Solved);

        // the multipliers may differ, the point is unique; W has the square of the condition of F, below 1e4
        RC_ASSERT((F * x - F * c).norm() < 1e-7);
        RC_ASSERT((z - F * c - remainder).norm() < 1e-10);
    });
}

TEST_CASE("a programme without solution is recognised, and its ray proves it")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 41);
        const int rank = *rc::gen::inRange(0, n);

        // the last column is minus a sum of others, so that d = (.., 1) >= 0 has F d = 0; b falls along it
        Eigen::MatrixXd F = test::small_integers(rank, n, 5);
        Eigen::VectorXd d = Eigen::VectorXd::Unit(n, n - 1);
        const Eigen::VectorXd weights = test::small_integers(n, 1, 2).cwiseMax(0.0);
        d.head(n - 1) = weights.head(n - 1);
        F.col(n - 1) = -F.leftCols(n - 1) * d.head(n - 1);
        Eigen::VectorXd b = -F.transpose() * test::small_integers(rank, 1);
        b[n - 1] -= *rc::gen::inRange(1, 5);

        const Eigen::MatrixXd W = F.transpose() * F;
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
        Eigen::VectorXd ray(n);
        const auto report = solve_nonnegative_qp(W, b, {}, x, ray);
        RC_ASSERT(report.status == QpStatus::Unbounded);
        RC_ASSERT(ray.minCoeff() >= 0);
        RC_ASSERT(b.dot(ray) < -1e-9 * b.norm());
        RC_ASSERT(std::sqrt(std::abs(ray.dot(W * ray))) < 1e-6 * std::sqrt(W.norm() + 1));
        RC_ASSERT(x.minCoeff() >= 0);
    });
}

TEST_CASE("an equality row that nothing can satisfy is a ray in either direction")
{
    // W d = 0 for d = (1, -1): only a free component may move that way
    Eigen::MatrixXd W = Eigen::MatrixXd::Ones(2, 2);
    Eigen::VectorXd b(2);
    b << 1, 0;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(2);
    Eigen::VectorXd ray(2);
    CHECK(solve_nonnegative_qp(W, b, {}, x).status == QpStatus::Solved);
    CHECK(x.isZero(0));

    const std::vector<char> is_free{1, 0};
    CHECK(solve_nonnegative_qp(W, b, is_free, x, ray).status == QpStatus::Unbounded);
    CHECK(ray[0] == near(-1, 1e-15));
    CHECK(ray[1] == near(1, 1e-15));

    // the same with the free component that has to fall
    const std::vector<char> both_free{1, 1};
    x.setZero();
    CHECK(solve_nonnegative_qp(W, Eigen::Vector2d(0, 1), both_free, x, ray).status == QpStatus::Unbounded);
    CHECK(ray[0] == near(1, 1e-15));
    CHECK(ray[1] == near(-1, 1e-15));

    W.setZero();
    x.setZero();
    CHECK(solve_nonnegative_qp(W, Eigen::Vector2d(0, 1), {}, x).status == QpStatus::Solved);
    CHECK(solve_nonnegative_qp(W, Eigen::Vector2d(0, -1), {}, x).status == QpStatus::Unbounded);
}

TEST_CASE("units of single rows do not change the solution")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 12);
        const Eigen::MatrixXd F = test::small_integers(6, n);
        const Eigen::VectorXd z = test::small_integers(6, 1);
        const Eigen::MatrixXd W = F.transpose() * F;
        const Eigen::VectorXd b = -F.transpose() * z;
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
        RC_ASSERT(solve_nonnegative_qp(W, b, {}, x).status == QpStatus::Solved);

        // powers of two from 2^-30 to 2^30: not a bit may differ
        const Eigen::VectorXd unit =
            test::small_integers(n, 1, 30).unaryExpr([](double k) { return std::exp2(k); });
        Eigen::VectorXd y = Eigen::VectorXd::Zero(n);
        const Eigen::MatrixXd scaled = unit.asDiagonal() * W * unit.asDiagonal();
        RC_ASSERT(solve_nonnegative_qp(scaled, unit.cwiseProduct(b), {}, y).status == QpStatus::Solved);
        RC_ASSERT((unit.cwiseProduct(y) - x).isZero(0));
    });
}

TEST_CASE("a solved programme solved again from its solution needs no pivot")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 40);
        std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
        const Eigen::MatrixXd F = gaussian(n + 2, n, random);
        const Eigen::VectorXd b = gaussian(n, 1, random);
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
        RC_ASSERT(solve_nonnegative_qp(F.transpose() * F, b, {}, x).status == QpStatus::Solved);
        const auto again = solve_nonnegative_qp(F.transpose() * F, b, {}, x);
        RC_ASSERT(again.status == QpStatus::Solved);
        RC_ASSERT(again.pivots == 0);
    });
}

TEST_CASE("nearly opposite columns: rounding errors of large multipliers do not keep the pivots busy")
{
    test::holds_for(2000, [] {
        const int n = *rc::gen::inRange(2, 50);
        const int rows = *rc::gen::inRange(1, n + 1);
        std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
        Eigen::MatrixXd F = gaussian(rows, n, random);
        for (int j = 1; j < n; j += 2) {
            const double angle = std::pow(10.0, -static_cast<double>(random() % 12 + 3));
            F.col(j) = -F.col(static_cast<int>(random() % static_cast<unsigned>(j))) +
                       angle * gaussian(rows, 1, random);
        }
        const Eigen::VectorXd z = gaussian(rows, 1, random);
        Eigen::VectorXd c = Eigen::VectorXd::Zero(n);
        Eigen::VectorXd remainder(rows);
        RC_ASSERT(solve_nonnegative_least_squares(F, z, {}, c, remainder).status == QpStatus::Solved);

        // the remainder is in the polar cone up to 1e-9 of the sum that makes it; mostly of |z| alone
        const Eigen::VectorXd length = F.colwise().norm();
        const double size = z.norm() + length.dot(c);
        RC_ASSERT((F.transpose() * remainder).cwiseQuotient(length).maxCoeff() <= 1e-9 * size);

        // W cannot tell angles below 1e-7 from zero: then there is no solution as far as W knows
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
        const auto status = solve_nonnegative_qp(F.transpose() * F, -F.transpose() * z, {}, x).status;
        RC_ASSERT(status != QpStatus::PivotLimit);
    });
}

TEST_CASE("a wall of bricks: three hundred redundant contacts in a space of dimension fifty")
{
    std::mt19937_64 random(1988);
    const Eigen::MatrixXd F = gaussian(50, 300, random);
    const Eigen::VectorXd z = gaussian(50, 1, random);
    const Eigen::MatrixXd W = F.transpose() * F;
    const Eigen::VectorXd b = -F.transpose() * z;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(300);
    const auto report = solve_nonnegative_qp(W, b, {}, x);
    CHECK(report.status == QpStatus::Solved);
    CHECK(report.pivots < 900);  // a few exchanges per unknown
    CHECK(complementarity_error(W, b, {}, x) < 1e-12);
}

TEST_CASE("numbers that are not finite are refused and sizes that do not fit are our own mistake")
{
    Eigen::MatrixXd W = Eigen::MatrixXd::Identity(2, 2);
    Eigen::VectorXd b = Eigen::Vector2d(-1, std::nan(""));
    Eigen::VectorXd x = Eigen::Vector2d(3, 4);
    Eigen::VectorXd remainder(2);
    CHECK(solve_nonnegative_qp(W, b, {}, x).status == QpStatus::NotFinite);
    CHECK(solve_nonnegative_least_squares(W, b, {}, x, remainder).status == QpStatus::NotFinite);
    CHECK(x == Eigen::Vector2d(3, 4));
    CHECK_THROWS_AS(solve_nonnegative_qp(W, Eigen::Vector3d(1, 2, 3), {}, x), InternalError);
    CHECK_THROWS_AS(solve_nonnegative_least_squares(W, Eigen::Vector3d(1, 2, 3), {}, x, remainder),
                    InternalError);
}

TEST_CASE("a matrix that is not symmetric poses no programme: the pivots go round and are stopped")
{
    Eigen::MatrixXd W(3, 3);
    W << 1, 2, 0, -2, 1, 1, 1, 0, 1;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(3);
    CHECK(solve_nonnegative_qp(W, Eigen::Vector3d(-1, -1, -1), {}, x).status == QpStatus::PivotLimit);
    CHECK(x.allFinite());
    CHECK(x.minCoeff() >= 0);
}
