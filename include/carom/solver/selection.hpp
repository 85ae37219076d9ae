#pragma once

namespace carom {

/// Which percussions are chosen where several solve the one-step problem: those that an equal, vanishing
/// compliance of all contacts selects,
///
///     P = lim P_eps,   eps -> 0,    U_eps = (W + eps D) P_eps + U_free,   -(U_eps + s) in N_C(P_eps) (SO-31)
///
/// D is the mean of the diagonal blocks of the contacts of an island, one number. Without friction, and with
/// bounds that are given, this is the solution of least norm; with friction it is a local rule, started from
/// the percussions of the previous step. Where another start leads to another motion, the report says so.
///
/// Theory     docs/theory/solvers.md, (SO-31) rule, (SO-32) how it is computed, (SO-33) when the motion is
///            the only one, (SO-34) wedged contacts

/// Islands with more components of percussions than this are not examined: dense factors cost more there than
/// the solve itself.
inline constexpr int max_examined_components = 60;

/// What was found about the uniqueness of a solution, in numbers of islands.
struct SelectionReport {
    int selected = 0;    ///< several percussions solve it, and the rule chose
    int unsettled = 0;   ///< several percussions solve it, and the rule did not settle: those of the solver
    int unexamined = 0;  ///< too large to be examined
    int several = 0;     ///< another motion solves it as well: the findings of a run say which
};

}  // namespace carom
