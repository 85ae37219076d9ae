#include "carom/convex/polyhedra.hpp"

#include "convex/nonnegative_qp.hpp"
#include "convex/support.hpp"
#include "support/near.hpp"

using namespace carom;
using carom::test::near;

namespace {

/// Nearest point of { F c : c >= 0 } to z by trying every independent subset of columns. By Caratheodory the
/// projection is a positive combination of one of them; among the admissible ones it is the nearest.
Eigen::VectorXd nearest_by_enumeration(const Eigen::MatrixXd& F, const Eigen::VectorXd& z)
{
    Eigen::VectorXd best = Eigen::VectorXd::Zero(z.size());
    for (unsigned subset = 1; subset < (1U << F.cols()); ++subset) {
        std::vector<int> columns;
        for (int i = 0; i < F.cols(); ++i) {
            if ((subset >> i) & 1U) columns.push_back(i);
        }
        const Eigen::MatrixXd chosen = F(Eigen::all, columns);
        const Eigen::FullPivHouseholderQR<Eigen::MatrixXd> qr(chosen);
        if (qr.rank() < chosen.cols()) continue;
        const Eigen::VectorXd c = qr.solve(z);
        if (c.minCoeff() < -1e-12) continue;
        const Eigen::VectorXd point = chosen * c;
        if ((z - point).norm() < (z - best).norm()) best = point;
    }
    return best;
}

/// Whether mu >= 0, not all zero, makes sum mu_i g_i = 0 over the rows that are not zero: then some subset of
/// rows depends in just one way, with coefficients of one sign.
bool is_positively_dependent(const Eigen::MatrixXd& rows)
{
    for (unsigned subset = 1; subset < (1U << rows.rows()); ++subset) {
        std::vector<int> chosen;
        for (int i = 0; i < rows.rows(); ++i) {
            if ((subset >> i) & 1U) chosen.push_back(i);
        }
        const Eigen::FullPivLU<Eigen::MatrixXd> lu(rows(chosen, Eigen::all).transpose());
        if (chosen.size() == 1 || lu.dimensionOfKernel() != 1) continue;
        const Eigen::VectorXd mu = lu.kernel().col(0);
        if (mu.minCoeff() > 1e-9 || mu.maxCoeff() < -1e-9) return true;
    }
    return false;
}

/// A matrix without rows has no decomposition; one more zero changes no rank.
Eigen::MatrixXd with_zero_row(const Eigen::MatrixXd& rows)
{
    Eigen::MatrixXd more = Eigen::MatrixXd::Zero(rows.rows() + 1, rows.cols());
    more.topRows(rows.rows()) = rows;
    return more;
}

PolyhedralCone some_cone(int n)
{
    const int m = *rc::gen::inRange(0, 7);
    Eigen::MatrixXd rows = test::small_integers(m, n, *rc::gen::elementOf(std::vector<int>{1, 3}));
    const bool is_generated = *rc::gen::arbitrary<bool>();
    return is_generated ? *PolyhedralCone::from_generators(rows) : *PolyhedralCone::from_inequalities(rows);
}

Eigen::VectorXd prox_of(const PolyhedralCone& cone, const Metric& metric, const Eigen::VectorXd& z)
{
    const auto projection = cone.prox(metric, z);
    RC_ASSERT(projection.status == ProxStatus::Converged);
    return projection.x;
}

const Eigen::MatrixXd moreau_rows = (Eigen::MatrixXd(3, 3) << -1, 0, 0, 1, 0, 0, 0, -1, -1).finished();

}  // namespace

TEST_CASE("the projection is the one that trying all active sets finds, whatever the generators")
{
    test::holds_for(2000, [] {
        const int n = *rc::gen::inRange(2, 5);
        const PolyhedralCone cone = some_cone(n);
        const Metric metric = test::some_metric(n);
        const bool is_integer = *rc::gen::arbitrary<bool>();  // integers: z often on a face
        const Eigen::VectorXd z =
            is_integer ? Eigen::VectorXd(test::small_integers(n, 1)) : test::fractions(n);

        // oracle in whitened coordinates: the rows generate the cone itself, or its polar
        const Eigen::MatrixXd F = cone.is_generated() ? metric.whitened(cone.rows().transpose())
                                                      : metric.whitened_covectors(cone.rows().transpose());
        const Eigen::VectorXd generated = metric.unwhitened(nearest_by_enumeration(F, metric.whitened(z)));
        const Eigen::VectorXd expected = cone.is_generated() ? generated : Eigen::VectorXd(z - generated);

        // condition of the metric below 1e4, of generators below 1e2
        RC_ASSERT((prox_of(cone, metric, z) - expected).norm() < 1e-10);
    });
}

TEST_CASE("lemma of the two cones: z = x + y, x in V, y in N, x.y = 0, to roundoff and by both polars")
{
    test::holds_for(1000, [] {
        const int n = *rc::gen::inRange(1, 6);
        const PolyhedralCone V = some_cone(n);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd z = test::fractions(n);
        const ConeProjection onto_V = V.prox(metric, z);
        const ConeProjection onto_N = V.polar_in(metric).prox(metric, z);
        RC_ASSERT(onto_V.status == ProxStatus::Converged);
        RC_ASSERT(onto_N.status == ProxStatus::Converged);

        // the certificate is relative to |z|; multipliers of integer rows stay below 1e3
        RC_ASSERT(onto_V.certificate.worst() < 1e-12);
        RC_ASSERT(onto_N.certificate.worst() < 1e-12);
        RC_ASSERT((onto_V.multipliers.array() >= 0).all());

        // two independent projections add up to z
        RC_ASSERT(metric.norm(onto_V.x + onto_N.x - z) < 1e-11 * (1 + metric.norm(z)));
        RC_ASSERT(std::abs(metric.dot(onto_V.x, onto_N.x)) < 1e-11 * (1 + metric.dot(z, z)));
    });
}

TEST_CASE("prox on a cone is idempotent, positively homogeneous and firmly non-expansive in the metric")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 6);
        const PolyhedralCone cone = some_cone(n);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd z = test::fractions(n);
        const Eigen::VectorXd other = test::fractions(n);
        const Eigen::VectorXd x = prox_of(cone, metric, z);
        RC_ASSERT(metric.norm(prox_of(cone, metric, x) - x) < 1e-11);
        RC_ASSERT(metric.norm(prox_of(cone, metric, 8 * z) - 8 * x) < 1e-10);
        RC_ASSERT(cone.contains(x, 1e-10));

        const Eigen::VectorXd step = x - prox_of(cone, metric, other);
        RC_ASSERT(metric.dot(step, step) <= metric.dot(step, z - other) + 1e-11);
    });
}

TEST_CASE("the standard inelastic shock is a gradient: of half the squared distance to V (M83 Sec. 5)")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 5);
        const PolyhedralCone V = some_cone(n);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd z = test::fractions(n);
        const Eigen::VectorXd direction = test::fractions(n);
        const auto potential = [&](const Eigen::VectorXd& at) {
            const Eigen::VectorXd y = at - prox_of(V, metric, at);
            return 0.5 * metric.dot(y, y);
        };
        const Eigen::VectorXd y = z - prox_of(V, metric, z);

        // the gradient is Lipschitz with constant 1 in the metric, so a central difference is off by at most
        // h |direction|^2, beside the roundoff 1e-16 |z|^2 / h
        const double h = 1e-5;
        const double slope = (potential(z + h * direction) - potential(z - h * direction)) / (2 * h);
        const double bound = h * metric.dot(direction, direction) + 1e-9 * (1 + metric.dot(z, z));
        RC_ASSERT(std::abs(slope - metric.dot(y, direction)) <= bound);
    });
}

TEST_CASE("lengths of rows do not matter: generators from a micrometre to a megametre")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 5);
        const PolyhedralCone cone = some_cone(n);
        const Eigen::VectorXd z = test::fractions(n);
        const auto m = static_cast<int>(cone.rows().rows());
        const Eigen::VectorXd unit =
            test::small_integers(m, 1, 6).unaryExpr([](double k) { return std::pow(10.0, k); });
        const Eigen::MatrixXd rows = unit.asDiagonal() * cone.rows();
        const auto scaled = cone.is_generated() ? PolyhedralCone::from_generators(rows)
                                                : PolyhedralCone::from_inequalities(rows);

        const Eigen::VectorXd x = prox_of(cone, Metric::euclidean(), z);
        RC_ASSERT((prox_of(*scaled, Metric::euclidean(), z) - x).norm() < 1e-12);
        RC_ASSERT(scaled->has_interior() == cone.has_interior());
        RC_ASSERT(scaled->is_pointed() == cone.is_pointed());
        RC_ASSERT(scaled->contains(z) == cone.contains(z));
        RC_ASSERT(scaled->support(z) == cone.support(z));

        // and so does the length of z: 2^40 is exact
        RC_ASSERT(prox_of(cone, Metric::euclidean(), std::exp2(40) * z) == std::exp2(40) * x);
    });
}

TEST_CASE("the polar of the polar is the cone, in the duality and in every metric")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 5);
        const PolyhedralCone cone = some_cone(n);
        const Metric metric = test::some_metric(n);
        const Eigen::VectorXd z = test::fractions(n);
        const Eigen::VectorXd x = prox_of(cone, metric, z);
        RC_ASSERT(cone.polar().polar().rows() == cone.rows());
        RC_ASSERT(metric.norm(prox_of(cone.polar_in(metric).polar_in(metric), metric, z) - x) < 1e-10);

        // a covector of the polar has no positive power on any velocity of the cone
        const Eigen::VectorXd p = prox_of(cone.polar(), Metric::euclidean(), test::fractions(n));
        RC_ASSERT(p.dot(x) <= 1e-11);
        RC_ASSERT(cone.support(p) == 0);
    });
}

TEST_CASE("support of a cone is zero on the polar and infinite elsewhere")
{
    test::holds([] {
        const int n = *rc::gen::inRange(1, 5);
        const PolyhedralCone cone = some_cone(n);
        const Eigen::VectorXd p = test::fractions(n);

        // p leaves the polar exactly if its nearest point of the cone is not zero; that point is a witness
        const Eigen::VectorXd witness = prox_of(cone, Metric::euclidean(), p);
        RC_PRE(witness.norm() == 0 || witness.norm() > 1e-9);
        RC_ASSERT(std::isinf(cone.support(p)) == (witness.norm() > 0));
        RC_ASSERT(witness.norm() == 0 || p.dot(witness) > 0);
    });
}

TEST_CASE("interior and lines are those that enumerating positive dependences and ranks tells")
{
    test::holds_for(1000, [] {
        const int n = *rc::gen::inRange(1, 5);
        const PolyhedralCone cone = some_cone(n);
        const bool spans = Eigen::FullPivLU<Eigen::MatrixXd>(with_zero_row(cone.rows())).rank() == n;
        const bool dependent = is_positively_dependent(cone.rows());

        // V has interior points exactly if no sum of nonnegative multiples of its normals vanishes
        // (M83 2.10); a generated cone if its generators span; lines by polarity
        RC_ASSERT(cone.has_interior() == (cone.is_generated() ? spans : !dependent));
        RC_ASSERT(cone.is_pointed() == (cone.is_generated() ? !dependent : spans));
    });
}

TEST_CASE("the margin of an interior is the sine of half the opening of a wedge")
{
    for (const double half_angle : {1e-6, 0.1, 0.7, 1.5}) {
        // { |v_2| <= tan(half_angle) v_1 } by its two outward normals
        Eigen::MatrixXd G(2, 2);
        G << -std::sin(half_angle), std::cos(half_angle), -std::sin(half_angle), -std::cos(half_angle);
        CHECK(PolyhedralCone::from_inequalities(G)->interior_margin() == near(std::sin(half_angle), 1e-14));
        CHECK(PolyhedralCone::from_inequalities(G)->has_interior());
    }
}

TEST_CASE("nearly opposite constraints are kept apart: a channel of angle 1e-9 closes, of angle 0 does not")
{
    // v_1 <= 0 and v_1 >= a v_2: for a > 0 only v_2 <= 0 is left, with multipliers of size 1 / a
    const auto channel = [](double a) {
        return *PolyhedralCone::from_inequalities((Eigen::MatrixXd(2, 2) << 1, 0, -1, a).finished());
    };
    const Eigen::Vector2d z(0, 1);
    const auto open = channel(0).prox(Metric::euclidean(), z);
    CHECK(open.x == z);
    const auto closed = channel(1e-9).prox(Metric::euclidean(), z);
    CHECK(closed.status == ProxStatus::Converged);
    CHECK(closed.x.norm() < 1e-15);
    CHECK(closed.multipliers[1] == near(1e9, 1));
}

TEST_CASE("no row: the whole space by inequalities, the origin by generators; zero rows change nothing")
{
    const Eigen::Vector3d z(1, -2, 3);
    for (const int m : {0, 2}) {
        const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(m, 3);
        const auto space = PolyhedralCone::from_inequalities(none);
        const auto origin = PolyhedralCone::from_generators(none);
        CHECK(space->prox(Metric::euclidean(), z).x == z);
        CHECK(origin->prox(Metric::euclidean(), z).x.norm() == 0);
        CHECK(space->has_interior());
        CHECK_FALSE(origin->has_interior());
        CHECK_FALSE(space->is_pointed());
        CHECK(origin->is_pointed());
        CHECK(space->contains(z));
        CHECK_FALSE(origin->contains(z));
        CHECK(std::isinf(space->support(z)));
        CHECK(origin->support(z) == 0);
    }
}

TEST_CASE("Moreau's counter-example (2.6)-(2.9): a tangent cone without interior")
{
    const auto V = *PolyhedralCone::from_inequalities(moreau_rows);
    const PolyhedralCone N = V.polar();
    CHECK(V.contains(Eigen::Vector3d(0, 2, -1)));
    CHECK_FALSE(V.has_interior());  // grad f_1 = - grad f_2
    CHECK(V.interior_margin() == near(0, 1e-15));
    CHECK_FALSE(N.is_pointed());

    // V = { v_1 = 0, v_2 + v_3 >= 0 }, by hand
    const auto first = V.prox(Metric::euclidean(), Eigen::Vector3d(1, 2, -3));
    CHECK((first.x - Eigen::Vector3d(0, 2.5, -2.5)).norm() < 1e-15);
    CHECK((first.y - Eigen::Vector3d(1, -0.5, -0.5)).norm() < 1e-15);
    CHECK((N.prox(Metric::euclidean(), Eigen::Vector3d(1, 2, -3)).x - first.y).norm() < 1e-15);
    const auto second = V.prox(Metric::euclidean(), Eigen::Vector3d(-4, 1, 0.5));
    CHECK((second.x - Eigen::Vector3d(0, 1, 0.5)).norm() < 1e-15);
    CHECK((second.y - Eigen::Vector3d(-4, 0, 0)).norm() < 1e-15);

    // r is in the polar of the cone of feasible velocities { 0, >= 0, >= 0 }, but not in N
    const Eigen::Vector3d r(0, -1, 0);
    const auto W = *PolyhedralCone::from_generators((Eigen::MatrixXd(2, 3) << 0, 1, 0, 0, 0, 1).finished());
    CHECK(W.polar().contains(r));
    CHECK_FALSE(N.contains(r));
}

TEST_CASE(
    "Moreau's wedge (end of Sec. 5): a sliding particle climbs a ramp with w sin^2, or is stopped by a wall")
{
    const double w = 2;
    const auto after = [&](double theta) -> Eigen::Vector2d {
        Eigen::MatrixXd G(2, 2);
        G << 0, -1, std::cos(theta), std::sin(theta);
        return PolyhedralCone::from_inequalities(G)->prox(Metric::euclidean(), Eigen::Vector2d(w, 0)).x;
    };
    const double theta = -0.6;
    const Eigen::Vector2d climbing(w * std::sin(theta) * std::sin(theta),
                                   -w * std::sin(theta) * std::cos(theta));
    CHECK((after(theta) - climbing).norm() < 1e-15);
    CHECK(after(0.4).norm() < 1e-15);
    CHECK(after(0).norm() < 1e-15);
}

TEST_CASE("a standard inelastic shock in a base that is not orthonormal: velocity, percussion and loss by "
          "fractions")
{
    // active set {1, 3}: 2 x 2 system solved by hand in fractions
    const auto metric = Metric::from_matrix((Eigen::Matrix3d() << 2, 1, 0, 1, 3, 0.5, 0, 0.5, 1).finished());
    const auto V =
        *PolyhedralCone::from_inequalities((Eigen::MatrixXd(3, 3) << 1, 0, 0, 0, 1, 0, 1, 1, 1).finished());
    const Eigen::Vector3d z(1, -0.5, 2);
    const auto shock = V.prox(*metric, z);
    CHECK((shock.x - Eigen::Vector3d(0, -5.0 / 12, 5.0 / 12)).norm() < 1e-14);
    CHECK((shock.multipliers - Eigen::Vector3d(3.0 / 8, 0, 37.0 / 24)).norm() < 1e-14);
    CHECK((shock.y - Eigen::Vector3d(1, -1.0 / 12, 19.0 / 12)).norm() < 1e-14);
    CHECK(0.5 * metric->dot(shock.y, shock.y) == near(203.0 / 96, 1e-14));

    // percussion -G^T mu makes the jump, and does no work on the velocity after it (M83 5.3)
    const Eigen::VectorXd percussion = metric->lower(shock.x - z);
    CHECK((percussion + V.rows().transpose() * shock.multipliers).norm() < 1e-14);
    CHECK(percussion.dot(shock.x) == near(0, 1e-14));

    // two bodies in a row catch a third: all move on together
    const auto train = Metric::from_matrix((Eigen::Matrix3d() << 4, 1, 1, 1, 3, 0, 1, 0, 2).finished());
    const auto row =
        *PolyhedralCone::from_inequalities((Eigen::MatrixXd(2, 3) << 1, -1, 0, 0, 1, -1).finished());
    const auto caught = row.prox(*train, Eigen::Vector3d(1, 0, 0));
    CHECK((caught.x - Eigen::Vector3d::Constant(6.0 / 13)).norm() < 1e-14);
    CHECK((caught.multipliers - Eigen::Vector2d(16.0 / 13, 5.0 / 13)).norm() < 1e-14);
    CHECK(0.5 * train->dot(caught.y, caught.y) == near(8.0 / 13, 1e-14));
}

TEST_CASE("rows that are no cone are refused, points that are not finite are told")
{
    CHECK(PolyhedralCone::from_generators(Eigen::MatrixXd(2, 0)).error().code == ErrorCode::WrongSize);
    CHECK(PolyhedralCone::from_inequalities(Eigen::MatrixXd::Constant(1, 2, std::nan(""))).error().code ==
          ErrorCode::NotFinite);
    const auto cone = *PolyhedralCone::from_generators(Eigen::MatrixXd::Identity(2, 2));
    CHECK(cone.prox(Metric::euclidean(), Eigen::Vector2d(1, std::nan(""))).status == ProxStatus::NotFinite);
    CHECK_FALSE(cone.contains(Eigen::Vector2d(1, std::nan(""))));
    CHECK_THROWS_AS((void)cone.prox(Metric::euclidean(), Eigen::Vector3d(1, 2, 3)), InternalError);
}
