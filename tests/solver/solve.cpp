#include "solver/solver_scratch.hpp"

#include "carom/convex/sets.hpp"
#include "convex/nonnegative_qp.hpp"
#include "support/near.hpp"
#include "support/property.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace carom;
using test::near;

namespace {

/// Contacts of a random system: W = H A^-1 H^T of random rank, velocities that some motion can have.
struct RandomContacts {
    Eigen::MatrixXd W;
    Eigen::VectorXd U_free, U_minus;
    std::vector<Law> laws;

    explicit RandomContacts(unsigned seed, int largest = 12)
    {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        const auto draw = [&] { return normal(random); };
        const int n = 1 + static_cast<int>(random() % largest), m = 1 + static_cast<int>(random() % largest);
        const double e = 0.5 * static_cast<int>(random() % 3);
        Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(m, n, draw);
        // with restitution there must be a way out: a point pinched between walls can not bounce off both
        if (e > 0) H.col(0) = H.col(0).cwiseAbs().array() + 0.3;
        if (m > 1 && random() % 2) H.row(m - 1) = H.row(0);
        if (m > 3 && random() % 2) H.row(2) = H.row(0) + H.row(1);
        for (int i = 0; i < m; ++i) {
            H.row(i) *= std::pow(10.0, static_cast<int>(random() % 5) - 2);  // units of all sizes
            laws.emplace_back(Unilateral{e});
        }
        W = H * H.transpose();
        const Eigen::VectorXd u = Eigen::VectorXd::NullaryExpr(n, draw);
        U_minus = H * u;
        U_free = H * (u + 0.1 * Eigen::VectorXd::NullaryExpr(n, draw));
    }
    [[nodiscard]] OneStepProblem problem() const { return *make_problem(W, U_free, U_minus, laws); }
};

/// n unit balls on top of each other, pressed by gravity for one step.
OneStepProblem column_of_balls(int n, double h_g)
{
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) {
        W(i, i) = i == 0 ? 1 : 2;
        if (i > 0) W(i, i - 1) = W(i - 1, i) = -1;
    }
    Eigen::VectorXd U_free = Eigen::VectorXd::Zero(n);
    U_free[0] = -h_g;
    return *make_problem(W, U_free, Eigen::VectorXd::Zero(n),
                         std::vector<Law>(static_cast<std::size_t>(n), Unilateral{}));
}

}  // namespace

TEST_CASE("the exact solver meets roundoff on redundant and degenerate contacts of any units")
{
    test::holds([](unsigned seed) {
        const RandomContacts data(seed);
        const auto problem = data.problem();
        std::vector<double> P(data.laws.size(), 0.0);
        const auto report = solve(problem, {.kind = SolverKind::Exact}, P);
        RC_ASSERT(report.status == SolveStatus::Converged);
        // rows of all units share directions, so rounding of W itself is felt at 1e-11
        RC_ASSERT(report.residual.unit_free <= 1e-11);
    });
}

TEST_CASE("the velocity after the step agrees with an independent quadratic program")
{
    test::holds([](unsigned seed) {
        const RandomContacts data(seed);
        const auto problem = data.problem();
        const auto n = static_cast<Eigen::Index>(data.laws.size());
        std::vector<double> P(data.laws.size(), 0.0);
        RC_ASSERT(solve(problem, {}, P).status == SolveStatus::Converged);

        Eigen::VectorXd b = data.U_free;
        const double e = std::get<Unilateral>(data.laws[0]).restitution;
        b += e * data.U_minus.cwiseMin(0.0);
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
        const auto qp = solve_nonnegative_qp(data.W, b, {}, x);
        RC_PRE(qp.status == QpStatus::Solved);
        // percussions of redundant contacts are not unique, velocities are
        const Eigen::VectorXd U = data.W * Eigen::Map<Eigen::VectorXd>(P.data(), n), U_qp = data.W * x;
        const Eigen::VectorXd unit = data.W.diagonal().cwiseSqrt();
        RC_ASSERT((U - U_qp).cwiseQuotient(unit).norm() <= 1e-8 * (1 + U_qp.cwiseQuotient(unit).norm()));
    });
}

TEST_CASE("a warm start at the solution needs one factorisation and changes nothing that matters")
{
    const auto problem = column_of_balls(40, 0.01);
    std::vector<double> P(40, 0.0);
    SolverScratch scratch;
    CHECK(solve(problem, {}, P, scratch).status == SolveStatus::Converged);
    for (int i = 0; i < 40; ++i) {
        CHECK(P[static_cast<std::size_t>(i)] ==
              near(0.01 * (40 - i), 1e-13));  // each carries what is above it
    }
    const auto first = P;
    const auto again = solve(problem, {}, P, scratch);
    CHECK(again.residual.unit_free <= 1e-14);
    for (std::size_t i = 0; i < P.size(); ++i) {
        CHECK(P[i] == near(first[i], 1e-12));  // cond W ~ n^2
    }
}

TEST_CASE("Gauss-Seidel agrees with the exact solver where it converges")
{
    const auto problem = column_of_balls(12, 0.02);
    std::vector<double> exact(12, 0.0), relaxed(12, 0.0);
    CHECK(solve(problem, {.kind = SolverKind::Exact}, exact).status == SolveStatus::Converged);
    const auto report = solve(problem, {.kind = SolverKind::GaussSeidel, .tolerance = 1e-12}, relaxed);
    CHECK(report.status == SolveStatus::Converged);
    CHECK(report.iterations > 50);  // n^2: information climbs one ball a sweep
    for (std::size_t i = 0; i < exact.size(); ++i) {
        CHECK(relaxed[i] == near(exact[i], 1e-9));
    }
}

TEST_CASE("a sweep limit that is too low is told, with the error that is left")
{
    const auto problem = column_of_balls(12, 0.02);
    std::vector<double> P(12, 0.0);
    const auto report = solve(problem, {.kind = SolverKind::GaussSeidel, .max_sweeps = 2}, P);
    CHECK(report.status == SolveStatus::NotSolved);
    CHECK(report.iterations == 2);
    CHECK(report.residual.unit_free > 1e-3);
}

TEST_CASE("a bilateral constraint among unilateral ones holds both ways")
{
    // a body pulled away from a joint and pushed against a stop
    const Eigen::Matrix2d W = (Eigen::Matrix2d() << 1.0, 0.3, 0.3, 2.0).finished();
    const auto problem =
        *make_problem(W, Eigen::Vector2d(0.7, -0.4), Eigen::Vector2d::Zero(), {Bilateral{}, Unilateral{}});
    std::vector<double> P(2, 0.0);
    CHECK(solve(problem, {}, P).status == SolveStatus::Converged);
    CHECK(P[0] < 0);
    CHECK(P[1] > 0);
    const Eigen::Vector2d U = W * Eigen::Vector2d(P[0], P[1]) + Eigen::Vector2d(0.7, -0.4);
    CHECK(U.norm() <= 1e-15);
}

TEST_CASE("limited reactions among contacts and joints are solved to roundoff, redundant ones too")
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        RandomContacts random(seed);
        std::mt19937 dice(seed);
        for (Law& law : random.laws) {
            const double size = 0.3 * static_cast<double>(dice() % 4);
            if (dice() % 3 == 0) law = Limited{.low = -size, .high = 2 * size};
            if (dice() % 7 == 0) law = Limited{.low = -std::numeric_limits<double>::infinity(), .high = 0};
            if (dice() % 7 == 0) law = Bilateral{};
        }
        // joints may ask for what redundant contacts with restitution forbid: soft ones always can
        for (Law& law : random.laws) {
            if (auto* contact = std::get_if<Unilateral>(&law)) contact->restitution = 0;
        }
        const OneStepProblem problem = random.problem();
        std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0);
        const SolveReport report = solve(problem, {}, P);
        INFO(seed);
        CHECK(report.status == SolveStatus::Converged);
        CHECK(report.residual.unit_free < 1e-12);
        CHECK(report.residual.cone_violation_Ns == 0);
    }
}

TEST_CASE("sets of several components beside friction and joints are solved to roundoff")
{
    const auto ball = std::make_shared<const Ball>(*Ball::make(Eigen::Vector3d::Zero(), 1.0));
    const auto box = std::make_shared<const Box>(*Box::make(Eigen::Vector2d(-1, 0), Eigen::Vector2d(1, 2)));
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 dice(seed);
        std::normal_distribution<double> normal;
        const std::vector<Law> laws{NonFirm{.set = ball, .size = 0.5}, Bilateral{},
                                    NonFirm{.set = box, .size = 0.2},  Coulomb{.friction = 0.3},
                                    NonFirm{.set = ball, .size = 0.1}, Unilateral{}};
        const Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(12, 14, [&] { return normal(dice); });
        const Eigen::VectorXd U = H * Eigen::VectorXd::NullaryExpr(14, [&] { return normal(dice); });
        const auto problem = make_problem(H * H.transpose(), U, U, laws);
        REQUIRE(problem.has_value());
        std::vector<double> P(12, 0.0);
        const SolveReport report = solve(*problem, {}, P);
        INFO(seed);
        CHECK(report.status == SolveStatus::Converged);
        CHECK(report.residual.unit_free < 1e-11);
    }
}

TEST_CASE("a problem without a solution is said to have none")
{
    // two obstacles close in on a point from both sides: U_1 = -U_2 can not be >= 1 both
    const Eigen::Matrix2d W = (Eigen::Matrix2d() << 1, -1, -1, 1).finished();
    const auto problem =
        *make_problem(W, Eigen::Vector2d(-1, -1), Eigen::Vector2d::Zero(), {Unilateral{}, Unilateral{}});
    std::vector<double> P(2, 0.0);
    CHECK(solve(problem, {}, P).status == SolveStatus::NoSolution);
}

TEST_CASE("a chain of 5000 contacts is solved exactly by sparse factors")
{
    const int n = 5000;
    OneStepProblem problem;
    problem.laws.assign(n, Unilateral{});
    for (int i = 1; i <= n; ++i) {
        problem.offsets.push_back(i);
    }
    problem.U_minus.assign(n, 0.0);
    problem.U_free.assign(n, 0.0);
    problem.U_free[0] = -1e-3;
    problem.W.begin(problem.offsets);
    for (int i = 0; i < n; ++i) {
        if (i > 0) problem.W.append(i, i - 1)[0] = -1;
        problem.W.append(i, i)[0] = i == 0 ? 1 : 2;
        if (i + 1 < n) problem.W.append(i, i + 1)[0] = -1;
    }
    problem.W.finish();
    std::vector<double> P(n, 0.0);
    const auto report = solve(problem, {}, P);
    CHECK(report.status == SolveStatus::Converged);
    CHECK(P[0] == near(1e-3 * n, 1e-6 * 1e-3 * n));  // cond W ~ n^2
}

TEST_CASE("a warm start is forgotten where nothing approaches")
{
    const auto problem = column_of_balls(3, 0.0);
    std::vector<double> P{1e-3, 4e-31, 0.0};
    const auto report = solve(problem, {}, P);
    CHECK(report.status == SolveStatus::Converged);
    CHECK(P == std::vector{0.0, 0.0, 0.0});
}

TEST_CASE("solver settings outside their range are refused")
{
    CHECK(check(SolverSettings{}).has_value());
    CHECK(check(SolverSettings{.tolerance = 0}).error().where == "SolverSettings::tolerance");
    CHECK(check(SolverSettings{.tolerance = std::nan("")}).error().code == ErrorCode::SettingOutOfRange);
    CHECK(check(SolverSettings{.max_sweeps = 0}).error().where == "SolverSettings::max_sweeps");
    CHECK(check(SolverSettings{.relaxation = 2}).error().where == "SolverSettings::relaxation");
}
