#include "carom/onestep/solution_check.hpp"
#include "carom/convex/sets.hpp"
#include "carom/onestep/residual.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace carom;
using namespace carom::test;

namespace {

Coulomb friction(double mu, FrictionShape shape = FrictionDisc{})
{
    return {.shape = std::move(shape), .friction = mu};
}

/// W = B B^T for random B, any laws.
OneStepProblem random_problem(std::mt19937& random, std::vector<Law> laws)
{
    int n = 0;
    for (const Law& law : laws) {
        n += dimension(law);
    }
    std::normal_distribution<double> normal;
    const auto number = [&] { return normal(random); };
    const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(n, n, number);
    const Eigen::VectorXd U_free = Eigen::VectorXd::NullaryExpr(n, number);
    const Eigen::VectorXd U_minus = Eigen::VectorXd::NullaryExpr(n, number);
    auto problem = make_problem(B * B.transpose(), U_free, U_minus, std::move(laws));
    REQUIRE(problem.has_value());
    return *std::move(problem);
}

}  // namespace

TEST_CASE("two codes that share nothing agree on both errors")
{
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const std::vector<Law> laws{
        friction(0.7),
        Unilateral{.restitution = 0.5},
        Bilateral{},
        friction(0.3, FrictionInterval{}),
        Coulomb{.shape = FrictionDisc{}, .friction = 1.5, .restitution = 0.5, .tangential_restitution = 0.25},
        friction(0.5, FrictionEllipse{.half_axes = {1, 0.5}}),
        friction(0, FrictionRough{.dimension = 2}),
        Limited{.low = -0.3, .high = 0.5},
        Limited{.low = 0},
        NonFirm{.set = std::make_shared<Ball>(*Ball::make(Eigen::VectorXd::Zero(5), 1)), .size = 0.7},
        Resisting{.flat = true, .friction = 0.5, .rolling = 0.1, .restitution = 0.3},
        Resisting{.friction = 0.5, .rolling = 0.2, .spinning = 0.1}};
    for (int trial = 0; trial < 200; ++trial) {
        const OneStepProblem problem = random_problem(random, laws);
        std::vector<double> P(static_cast<std::size_t>(problem.size()));
        for (double& p : P) {
            p = normal(random);
        }
        const Residual one = residual(problem, P);
        const SolutionCheck other = check_solution(problem, P);
        CHECK(other.unit_free == near(one.unit_free, 1e-13 * one.unit_free));
        CHECK(other.siconos == near(one.siconos, 1e-13 * one.siconos));
        CHECK(other.velocity == near(one.velocity, 1e-13 * one.velocity));
        CHECK(other.penetration_m_s == near(one.approach_m_s, 1e-13));
        REQUIRE_FALSE(other.carriers.empty());
        CHECK(other.carriers[0].interaction == one.worst);
    }
}

TEST_CASE("a sliding contact that obeys the law has no gap; one that does not has the joules it creates")
{
    // slides at 2 m/s: P_N = 3 N s, P_T = -mu P_N
    const double mu = 0.25;
    Eigen::Matrix2d W = Eigen::Matrix2d::Identity();
    const Eigen::Vector2d P(3, -mu * 3), U(0, 2);
    const auto problem =
        make_problem(W, U - W * P, Eigen::Vector2d::Zero(), {friction(mu, FrictionInterval{})});
    REQUIRE(problem.has_value());
    const std::vector<double> good{P[0], P[1]};
    CHECK(check_solution(*problem, good).gap_J < 1e-15);
    CHECK(check_solution(*problem, good).unit_free < 1e-15);

    // friction along the motion: U_T = 2 + 2 mu 3, and the gap counts mu P_N |U_T| twice
    const std::vector<double> bad{P[0], -P[1]};
    const double U_T = 2 + 2 * mu * 3;
    CHECK(check_solution(*problem, bad).gap_J == near(2 * mu * 3 * U_T, 1e-14));

    // P_T beyond the cone by 0.1 N s; pulling by 1 N s
    const std::vector<double> beyond{P[0], P[1] - 0.1}, pulling{-1, 0};
    CHECK(check_solution(*problem, beyond).cone_violation_Ns == near(0.1, 1e-15));
    CHECK(check_solution(*problem, pulling).cone_violation_Ns == near(1, 1e-15));
}

TEST_CASE("a motor at its limit obeys its law, whatever its inertia; one that gives less does not")
{
    // it gives 0.3 N s at most, which slows 2 m/s by 0.3 W; with less it could do more, over the motion left
    for (const double W : {1e-2, 1.0, 50.0}) {
        CAPTURE(W);
        const auto problem =
            make_problem(Eigen::MatrixXd::Constant(1, 1, W), Eigen::VectorXd::Constant(1, -20),
                         Eigen::VectorXd::Zero(1), {Limited{.low = -0.5, .high = 0.3}});
        REQUIRE(problem.has_value());
        const SolutionCheck good = check_solution(*problem, std::vector{0.3});
        CHECK(good.unit_free == 0);
        CHECK(good.velocity == 0);
        CHECK(good.siconos == 0);
        CHECK(good.gap_J == 0);
        CHECK(good.cone_violation_Ns == 0);
        CHECK(good.penetration_m_s == 0);
        const double left_m_s = 20 - 0.2 * W;
        CHECK(check_solution(*problem, std::vector{0.2}).gap_J == near(0.1 * left_m_s, 1e-14 * 20));
        CHECK(check_solution(*problem, std::vector{0.4}).cone_violation_Ns == near(0.1, 1e-15));
    }
}

TEST_CASE("what is not finite is told")
{
    const auto problem = make_problem(Eigen::Matrix2d::Identity(), Eigen::Vector2d(-1, 0),
                                      Eigen::Vector2d::Zero(), {friction(0.5, FrictionInterval{})});
    REQUIRE(problem.has_value());
    const std::vector<double> nan{1, std::numeric_limits<double>::quiet_NaN()}, huge{1e308, 1e308};
    CHECK_FALSE(check_solution(*problem, nan).finite);
    CHECK(std::isinf(check_solution(*problem, nan).unit_free));
    const auto large = make_problem(1e10 * Eigen::Matrix2d::Identity(), Eigen::Vector2d(-1, 0),
                                    Eigen::Vector2d::Zero(), {friction(0.5, FrictionInterval{})});
    CHECK_FALSE(check_solution(*large, huge).finite);
}

TEST_CASE("the contact that is wrong carries the residual")
{
    // two contacts apart; the second is left closing
    const auto problem = make_problem(Eigen::Matrix2d::Identity(), Eigen::Vector2d(-1, -2),
                                      Eigen::Vector2d::Zero(), {Unilateral{}, Unilateral{}});
    REQUIRE(problem.has_value());
    const std::vector<double> P{1, 0};
    const SolutionCheck check = check_solution(*problem, P);
    REQUIRE(check.carriers.size() == 1);
    CHECK(check.carriers[0].interaction == 1);
    CHECK(check.carriers[0].share == 1);
    CHECK(check.penetration_m_s == 2);
}

TEST_CASE("asymmetry and negative eigenvalues of W are found, dense and sparse")
{
    for (const int contacts : {10, 600}) {
        CAPTURE(contacts);
        // unit diagonals; contacts 0 and 1 coupled by 1 + 1e-4 in the normal: eigenvalue -1e-4. Rows 3 and 5
        // differ from their transposes by 0.2
        const int n = 2 * contacts;
        OneStepProblem problem;
        for (int c = 0; c < contacts; ++c) {
            problem.laws.push_back(friction(0.5, FrictionInterval{}));
            problem.offsets.push_back(2 * (c + 1));
        }
        problem.W.begin(problem.offsets);
        const auto append = [&](int row, int column, std::array<double, 4> values) {
            std::copy(values.begin(), values.end(), problem.W.append(row, column).begin());
        };
        for (int c = 0; c < contacts; ++c) {
            if (c == 1) append(1, 0, {1 + 1e-4, 0, 0, 0});
            append(c, c, c == 2 ? std::array<double, 4>{1, 0.2, 0, 1} : std::array<double, 4>{1, 0, 0, 1});
            if (c == 0) append(0, 1, {1 + 1e-4, 0, 0, 0});
        }
        problem.W.finish();
        problem.U_free.assign(static_cast<std::size_t>(n), -1.0);
        problem.U_minus.assign(static_cast<std::size_t>(n), 0.0);

        const OperatorCheck check = check_operator(problem);
        const double norm = std::sqrt(n + 2 * (1 + 1e-4) * (1 + 1e-4) + 0.04);
        CHECK(check.asymmetry == near(std::sqrt(2 * 0.04) / norm, 1e-12));
        CHECK(check.negative == 1);
        CHECK(check.largest == near(2 + 1e-4, 1e-6));
        // sparse: the power of ten, relative to the largest, that is still above it in size
        if (contacts == 10)
            CHECK(check.smallest == near(-1e-4, 1e-12));
        else
            CHECK(check.smallest == near(-1e-5 * check.largest, 1e-12));
    }
}

TEST_CASE("a small residual that hides a large error is seen")
{
    // a block slides on two feet that share its load through a stiffness 1e6 times its inertia; their
    // friction differs. Load moved from foot to foot hardly shows in the residual, and changes the speed.
    const double eps = 1e-6, mu1 = 0.1, mu2 = 0.5;
    Eigen::Matrix4d W;      // rows (N1, T1, N2, T2)
    W << 1 + eps, 0, 1, 0,  //
        0, 1, 0, 1,         //
        1, 0, 1 + eps, 0,   //
        0, 1, 0, 1;
    const Eigen::Vector4d U_free(-1, 5, -1, 5);
    const auto problem = make_problem(W, U_free, Eigen::Vector4d::Zero(),
                                      {friction(mu1, FrictionInterval{}), friction(mu2, FrictionInterval{})});
    REQUIRE(problem.has_value());
    const auto loads = [&](double left) {
        const double sum = 2 / (2 + eps), right = sum - left;
        return std::vector<double>{left, -mu1 * left, right, -mu2 * right};
    };
    const double half = 1 / (2 + eps);
    CHECK(check_solution(*problem, loads(half)).unit_free < 1e-15);
    CHECK(hidden_velocity_error(*problem, loads(half)).value() < 1e-9);

    // 0.1 N s on the wrong foot: residual below 1e-7, both feet 0.04 m/s too fast, against |U_free| (all W_cc
    // are alike, so scaling changes nothing). The problem is linear while both slide; 1 % for damped weak
    // modes
    const auto wrong = loads(half + 0.1);
    const double exact = std::sqrt(2.0) * (mu2 - mu1) * 0.1 / U_free.norm();
    CHECK(check_solution(*problem, wrong).unit_free < 1e-7);
    CHECK(hidden_velocity_error(*problem, wrong).value() == near(exact, 0.01 * exact));
}
