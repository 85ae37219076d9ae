#include "drivers.hpp"
#include "one_step.hpp"
#include "search.hpp"
#include "system/lagrangian/mass_matrix.hpp"

#include "stepping/assembly.hpp"

#include <cmath>
#include <numbers>

namespace carom::reference {
namespace {

/// A homogeneous rod whose lower end slides to the right on the floor, the centre up to the left of it.
class SlidingRod {
public:
    SlidingRod(const Task& task, double mu)
        : model_(model_of({.coordinates = {"x", "y", "theta"},
                           .kinetic = "m/2*(x'^2 + y'^2) + m*length^2/24*theta'^2",
                           .potential = "m*g*y",
                           .contacts = {{.name = "tip",
                                         .gap = "y - length/2*sin(theta)",
                                         .friction = "mu",
                                         .sliding = {"x' - length/2*sin(theta)*theta'"}}}},
                          task, {{"mu", mu}})),
          mu_(mu),
          half_m_(task.number("length") / 2)
    {
    }

    /// The tip on the floor, sliding with 1 m/s, the rod turning with omega. The velocity is that of the
    /// angle of half a step ago, as a run of the scheme would have left it.
    [[nodiscard]] State sliding(double theta, double omega, double h_s) const
    {
        const double before = theta - omega * h_s / 2;
        return make_state(model_, Eigen::Vector3d(0, half_m_ * std::sin(theta), theta),
                          Eigen::Vector3d(1 + half_m_ * std::sin(before) * omega,
                                          half_m_ * std::cos(before) * omega, omega));
    }

    /// The Delassus operator W of the tip, (n, t): what a percussion of 1 N s changes of its velocity.
    [[nodiscard]] Eigen::Matrix2d delassus(double theta) const
    {
        const State state = sliding(theta, 0, 0);
        Workspace work;
        MassMatrix A(model_.mass_pattern());
        Eigen::VectorXd c(model_.coordinates()), x(model_.coordinates());
        model_.kinetic_terms(point_of(state), A, view(c), work);
        if (!A.factorise()) throw DriverFailure("the kinetic matrix is singular");
        ContactRows rows;
        rows.contacts = {0};
        evaluate_rows(model_, point_of(state), work, rows);
        OneStepProblem problem;
        problem.offsets.assign(rows.offsets.begin(), rows.offsets.end());
        assemble_delassus(model_, model_.coupling(), rows, A, view(x), problem);
        const auto W = problem.W.diagonal(0);
        return Eigen::Matrix2d{{W[0], W[1]}, {W[2], W[3]}};
    }

    /// The force of the floor while the tip slides to the right, as the percussion of a short step over its
    /// length. Where there is none the label says so: a percussion that does not shrink with the step is an
    /// impact without collision; a contact that does not act though it could is one of two solutions.
    [[nodiscard]] Json normal_force(double theta, double omega) const
    {
        const auto step = [&](double h_s) { return one_step(model_, sliding(theta, omega, h_s), h_s); };
        const OneStep whole = step(1e-5), half = step(0.5e-5);
        const double P_whole = pressure(whole), P_half = pressure(half);
        if (P_half > 0.75 * P_whole && P_half > 0) return "inconsistent";
        if (P_half == 0 && slope_of_normal_acceleration(theta, mu_) < 0) return "indeterminate";
        // the force of a step is that of its middle: two steps take out the first order
        return 2 * P_half / half.h_s - P_whole / whole.h_s;
    }

    /// A of the normal acceleration A N + B of a tip that slides to the right: friction is -mu N.
    [[nodiscard]] double slope_of_normal_acceleration(double theta, double mu) const
    {
        const Eigen::Matrix2d W = delassus(theta);
        return W(0, 0) - mu * W(0, 1);
    }

private:
    [[nodiscard]] static double pressure(const OneStep& step)
    {
        return step.contacts.empty() ? 0.0 : step.contacts.front().P[0];
    }

    Model model_;
    double mu_, half_m_;
};

/// The friction at which A is zero.
double critical_friction(const SlidingRod& rod, double theta)
{
    const Eigen::Matrix2d W = rod.delassus(theta);
    return W(0, 0) / W(0, 1);
}

/// The least of it over the angle; it grows without bound towards both ends.
double min_critical_friction(const SlidingRod& rod)
{
    const auto friction = [&](double theta) { return critical_friction(rod, theta); };
    return friction(place_of_least(1e-3, std::numbers::pi / 2 - 1e-3, friction));
}

}  // namespace

/// C-PAIN-1: Painleve's rod. The Delassus operator says where sliding has a continuation, short steps of the
/// scheme which force it has.
void drive_painleve_rod(const Task& task, Answers& answers)
{
    const double theta = radians(task.number("theta_deg"));
    const SlidingRod smooth(task, 0);
    answers.give("A(mu=#)", Means::Exact, [&](const Pieces& p) {
        return Json(smooth.slope_of_normal_acceleration(theta, number_in(p[0])));
    });
    answers.give("normal_force(mu=#, omega=#)", Means::Exact, [&](const Pieces& p) {
        return SlidingRod(task, number_in(p[0])).normal_force(theta, number_in(p[1]));
    });
    answers.give("mu_crit(#deg)", Means::Exact,
                 [&](const Pieces& p) { return Json(critical_friction(smooth, radians(number_in(p[0])))); });
    answers.give("mu_min", Means::Exact, [&] { return Json(min_critical_friction(smooth)); });
}

}  // namespace carom::reference
