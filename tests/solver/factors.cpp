#include "carom/onestep/factors.hpp"

#include "carom/onestep/fclib.hpp"
#include "carom/onestep/residual.hpp"
#include "carom/onestep/solution_check.hpp"
#include "onestep/factored_operator.hpp"
#include "solver/solver_scratch.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <random>

using namespace carom;

namespace {

using Vec3 = Eigen::Vector3d;

/// Bodies in layers on a floor that does not move, each on those below, beside its neighbours, and falling:
/// as factors. `round`: spheres; otherwise arms and inertias of any kind.
struct Pile {
    int side = 6, layers = 4;
    bool round = true;
    FrictionShape shape = FrictionDisc{};

    [[nodiscard]] OneStepProblem made() const
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> uniform(0.5, 2.0);
        OneStepProblem problem;
        Factors& factors = problem.factors;
        factors.round = round;
        factors.blocks.emplace_back();  // the floor
        const auto at = [&](int i, int j, int k) { return 1 + (k * side + j) * side + i; };
        for (int k = 0; k < layers; ++k) {
            for (int j = 0; j < side; ++j) {
                for (int i = 0; i < side; ++i) {
                    Factors::Block& block = factors.blocks.emplace_back();
                    block.v = {uniform(random) - 1.2, uniform(random) - 1.2, -uniform(random)};
                    block.w = {uniform(random) - 1, uniform(random) - 1, uniform(random) - 1};
                    block.inverse_mass = uniform(random);
                    const double J = 2.5 * block.inverse_mass;
                    const double along = round ? J : 1.3 * J, off = round ? 0.0 : 0.2 * J;
                    block.inverse_inertia = {J, off, 0, off, along, 0, 0, 0, J};
                    factors.freedoms += 6;
                    const int here = at(i, j, k);
                    if (k == 0) touch({0, 0, 1}, here, 0, problem);
                    if (k > 0) touch({0.6, 0, 0.8}, here, at(i, j, k - 1), problem);
                    if (i > 0) touch({1, 0, 0}, here, at(i - 1, j, k), problem);
                    if (j > 0) touch({0, 0.8, -0.6}, here, at(i, j - 1, k), problem);
                }
            }
        }
        detail::begin_diagonal(problem);
        for (std::size_t c = 0; c < problem.factors.rows.size(); ++c) {
            detail::set_diagonal(problem.factors.rows[c], static_cast<int>(c), problem);
        }
        std::vector<double> nothing(static_cast<std::size_t>(problem.size()), 0.0);
        problem.U_free.resize(nothing.size());
        problem.U_minus = nothing;
        std::vector<Factors::Block> blocks;
        detail::velocities_by_factors(problem, nothing, blocks, problem.U_free);
        return problem;
    }

private:
    void touch(const Vec3& n, int a, int b, OneStepProblem& problem) const
    {
        Factors::Rows& rows = problem.factors.rows.emplace_back();
        const Vec3 t = n.cross(std::abs(n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
        rows.axes = {n, t, n.cross(t)};
        rows.arm_a = round ? Vec3(-n) : Vec3(-n + 0.3 * t);
        rows.arm_b = round ? n : Vec3(n - 0.2 * rows.axes[2]);
        rows.b_m_s = problem.laws.size() % 5 == 0 ? 0.05 : 0.0;
        rows.a = a;
        rows.b = b;
        // every seventh without friction
        const bool rough = problem.laws.size() % 7 != 0;
        if (rough)
            problem.laws.emplace_back(Coulomb{.shape = shape, .friction = 0.4});
        else
            problem.laws.emplace_back(Unilateral{});
        problem.offsets.push_back(problem.offsets.back() + (rough ? 3 : 1));
    }
};

std::vector<double> velocities(const OneStepProblem& problem, std::span<const double> P)
{
    std::vector<double> U(P.size());
    local_velocity(problem, P, U);
    return U;
}

double largest_difference(std::span<const double> a, std::span<const double> b)
{
    double largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        largest = std::max(largest, std::abs(a[k] - b[k]));
    return largest;
}

}  // namespace

TEST_CASE("W in blocks does to percussions what its factors do (OS-14)")
{
    for (const bool round : {true, false}) {
        const OneStepProblem factored = Pile{.round = round}.made(), whole = assembled(factored);
        CHECK_FALSE(factored.is_assembled());
        CHECK(whole.is_assembled());
        std::mt19937 random(3);
        std::normal_distribution<double> normal;
        std::vector<double> P(static_cast<std::size_t>(factored.size()));
        for (double& p : P)
            p = normal(random);
        // some ten terms of the size of ten each, rounded
        CHECK(largest_difference(velocities(factored, P), velocities(whole, P)) < 1e-13);

        // so errors are the same, of the residual and of the other code that checks solutions
        CHECK(residual(factored, P).unit_free ==
              doctest::Approx(residual(whole, P).unit_free).epsilon(1e-12));
        CHECK(check_solution(factored, P).velocity ==
              doctest::Approx(check_solution(whole, P).velocity).epsilon(1e-12));
        CHECK(check_operator(factored).asymmetry < 1e-14);
    }
}

TEST_CASE("many contacts are solved by their factors, and the blocks agree that they are")
{
    for (const bool round : {true, false}) {
        const OneStepProblem problem = Pile{.round = round}.made();
        REQUIRE(problem.laws.size() >= FactorSweeps::min_interactions);
        std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0);
        const SolveReport report = solve(problem, {}, P);
        CHECK(report.status == SolveStatus::Converged);
        CHECK(report.by_factors);
        CHECK(report.solver == SolverKind::NonlinearCg);
        CHECK(is_solved(residual(assembled(problem), P), 1e-8));
    }
}

TEST_CASE("a solve by factors ends where it is asked to stop, unsolved, without blocks of W")
{
    const std::atomic<bool> stop = true;
    for (const bool round : {true, false}) {
        for (const bool calm : {true, false}) {
            OneStepProblem problem = Pile{.round = round}.made();
            problem.factors.calm = calm;
            std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0);
            const SolveReport report = solve(problem, {.stop = &stop}, P);
            CHECK(report.status != SolveStatus::Converged);
            // one look after the first sweep, of a structure that stands one more
            CHECK(report.iterations <= 3);
        }
    }
}

TEST_CASE("what no kernel takes is solved with the blocks of W")
{
    // few contacts, a method by name, friction that is not the same in all directions
    const FrictionEllipse ellipse{.half_axes = {0.5, 0.3}};
    const OneStepProblem few = Pile{.side = 3, .layers = 2}.made(), many = Pile{}.made(),
                         anisotropic = Pile{.shape = ellipse}.made();
    const SolverSettings by_name{.kind = SolverKind::GaussSeidel};
    for (const auto& [problem, settings] : {std::pair(&few, SolverSettings{}), std::pair(&many, by_name),
                                            std::pair(&anisotropic, SolverSettings{})}) {
        std::vector<double> P(static_cast<std::size_t>(problem->size()), 0.0), Q = P;
        const SolveReport report = solve(*problem, settings, P);
        CHECK_FALSE(report.by_factors);
        CHECK(report.status == SolveStatus::Converged);
        // the same as if the blocks had been there from the start
        const SolveReport of_blocks = solve(assembled(*problem), settings, Q);
        REQUIRE(of_blocks.status == SolveStatus::Converged);
        CHECK(largest_difference(velocities(*problem, P), velocities(*problem, Q)) < 1e-6);
    }
}

TEST_CASE("a problem of factors is stored, read and solved again")
{
    const OneStepProblem problem = Pile{.round = false}.made();
    auto stored = fclib_problem(problem);
    REQUIRE(stored);
    auto loaded = one_step_problem(stored->stored);
    REQUIRE(loaded);
    CHECK(loaded->problem.is_assembled());
    CHECK(loaded->problem.interactions() == problem.interactions());
    std::vector<double> P(static_cast<std::size_t>(problem.size()), 0.0), Q = P;
    REQUIRE(solve(problem, {}, P).status == SolveStatus::Converged);
    REQUIRE(solve(loaded->problem, {}, Q).status == SolveStatus::Converged);
    // the percussions of either solve the other
    CHECK(is_solved(residual(loaded->problem, P), 1e-8));
    CHECK(is_solved(residual(problem, Q), 1e-8));
}
