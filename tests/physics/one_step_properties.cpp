// Statements about the solution of one-step problems with friction that hold whatever solver found it.

#include "carom/solver/solve.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

using namespace carom;
using namespace carom::test;

namespace {

/// Dense data of a problem whose contacts have three rows each.
struct Contacts {
    Eigen::MatrixXd W;
    Eigen::VectorXd U_free;
    std::vector<double> mu;

    [[nodiscard]] int count() const { return static_cast<int>(mu.size()); }
    [[nodiscard]] OneStepProblem problem() const
    {
        std::vector<Law> laws;
        for (const double m : mu) {
            laws.push_back(Coulomb{.shape = FrictionDisc{}, .friction = m});
        }
        auto made = make_problem(W, U_free, Eigen::VectorXd::Zero(U_free.size()), std::move(laws));
        REQUIRE(made.has_value());
        return *std::move(made);
    }
};

/// Contacts of a system with twice as many degrees of freedom as rows: W is well conditioned and friction
/// moderate, so that velocities and percussions are unique. Some approach, some separate; some without
/// friction.
Contacts random_contacts(std::mt19937& random, int count)
{
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const auto number = [&] { return normal(random); };
    Contacts contacts;
    const int rows = 3 * count, freedoms = 2 * rows;
    const Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(rows, freedoms, number) / std::sqrt(freedoms);
    contacts.W = H * H.transpose();
    contacts.U_free = Eigen::VectorXd::NullaryExpr(rows, number);
    for (int c = 0; c < count; ++c) {
        contacts.mu.push_back(c % 4 == 3 ? 0.0 : 0.3 * uniform(random));
        contacts.U_free[3 * c] -= 1;  // most approach
    }
    return contacts;
}

/// Velocities of the solution, to roundoff.
Eigen::VectorXd solved_U(const OneStepProblem& problem)
{
    std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0);
    const SolveReport report = solve(problem, {.tolerance = 1e-12}, P);
    REQUIRE(report.status == SolveStatus::Converged);
    Eigen::VectorXd U(problem.size());
    local_velocity(problem, P, {U.data(), P.size()});
    return U;
}

/// Velocities of unit size from errors of 1e-12: two digits are lost to the conditioning of W.
constexpr double same = 1e-9;

constexpr int trials = 30;

}  // namespace

TEST_CASE("turning the tangents of contacts turns the solution with them")
{
    std::mt19937 random(11);
    std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi);
    for (int trial = 0; trial < trials; ++trial) {
        const Contacts contacts = random_contacts(random, 5);
        Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(15, 15);
        for (int c = 0; c < 5; ++c) {
            Q.block<2, 2>(3 * c + 1, 3 * c + 1) = Eigen::Rotation2Dd(angle(random)).toRotationMatrix();
        }
        const Contacts turned{
            .W = Q * contacts.W * Q.transpose(), .U_free = Q * contacts.U_free, .mu = contacts.mu};
        CHECK((solved_U(turned.problem()) - Q * solved_U(contacts.problem())).norm() < same);
    }
}

TEST_CASE("other units of mass, length and time change nothing but the units")
{
    // grams, kilometres, hours: W is 1/mass, U length/time
    std::mt19937 random(12);
    const double mass = 1e3, length = 1e-3, time = 1 / 3600.0;
    for (int trial = 0; trial < trials; ++trial) {
        const Contacts contacts = random_contacts(random, 5);
        const double speed = length / time;
        const Contacts other{.W = contacts.W / mass, .U_free = contacts.U_free * speed, .mu = contacts.mu};
        CHECK((solved_U(other.problem()) / speed - solved_U(contacts.problem())).norm() < same);

        // the error that decides has no units at all; Siconos' has
        std::vector<double> P(15), P_other(15);
        std::normal_distribution<double> normal;
        for (std::size_t k = 0; k < P.size(); ++k) {
            P[k] = normal(random);
            P_other[k] = P[k] * mass * speed;
        }
        const Residual here = residual(contacts.problem(), P), there = residual(other.problem(), P_other);
        CHECK(there.unit_free == near(here.unit_free, 1e-13));
        CHECK(std::abs(there.siconos - here.siconos) > 1e-6);
    }
}

TEST_CASE("the order of contacts does not matter")
{
    std::mt19937 random(13);
    for (int trial = 0; trial < trials; ++trial) {
        const Contacts contacts = random_contacts(random, 6);
        std::array<int, 6> order{};
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        Eigen::MatrixXd R = Eigen::MatrixXd::Zero(18, 18);
        std::vector<double> mu;
        for (int c = 0; c < 6; ++c) {
            R.block<3, 3>(3 * c, 3 * order[static_cast<std::size_t>(c)]).setIdentity();
            mu.push_back(contacts.mu[static_cast<std::size_t>(order[static_cast<std::size_t>(c)])]);
        }
        const Contacts renumbered{
            .W = R * contacts.W * R.transpose(), .U_free = R * contacts.U_free, .mu = mu};
        CHECK((solved_U(renumbered.problem()) - R * solved_U(contacts.problem())).norm() < same);
    }
}

TEST_CASE("two systems that do not touch move as if alone")
{
    std::mt19937 random(14);
    for (int trial = 0; trial < trials; ++trial) {
        const Contacts one = random_contacts(random, 3), two = random_contacts(random, 4);
        Contacts both{.W = Eigen::MatrixXd::Zero(21, 21), .U_free = Eigen::VectorXd(21), .mu = one.mu};
        both.W.topLeftCorner(9, 9) = one.W;
        both.W.bottomRightCorner(12, 12) = two.W;
        both.U_free << one.U_free, two.U_free;
        both.mu.insert(both.mu.end(), two.mu.begin(), two.mu.end());
        const Eigen::VectorXd U = solved_U(both.problem());
        CHECK((U.head(9) - solved_U(one.problem())).norm() < same);
        CHECK((U.tail(12) - solved_U(two.problem())).norm() < same);
    }
}

TEST_CASE("all solvers that say solved have found the same velocities")
{
    std::mt19937 random(15);
    for (int trial = 0; trial < 10; ++trial) {
        const OneStepProblem problem = random_contacts(random, 8).problem();
        const Eigen::VectorXd U = solved_U(problem);
        for (const SolverKind kind : all_solver_kinds()) {
            CAPTURE(name_of(kind));
            std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0);
            const SolveReport report = solve(problem, {.kind = kind, .tolerance = 1e-8}, P);

            CHECK(report.status == SolveStatus::Converged);
            Eigen::VectorXd other(problem.size());
            local_velocity(problem, P, {other.data(), P.size()});
            CHECK((other - U).norm() < 1e-6);  // two digits for the conditioning of W
        }
    }
}

TEST_CASE("without friction velocities are unique also where contacts are redundant")
{
    // 12 contacts on 5 degrees of freedom: P is not unique, U is
    std::mt19937 random(16);
    std::normal_distribution<double> normal;
    const auto number = [&] { return normal(random); };
    for (int trial = 0; trial < trials; ++trial) {
        const Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(12, 5, number);
        const Eigen::VectorXd u = Eigen::VectorXd::NullaryExpr(5, number);
        const auto problem = make_problem(H * H.transpose(), H * u, Eigen::VectorXd::Zero(12),
                                          std::vector<Law>(12, Unilateral{}));
        REQUIRE(problem.has_value());
        const Eigen::VectorXd U = solved_U(*problem);
        std::vector<double> P(12, 0.3);  // another start, another P
        const SolveReport report = solve(*problem, {.tolerance = 1e-12}, P);
        REQUIRE(report.status == SolveStatus::Converged);
        Eigen::VectorXd other(12);
        local_velocity(*problem, P, {other.data(), P.size()});
        CHECK((other - U).norm() < same);
    }
}

namespace {

/// Plane contacts by enumeration: each is open, sticks, or slides one way or the other. One linear system for
/// each of the 4^m combinations; those whose solution respects every inequality are kept.
std::vector<Eigen::VectorXd> all_solutions(const Eigen::MatrixXd& W, const Eigen::VectorXd& U_free,
                                           const std::vector<double>& mu)
{
    const int contacts = static_cast<int>(mu.size()), n = 2 * contacts;
    int combinations = 1;
    for (int c = 0; c < contacts; ++c) {
        combinations *= 4;
    }
    std::vector<Eigen::VectorXd> found;
    constexpr double slack = 1e-9;
    for (int number = 0; number < combinations; ++number) {
        // A P = b says what holds with equality
        Eigen::MatrixXd A(n, n);
        Eigen::VectorXd b(n);
        std::vector<int> status;
        for (int c = 0, rest = number; c < contacts; ++c, rest /= 4) {
            status.push_back(rest % 4);
            const int N = 2 * c, T = N + 1;
            A.middleRows(N, 2) = W.middleRows(N, 2);
            b.segment(N, 2) = -U_free.segment(N, 2);
            if (status.back() == 0) A.middleRows(N, 2).setZero(), b.segment(N, 2).setZero();
            if (status.back() == 0) A(N, N) = A(T, T) = 1;
            if (status.back() >= 2) {  // P_T = -+ mu P_N
                A.row(T).setZero();
                b[T] = 0;
                A(T, T) = 1;
                A(T, N) = (status.back() == 2 ? 1 : -1) * mu[static_cast<std::size_t>(c)];
            }
        }
        const Eigen::VectorXd P = A.fullPivLu().solve(b);
        if (!((A * P - b).norm() < slack)) continue;
        const Eigen::VectorXd U = W * P + U_free;
        bool valid = true;
        for (int c = 0; c < contacts; ++c) {
            const int N = 2 * c, T = N + 1, s = status[static_cast<std::size_t>(c)];
            valid = valid && P[N] >= -slack && U[N] >= -slack;
            valid = valid && std::abs(P[T]) <= mu[static_cast<std::size_t>(c)] * P[N] + slack;
            valid = valid && (s != 2 || U[T] >= -slack) && (s != 3 || U[T] <= slack);
        }
        if (valid) found.push_back(U);
    }
    return found;
}

}  // namespace

TEST_CASE("two or three plane contacts: the solution is one of those that enumeration finds")
{
    std::mt19937 random(17);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const auto number = [&] { return normal(random); };
    int solved_problems = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const int contacts = 2 + trial % 2, n = 2 * contacts;
        const Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(n, n + 2, number);
        const Eigen::MatrixXd W = H * H.transpose();
        const Eigen::VectorXd U_free = Eigen::VectorXd::NullaryExpr(n, number);
        std::vector<double> mu;
        std::vector<Law> laws;
        for (int c = 0; c < contacts; ++c) {
            mu.push_back(1.5 * uniform(random));
            laws.push_back(Coulomb{.shape = FrictionInterval{}, .friction = mu.back()});
        }
        const auto problem = make_problem(W, U_free, Eigen::VectorXd::Zero(n), laws);
        REQUIRE(problem.has_value());
        std::vector<double> P(static_cast<std::size_t>(n), 0.0);
        const SolveReport report = solve(*problem, {.tolerance = 1e-12}, P);
        const auto all = all_solutions(W, U_free, mu);
        CAPTURE(trial);

        // W is regular, so Coulomb's problem has a solution, and enumeration must find one
        REQUIRE_FALSE(all.empty());
        REQUIRE(report.status == SolveStatus::Converged);
        ++solved_problems;
        Eigen::VectorXd U(n);
        local_velocity(*problem, P, {U.data(), P.size()});
        double nearest = 1;
        for (const Eigen::VectorXd& one : all) {
            nearest = std::min(nearest, (one - U).norm());
        }
        CHECK(nearest < 1e-7);  // W is a random matrix: its condition number reaches 1e5
    }
    CHECK(solved_problems == 300);
}
