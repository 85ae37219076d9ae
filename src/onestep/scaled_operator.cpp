#include "scaled_operator.hpp"

#include "reaction_set.hpp"

namespace carom::detail {
namespace {

SparseMatrix operator_of(const OneStepProblem& problem, std::span<const double> d)
{
    if (!problem.is_assembled()) return operator_of(assembled(problem), d);
    std::vector<Eigen::Triplet<double>> entries;
    for (int c = 0; c < problem.interactions(); ++c) {
        for (const BlockSparse::Entry& entry : problem.W.row(c)) {
            const auto block = problem.W.block(c, entry);
            const int width = problem.W.dimension(entry.column);
            const double factor = d[static_cast<std::size_t>(c)] * d[static_cast<std::size_t>(entry.column)];
            for (int k = 0; k < std::ssize(block); ++k) {
                entries.emplace_back(problem.offsets[static_cast<std::size_t>(c)] + k / width,
                                     problem.offsets[static_cast<std::size_t>(entry.column)] + k % width,
                                     factor * block[static_cast<std::size_t>(k)]);
            }
        }
    }
    SparseMatrix W(problem.size(), problem.size());
    W.setFromTriplets(entries.begin(), entries.end());
    return W;
}

}  // namespace

SparseMatrix plain_operator(const OneStepProblem& problem)
{
    return operator_of(problem, std::vector<double>(problem.laws.size(), 1.0));
}

SparseMatrix scaled_operator(const OneStepProblem& problem)
{
    std::vector<double> d;
    for (int c = 0; c < problem.interactions(); ++c) {
        d.push_back(scaling(problem, c));
    }
    return operator_of(problem, d);
}

}  // namespace carom::detail
