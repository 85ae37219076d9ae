#include "solver/poisson_impact.hpp"

#include "support/near.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace carom;
using test::near;

namespace {

/// One contact in the plane, coordinates (n, t), kinetic matrix [[1, c], [c, 1]].
struct OneContact {
    Metric A;
    ImpactContacts contacts;

    OneContact(double c, double mu, double e)
        : A(*Metric::from_matrix((Eigen::Matrix2d() << 1, c, c, 1).finished())),
          contacts(
              *make_impact_contacts(Eigen::Matrix2d::Identity(), {Coulomb{.friction = mu, .restitution = e}}))
    {
    }
};

/// What Newton's form of the law makes of it: one step with restitution.
Eigen::VectorXd newton(const OneContact& at, const Eigen::VectorXd& u)
{
    const Eigen::MatrixXd G = at.A.whitened_covectors(at.contacts.rows.transpose());
    const auto problem = make_problem(G.transpose() * G, u, u, at.contacts.laws);
    Eigen::VectorXd P = Eigen::VectorXd::Zero(2);
    CHECK(solve(*problem, {.tolerance = 1e-13}, {P.data(), 2}).status == SolveStatus::Converged);
    return u + at.A.solve(P);
}

}  // namespace

TEST_CASE("Poisson's map is Newton's law for a particle, and for one contact without friction")
{
    for (const double e : {0.0, 0.4, 1.0}) {
        for (const Eigen::Vector2d& u :
             {Eigen::Vector2d(-1, 0.8), Eigen::Vector2d(-1, 3), Eigen::Vector2d(-2, 0)}) {
            const OneContact particle(0, 0.5, e), smooth(0.8, 0, e);
            CHECK(
                (poisson_impact(particle.A, particle.contacts, u, {})->u_plus - newton(particle, u)).norm() <=
                1e-12);
            CHECK((poisson_impact(smooth.A, smooth.contacts, u, {})->u_plus - newton(smooth, u)).norm() <=
                  1e-12);
        }
    }
}

TEST_CASE("where normal and tangential motion are coupled the two differ, and Poisson's percussions obey it")
{
    const OneContact at(0.8, 0.7, 0.9);
    const Eigen::Vector2d u(-1, 0.8);
    const auto impact = poisson_impact(at.A, at.contacts, u, {});
    const auto soft = poisson_impact(at.A, at.contacts, u, {.restitution = 0.0});
    REQUIRE(impact.has_value());
    REQUIRE(soft.has_value());
    CHECK(impact->percussions_Ns[0] == near(1.9 * soft->percussions_Ns[0], 1e-12));
    CHECK((impact->u_plus - newton(at, u)).norm() > 0.1);
    CHECK(std::abs(impact->percussions_Ns[1]) <= 0.7 * impact->percussions_Ns[0] * (1 + 1e-14));
    CHECK(impact->energy_loss_J > 0);  // Newton's form more than doubles the energy here
}

TEST_CASE("Newton's cradle under Poisson's map moves all balls, as under the canonical law")
{
    Eigen::MatrixXd H(2, 3);
    H << -1, 1, 0, 0, -1, 1;
    const auto balls = *make_impact_contacts(H, {Unilateral{1}, Unilateral{1}});
    const auto impact = poisson_impact(Metric::euclidean(), balls, Eigen::Vector3d(1, 0, 0), {});
    REQUIRE(impact.has_value());
    CHECK((impact->u_plus - Eigen::Vector3d(-1, 2, 2) / 3).norm() <= 1e-13);
    CHECK(impact->energy_loss_J == near(0, 1e-13));
}

TEST_CASE("Poisson's map leaves no contact approaching and stays in the friction cones")
{
    test::holds([](unsigned seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> part(0, 1);
        const auto draw = [&] { return normal(random); };
        const int n = 6;
        const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, draw);
        const auto A = *Metric::from_matrix(root * root.transpose() + Eigen::MatrixXd::Identity(n, n));
        const std::vector<Law> laws{
            Coulomb{.friction = 0.3 * part(random), .restitution = part(random)},
            Coulomb{.shape = FrictionDisc{}, .friction = 0.3 * part(random), .restitution = part(random)}};
        const auto contacts = *make_impact_contacts(Eigen::MatrixXd::NullaryExpr(5, n, draw), laws);
        const Eigen::VectorXd u = Eigen::VectorXd::NullaryExpr(n, draw);
        const auto impact = poisson_impact(A, contacts, u, {});
        RC_ASSERT(impact.has_value());
        const auto judged = admissibility(A, contacts, u, *impact);
        RC_ASSERT(judged.leaves_V_m_s <= 1e-10);
        RC_ASSERT(judged.outside_N <= 1e-10);
    });
}

TEST_CASE("Poisson's map refuses data that do not fit")
{
    const OneContact at(0.8, 0.7, 0.9);
    CHECK(poisson_impact(at.A, at.contacts, Eigen::Vector3d(1, 0, 0), {}).error().code ==
          ErrorCode::WrongSize);
    CHECK(poisson_impact(at.A, at.contacts, Eigen::Vector2d(-1, 0), {.restitution = 2}).error().code ==
          ErrorCode::SettingOutOfRange);
}
