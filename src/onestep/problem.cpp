#include "carom/onestep/problem.hpp"

#include "onestep/factored_operator.hpp"

#include <fmt/format.h>

namespace carom {

Expected<OneStepProblem> make_problem(const Eigen::MatrixXd& W, const Eigen::VectorXd& U_free,
                                      const Eigen::VectorXd& U_minus, std::vector<Law> laws)
{
    OneStepProblem problem;
    for (const Law& law : laws) {
        if (const auto checked = check(law); !checked) return checked.error();
        problem.offsets.push_back(problem.offsets.back() + dimension(law));
    }
    problem.laws = std::move(laws);

    const int n = problem.size();
    if (W.rows() != n || W.cols() != n || U_free.size() != n || U_minus.size() != n) {
        return Error{.code = ErrorCode::WrongSize,
                     .where = "make_problem",
                     .message =
                         fmt::format("W is {} x {}, U_free has {}, U_minus {} entries; the laws need {}",
                                     W.rows(), W.cols(), U_free.size(), U_minus.size(), n),
                     .hint = "every interaction has as many rows as its law has components",
                     .excerpt = {}};
    }
    if (!W.allFinite() || !U_free.allFinite() || !U_minus.allFinite()) {
        return Error{.code = ErrorCode::NotFinite,
                     .where = "make_problem",
                     .message = "W, U_free or U_minus holds NaN or infinity",
                     .hint = "check the data of the problem",
                     .excerpt = {}};
    }

    problem.U_free.assign(U_free.begin(), U_free.end());
    problem.U_minus.assign(U_minus.begin(), U_minus.end());
    problem.W.begin(problem.offsets);
    for (int i = 0; i < problem.interactions(); ++i) {
        for (int j = 0; j < problem.interactions(); ++j) {
            const int rows = problem.offsets[i + 1] - problem.offsets[i];
            const int columns = problem.offsets[j + 1] - problem.offsets[j];
            const auto piece = W.block(problem.offsets[i], problem.offsets[j], rows, columns);
            if (i != j && piece.isZero(0.0)) continue;
            auto block = problem.W.append(i, j);
            for (int r = 0; r < rows; ++r) {
                for (int c = 0; c < columns; ++c) {
                    block[static_cast<std::size_t>(r * columns + c)] = piece(r, c);
                }
            }
        }
    }
    problem.W.finish();
    return problem;
}

void local_velocity(const OneStepProblem& problem, std::span<const double> P, std::span<double> U)
{
    if (!problem.is_assembled()) {
        std::vector<Factors::Block> blocks;
        return detail::velocities_by_factors(problem, P, blocks, U);
    }
    problem.W.multiply(P, U);
    for (std::size_t i = 0; i < U.size(); ++i) {
        U[i] += problem.U_free[i];
    }
}

}  // namespace carom
