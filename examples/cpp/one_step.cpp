// A one-step problem: two contacts with friction on one block, solved and proved.

#include <carom/carom.hpp>

#include <cstdio>

int main()
{
    using namespace carom;

    // rows are (normal, tangential) of each contact; the block comes down at 1 m/s and slides at 2 m/s
    Eigen::MatrixXd W(4, 4);
    W << 2.0, 0.3, -1.0, 0.3,  //
        0.3, 1.5, 0.3, 0.5,    //
        -1.0, 0.3, 2.0, 0.3,   //
        0.3, 0.5, 0.3, 1.5;
    const Eigen::Vector4d U_free(-1, 2, -1, 2);
    const Coulomb law{.friction = 0.5};
    const auto problem = make_problem(W, U_free, U_free, {law, law});
    if (!problem) return std::fputs(to_text(problem.error()).c_str(), stderr), 2;
    const SolvedProblem solved = solve_problem(*problem, {.settings = {.tolerance = 1e-12}});
    std::printf("%s: P = (%.4f, %.4f, %.4f, %.4f) N s, errors %.1e and %.1e, gap %.1e J\n",
                solved.status.c_str(), solved.P[0], solved.P[1], solved.P[2], solved.P[3],
                solved.check.unit_free, solved.check.siconos, solved.check.gap_J);
    return solved.solved() ? 0 : 1;
}
