#include "carom/onestep/residual.hpp"

#include "onestep/residual_shares.hpp"
#include "support/near.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace carom;
using test::near;

namespace {

/// A ball of mass m that meets the floor at speed v with restitution e.
OneStepProblem ball_on_floor(double m, double v, double e)
{
    return *make_problem(Eigen::MatrixXd::Constant(1, 1, 1 / m), Eigen::VectorXd::Constant(1, -v),
                         Eigen::VectorXd::Constant(1, -v), {Unilateral{e}});
}

}  // namespace

TEST_CASE("the percussion (1 + e) m v solves the bounce of a ball, and nothing else does")
{
    const auto problem = ball_on_floor(2.0, 3.0, 0.5);
    const std::vector<double> exact{1.5 * 2 * 3}, weaker{1.4 * 2 * 3}, stronger{1.6 * 2 * 3}, none{0.0},
        pulling{-1.0};
    CHECK(residual(problem, exact).unit_free <= 1e-16);
    CHECK(residual(problem, exact).siconos <= 1e-16);
    for (const auto& wrong : {weaker, stronger, none, pulling}) {
        CHECK(residual(problem, wrong).unit_free > 1e-2);
    }
    CHECK(residual(problem, pulling).cone_violation_Ns == near(1.0, 1e-15));
    CHECK(residual(problem, none).approach_m_s == near(4.5, 1e-15));  // U + s = -3 - 1.5
    CHECK(residual(problem, weaker).worst == 0);
}

TEST_CASE("the unit-free error does not change with the units of mass, length and time; Siconos' does")
{
    const std::vector<double> P{7.0};
    const auto original = residual(ball_on_floor(2.0, 3.0, 0.5), P);
    const double mass = 1e3, speed = 1e-2;
    const std::vector<double> P_scaled{7.0 * mass * speed};
    const auto scaled = residual(ball_on_floor(2.0 * mass, 3.0 * speed, 0.5), P_scaled);
    CHECK(scaled.unit_free == near(original.unit_free, 1e-15));
    CHECK(std::abs(scaled.siconos - original.siconos) > 1e-3);
}

TEST_CASE("a bilateral constraint asks for zero velocity whatever the percussion")
{
    const auto problem =
        *make_problem(Eigen::MatrixXd::Constant(1, 1, 0.5), Eigen::VectorXd::Constant(1, 2.0),
                      Eigen::VectorXd::Zero(1), {Bilateral{}});
    CHECK(residual(problem, std::vector<double>{-4.0}).unit_free <= 1e-16);
    CHECK(residual(problem, std::vector<double>{0.0}).unit_free > 0.5);
}

TEST_CASE("nothing that moves and nothing that acts is solved exactly")
{
    const auto problem = ball_on_floor(1.0, 0.0, 0.0);
    CHECK(residual(problem, std::vector<double>{0.0}).unit_free == 0.0);
    CHECK(residual(OneStepProblem{}, {}).unit_free == 0.0);
}

TEST_CASE("NaN and infinity are never solved")
{
    const auto problem = ball_on_floor(1.0, 1.0, 0.0);
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        const auto judged = residual(problem, std::vector<double>{bad});
        CHECK_FALSE(judged.finite);
        CHECK(judged.unit_free == std::numeric_limits<double>::infinity());
    }

    // finite, but its square is not: a wrong percussion must not pass as 0 / infinity
    const auto huge = ball_on_floor(1.0, 1e200, 0.0);
    CHECK_FALSE(residual(huge, std::vector<double>{1e199}).finite);
}

TEST_CASE("problems whose data do not fit are refused")
{
    const Eigen::MatrixXd W = Eigen::MatrixXd::Identity(2, 2);
    const Eigen::VectorXd two = Eigen::VectorXd::Zero(2), three = Eigen::VectorXd::Zero(3);
    CHECK(make_problem(W, three, two, {Unilateral{}, Unilateral{}}).error().code == ErrorCode::WrongSize);
    CHECK(make_problem(W, two, two, {Unilateral{}}).error().code == ErrorCode::WrongSize);
    CHECK(make_problem(W * std::nan(""), two, two, {Unilateral{}, Unilateral{}}).error().code ==
          ErrorCode::NotFinite);
    CHECK(make_problem(W, two, two, {Unilateral{2.0}, Unilateral{}}).error().code ==
          ErrorCode::SettingOutOfRange);
}

TEST_CASE("block storage multiplies like a dense matrix")
{
    test::holds([](unsigned seed) {
        std::srand(seed);
        const int n = 1 + std::rand() % 8;
        Eigen::MatrixXd W = Eigen::MatrixXd::Random(n, n);
        W = (W.array().abs() > 0.5).select(W, 0.0);
        const Eigen::VectorXd x = Eigen::VectorXd::Random(n);
        const auto problem = *make_problem(W, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n),
                                           std::vector<Law>(static_cast<std::size_t>(n), Unilateral{}));
        std::vector<double> out(static_cast<std::size_t>(n));
        problem.W.multiply({x.data(), static_cast<std::size_t>(n)}, out);
        RC_ASSERT((Eigen::Map<Eigen::VectorXd>(out.data(), n) - W * x).norm() <= 1e-14 * (1 + x.norm()) * n);
    });
}

TEST_CASE("contacts with friction in space have the same errors four at once and one by one")
{
    // random contacts: open, sticking, sliding, outside their cones; some without friction in between, so
    // that groups of four begin anywhere
    std::mt19937 generator(3);
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(generator);
    };
    for (int trial = 0; trial < 30; ++trial) {
        constexpr int contacts = 23;
        std::vector<Law> laws;
        Eigen::MatrixXd W = Eigen::MatrixXd::Zero(3 * contacts, 3 * contacts);
        int rows = 0;
        for (int c = 0; c < contacts; ++c) {
            if (between(0, 1) < 0.1) {
                laws.emplace_back(Unilateral{between(0, 1)});
                W(rows, rows) = between(0.1, 10);
                rows += 1;
                continue;
            }
            laws.emplace_back(Coulomb{.shape = FrictionDisc{},
                                      .friction = between(0, 1) < 0.1 ? 0.0 : between(0.1, 2),
                                      .restitution = between(0, 1),
                                      .tangential_restitution = between(0, 1) < 0.5 ? 0.0 : 0.4});
            Eigen::Matrix3d A;
            for (int k = 0; k < 9; ++k) {
                A(k / 3, k % 3) = between(-1, 1);
            }
            W.block<3, 3>(rows, rows) = A * A.transpose() + 0.1 * Eigen::Matrix3d::Identity();
            rows += 3;
        }
        const Eigen::MatrixXd used = W.topLeftCorner(rows, rows);
        Eigen::VectorXd U_free(rows), U_minus(rows);
        std::vector<double> P, U;
        for (int k = 0; k < rows; ++k) {
            U_free[k] = between(-2, 2);
            U_minus[k] = between(-2, 1);
            P.push_back(between(-0.5, 2));
            U.push_back(between(-1, 1));
        }
        const auto problem = make_problem(used, U_free, U_minus, laws);
        REQUIRE(problem);
        ResidualScratch scratch;
        const Residual together = residual_at(*problem, P, U, scratch);

        // shares are computed contact by contact, by code for all laws
        std::vector<double> shares;
        residual_shares(*problem, P, U, scratch, shares);
        REQUIRE(static_cast<int>(shares.size()) == contacts);
        double sum = 0;
        for (const double share : shares) {
            sum += share * share;
        }
        CHECK(together.unit_free == near(std::sqrt(sum), 1e-14 * std::sqrt(sum)));
        const auto worst = std::max_element(shares.begin(), shares.end()) - shares.begin();
        CHECK(together.worst == static_cast<int>(worst));

        // maxima over problems of one contact each
        double violation = 0, approach = 0;
        for (int c = 0; c < contacts; ++c) {
            const int at = problem->offsets[static_cast<std::size_t>(c)],
                      n = problem->offsets[static_cast<std::size_t>(c) + 1] - at;
            const auto alone = make_problem(used.block(at, at, n, n), U_free.segment(at, n),
                                            U_minus.segment(at, n), {laws[static_cast<std::size_t>(c)]});
            REQUIRE(alone);
            const auto part = [&](const std::vector<double>& all) {
                return std::vector<double>(all.begin() + at, all.begin() + at + n);
            };
            const Residual of_one = residual_at(*alone, part(P), part(U), scratch);
            violation = std::max(violation, of_one.cone_violation_Ns);
            approach = std::max(approach, of_one.approach_m_s);
        }
        CHECK(together.cone_violation_Ns == violation);
        CHECK(together.approach_m_s == approach);
    }
}
