#include "carom/convex/operations.hpp"
#include "carom/convex/polyhedra.hpp"
#include "carom/convex/sets.hpp"

#include "convex/support.hpp"
#include "support/near.hpp"

#include <limits>

using namespace carom;
using carom::test::near;

namespace {

/// Both sets have the same nearest points and the same support: they are one set.
void require_same(const ConvexSet& set, const ConvexSet& other, double tolerance)
{
    const int n = set.dimension();
    const Metric metric = test::some_metric(n);
    const Eigen::VectorXd z = 5 * test::fractions(n);
    Eigen::VectorXd x(n), y(n);
    RC_ASSERT(set.prox(metric, z, x) == ProxStatus::Converged);
    RC_ASSERT(other.prox(metric, z, y) == ProxStatus::Converged);
    RC_ASSERT((x - y).norm() < tolerance);
    const double support = set.support(z), other_support = other.support(z);
    const bool agree =
        std::isinf(support) ? std::isinf(other_support) : std::abs(support - other_support) < 1e-9;
    RC_ASSERT(agree);
}

Eigen::VectorXd halves(int n)
{
    return 0.5 * test::small_integers(n, 1);
}

}  // namespace

TEST_CASE("sets that can be described in two ways: vertices, inequalities, images, sums, intersections")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 4);
        const Eigen::VectorXd lower = halves(n), upper = lower + halves(n).cwiseAbs();
        const auto box = *Box::make(lower, upper);

        // a box by its corners and by its sides
        Eigen::MatrixXd corners(1 << n, n), sides(2 * n, n);
        for (int k = 0; k < 1 << n; ++k) {
            for (int i = 0; i < n; ++i) {
                corners(k, i) = (k >> i) % 2 == 0 ? lower[i] : upper[i];
            }
        }
        sides << Eigen::MatrixXd::Identity(n, n), -3 * Eigen::MatrixXd::Identity(n, n);
        Eigen::VectorXd bounds(2 * n);
        bounds << upper, -3 * lower;
        require_same(*Polytope::from_vertices(corners), box, 1e-10);
        require_same(*Polyhedron::make(sides, bounds), box, 1e-10);

        // as a sum of boxes, and as the shadow of a box with more dimensions
        const auto first = shared(*Box::make(0.25 * lower, 0.25 * upper));
        const auto second = shared(*Box::make(0.75 * lower, 0.75 * upper));
        require_same(*MinkowskiSum::make({first, second}), box, 1e-10);
        Eigen::VectorXd wide_lower = Eigen::VectorXd::Constant(n + 1, -1),
                        wide_upper = Eigen::VectorXd::Constant(n + 1, 2);
        wide_lower.tail(n) = lower;
        wide_upper.tail(n) = upper;
        const Eigen::MatrixXd shadow = Eigen::MatrixXd::Identity(n + 1, n + 1).bottomRows(n);
        require_same(*LinearImage::make(shared(*Box::make(wide_lower, wide_upper)), shadow), box, 1e-9);
    });
}

TEST_CASE("a point just outside an ellipse, on its long axis, goes back to the vertex")
{
    const auto ellipse =
        *Ellipsoid::make(Eigen::Vector2d(0, 0), Eigen::Vector2d(4, 1).asDiagonal().toDenseMatrix());
    Eigen::VectorXd x(2);
    CHECK(ellipse.prox(Eigen::Vector2d(2.005, 0), x) == ProxStatus::Converged);
    CHECK(x[0] == near(2, 1e-14));
    CHECK(x[1] == near(0, 1e-14));
}

TEST_CASE("round sets: ellipsoids are images of balls, balls add up")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 5);
        const Eigen::MatrixXd F =
            test::small_integers(n, n, 2) + 10 * Eigen::MatrixXd::Identity(n, n);  // the diagonal dominates
        const Eigen::VectorXd c = halves(n);
        const auto unit = shared(*Ball::make(Eigen::VectorXd::Zero(n), 1));
        const auto image = shared(*LinearImage::make(unit, 0.25 * F));
        require_same(*Moved::translated(image, c), *Ellipsoid::make(c, F * F.transpose() / 16), 1e-10);

        const auto small = shared(*Ball::make(halves(n), 0.5)), large = shared(*Ball::make(c, 1.25));
        const auto sum = MinkowskiSum::make({small, large});
        const Eigen::VectorXd centre = c + static_cast<const Ball&>(*small).centre();
        // inside and at the boundary the gap proves no more than its square root (CS-22)
        require_same(*sum, *Ball::make(centre, 1.75), 1e-6);
        require_same(*Moved::make(small, -3, c),
                     *Ball::make(c - 3 * static_cast<const Ball&>(*small).centre(), 1.5), 1e-10);
    });
}

TEST_CASE(
    "a circular cone in a metric: in the plane it is the cone of its two edges, in space nearly that of many")
{
    test::holds([] {
        const double mu = 0.25 * *rc::gen::inRange(0, 9);
        const Eigen::MatrixXd edges = (Eigen::MatrixXd(2, 2) << 1, mu, 1, -mu).finished();
        require_same(*SecondOrderCone::make(2, mu), *PolyhedralCone::from_generators(edges), 1e-10);

        // the lemma of the two cones in the metric: x in K, A (z - x) in the polar, orthogonal
        const auto cone = *SecondOrderCone::make(4, mu);
        const Metric metric = test::some_metric(4);
        const Eigen::VectorXd z = 5 * test::fractions(4);
        Eigen::VectorXd x(4);
        RC_ASSERT(cone.prox(metric, z, x) == ProxStatus::Converged);
        const Eigen::VectorXd push = metric.lower(z - x);
        RC_ASSERT(x.tail(3).norm() <= mu * x[0] + 1e-13);
        RC_ASSERT(mu * push.tail(3).norm() + push[0] <= 1e-10);
        RC_ASSERT(std::abs(push.dot(x)) <= 1e-10);
    });
}

TEST_CASE("intersections of half-spaces are polyhedra; of a ball and a plane through its centre, a disc")
{
    test::holds([] {
        const int n = *rc::gen::inRange(2, 5);
        Eigen::MatrixXd G = test::small_integers(3, n);
        const Eigen::VectorXd h = test::small_integers(3, 1).cwiseAbs() + Eigen::VectorXd::Ones(3);
        std::vector<SetPointer> half_spaces;
        for (int i = 0; i < 3; ++i) {
            if (G.row(i).isZero(0)) G(i, 0) = 1;
            half_spaces.push_back(shared(*HalfSpace::make(G.row(i), h[i])));
        }
        require_same(*Intersection::make(half_spaces), *Polyhedron::make(G, h), 1e-9);
    });
    const auto ball = shared(*Ball::make(Eigen::Vector3d(0, 0, 1), 2));
    const auto plane = shared(*Box::make(Eigen::Vector3d(-9, -9, 1), Eigen::Vector3d(9, 9, 1)));
    Eigen::VectorXd x(3);
    CHECK(Intersection::make({ball, plane})->prox(Eigen::Vector3d(3, 4, 7), x) == ProxStatus::Converged);
    CHECK(x[0] == near(1.2, 1e-12));
    CHECK(x[1] == near(1.6, 1e-12));
    CHECK(x[2] == near(1, 1e-12));
}

TEST_CASE("discs that touch in one point: no normals push a point there, and no point is claimed")
{
    const auto left = shared(*Ball::make(Eigen::Vector2d(-1, 0), 1));
    const auto right = shared(*Ball::make(Eigen::Vector2d(1, 0), 1));
    const auto touching = Intersection::make({left, right});
    if (touching) {
        Eigen::VectorXd x(2);
        const ProxStatus status = touching->prox(Eigen::Vector2d(0, 1), x);
        CHECK((status == ProxStatus::NotConverged || x.norm() < 1e-4));
        CHECK(touching->contains(Eigen::Vector2d(0, 0)));
        CHECK_FALSE(touching->contains(Eigen::Vector2d(0, 1)));
    } else {
        CHECK(touching.error().code == ErrorCode::SettingOutOfRange);
    }
}

TEST_CASE("sets of the catalogue that do not exist are refused with their reason")
{
    const double nan = std::nan("");
    const auto disc = shared(*Ball::make(Eigen::Vector2d(0, 0), 1));
    const auto far = shared(*Ball::make(Eigen::Vector2d(3, 0), 1));
    const auto space = shared(*Ball::make(Eigen::Vector3d(0, 0, 0), 1));
    const Eigen::Matrix2d I = Eigen::Matrix2d::Identity();
    CHECK(Ellipsoid::make(Eigen::Vector3d(0, 0, 0), I).error().code == ErrorCode::WrongSize);
    CHECK(Ellipsoid::make(Eigen::Vector2d(nan, 0), I).error().code == ErrorCode::NotFinite);
    CHECK(Ellipsoid::make(Eigen::Vector2d(0, 0), -I).error().code == ErrorCode::MetricNotPositive);
    CHECK(SecondOrderCone::make(0, 1).error().code == ErrorCode::WrongSize);
    CHECK(SecondOrderCone::make(3, -1).error().code == ErrorCode::SettingOutOfRange);
    CHECK(SecondOrderCone::make(3, nan).error().code == ErrorCode::SettingOutOfRange);
    CHECK(Polytope::from_vertices(Eigen::MatrixXd(0, 2)).error().code == ErrorCode::WrongSize);
    CHECK(Polytope::from_vertices(Eigen::RowVector2d(0, nan)).error().code == ErrorCode::NotFinite);
    CHECK(Polyhedron::make(I, Eigen::Vector3d(0, 0, 0)).error().code == ErrorCode::WrongSize);
    CHECK(Polyhedron::make(I, Eigen::Vector2d(0, nan)).error().code == ErrorCode::NotFinite);
    CHECK(Polyhedron::make(Eigen::Matrix2d::Zero(), Eigen::Vector2d(0, -1)).error().code ==
          ErrorCode::SettingOutOfRange);
    const Eigen::MatrixXd opposite = (Eigen::MatrixXd(2, 2) << 1, 2, -1, -2).finished();
    CHECK(Polyhedron::make(opposite, Eigen::Vector2d(1, -2)).error().code == ErrorCode::SettingOutOfRange);
    CHECK(Polyhedron::make(opposite, Eigen::Vector2d(1, -1)).has_value());
    CHECK(Moved::scaled(disc, 0).error().code == ErrorCode::SettingOutOfRange);
    CHECK(Moved::scaled(nullptr, 1).error().code == ErrorCode::WrongSize);
    CHECK(Moved::translated(disc, Eigen::Vector2d(nan, 0)).error().code == ErrorCode::NotFinite);
    CHECK(Moved::translated(disc, Eigen::Vector3d(0, 0, 0)).error().code == ErrorCode::WrongSize);
    CHECK(LinearImage::make(disc, Eigen::MatrixXd(2, 3)).error().code == ErrorCode::WrongSize);
    CHECK(LinearImage::make(disc, nan * I).error().code == ErrorCode::NotFinite);
    CHECK(Intersection::make({}).error().code == ErrorCode::WrongSize);
    CHECK(Intersection::make({disc, space}).error().code == ErrorCode::WrongSize);
    CHECK(Intersection::make({disc, far}).error().code == ErrorCode::SettingOutOfRange);
    CHECK(MinkowskiSum::make({disc, space}).error().code == ErrorCode::WrongSize);
}
