#include "carom/onestep/residual.hpp"

#include "support/near.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

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
