#include "carom/law/impact.hpp"

#include "support/near.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace carom;
using test::near;

namespace {

/// A random metric, random gradients (some repeated or opposite) and a random velocity before the impact.
struct RandomImpact {
    Metric A = Metric::euclidean();
    Eigen::MatrixXd H;
    Eigen::VectorXd u_minus;

    explicit RandomImpact(unsigned seed)
    {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        const auto draw = [&] { return normal(random); };
        const int n = 1 + static_cast<int>(random() % 5), m = 1 + static_cast<int>(random() % 6);
        const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, draw);
        A = *Metric::from_matrix(root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n));
        H = Eigen::MatrixXd::NullaryExpr(m, n, draw);
        if (m > 1 && random() % 3 == 0) H.row(m - 1) = H.row(0);
        if (m > 2 && random() % 3 == 0) H.row(m - 2) = -2 * H.row(0);
        u_minus = Eigen::VectorXd::NullaryExpr(n, draw);
    }
};

Eigen::VectorXd row_of_balls(int n)
{
    return Eigen::VectorXd::Unit(n, 0);
}

/// Gaps between neighbours of n balls on a line.
Eigen::MatrixXd neighbours(int n)
{
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n - 1, n);
    for (int i = 0; i + 1 < n; ++i) {
        H(i, i) = -1;
        H(i, i + 1) = 1;
    }
    return H;
}

}  // namespace

TEST_CASE("the canonical law is admissible and loses (1 - e^2)/2 of the squared normal part")
{
    test::holds([](unsigned seed) {
        const RandomImpact data(seed);
        const auto soft = canonical_impact(data.A, data.H, data.u_minus, 0.0);
        RC_ASSERT(soft.has_value());
        const double y2 = 2 * soft->energy_loss_J;  // soft shock: loss = |y|^2 / 2 (Carnot, M83 5.5)
        const double scale = data.A.dot(data.u_minus, data.u_minus);
        for (const double e : {0.0, 0.3, 1.0}) {
            const auto impact = canonical_impact(data.A, data.H, data.u_minus, e);
            RC_ASSERT(impact.has_value());
            RC_ASSERT(std::abs(impact->energy_loss_J - (1 - e * e) / 2 * y2) <= 1e-12 * scale);
            RC_ASSERT(
                (data.A.lower(impact->u_plus - data.u_minus) - data.H.transpose() * impact->percussions_Ns)
                    .norm() <= 1e-10 * std::sqrt(scale) * (1 + data.H.norm()));
            RC_ASSERT(impact->percussions_Ns.minCoeff() >= 0);
            const auto judged = admissibility(data.A, data.H, data.u_minus, impact->u_plus);
            RC_ASSERT(judged.outside_N <= 1e-10 * std::sqrt(scale));
            RC_ASSERT(judged.energy_gained_J <= 1e-12 * scale);
        }
    });
}

TEST_CASE(
    "equal restitution in Newton's law at every contact is the canonical law when all contacts approach")
{
    // v- in -V: then the canonical law satisfies  U+ + e U- >= 0 perp P >= 0  (algorithm dossier, section E)
    test::holds([](unsigned seed) {
        RandomImpact data(seed);
        const auto away = canonical_impact(data.A, data.H, -data.u_minus, 0.0);
        RC_ASSERT(away.has_value());
        data.u_minus = -away->u_plus;  // H u- <= 0
        const double e = 0.7, scale = 1 + data.A.norm(data.u_minus) * (1 + data.H.norm());
        const auto impact = canonical_impact(data.A, data.H, data.u_minus, e);
        const Eigen::VectorXd w = data.H * impact->u_plus + e * data.H * data.u_minus;
        RC_ASSERT(w.minCoeff() >= -1e-9 * scale);
        RC_ASSERT(std::abs(w.dot(impact->percussions_Ns)) <= 1e-9 * scale * scale);
    });
}

TEST_CASE(
    "one ball hitting a row of n equal balls: the canonical law moves them all, the sequential one the last")
{
    for (const int n : {2, 3, 5, 9}) {
        const auto canonical = canonical_impact(Metric::euclidean(), neighbours(n), row_of_balls(n), 1.0);
        REQUIRE(canonical.has_value());
        CHECK(canonical->u_plus[0] == near(-1 + 2.0 / n, 1e-14));
        CHECK(canonical->u_plus[n - 1] == near(2.0 / n, 1e-14));

        const auto sequential =
            sequential_impact(Metric::euclidean(), neighbours(n), row_of_balls(n), {.restitution = 1.0});
        REQUIRE(sequential.has_value());
        CHECK(sequential->collisions == n - 1);
        CHECK(sequential->u_plus[0] == near(0, 1e-15));
        CHECK(sequential->u_plus[n - 1] == near(1, 1e-15));
        CHECK(sequential->energy_loss_J == near(0, 1e-15));
    }
}

TEST_CASE("velocities that no contact forbids pass an impact unchanged")
{
    const Eigen::MatrixXd H = (Eigen::MatrixXd(1, 2) << 0, 1).finished();
    const Eigen::Vector2d along(1.5, 0.0), away(1.5, 2.0);
    for (const double e : {0.0, 0.5, 1.0}) {
        CHECK(canonical_impact(Metric::euclidean(), H, along, e)->u_plus == along);
        CHECK(canonical_impact(Metric::euclidean(), H, away, e)->u_plus == away);
        CHECK(canonical_impact(Metric::euclidean(), H, away, e)->collisions == 0);
    }
}

TEST_CASE("an impact map that creates energy, pulls, or leaves the cone is found out")
{
    const Eigen::MatrixXd H = (Eigen::MatrixXd(1, 2) << 0, 1).finished();
    const Metric A = Metric::euclidean();
    const Eigen::Vector2d u_minus(1, -1);
    CHECK(admissibility(A, H, u_minus, Eigen::Vector2d(1, 2)).energy_gained_J == near(1.5, 1e-15));
    CHECK(admissibility(A, H, u_minus, Eigen::Vector2d(1, -0.5)).leaves_V_m_s == near(0.5, 1e-15));
    CHECK(admissibility(A, H, u_minus, Eigen::Vector2d(0.5, 0)).outside_N == near(0.5, 1e-15));
    const auto fine = admissibility(A, H, u_minus, Eigen::Vector2d(1, 0.5));
    CHECK(fine.energy_gained_J == 0);
    CHECK(fine.leaves_V_m_s == 0);
    CHECK(fine.outside_N == near(0, 1e-15));
}

TEST_CASE("impacts refuse data that do not fit and sequences that do not end")
{
    const Eigen::MatrixXd H = Eigen::MatrixXd::Ones(1, 3);
    CHECK(canonical_impact(Metric::euclidean(), H, Eigen::Vector2d(1, 0), 0).error().code ==
          ErrorCode::WrongSize);
    CHECK(canonical_impact(Metric::euclidean(), H, Eigen::Vector3d(-1, 0, 0), 1.5).error().code ==
          ErrorCode::SettingOutOfRange);

    // three balls on a line collide for ever when e < 7 - 4 sqrt(3) = 0.0718 (inelastic collapse)
    const auto endless = sequential_impact(Metric::euclidean(), neighbours(3), Eigen::Vector3d(1, 0, -1),
                                           {.restitution = 0.05, .max_collisions = 8});
    REQUIRE_FALSE(endless.has_value());
    CHECK(endless.error().where == "SequentialSettings::max_collisions");
}
