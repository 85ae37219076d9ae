#include "drivers.hpp"
#include "follower_system.hpp"

#include "carom/system/lagrangian/geometry.hpp"
#include "expression/workspace.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace carom::reference {
namespace {

Model pendulum_under(double lam, const Task& task)
{
    return model_of(follower_system(), task, {{"lam", lam}, {"eta1", 0}, {"eta2", 0}});
}

/// Given and potential forces at rest.
Eigen::VectorXd forces_at(const Model& model, const Eigen::VectorXd& q)
{
    const Eigen::VectorXd u = Eigen::VectorXd::Zero(q.size());
    Eigen::VectorXd given(q.size()), gradient(q.size());
    Workspace work;
    model.given_forces({view(q), view(u), 0}, view(given), work);
    model.potential_gradient({view(q), view(u), 0}, view(gradient), work);
    return given - gradient;
}

/// Squares of the frequencies of small motions around q = 0: eigenvalues of A^-1 K, K the negative derivative
/// of the forces by central differences of fourth order, so that truncation (1e-16) and roundoff (1e-12) are
/// below what is asked for.
Eigen::VectorXcd squared_frequencies(const Model& model)
{
    constexpr double d = 1e-4;
    const int n = model.coordinates();
    Eigen::MatrixXd K(n, n);
    for (int j = 0; j < n; ++j) {
        const auto force = [&](double x) { return forces_at(model, x * Eigen::VectorXd::Unit(n, j)); };
        K.col(j) = -(8 * (force(d) - force(-d)) - (force(2 * d) - force(-2 * d))) / (12 * d);
    }
    const Eigen::MatrixXd A = value_of(metric_at(model, Eigen::VectorXd::Zero(n))).matrix();
    return Eigen::EigenSolver<Eigen::MatrixXd>(A.llt().solve(K)).eigenvalues();
}

/// Flutter: two frequencies are conjugate complex, so that one of the motions grows and oscillates.
bool flutters(double lam, const Task& task)
{
    return squared_frequencies(pendulum_under(lam, task)).imag().cwiseAbs().maxCoeff() > 0;
}

/// The first force above `from` at which flutter begins (or ends), by bisection between forces that are a
/// hundredth of those that the springs hold apart.
double change_of_flutter(double from, bool begins, const Task& task)
{
    const double scale = (task.number("k1") + task.number("k2")) / (task.number("l1") + task.number("l2"));
    double low = from, high = from;
    for (int i = 1; flutters(high, task) != begins; ++i) {
        if (i > 2000)
            throw DriverFailure("flutter does not change up to twenty times the force of the springs");
        low = high;
        high = from + 0.01 * i * scale;
    }
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (flutters(middle, task) == begins ? high : low) = middle;
    }
    return (low + high) / 2;
}

}  // namespace

/// B-EX4-FLUTTER: stability of the upright double pendulum under a follower force (Ballard 2002, example 4),
/// from the model's own kinetic matrix and forces.
void drive_flutter(const Task& task, Answers& answers)
{
    answers.give("w^2 at lambda=#", Means::Exact, [&](const Pieces& p) {
        const Eigen::VectorXcd found = squared_frequencies(pendulum_under(number_in(p[0]), task));
        if (found.imag().cwiseAbs().maxCoeff() > 0) throw DriverFailure("the frequencies are complex");
        Eigen::VectorXd squares = found.real();
        std::sort(squares.begin(), squares.end());
        return list_of(squares);
    });
    answers.give("lambda_c", Means::Exact, [&] { return Json(change_of_flutter(0, true, task)); });
    answers.give("lambda_c_upper", Means::Exact, [&] {
        return Json(change_of_flutter(change_of_flutter(0, true, task) + 1e-6, false, task));
    });
}

}  // namespace carom::reference
