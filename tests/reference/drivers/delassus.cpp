#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/onestep/problem.hpp"
#include "carom/solver/solve.hpp"

namespace carom::reference {
namespace {

/// The contact problem of accelerations: multipliers instead of percussions, accelerations instead of
/// velocities.
struct Accelerations {
    Eigen::VectorXd multipliers;
    Eigen::VectorXd normal;  ///< n_i.a
};

Accelerations accelerations(const Eigen::MatrixXd& G, const Eigen::VectorXd& f, const Law& law)
{
    const auto rows = static_cast<std::size_t>(G.rows());
    const OneStepProblem problem = value_of(
        make_problem(G * G.transpose(), G * f, Eigen::VectorXd::Zero(G.rows()), std::vector<Law>(rows, law)));
    Accelerations result{Eigen::VectorXd::Zero(G.rows()), Eigen::VectorXd::Zero(G.rows())};
    const SolveReport report = solve(problem, {.tolerance = 1e-12}, view(result.multipliers));
    if (report.status != SolveStatus::Converged) throw DriverFailure("the contact problem was not solved");
    local_velocity(problem, view(result.multipliers), view(result.normal));
    return result;
}

}  // namespace

/// C-DELASSUS: accelerations of a unit mass at the vertex of half-spaces, with all contacts kept (Bilateral)
/// and with contacts that may open (Unilateral), by make_problem with W = G G^T, U_free = G f, and solve.
void drive_delassus(const Task& task, Answers& answers)
{
    const Eigen::MatrixXd G = task.matrix("G");
    const Eigen::VectorXd f = task.vector("f");
    if (f.size() != G.cols()) throw DriverFailure("f has not as many entries as G has columns");
    const Accelerations unilateral = accelerations(G, f, Unilateral{});

    answers.give("lambda_bilateral", Means::Exact,
                 [&] { return list_of(accelerations(G, f, Bilateral{}).multipliers); });
    answers.give("lambda_unilateral", Means::Exact, [&] { return list_of(unilateral.multipliers); });
    answers.give("normal_accelerations n_i.a", Means::Exact, [&] { return list_of(unilateral.normal); });
    answers.give("acceleration", Means::Exact,
                 [&] { return list_of(f + G.transpose() * unilateral.multipliers); });
    answers.give("contacts_that_open (1-based)", Means::Exact, [&] {
        // beside the roundoff of closed ones
        const double roundoff = 1e-10 * G.rowwise().norm().maxCoeff() * f.norm();
        Json numbers = Json::array();
        for (Eigen::Index i = 0; i < G.rows(); ++i) {
            if (unilateral.normal[i] > roundoff) numbers.push_back(i + 1);
        }
        return numbers;
    });
}

}  // namespace carom::reference
