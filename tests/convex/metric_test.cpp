#include "carom/convex/metric.hpp"

#include "convex/support.hpp"
#include "support/near.hpp"

using namespace carom;
using carom::test::near;

TEST_CASE("a metric measures kinetic energy: twice the energy of a unit velocity is its mass")
{
    const auto metric = Metric::from_matrix(Eigen::Vector3d(2, 3, 5).asDiagonal().toDenseMatrix());
    REQUIRE(metric);
    CHECK(metric->norm(Eigen::Vector3d(0, 1, 0)) == near(std::sqrt(3.0), 1e-15));
    CHECK(metric->dual_norm(Eigen::Vector3d(0, 1, 0)) == near(1 / std::sqrt(3.0), 1e-15));
    CHECK(metric->dot(Eigen::Vector3d(1, 1, 1), Eigen::Vector3d(1, 2, -1)) == near(2 + 6 - 5, 1e-14));
    CHECK(metric->fits(3));
    CHECK_FALSE(metric->fits(2));
}

TEST_CASE("whitened coordinates make the metric Euclidean, and lowering undoes raising")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 6);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd x = test::fractions(n);
        const Eigen::VectorXd y = test::fractions(n);

        // condition below 1e4 in five dimensions: roundoff grows to 1e-12 at most
        const Eigen::VectorXd X = metric.whitened(x);
        RC_ASSERT(std::abs(X.dot(Eigen::VectorXd(metric.whitened(y))) - metric.dot(x, y)) < 1e-11);
        RC_ASSERT((metric.unwhitened(X) - x).norm() < 1e-11);
        RC_ASSERT((metric.solve(metric.lower(x)) - x).norm() < 1e-11);
        RC_ASSERT((metric.whitened_covectors(metric.lower(x)) - X).norm() < 1e-11);
        RC_ASSERT(std::abs(metric.dual_norm(metric.lower(x)) - metric.norm(x)) < 1e-11);
    });
}

TEST_CASE("matrices that are no metric are refused with their reason")
{
    Eigen::Matrix2d A;

    CHECK(Metric::from_matrix(Eigen::MatrixXd(2, 3)).error().code == ErrorCode::WrongSize);
    CHECK(Metric::from_matrix(Eigen::MatrixXd(0, 0)).error().code == ErrorCode::WrongSize);

    A << 1, std::nan(""), 0, 1;
    CHECK(Metric::from_matrix(A).error().code == ErrorCode::NotFinite);

    A << 1, 0.5, 0.4, 1;  // not symmetric
    CHECK(Metric::from_matrix(A).error().code == ErrorCode::MetricNotPositive);

    A << 1, 2, 2, 1;  // indefinite
    CHECK(Metric::from_matrix(A).error().code == ErrorCode::MetricNotPositive);

    A << 1, 1, 1, 1;  // a velocity without energy
    CHECK(Metric::from_matrix(A).error().code == ErrorCode::MetricNotPositive);

    A << 0, 0, 0, 1;
    CHECK(Metric::from_matrix(A).error().code == ErrorCode::MetricNotPositive);

    // units do not make a metric singular: a gram beside a thousand tons
    A << 1e-3, 0, 0, 1e6;
    CHECK(Metric::from_matrix(1e-9 * A).has_value());
}
