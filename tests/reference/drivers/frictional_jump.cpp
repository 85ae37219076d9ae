#include "drivers.hpp"
#include "simulation.hpp"

#include "carom/onestep/residual.hpp"
#include "carom/solver/solve.hpp"
#include "solver/one_contact.hpp"

#include <algorithm>

namespace carom::reference {
namespace {

/// The cases write (tangential, normal), the library (normal, tangential).
Eigen::Vector2d turned(const Eigen::Vector2d& x)
{
    return x.reverse();
}

Eigen::Matrix2d turned(const Eigen::Matrix2d& H)
{
    return H.reverse();
}

using RowMajor = Eigen::Matrix<double, 2, 2, Eigen::RowMajor>;

std::string label_of(ContactStatus status, double sliding)
{
    if (status == ContactStatus::Slip) return sliding > 0 ? "slide+" : "slide-";
    return name_of(status);
}

/// The one-step problem of a soft contact, its velocity before in (normal, tangential).
OneStepProblem problem_of(const Eigen::Matrix2d& W, const Eigen::Vector2d& U_minus, std::vector<Law> laws)
{
    return value_of(make_problem(W, U_minus, U_minus, std::move(laws)));
}

/// The percussion after which nothing moves: two firm constraints.
Eigen::Vector2d sticking(const Eigen::Matrix2d& W, const Eigen::Vector2d& U_minus)
{
    const OneStepProblem problem = problem_of(W, U_minus, {Bilateral{}, Bilateral{}});
    Eigen::VectorXd P = Eigen::VectorXd::Zero(2);
    if (solve(problem, {.tolerance = 1e-14}, view(P)).status != SolveStatus::Converged) {
        throw DriverFailure("the sticking percussion was not found");
    }
    return P;
}

/// A contact that slides without collision (U_N = 0): its percussions, of which there may be several.
struct SlidingContact {
    Eigen::Matrix2d W;
    Eigen::Vector2d U_minus;
    Coulomb law;

    [[nodiscard]] bool solves(const Eigen::Vector2d& P) const
    {
        Eigen::VectorXd flat = P;
        const double error = residual(problem_of(W, U_minus, {law}), view(flat)).unit_free;
        return error < 1e-13;
    }

    /// Out of those that open, stick and slide, the percussions that solve the problem, in the order of the
    /// case (tangential, normal).
    [[nodiscard]] Json solutions() const
    {
        std::vector<Eigen::Vector2d> found;
        Eigen::Vector2d slipping;
        const RowMajor rows = W;
        (void)solve_one_contact(law, {rows.data(), 4}, {U_minus.data(), 2}, {slipping.data(), 2});
        for (const Eigen::Vector2d& P : {Eigen::Vector2d(0, 0), sticking(W, U_minus), slipping}) {
            const bool known = std::any_of(found.begin(), found.end(),
                                           [&](const auto& other) { return (P - other).norm() < 1e-12; });
            if (!known && solves(P)) found.push_back(P);
        }
        Json list = Json::array();
        for (const Eigen::Vector2d& P : found) {
            list.push_back(list_of(turned(P)));
        }
        return list;
    }

    [[nodiscard]] double sliding_after(const Eigen::Vector2d& P) const { return (U_minus + W * P)[1]; }
};

/// Parameters may give the operators; those of the statement otherwise.
SlidingContact sliding_contact(const Task& task, const char* name, const Eigen::Matrix2d& of_statement)
{
    const Eigen::Matrix2d H =
        task.parameters.contains(name) ? Eigen::Matrix2d(task.matrix(name)) : of_statement;
    return {.W = turned(H),
            .U_minus = Eigen::Vector2d(0, task.number("s")),
            .law = {.shape = FrictionInterval{}, .friction = task.number("gamma")}};
}

}  // namespace

/// M88-JUMP: a soft impact with friction, the coefficients of the two directions different (Moreau 1988, 14
/// first case). By solve_one_contact.
void drive_frictional_jump(const Task& task, Answers& answers)
{
    const Eigen::MatrixXd H = task.matrix("H");
    const Eigen::VectorXd before = task.vector("U_minus");
    if (H.rows() != 2 || H.cols() != 2 || before.size() != 2) throw DriverFailure("H is not 2 x 2");
    const RowMajor W = turned(Eigen::Matrix2d(H));
    const Eigen::Vector2d U_minus = turned(Eigen::Vector2d(before));
    const Coulomb law{
        .shape = FrictionInterval{.low = -task.number("gamma_plus"), .high = task.number("gamma_minus")},
        .friction = 1};
    if (auto checked = check(Law(law)); !checked) throw DriverFailure(checked.error().message);

    Eigen::Vector2d P;
    const ContactStatus status = solve_one_contact(law, {W.data(), 4}, {U_minus.data(), 2}, {P.data(), 2});
    if (status == ContactStatus::None) throw DriverFailure("no percussion solves it");
    const Eigen::Vector2d U_plus = U_minus + W * P;
    answers.give("P", Means::Exact, [&] { return list_of(turned(P)); });
    answers.give("U_plus", Means::Exact, [&] { return list_of(turned(U_plus)); });
    answers.give("status", Means::Exact, [&] { return Json(label_of(status, U_plus[1])); });
}

/// M88-JUMP-CAT: sliding without collision, where several percussions may solve the problem (Moreau 1988, 14
/// second case, remark 14.1): candidates judged by residual().
void drive_locking_threshold(const Task& task, Answers& answers)
{
    const SlidingContact a = sliding_contact(task, "H_a", Eigen::Matrix2d{{4, 1}, {1, 2}});
    const SlidingContact b = sliding_contact(task, "H_b", Eigen::Matrix2d{{9, 4}, {4, 2}});
    const SlidingContact c = sliding_contact(task, "H_c", Eigen::Matrix2d{{20, 6}, {6, 2}});
    answers.give("a_solutions_P", Means::Exact, [&] { return a.solutions(); });
    answers.give("c_solutions_P", Means::Exact, [&] { return c.solutions(); });

    // at the threshold the whole segment from no percussion to sticking solves it
    const Eigen::Vector2d end = sticking(b.W, b.U_minus);
    const auto require_segment = [&] {
        for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            if (!b.solves(part * end)) throw DriverFailure("not all of the segment solves the problem");
        }
    };
    answers.give("b_endpoint_P", Means::Exact, [&] {
        require_segment();
        return list_of(turned(end));
    });
    answers.give("b_Uplus_range", Means::Exact, [&] {
        require_segment();
        return Json({b.sliding_after(end), b.sliding_after({0, 0})});
    });
}

}  // namespace carom::reference
