#include "carom/solver/solve.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace carom;
using test::near;

namespace {

/// Unit masses, H with the rows given, which fall with velocities u.
OneStepProblem falling(const Eigen::MatrixXd& H, const Eigen::VectorXd& u, const Law& law)
{
    const Eigen::VectorXd U = H * u;
    const auto contacts = static_cast<std::size_t>(H.rows() / dimension(law));
    return *make_problem(H * H.transpose(), U, U, std::vector<Law>(contacts, law));
}

}  // namespace

TEST_CASE("hundreds of contacts in one place share what one of them would take, each by its lever")
{
    // gaps f x with f = 1, 2, 3 and so on, and y: u = (-1, -2) is stopped by percussions of 1 and 2 N s
    constexpr int each = 100;
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(2 * each, 2);
    double squares = 0;
    for (int k = 0; k < each; ++k) {
        const double f = 1 + k % 3;
        H(2 * k, 0) = f;
        H(2 * k + 1, 1) = 0.1;
        squares += f * f;
    }
    const auto problem = falling(H, Eigen::Vector2d(-1, -2), Unilateral{});
    std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0);
    const SolveReport report = solve(problem, {.tolerance = 1e-12}, P);
    CHECK(report.status == SolveStatus::Converged);
    // closed form, sum f P = 1 with P = f / sum f^2; rounding of a hundred sums
    for (int k = 0; k < each; ++k) {
        CAPTURE(k);
        CHECK(P[static_cast<std::size_t>(2 * k)] == near((1 + k % 3) / squares, 1e-13));
        CHECK(P[static_cast<std::size_t>(2 * k + 1)] == near(2 / (0.1 * each), 1e-12));
    }
}

TEST_CASE("of contacts in one place only those that approach fastest act")
{
    // moving floors below one particle: the fastest ten carry it
    constexpr int floors = 90;
    auto problem =
        falling(Eigen::MatrixXd::Ones(floors, 1), Eigen::VectorXd::Constant(1, -1.0), Unilateral{});
    for (int k = 0; k < floors; ++k)
        problem.U_free[static_cast<std::size_t>(k)] -= k % 9 == 4 ? 2 : 0.1 * (k % 9);
    std::vector<double> P(floors, 0.0);
    CHECK(solve(problem, {.tolerance = 1e-12}, P).status == SolveStatus::Converged);
    for (int k = 0; k < floors; ++k) {
        CAPTURE(k);
        CHECK(P[static_cast<std::size_t>(k)] == near(k % 9 == 4 ? 0.3 : 0.0, 1e-13));
    }
}

TEST_CASE("restitution of contacts in one place: the greatest decides")
{
    // U >= -e U^- of all of them, so the particle leaves with the greatest e
    constexpr int contacts = 100;
    auto problem =
        falling(Eigen::MatrixXd::Ones(contacts, 1), Eigen::VectorXd::Constant(1, -1.0), Unilateral{});
    for (int k = 0; k < contacts; ++k)
        problem.laws[static_cast<std::size_t>(k)] = Unilateral{.restitution = k == 7 ? 0.75 : 0.5};
    std::vector<double> P(contacts, 0.0);
    CHECK(solve(problem, {.tolerance = 1e-12}, P).status == SolveStatus::Converged);
    for (int k = 0; k < contacts; ++k)
        CHECK(P[static_cast<std::size_t>(k)] == near(k == 7 ? 1.75 : 0.0, 1e-13));
}

TEST_CASE("hundreds of equal contacts that rub slow a slider as one of them would")
{
    // u = (-1, 2), mu = 0.3: together they push 1 N s and rub 0.3 N s
    constexpr int contacts = 150;
    Eigen::MatrixXd H(2 * contacts, 2);
    for (int k = 0; k < contacts; ++k)
        H.middleRows(2 * k, 2) = Eigen::Matrix2d::Identity();
    const auto problem = falling(H, Eigen::Vector2d(-1, 2), Coulomb{.friction = 0.3});
    std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0);
    CHECK(solve(problem, {.tolerance = 1e-12}, P).status == SolveStatus::Converged);
    for (int k = 0; k < contacts; ++k) {
        CHECK(P[static_cast<std::size_t>(2 * k)] == near(1.0 / contacts, 1e-14));
        CHECK(P[static_cast<std::size_t>(2 * k + 1)] == near(-0.3 / contacts, 1e-14));
    }
}
