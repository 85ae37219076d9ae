#pragma once

#include "carom/onestep/solution_check.hpp"
#include "solver/principal_pivoting.hpp"

namespace carom {

/// Looking for a proof that a one-step problem has no solution. Where there is none, percussions of the
/// proximal point iteration grow for ever and in the end along one direction (SO-25): that is the proof, once
/// code that knows nothing of the solver has verified it.
///
/// Theory     docs/theory/solvers.md (SO-25), docs/theory/one_step_problem.md (OS-11)

struct ImpossibleProblem {
    NoSolutionProof proof;
    std::vector<double>
        min_violation_m_s;  ///< added to U_free, flat: then there is a solution, with little room
};

[[nodiscard]] std::optional<ImpossibleProblem> prove_no_solution(const OneStepProblem& problem,
                                                                 PrincipalPivoting& pivoting);

}  // namespace carom
