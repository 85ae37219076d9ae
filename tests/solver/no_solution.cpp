#include "solver/no_solution.hpp"

#include "carom/solver/solve.hpp"
#include "support/near.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace carom;
using test::near;

namespace {

/// A body of unit mass in space, or in the plane, between interactions with these rows: W = H H^T.
OneStepProblem one_body(const Eigen::MatrixXd& H, const Eigen::VectorXd& U_free, std::vector<Law> laws)
{
    const Eigen::VectorXd U_minus = Eigen::VectorXd::Zero(U_free.size());
    return *make_problem(H * H.transpose(), U_free, U_minus, std::move(laws));
}

/// A point between two walls, each of which comes at it with these speeds.
OneStepProblem closing_walls(double left, double right, const Law& law = Unilateral{})
{
    const int d = dimension(law);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(2 * d, d);
    Eigen::VectorXd U_free = Eigen::VectorXd::Zero(2 * d);
    H.topRows(d).setIdentity();
    H.bottomRows(d) = -Eigen::MatrixXd::Identity(d, d);
    U_free[0] = -left;
    U_free[d] = -right;
    return one_body(H, U_free, {law, law});
}

SolveReport solved_by(const OneStepProblem& problem, SolverKind kind, std::vector<double>& P)
{
    P.assign(static_cast<std::size_t>(problem.size()), 0.0);
    SolverSettings settings;
    settings.kind = kind;
    settings.max_sweeps = 2000;
    return solve(problem, settings, P);
}

}  // namespace

TEST_CASE("percussions of any size do not hide that two walls close")
{
    // U_N = -1 at both, whatever equal percussions press; P - (P - U) alone would be zero beside 1e18
    for (const Law& law : {Law(Unilateral{}), Law(Coulomb{.shape = FrictionDisc{}, .friction = 0.5})}) {
        const auto problem = closing_walls(1, 1, law);
        for (const double size : {1e2, 1e10, 1e18, 1e100}) {
            std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0);
            P[0] = P[P.size() / 2] = size;
            const Residual found = residual(problem, P);
            CHECK(found.velocity == near(1.0, 1e-12));
            CHECK_FALSE(is_solved(found, 1e-3));
            if (size > 1e9) CHECK(found.unit_free <= 1e-8);  // the other error sees nothing
        }
    }
}

TEST_CASE("every solver says that walls which close on a point leave no solution, and proves it")
{
    for (const SolverKind kind : all_solver_kinds()) {
        CAPTURE(name_of(kind));
        std::vector<double> P;
        for (const Law& law : {Law(Unilateral{}), Law(Coulomb{.shape = FrictionInterval{}, .friction = 0.3}),
                               Law(Coulomb{.shape = FrictionDisc{}, .friction = 0.3})}) {
            const auto problem = closing_walls(3, 1, law);
            const SolveReport report = solved_by(problem, kind, P);
            REQUIRE(report.status == SolveStatus::NoSolution);
            REQUIRE(report.proof);
            CHECK(report.proof->interactions == std::vector<int>{0, 1});
            // weights 1/2 each: the mean of the closing speeds cannot be less than 2 m/s
            CHECK(report.proof->closing_m_s == near(2.0, 1e-9));
            // the point goes with the mean, so that both walls close by the least, to a thousandth
            std::vector<double> U(P.size());
            local_velocity(problem, P, U);
            CHECK(U[0] == near(-2.0, 5e-3));
            CHECK(U[U.size() / 2] == near(-2.0, 5e-3));
            CHECK(std::abs(P[0]) < 10);
        }
    }
}

TEST_CASE("three walls that close on a point, at angles of 120 degrees, leave no solution; two of them do")
{
    Eigen::MatrixXd H(3, 2);
    H << 1, 0, -0.5, std::sqrt(0.75), -0.5, -std::sqrt(0.75);
    const auto closing = one_body(H, Eigen::Vector3d(-1, 0.2, -0.4), {3, Unilateral{}});
    std::vector<double> P;
    const SolveReport report = solved_by(closing, SolverKind::Auto, P);
    REQUIRE(report.status == SolveStatus::NoSolution);
    CHECK(report.proof->interactions.size() == 3);
    CHECK(report.proof->closing_m_s == near(0.4, 1e-9));  // the mean of the three

    const auto opening = one_body(H, Eigen::Vector3d(-1, 0.2, 0.9), {3, Unilateral{}});
    CHECK(solved_by(opening, SolverKind::Auto, P).status == SolveStatus::Converged);
    const auto two = one_body(H.topRows(2), Eigen::Vector2d(-1, -2), {2, Unilateral{}});
    CHECK(solved_by(two, SolverKind::Auto, P).status == SolveStatus::Converged);
}

TEST_CASE("a rod that drives a point against a wall leaves no solution; one that gives way does")
{
    Eigen::MatrixXd H(2, 1);
    H << 1, 1;
    // the rod asks for U = 0 where the point moves with 2 m/s against it: u = -2; the wall asks for u >= 0
    const Eigen::Vector2d U_free(2, 0);
    std::vector<double> P;
    for (const Law& wall : {Law(Unilateral{}), Law(Limited{.low = 0})}) {
        const SolveReport firm = solved_by(one_body(H, U_free, {Bilateral{}, wall}), SolverKind::Auto, P);
        REQUIRE(firm.status == SolveStatus::NoSolution);
        CHECK(firm.proof->interactions == std::vector<int>{0, 1});
        CHECK(firm.proof->closing_m_s == near(1.0, 1e-9));
        const auto gives_way = one_body(H, U_free, {Limited{.low = -3, .high = 3}, wall});
        CHECK(solved_by(gives_way, SolverKind::Auto, P).status == SolveStatus::Converged);
    }
    // two rods that ask for different velocities
    const auto rods = one_body(H, U_free, {Bilateral{}, Bilateral{}});
    CHECK(solved_by(rods, SolverKind::Auto, P).status == SolveStatus::NoSolution);
}

TEST_CASE("restitution is part of the proof: a point that must leave both of two walls")
{
    Eigen::MatrixXd W(2, 2);
    W << 1, -1, -1, 1;
    const Eigen::Vector2d before(-1, 1), with_walls(-1, -1);
    const auto elastic = *make_problem(W, before, before, {Unilateral{1}, Unilateral{1}});
    std::vector<double> P;
    // it meets the left wall alone and would have to leave it with +1, where the right one does not let it
    // pass
    const SolveReport report = solved_by(elastic, SolverKind::Auto, P);
    REQUIRE(report.status == SolveStatus::NoSolution);
    CHECK(report.proof->closing_m_s == near(0.5, 1e-9));
    const auto inelastic = *make_problem(W, before, before, {Unilateral{0}, Unilateral{0}});
    CHECK(solved_by(inelastic, SolverKind::Auto, P).status == SolveStatus::Converged);
}

TEST_CASE("a weight that is no proof is not verified")
{
    const auto closing = closing_walls(1, 1), opening = closing_walls(1, -1 - 1e-9);
    CHECK(verified(closing, std::vector<double>{1, 1}));
    CHECK_FALSE(verified(closing, std::vector<double>{1, 0.999}));  // W d is not zero
    CHECK_FALSE(verified(closing, std::vector<double>{-1, -1}));    // wrong signs
    CHECK_FALSE(verified(opening, std::vector<double>{1, 1}));      // nothing closes
    CHECK_FALSE(verified(closing, std::vector<double>{0, 0}));
    CHECK_FALSE(verified(closing, std::vector<double>{NAN, 1}));
}

TEST_CASE("problems that have a solution are never said to have none")
{
    // U_free = H u for some u with room to spare: u itself keeps all contacts open, or percussions do
    test::holds([] {
        const int m = *rc::gen::inRange(1, 12), n = *rc::gen::inRange(1, 6);
        const auto number = [] { return *rc::gen::inRange(-1000, 1000) / 1000.0; };
        Eigen::MatrixXd H(m, n);
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                H(i, j) = number();
            }
            H(i, 0) = 0.1 + std::abs(H(i, 0));  // +x leads away from all of them
        }
        Eigen::VectorXd U_free(m);
        for (int i = 0; i < m; ++i) {
            U_free[i] = 10 * number();
        }
        std::vector<Law> laws(static_cast<std::size_t>(m), Unilateral{});
        const auto problem = one_body(H, U_free, std::move(laws));
        PrincipalPivoting pivoting;
        RC_ASSERT_FALSE(prove_no_solution(problem, pivoting).has_value());
        std::vector<double> P;
        RC_ASSERT(solved_by(problem, SolverKind::Auto, P).status == SolveStatus::Converged);
    });
}

TEST_CASE("a tower whose boxes grow heavier upwards has a solution, however large its percussions")
{
    // contact i between box i - 1 and box i, the first with the floor: W is tridiagonal, P_i the weight above
    for (const double growth : {2.0, 50.0, 100.0, 200.0}) {
        const int n = 6;
        Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
        for (int i = 0; i < n; ++i) {
            const double lighter = i > 0 ? std::pow(growth, 1 - i) : 0, heavier = std::pow(growth, -i);
            W(i, i) = lighter + heavier;
            if (i > 0) W(i, i - 1) = W(i - 1, i) = -lighter;
        }
        Eigen::VectorXd U_free = Eigen::VectorXd::Zero(n);
        U_free[0] = -9.81e-3;
        const auto problem = *make_problem(W, U_free, U_free, {n, Unilateral{}});
        PrincipalPivoting pivoting;
        CHECK_FALSE(prove_no_solution(problem, pivoting));
        CHECK_FALSE(verified(problem, std::vector<double>(n, 1.0)));
    }
}
