#include "solver/solver_scratch.hpp"

#include "solver/solver_scratch.hpp"
#include "support/near.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>

using namespace carom;
using test::near;

namespace {

/// A rigid plate above a floor, moved by (x, y, z, tilt about x, tilt about y, turn), on feet at these
/// places.
struct PlateOnFeet {
    std::vector<Eigen::Vector2d> feet{{0.5, 0.3}, {-0.5, 0.3}, {-0.5, -0.3}, {0.5, -0.3}};
    double mass_kg = 2, inertia_kg_m2 = 0.1, height_m = 0;
    double mu = 0;
    Eigen::Vector3d sliding{0, 0, 0};  ///< velocities in x, y, and of the turn
    double fall_m_s = 0.1;             ///< that the floor takes away
    Eigen::Vector2d tilting{0, 0};

    [[nodiscard]] OneStepProblem problem() const
    {
        const int d = mu > 0 ? 3 : 1, n = d * static_cast<int>(feet.size());
        Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, 6);
        for (int c = 0; c < static_cast<int>(feet.size()); ++c) {
            const Eigen::Vector2d r = feet[static_cast<std::size_t>(c)];
            H.row(c * d) << 0, 0, 1, r.y(), -r.x(), 0;
            if (d == 1) continue;
            H.row(c * d + 1) << 1, 0, 0, 0, -height_m, -r.y();
            H.row(c * d + 2) << 0, 1, 0, height_m, 0, r.x();
        }
        Eigen::VectorXd inverse(6), u(6);
        inverse << 1 / mass_kg, 1 / mass_kg, 1 / mass_kg, 1 / inertia_kg_m2, 1 / inertia_kg_m2,
            0.5 / inertia_kg_m2;
        u << sliding.x(), sliding.y(), -fall_m_s, tilting.x(), tilting.y(), sliding.z();
        std::vector<Law> laws(feet.size(), Unilateral{});
        if (d == 3) laws.assign(feet.size(), Coulomb{.shape = FrictionDisc{}, .friction = mu});
        return *make_problem(H * inverse.asDiagonal() * H.transpose(), H * u, Eigen::VectorXd::Zero(n), laws);
    }
};

struct Answer {
    SolveReport report;
    std::vector<double> P, U;
    std::vector<OtherMotion> others;
};

Answer answer(const OneStepProblem& problem, SolverKind kind = SolverKind::Auto,
              std::vector<double> start = {})
{
    SolverScratch scratch;
    Answer result;
    result.P = start.empty() ? std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0) : start;
    result.report = solve_selected(problem, {.kind = kind}, result.P, scratch);
    result.U.resize(result.P.size());
    local_velocity(problem, result.P, result.U);
    result.others.assign(scratch.selector.others().begin(), scratch.selector.others().end());
    return result;
}

/// A disc of unit mass between two walls that lean by `a` from the vertical, in contact with both, pulled
/// out.
OneStepProblem groove(double a, double mu, double speed_m_s)
{
    const double r = 0.05;
    Eigen::MatrixXd H(4, 3);
    H << std::cos(a), std::sin(a), 0, std::sin(a), -std::cos(a), r, -std::cos(a), std::sin(a), 0,
        -std::sin(a), -std::cos(a), -r;
    const Eigen::Vector3d inverse(1, 1, 2 / (r * r)), u(0, speed_m_s, 0);
    const std::vector<Law> laws(2, Coulomb{.shape = FrictionInterval{}, .friction = mu});
    return *make_problem(H * inverse.asDiagonal() * H.transpose(), H * u, Eigen::VectorXd::Zero(4), laws);
}

}  // namespace

TEST_CASE("four equal feet carry equal loads, whatever the solver and its start")
{
    const auto problem = PlateOnFeet{}.problem();
    for (const SolverKind kind : all_solver_kinds()) {
        CAPTURE(name_of(kind));
        const auto [report, P, U, others] = answer(problem, kind, {0.9, 0, 0.7, 0.1});
        CHECK(report.status == SolveStatus::Converged);
        CHECK(report.selection.selected == 1);
        for (const double load : P) {
            CHECK(load == near(2 * 0.1 / 4, 1e-9));
        }
    }
}

TEST_CASE("a fifth leg in the middle of a table carries as much as the others")
{
    PlateOnFeet table;
    table.feet.emplace_back(0, 0);
    for (const double load : answer(table.problem()).P) {
        CHECK(load == near(2 * 0.1 / 5, 1e-9));
    }
}

TEST_CASE("loads of a beam on three supports vary linearly along it, and are never negative")
{
    // weight at x0: P_i = m v (1/3 + x_i x0 / sum x^2); tilting about y by a percussion of weight times x0
    PlateOnFeet beam;
    beam.feet = {{-1, 0}, {0, 0}, {1, 0}};
    const double x0 = 0.25, p = beam.mass_kg * beam.fall_m_s;
    beam.tilting.y() = p * x0 / beam.inertia_kg_m2;
    const auto loads = answer(beam.problem()).P;
    CHECK(loads[0] == near(p * (1.0 / 3 - x0 / 2), 1e-9));
    CHECK(loads[1] == near(p / 3, 1e-9));
    CHECK(loads[2] == near(p * (1.0 / 3 + x0 / 2), 1e-9));

    // so far out that the first support would have to pull: the two others balance it
    beam.tilting.y() = p * 0.8 / beam.inertia_kg_m2;
    const auto outside = answer(beam.problem()).P;
    CHECK(outside[0] == near(0, 1e-12));
    CHECK(outside[1] == near(p * 0.2, 1e-9));
    CHECK(outside[2] == near(p * 0.8, 1e-9));
}

TEST_CASE("a contact that is there twice carries its load in two halves")
{
    PlateOnFeet beam;
    beam.feet = {{-1, 0}, {1, 0}, {1, 0}};
    const auto loads = answer(beam.problem()).P;
    CHECK(loads[0] == near(0.1, 1e-10));
    CHECK(loads[1] == near(0.05, 1e-10));
    CHECK(loads[2] == near(0.05, 1e-10));
}

TEST_CASE("a plate that slides and spins on four feet moves in one way, whatever the solver and the order")
{
    PlateOnFeet plate{.height_m = 0.1, .mu = 0.3, .sliding = {0.6, 0.1, 1.5}, .fall_m_s = 0.01};
    const auto problem = plate.problem();
    const Answer first = answer(problem);
    REQUIRE(first.report.status == SolveStatus::Converged);
    CHECK(first.report.selection.selected == 1);
    CHECK(first.report.selection.several == 0);

    // no load that equal compliance does not ask for: the pattern + - + - is not in it
    const double size = first.P[0] + first.P[3] + first.P[6] + first.P[9];
    CHECK(std::abs(first.P[0] - first.P[3] + first.P[6] - first.P[9]) < 1e-9 * size);

    for (const SolverKind kind : all_solver_kinds()) {
        CAPTURE(name_of(kind));
        const Answer other = answer(problem, kind);
        CHECK(other.report.status == SolveStatus::Converged);
        for (std::size_t k = 0; k < first.P.size(); ++k) {
            CHECK(other.P[k] == near(first.P[k], 1e-9 * size));
            CHECK(other.U[k] == near(first.U[k], 1e-10));
        }
    }

    // other starts: loads as uneven as can be
    const Answer uneven = answer(problem, SolverKind::GaussSeidel, {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0});
    std::rotate(plate.feet.begin(), plate.feet.begin() + 1, plate.feet.end());
    const Answer turned = answer(plate.problem());
    for (std::size_t k = 0; k < first.P.size(); ++k) {
        CHECK(uneven.P[k] == near(first.P[k], 1e-9 * size));
        CHECK(turned.P[k] == near(first.P[(k + 3) % 12], 1e-9 * size));
    }
}

TEST_CASE("a disc pulled out of a self-locking groove leaves, and may as well stay: carom says so")
{
    const auto locking = groove(0.1, 0.3, 0.02);
    for (const SolverKind kind : all_solver_kinds()) {
        CAPTURE(name_of(kind));
        const Answer found = answer(locking, kind, {1.23, 0.37, 1.23, 0.37});
        CHECK(found.report.status == SolveStatus::Converged);
        CHECK(found.U[0] == near(0.02 * std::sin(0.1), 1e-10));
        REQUIRE(found.report.selection.several == 1);
        CHECK(found.others.front().wedged);
        CHECK(found.others.front().interactions == std::vector{0, 1});
        CHECK(found.others.front().difference_m_s == near(0.02 * std::cos(0.1), 1e-9));
    }

    // a groove that is wider than the friction angle holds nothing: one solution
    const Answer wide = answer(groove(0.4, 0.3, 0.02));
    CHECK(wide.report.selection.several == 0);
    CHECK(wide.U[0] == near(0.02 * std::sin(0.4), 1e-12));
}

TEST_CASE("contacts whose motion is unique are never said to have another")
{
    // a box on two corners pushed over a floor: slides, sticks or tips in one way
    std::mt19937 random(7);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (int k = 0; k < 200; ++k) {
        const double height = 0.2 + 0.2 * std::abs(draw(random)), mu = 0.9 * std::abs(draw(random));
        Eigen::MatrixXd H(4, 3);
        H << 0, 1, -0.5, 1, 0, height, 0, 1, 0.5, 1, 0, height;
        const Eigen::Vector3d inverse(1, 1, 12 / (1 + 4 * height * height));
        const Eigen::Vector3d u(0.3 * draw(random), -0.1, 0.1 * draw(random));
        const std::vector<Law> laws(2, Coulomb{.shape = FrictionInterval{}, .friction = mu});
        const auto problem =
            *make_problem(H * inverse.asDiagonal() * H.transpose(), H * u, Eigen::VectorXd::Zero(4), laws);
        const Answer found = answer(problem);
        CHECK(found.report.status == SolveStatus::Converged);
        CHECK(found.report.selection.several == 0);
    }
}

TEST_CASE("islands of many contacts are left to the solver, and counted")
{
    PlateOnFeet crowd;
    crowd.feet.clear();
    for (int k = 0; k < 61; ++k) {
        crowd.feet.emplace_back(std::cos(0.1 * k), std::sin(0.1 * k));
    }
    const Answer found = answer(crowd.problem());
    CHECK(found.report.status == SolveStatus::Converged);
    CHECK(found.report.selection.unexamined == 1);
    CHECK(found.report.selection.selected == 0);
}
