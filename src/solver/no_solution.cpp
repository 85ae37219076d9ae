#include "solver/no_solution.hpp"

#include <limits>

namespace carom {
namespace {

/// Inequalities that just have a solution leave percussions without bounds; with a little room they have
/// some.
constexpr double with_room = 1 + 1e-3;

/// The rows that bound velocities whatever else acts, each an interaction of its own: friction and limited
/// reactions are left out, since they take no part in a proof.
struct BoundRows {
    OneStepProblem problem;
    std::vector<int> row;    ///< in the problem they come from
    std::vector<int> place;  ///< of a row there, -1: left out
};

Law law_of(VelocityBound bound)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (bound) {
    case VelocityBound::Zero: return Bilateral{};
    case VelocityBound::NotPositive: return Limited{.low = -infinity, .high = 0};
    case VelocityBound::NotNegative:
    case VelocityBound::None: break;
    }
    return Unilateral{};
}

BoundRows bound_rows(const OneStepProblem& problem)
{
    BoundRows bound;
    bound.place.assign(static_cast<std::size_t>(problem.size()), -1);
    for (int c = 0; c < problem.interactions(); ++c) {
        for (int k = 0; k < problem.W.dimension(c); ++k) {
            const VelocityBound asked = velocity_bound(problem.laws[c], k);
            if (asked == VelocityBound::None) continue;
            const int row = problem.offsets[c] + k;
            bound.place[static_cast<std::size_t>(row)] = static_cast<int>(bound.row.size());
            bound.row.push_back(row);
            bound.problem.laws.push_back(law_of(asked));
            bound.problem.offsets.push_back(static_cast<int>(bound.row.size()));
            bound.problem.U_free.push_back(k == 0 ? free_normal_velocity(problem, c)
                                                  : problem.U_free[static_cast<std::size_t>(row)]);
        }
    }
    bound.problem.U_minus.assign(bound.row.size(), 0.0);
    return bound;
}

void copy_entries(const OneStepProblem& problem, BoundRows& bound)
{
    bound.problem.W.begin(bound.problem.offsets);
    for (int c = 0; c < problem.interactions(); ++c) {
        for (int k = 0; k < problem.W.dimension(c); ++k) {
            const int place = bound.place[static_cast<std::size_t>(problem.offsets[c] + k)];
            if (place < 0) continue;
            for (const auto& entry : problem.W.row(c)) {
                const int columns = problem.W.dimension(entry.column);
                const auto block = problem.W.block(c, entry);
                for (int j = 0; j < columns; ++j) {
                    const int other =
                        bound.place[static_cast<std::size_t>(problem.offsets[entry.column] + j)];
                    if (other < 0) continue;
                    bound.problem.W.append(place, other)[0] =
                        block[static_cast<std::size_t>(k * columns + j)];
                }
            }
        }
    }
    bound.problem.W.finish();
}

}  // namespace

std::optional<ImpossibleProblem> prove_no_solution(const OneStepProblem& problem, PrincipalPivoting& pivoting)
{
    BoundRows bound = bound_rows(problem);
    if (bound.row.empty()) return {};
    copy_entries(problem, bound);
    std::vector<double> direction(bound.row.size()), violation(bound.row.size());
    if (!pivoting.growth(bound.problem, direction, violation)) return {};

    std::vector<double> d(static_cast<std::size_t>(problem.size()), 0.0);
    ImpossibleProblem found{.proof = {}, .min_violation_m_s = d};
    for (std::size_t k = 0; k < bound.row.size(); ++k) {
        d[static_cast<std::size_t>(bound.row[k])] = direction[k];
        const bool firm = std::holds_alternative<Bilateral>(bound.problem.laws[k]);
        found.min_violation_m_s[static_cast<std::size_t>(bound.row[k])] =
            (firm ? 1.0 : with_room) * violation[k];
    }
    auto proof = verified(problem, d);
    if (!proof) return {};
    found.proof = std::move(*proof);
    return found;
}

}  // namespace carom
