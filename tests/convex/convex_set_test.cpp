#include "carom/convex/operations.hpp"
#include "carom/convex/polyhedra.hpp"
#include "carom/convex/sets.hpp"

#include "../../src/convex/conic_form.hpp"
#include "convex/support.hpp"
#include "support/near.hpp"

#include <array>
#include <limits>

using namespace carom;
using carom::test::near;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Bounds of a box: points, sides and lines all come up.
Box some_box(int n)
{
    Eigen::VectorXd lower = test::small_integers(n, 1);
    Eigen::VectorXd upper = lower + test::small_integers(n, 1).cwiseMax(0.0);
    for (int i = 0; i < n; ++i) {
        if (*rc::gen::inRange(0, 4) == 0) lower[i] = -infinity;
        if (*rc::gen::inRange(0, 4) == 0) upper[i] = infinity;
    }
    return *Box::make(lower, upper);
}

template <class Set>
std::unique_ptr<ConvexSet> owned(Set set)
{
    return std::make_unique<Set>(std::move(set));
}

/// Inequalities that hold at a point of small integers, with equality for some of them.
Polyhedron some_polyhedron(int n)
{
    const Eigen::MatrixXd G = test::small_integers(5, n);
    const Eigen::VectorXd slack = test::small_integers(5, 1).cwiseMax(0.0);
    return *Polyhedron::make(G, G * test::small_integers(n, 1) + slack);
}

Ellipsoid some_ellipsoid(int n)
{
    const Eigen::MatrixXd B = test::small_integers(n, n, 2);
    return *Ellipsoid::make(test::small_integers(n, 1),
                            B * B.transpose() + 0.25 * Eigen::MatrixXd::Identity(n, n));
}

/// A ball that holds a ball of radius 1/2 about the origin, cut by a set that holds the origin.
Intersection some_intersection(int n)
{
    const Eigen::VectorXd centre = test::small_integers(n, 1).normalized();
    const SetPointer ball = shared(*Ball::make(centre, 1.5));
    const Eigen::MatrixXd G = test::small_integers(3, n);
    const SetPointer polyhedron = shared(*Polyhedron::make(G, test::small_integers(3, 1).cwiseMax(0.0)));
    const SetPointer ellipsoid =
        shared(*Ellipsoid::make(Eigen::VectorXd::Zero(n), 2 * Eigen::MatrixXd::Identity(n, n)));
    switch (*rc::gen::inRange(0, 5)) {
    case 0: return *Intersection::make({ball, polyhedron});
    case 1: return *Intersection::make({ball, ellipsoid});
    case 2: {
        // a hull that holds the origin, and a line through it
        Eigen::MatrixXd vertices = test::small_integers(4, n);
        vertices.row(3) = -vertices.topRows(3).colwise().sum();
        const SetPointer hull = shared(*Polytope::from_vertices(vertices));
        const SetPointer line = shared(*Subspace::spanned_by(test::small_integers(n, 1)));
        return *Intersection::make({hull, polyhedron, line});
    }
    case 3: {
        const SetPointer about_origin = shared(*Polyhedron::make(G, Eigen::Vector3d(1, 2, 3)));
        return *Intersection::make({about_origin, shared(*SecondOrderCone::make(n, 0.5))});
    }
    default: return *Intersection::make({ball, polyhedron, ellipsoid});
    }
}

MinkowskiSum some_sum(int n)
{
    const SetPointer ball = shared(*Ball::make(test::small_integers(n, 1), 0.5 * *rc::gen::inRange(1, 5)));
    const SetPointer cone = shared(*PolyhedralCone::from_generators(test::small_integers(2, n)));
    switch (*rc::gen::inRange(0, 5)) {
    case 0: return *MinkowskiSum::make({ball, shared(some_box(n))});
    case 2: return *MinkowskiSum::make({cone, shared(some_box(n))});
    case 3: return *MinkowskiSum::make({cone, shared(some_polyhedron(n)), shared(some_box(n))});
    case 1: return *MinkowskiSum::make({ball, shared(*Polytope::from_vertices(test::small_integers(4, n)))});
    default: return *MinkowskiSum::make({ball, shared(some_ellipsoid(n))});
    }
}

LinearImage some_image(int n)
{
    const int k = *rc::gen::inRange(1, n + 2);
    const Eigen::MatrixXd M = test::small_integers(n, k, 2);
    switch (*rc::gen::inRange(0, 3)) {
    case 0: return *LinearImage::make(shared(*Ball::make(test::small_integers(k, 1), 1)), M);
    case 1: return *LinearImage::make(shared(some_polyhedron(k)), M);
    default: break;
    }
    return *LinearImage::make(shared(*Polytope::from_vertices(test::small_integers(4, k))), M);
}

std::unique_ptr<ConvexSet> some_closed_form(int n)
{
    switch (*rc::gen::inRange(0, 13)) {
    case 0: return owned(*Singleton::make(test::small_integers(n, 1)));
    case 1: return owned(*Subspace::whole(n));
    case 2: return owned(*Subspace::spanned_by(test::small_integers(n, *rc::gen::inRange(0, n + 2))));
    case 3: return owned(*Orthant::nonnegative(n));
    case 4: return owned(*Orthant::nonpositive(n));
    case 5: {
        Eigen::VectorXd normal = test::small_integers(n, 1);
        if (normal.isZero(0)) normal[0] = 1;
        return owned(*HalfSpace::make(normal, *rc::gen::inRange(-2, 3)));
    }
    case 6: return owned(some_box(n));
    case 7: return owned(*Ball::make(test::small_integers(n, 1), 0.5 * *rc::gen::inRange(0, 5)));
    case 8: return owned(*PolyhedralCone::from_inequalities(test::small_integers(4, n)));
    case 9: return owned(some_ellipsoid(n));
    case 10: return owned(*SecondOrderCone::make(n, 0.5 * *rc::gen::inRange(0, 5)));
    case 11: return owned(some_polyhedron(n));
    default: return owned(*Polytope::from_vertices(test::small_integers(*rc::gen::inRange(1, 8), n)));
    }
}

std::unique_ptr<ConvexSet> some_set(int n)
{
    switch (*rc::gen::inRange(0, 18)) {
    case 0: return owned(*Moved::translated(SetPointer(some_closed_form(n)), test::small_integers(n, 1)));
    case 1: {
        const double scale = *rc::gen::arbitrary<bool>() ? 2 : -0.5;
        return owned(*Moved::scaled(SetPointer(some_closed_form(n)), scale));
    }
    case 2: return owned(some_image(n));
    case 3: return owned(some_intersection(n));
    case 4: return owned(some_sum(n));
    default: return some_closed_form(n);
    }
}

/// How far a nearest point may be off. Round images, sums and intersections promise 1e-5 of |z| + size
/// (CS-22), here at most 20, in the norm of the metric, which is up to 5 times shorter than the Euclidean
/// one; it takes a z at the boundary to need that. All others are exact.
double error_of(const ConvexSet& set)
{
    const auto* composite = dynamic_cast<const Composite*>(&set);
    return composite && !detail::conic_form(*composite)->is_polyhedral() ? 1e-3 : 1e-11;
}

Eigen::VectorXd prox_of(const ConvexSet& set, const Metric& metric, const Eigen::VectorXd& z)
{
    Eigen::VectorXd x(z.size());
    RC_ASSERT(set.prox(metric, z, x) == ProxStatus::Converged);
    return x;
}

Eigen::VectorXd some_point(int n)
{
    return 5 * test::fractions(n);
}

}  // namespace

TEST_CASE("every set: the nearest point is in it, and is its own nearest point")
{
    test::holds_for(1000, [] {
        const int n = *rc::gen::inRange(1, 6);
        const auto set = some_set(n);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd z = some_point(n);
        const Eigen::VectorXd x = prox_of(*set, metric, z);

        // an apex comes out as zero up to roundoff of z, which is no direction of its own
        const double error = error_of(*set);
        RC_ASSERT(set->contains(x, error) || x.norm() < 1e-13 * z.norm());
        RC_ASSERT((prox_of(*set, metric, x) - x).norm() < 10 * error);
        RC_ASSERT((prox_of(*set, Metric::euclidean(), x) - x).norm() < 10 * error);
    });
}

TEST_CASE("every set: (z - x).(y - x) <= 0 for every y of the set characterises x = prox z")
{
    test::holds_for(1000, [] {
        const int n = *rc::gen::inRange(1, 6);
        const auto set = some_set(n);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd z = some_point(n);
        const Eigen::VectorXd x = prox_of(*set, metric, z);
        for (int k = 0; k < 10; ++k) {
            const Eigen::VectorXd y = prox_of(*set, Metric::euclidean(), some_point(n));

            // metrics have |A| below 40: roundoff of products of size 1e3
            RC_ASSERT(metric.dot(z - x, y - x) <= 10 * error_of(*set));
        }
    });
}

TEST_CASE("every set: prox is firmly non-expansive in the metric")
{
    test::holds_for(1000, [] {
        const int n = *rc::gen::inRange(1, 6);
        const auto set = some_set(n);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd z = some_point(n);
        const Eigen::VectorXd other = some_point(n);
        const Eigen::VectorXd step = prox_of(*set, metric, z) - prox_of(*set, metric, other);
        RC_ASSERT(metric.dot(step, step) <= metric.dot(step, z - other) + 10 * error_of(*set));
    });
}

TEST_CASE("every set: the support function bounds p.v and is attained where it is finite")
{
    test::holds_for(1500, [] {
        const int n = *rc::gen::inRange(1, 6);
        const auto set = some_set(n);
        const bool is_normal = *rc::gen::arbitrary<bool>();
        Eigen::VectorXd p = some_point(n);
        const Eigen::VectorXd x = prox_of(*set, Metric::euclidean(), p);
        if (is_normal) p -= x;  // a normal of the set at x, or zero

        const double support = set->support(p);
        for (int k = 0; k < 10; ++k) {
            const Eigen::VectorXd v = prox_of(*set, Metric::euclidean(), some_point(n));
            RC_ASSERT(p.dot(v) <= support + 10 * error_of(*set));
        }

        // at a normal the maximum is attained where the normal stands
        RC_PRE(p.norm() == 0 || p.norm() > 1e-9);
        if (is_normal) {
            RC_ASSERT(std::abs(support - p.dot(x)) < 10 * error_of(*set));
            return;
        }

        // along a long ray the nearest points approach the maximum from below: for x = prox(t p) and any
        // v, p.v - p.x <= |x - v|^2 / (2 t); a set that stays in |v| <= 20 leaves less than 1e-3
        const double t = 1e6;
        const Eigen::VectorXd far = prox_of(*set, Metric::euclidean(), t * p);
        if (std::isinf(support)) {
            RC_ASSERT(far.norm() > 20);
        } else if (far.norm() < 20) {
            RC_ASSERT(p.dot(far) > support - 1e-3);
        }
    });
}

TEST_CASE("cones: z = prox + prox of the polar, orthogonal; the polar of the polar is the cone")
{
    test::holds_for(500, [] {
        const int n = *rc::gen::inRange(1, 6);
        const auto set = some_set(n);
        const auto polar = set->polar_cone();
        const bool is_cone = polar != nullptr;
        RC_PRE(is_cone);
        const Eigen::VectorXd z = some_point(n);
        const Metric euclidean = Metric::euclidean();
        const Eigen::VectorXd x = prox_of(*set, euclidean, z);
        const Eigen::VectorXd y = prox_of(*polar, euclidean, z);
        RC_ASSERT((x + y - z).norm() < 1e-12);
        RC_ASSERT(std::abs(x.dot(y)) < 1e-11);
        RC_ASSERT(set->support(y) == 0);
        RC_ASSERT(set->size() == 0);
        const auto back = polar->polar_cone();
        RC_ASSERT(back.get());
        RC_ASSERT((prox_of(*back, euclidean, z) - x).norm() < 1e-12);
    });
}

TEST_CASE("box, orthant and half-space in a metric agree with the cone of their active sides")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 6);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd z = some_point(n);
        const auto orthant = *Orthant::nonnegative(n);
        const auto cone = *PolyhedralCone::from_inequalities(-Eigen::MatrixXd::Identity(n, n));
        const auto box = *Box::make(Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, infinity));
        const Eigen::VectorXd x = cone.prox(metric, z).x;
        RC_ASSERT((prox_of(orthant, metric, z) - x).norm() < 1e-10);
        RC_ASSERT((prox_of(box, metric, z) - x).norm() < 1e-10);

        Eigen::VectorXd normal = test::small_integers(n, 1);
        if (normal.isZero(0)) normal[0] = 1;
        const auto half_space = *HalfSpace::make(normal, 0);
        const auto same = *PolyhedralCone::from_inequalities(normal.transpose());
        RC_ASSERT((prox_of(half_space, metric, z) - same.prox(metric, z).x).norm() < 1e-10);
    });
}

TEST_CASE("a ball in a metric: on the sphere, and the error A (z - x) points along the radius")
{
    test::holds([] {
        const int n = *rc::gen::inRange(2, 6);
        const Eigen::VectorXd stretch =
            test::small_integers(n, 1, 8).unaryExpr([](double k) { return std::pow(10.0, k / 2); });
        const Metric metric = *Metric::from_matrix(stretch.asDiagonal().toDenseMatrix());
        const double radius = std::pow(10.0, *rc::gen::inRange(-6, 1));
        const auto ball = *Ball::make(Eigen::VectorXd::Zero(n), radius);
        const Eigen::VectorXd z = some_point(n);
        RC_PRE(z.norm() > radius);
        const Eigen::VectorXd x = prox_of(ball, metric, z);
        RC_ASSERT(std::abs(x.norm() - radius) <= 1e-15 * radius);

        // tangency up to the roundoff of A (z - x), for masses from 1e-4 to 1e4
        const Eigen::VectorXd push = metric.lower(z - x);
        const double along = push.dot(x) / radius;
        RC_ASSERT((push - along / radius * x).norm() <= 1e-14 * stretch.maxCoeff() * z.norm());
        RC_ASSERT(along > 0);
    });
}

TEST_CASE("a friction disc sheared by a metric: the closed form of one direction")
{
    // z on an eigenvector of the metric: the nearest point is straight below it
    const auto metric = *Metric::from_matrix((Eigen::Matrix2d() << 2, 1, 1, 2).finished());
    const auto disc = *Ball::make(Eigen::Vector2d::Zero(), 1);
    Eigen::VectorXd x(2);
    CHECK(disc.prox(metric, Eigen::Vector2d(3, 3), x) == ProxStatus::Converged);
    CHECK(x[0] == near(std::sqrt(0.5), 1e-15));
    CHECK(x[1] == near(std::sqrt(0.5), 1e-15));
}

TEST_CASE("small blocks live in fixed arrays, and the result may overwrite the point")
{
    std::array<double, 3> P{-1, 2, -3};
    CHECK(Orthant::nonnegative(3)->prox(P, P) == ProxStatus::Converged);
    CHECK(P == std::array<double, 3>{0, 2, 0});

    std::array<double, 1> force{7};
    CHECK(Interval::make(-2, 5)->prox(force, force) == ProxStatus::Converged);
    CHECK(force[0] == 5);
    CHECK(Interval::make(-2, 5)->support(std::array<double, 1>{-3}) == 6);
    CHECK(std::isinf(Interval::make(0, infinity)->support(std::array<double, 1>{1})));
    CHECK(Interval::make(0, infinity)->support(std::array<double, 1>{-1}) == 0);
}

TEST_CASE("sets that do not exist are refused with their reason, NaN included")
{
    const double nan = std::nan("");
    CHECK(Interval::make(1, 0).error().code == ErrorCode::SettingOutOfRange);
    CHECK(Interval::make(nan, 0).error().code == ErrorCode::SettingOutOfRange);
    CHECK(Interval::make(infinity, infinity).error().code == ErrorCode::SettingOutOfRange);
    CHECK(Box::make(Eigen::Vector2d(0, 1), Eigen::Vector2d(1, 0)).error().code ==
          ErrorCode::SettingOutOfRange);
    CHECK(Box::make(Eigen::Vector2d(0, 1), Eigen::Vector3d(1, 2, 3)).error().code == ErrorCode::WrongSize);
    CHECK(Ball::make(Eigen::Vector2d(0, 0), -1).error().code == ErrorCode::SettingOutOfRange);
    CHECK(Ball::make(Eigen::Vector2d(0, nan), 1).error().code == ErrorCode::NotFinite);
    CHECK(Ball::make(Eigen::VectorXd(0), 1).error().code == ErrorCode::WrongSize);
    CHECK(HalfSpace::make(Eigen::Vector2d(0, 0), 1).error().code == ErrorCode::SettingOutOfRange);
    CHECK(HalfSpace::make(Eigen::Vector2d(0, 1), nan).error().code == ErrorCode::NotFinite);
    CHECK(HalfSpace::make(Eigen::VectorXd(0), 1).error().code == ErrorCode::WrongSize);
    CHECK(Singleton::make(Eigen::VectorXd(0)).error().code == ErrorCode::WrongSize);
    CHECK(Singleton::make(Eigen::Vector2d(0, nan)).error().code == ErrorCode::NotFinite);
    CHECK(Subspace::spanned_by(Eigen::MatrixXd(0, 1)).error().code == ErrorCode::WrongSize);
    CHECK(Subspace::spanned_by(Eigen::Vector2d(0, nan)).error().code == ErrorCode::NotFinite);
    CHECK(Subspace::whole(0).error().code == ErrorCode::WrongSize);
    CHECK(Orthant::nonnegative(0).error().code == ErrorCode::WrongSize);
    CHECK(Orthant::nonpositive(0).error().code == ErrorCode::WrongSize);
}

TEST_CASE("a point that is not finite is in no set and has no nearest point")
{
    const auto orthant = *Orthant::nonnegative(2);
    std::array<double, 2> z{1, std::nan("")};
    std::array<double, 2> x{};
    CHECK_FALSE(orthant.contains(z));
    CHECK(orthant.prox(z, x) == ProxStatus::NotFinite);
    CHECK(std::isnan(orthant.support(z)));
    std::array<double, 3> longer{};
    CHECK_THROWS_AS((void)orthant.contains(longer), InternalError);
    CHECK_THROWS_AS(orthant.prox(*Metric::from_matrix(Eigen::Matrix3d::Identity()), x, x), InternalError);
}
