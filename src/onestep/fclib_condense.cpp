#include "fclib_matrix.hpp"

#include <Eigen/SparseLU>
#include <fmt/format.h>

namespace carom::detail {
namespace {

/// Entries that W may have: a small file of a large elastic body could ask for any amount of memory.
constexpr std::size_t max_entries = 100'000'000;

Error no_inverse(const std::string& why)
{
    return {.code = ErrorCode::MetricNotPositive,
            .where = {},
            .message = "M has no inverse: " + why,
            .hint = "M is the mass matrix of M v = H r + f; every row needs inertia",
            .excerpt = {}};
}

}  // namespace

Expected<Condensed> condense(const FclibGlobal& global)
{
    const Eigen::SparseMatrix<double> M = global.M;
    Eigen::SparseLU<Eigen::SparseMatrix<double>> factor(M);
    if (factor.info() != Eigen::Success) return no_inverse("it is singular");

    // W, column by column; what M does not couple stays exactly zero and is not stored
    const Eigen::SparseMatrix<double> HG = global.HG;
    const FclibProblem::Matrix HG_transposed = HG.transpose();
    Condensed result;
    std::vector<Eigen::Triplet<double>> entries;
    for (int column = 0; column < HG.cols(); ++column) {
        const Eigen::VectorXd y = factor.solve(Eigen::VectorXd(HG.col(column)));
        const Eigen::VectorXd W_column = HG_transposed * y;
        if (!W_column.allFinite()) return no_inverse("H^T M^-1 H is not finite");
        for (int row = 0; row < W_column.size(); ++row) {
            if (W_column[row] != 0) entries.emplace_back(row, column, W_column[row]);
        }
        if (entries.size() > max_entries) {
            return Error{.code = ErrorCode::WrongSize,
                         .where = {},
                         .message = fmt::format("condensed, W has more than {} entries", max_entries),
                         .hint = "this problem is too large for the local form",
                         .excerpt = {}};
        }
    }
    result.W.resize(HG.cols(), HG.cols());
    result.W.setFromTriplets(entries.begin(), entries.end());

    // q = H^T M^-1 f + w,  s = G^T M^-1 f + b
    result.q = HG_transposed * factor.solve(global.f) + global.wb;
    if (!result.q.allFinite()) return no_inverse("H^T M^-1 f is not finite");
    return result;
}

}  // namespace carom::detail
