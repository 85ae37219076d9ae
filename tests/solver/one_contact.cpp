#include "solver/one_contact.hpp"

#include "carom/solver/solve.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace carom;
using test::near;

namespace {

/// A random positive definite W, symmetric or with a skew part, and a contact that approaches.
struct RandomContact {
    Eigen::MatrixXd W;
    Eigen::VectorXd b;

    RandomContact(std::mt19937& random, int d, bool symmetric)
    {
        std::normal_distribution<double> normal;
        const auto draw = [&] { return normal(random); };
        const Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(d, d + 1, draw);
        W = H * H.transpose();
        if (!symmetric) {
            const Eigen::MatrixXd K = 0.2 * Eigen::MatrixXd::NullaryExpr(d, d, draw);
            W += K - K.transpose();
        }
        b = Eigen::VectorXd::NullaryExpr(d, draw);
        b[0] = -std::abs(b[0]);
    }
};

struct Solution {
    ContactStatus status;
    Eigen::VectorXd P, U;
};

Solution solve_exactly(const Coulomb& law, const Eigen::MatrixXd& W, const Eigen::VectorXd& b)
{
    const Eigen::Matrix<double, -1, -1, Eigen::RowMajor> rows = W;
    const auto d = static_cast<std::size_t>(b.size());
    Solution result{ContactStatus::Open, Eigen::VectorXd::Zero(b.size()), {}};
    result.status = solve_one_contact(law, {rows.data(), d * d}, {b.data(), d}, {result.P.data(), d});
    result.U = W * result.P + b;
    return result;
}

/// The error of a solution by code that the solver does not share.
double error_of(const Coulomb& law, const Eigen::MatrixXd& W, const Eigen::VectorXd& b,
                const Eigen::VectorXd& P)
{
    const auto problem = *make_problem(W, b, Eigen::VectorXd::Zero(b.size()), {law});
    return residual(problem, {P.data(), static_cast<std::size_t>(P.size())}).unit_free;
}

}  // namespace

TEST_CASE("one contact is solved to roundoff, in the plane and in space, for every shape and any coupling")
{
    std::mt19937 random(11);
    const auto polygon = *make_polygon({{1.2, 0.1}, {0.3, 0.9}, {-0.7, 0.5}, {-0.8, -0.4}, {0.4, -0.6}});
    const FrictionShape shapes[] = {FrictionInterval{},
                                    FrictionInterval{.low = -0.3, .high = 0.9},
                                    FrictionDisc{},
                                    FrictionEllipse{.half_axes = {1.5, 0.4}, .angle_rad = 0.7},
                                    FrictionEllipse{.half_axes = {0.8, 0.5}, .centre = {0.2, -0.3}},
                                    polygon};
    for (const FrictionShape& shape : shapes) {
        int sticks = 0, slips = 0;
        for (int k = 0; k < 2000; ++k) {
            const Coulomb law{.shape = shape, .friction = 0.001 * k};
            const RandomContact contact(random, dimension(law), k % 2 == 0);
            const Solution solution = solve_exactly(law, contact.W, contact.b);
            if (solution.status == ContactStatus::None)
                continue;  // only where the centre is off: looked at below
            CAPTURE(shape.index());
            CAPTURE(k);
            CHECK(error_of(law, contact.W, contact.b, solution.P) < 1e-13);
            sticks += solution.status == ContactStatus::Stick;
            slips += solution.status == ContactStatus::Slip;
        }
        CHECK(sticks > 100);
        CHECK(slips > 100);
        CHECK(sticks + slips >= 1980);
    }
}

TEST_CASE("a separating contact gets nothing")
{
    const Coulomb law{.shape = FrictionDisc{}, .friction = 0.5};
    const Solution solution = solve_exactly(law, Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.1, 5, -3));
    CHECK(solution.status == ContactStatus::Open);
    CHECK(solution.P.norm() == 0);
}

TEST_CASE("a unit particle keeps what friction leaves of its tangential velocity (M88 16)")
{
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 200; ++k) {
        const Eigen::Vector3d u(-std::abs(normal(random)), normal(random), normal(random));
        const double mu = 0.01 * k;
        const Solution solution =
            solve_exactly({.shape = FrictionDisc{}, .friction = mu}, Eigen::Matrix3d::Identity(), u);
        const double sliding = std::hypot(u[1], u[2]);
        const double kept = std::max(0.0, 1 - mu * std::abs(u[0]) / sliding);
        CHECK(solution.U[0] == near(0, 1e-15));
        CHECK(solution.U[1] == near(kept * u[1], 1e-14));
        CHECK(solution.U[2] == near(kept * u[2], 1e-14));
    }
}

TEST_CASE("turning the tangential frame turns the solution")
{
    std::mt19937 random(6);
    const Coulomb law{.shape = FrictionDisc{}, .friction = 0.4};
    for (int k = 0; k < 100; ++k) {
        const RandomContact contact(random, 3, true);
        Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
        R.block<2, 2>(1, 1) = Eigen::Rotation2Dd(0.37 * k).toRotationMatrix();
        const Solution original = solve_exactly(law, contact.W, contact.b);
        const Solution turned = solve_exactly(law, R * contact.W * R.transpose(), R * contact.b);
        CHECK((turned.P - R * original.P).norm() < 1e-12 * (1 + original.P.norm()));
    }
}

TEST_CASE(
    "an ellipse turned by a quarter with exchanged half-axes is the same law; a fine polygon is nearly it")
{
    std::mt19937 random(7);
    const double half_turn = std::acos(-1.0);
    std::vector<std::array<double, 2>> points;
    for (int i = 0; i < 2000; ++i) {
        const double phi = 2 * half_turn * i / 2000;
        points.push_back({0.9 * std::cos(phi), 0.4 * std::sin(phi)});
    }
    const Coulomb ellipse{.shape = FrictionEllipse{.half_axes = {0.9, 0.4}}, .friction = 0.7};
    const Coulomb turned{.shape = FrictionEllipse{.half_axes = {0.4, 0.9}, .angle_rad = half_turn / 2},
                         .friction = 0.7};
    const Coulomb polygon{.shape = *make_polygon(points), .friction = 0.7};
    for (int k = 0; k < 20; ++k) {
        const RandomContact contact(random, 3, true);
        const auto P = solve_exactly(ellipse, contact.W, contact.b).P;
        CHECK((solve_exactly(turned, contact.W, contact.b).P - P).norm() < 1e-12 * (1 + P.norm()));
        // the polygon misses the ellipse by (pi / 2000)^2 / 2 of its size; W multiplies that
        CHECK((solve_exactly(polygon, contact.W, contact.b).P - P).norm() < 1e-3 * (1 + P.norm()));
    }
}

TEST_CASE("a rough contact sticks whatever drives it, as the limit of large coefficients does")
{
    std::mt19937 random(8);
    for (const int d : {2, 3}) {
        for (int k = 0; k < 300; ++k) {
            const RandomContact contact(random, d, true);
            const Coulomb rough{.shape = FrictionRough{.dimension = d - 1}};
            Coulomb very{.shape = FrictionInterval{}, .friction = 1e9};
            if (d == 3) very.shape = FrictionDisc{};
            const Solution limit = solve_exactly(very, contact.W, contact.b);
            const Solution solution = solve_exactly(rough, contact.W, contact.b);
            CHECK((solution.P - limit.P).norm() < 1e-6 * (1 + limit.P.norm()));
            CHECK(error_of(rough, contact.W, contact.b, solution.P) < 1e-12);
        }
    }
}

TEST_CASE("parts that can only move in a plane feel the projected cone: more friction at rest than in motion")
{
    // the plane of motion leans by beta against the normal plane: H maps two velocities into space (M88 17)
    const double beta = 0.5, mu = 0.6;
    Eigen::Matrix<double, 3, 2> H;
    H << std::cos(beta), 0, 0, 1, std::sin(beta), 0;
    const Eigen::Matrix3d W = H * H.transpose();
    const Coulomb law{.shape = FrictionDisc{}, .friction = mu};
    // pressed by one unit along the plane: where does it begin to slide along t1?
    const auto status_for = [&](double pull) {
        const Eigen::Vector3d b = H * Eigen::Vector2d(-1, pull);
        const Solution solution = solve_exactly(law, W, b);
        REQUIRE(error_of(law, W, b, solution.P) < 1e-12);
        return solution.status;
    };
    // at rest the projection of the cone on the plane of motion counts, in motion that of its generator
    double low = 0, high = 10;
    for (int k = 0; k < 100; ++k) {
        const double middle = (low + high) / 2;
        (status_for(middle) == ContactStatus::Stick ? low : high) = middle;
    }
    // projection of (1, mu cos, mu sin) on (cos beta, 0, sin beta) and t1: the widest angle
    double widest = 0;
    for (int i = 0; i < 200000; ++i) {
        const double phi = 6.283185307179586 * i / 200000;
        widest =
            std::max(widest, mu * std::cos(phi) / (std::cos(beta) + mu * std::sin(phi) * std::sin(beta)));
    }
    CHECK(low == near(widest, 1e-6));
    CHECK(widest > 1.02 * mu / std::cos(beta));  // the coefficient in motion is mu / cos(beta)
    const Solution sliding = solve_exactly(law, W, H * Eigen::Vector2d(-1, 5));
    CHECK((H.transpose() * sliding.P)[1] == near(-mu / std::cos(beta), 1e-12));
}

TEST_CASE("several frictional contacts are solved to roundoff, redundant ones too")
{
    std::mt19937 random(9);
    std::normal_distribution<double> normal;
    const auto draw = [&] { return normal(random); };
    int solved = 0;
    for (int k = 0; k < 200; ++k) {
        const int contacts = 1 + static_cast<int>(random() % 6), d = 2 + static_cast<int>(random() % 2);
        const int n = 3 + static_cast<int>(random() % 6);
        Eigen::MatrixXd H = Eigen::MatrixXd::NullaryExpr(contacts * d, n, draw);
        for (int c = 0; c < contacts; ++c) {
            H(c * d, 0) = 1 + std::abs(H(c * d, 0));  // one way out for all
        }
        if (contacts > 1) H.bottomRows(d) = H.topRows(d);
        std::vector<Law> laws;
        for (int c = 0; c < contacts; ++c) {
            Coulomb law{.shape = FrictionInterval{}, .friction = 0.3, .restitution = 0.25 * (k % 3)};
            if (d == 3) law.shape = FrictionDisc{};
            laws.emplace_back(law);
        }
        const Eigen::VectorXd u = Eigen::VectorXd::NullaryExpr(n, draw);
        const auto problem = *make_problem(H * H.transpose(), H * u, H * u, laws);
        std::vector<double> P(static_cast<std::size_t>(contacts * d), 0.0);
        const auto report = solve(problem, {}, P);
        CAPTURE(k);
        CHECK(report.status == SolveStatus::Converged);
        CHECK(report.residual.unit_free < 1e-13);
        solved += report.status == SolveStatus::Converged;

        // PSOR finds percussions of the same velocities
        std::vector<double> P_psor(P.size(), 0.0);
        const auto psor = solve(
            problem, {.kind = SolverKind::Psor, .tolerance = 1e-10, .max_sweeps = 200000, .relaxation = 0.5},
            P_psor);
        if (psor.status != SolveStatus::Converged) continue;
        std::vector<double> U(P.size()), U_psor(P.size());
        local_velocity(problem, P, U);
        local_velocity(problem, P_psor, U_psor);
        for (std::size_t i = 0; i < U.size(); ++i) {
            CHECK(U[i] == near(U_psor[i], 1e-6));
        }
    }
    CHECK(solved == 200);
}

TEST_CASE("Painleve's condition: W_NN against mu |W_NT|")
{
    const std::vector<double> W{1, 0.8, 0.8, 1};
    CHECK(sliding_margin({.friction = 1.2}, W) == near(1 - 1.2 * 0.8, 1e-15));
    CHECK(sliding_margin({.friction = 1.3}, W) < 0);
    // only friction in one direction meets the coupling
    CHECK(sliding_margin({.shape = FrictionInterval{.low = -0.1, .high = 1}, .friction = 1.3}, W) > 0.8);
}
