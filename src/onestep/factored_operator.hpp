#pragma once

#include "carom/onestep/problem.hpp"
#include "core/block_rows.hpp"

#include <span>
#include <vector>

namespace carom::detail {

/// The diagonal of W, zero, and nothing beside it; then W_cc of one interaction, for any thread: by its rows,
/// which need not be among those of the factors yet, and their blocks.
void begin_diagonal(OneStepProblem& problem);
void set_diagonal(const Factors::Rows& rows, int c, OneStepProblem& problem);

/// Adds W_cd of interactions whose rows are problem.offsets[c] .. offsets[c + 1], each over the same blocks;
/// rows.set_inertia() comes before.
void add_block(const BlockRows& rows, std::span<const double> inverse_mass, const OneStepProblem& problem,
               int c, int d, std::span<double> block);

/// All blocks of W of such interactions. Of every block `interactions_of` becomes those that move it.
void assemble_from_rows(const BlockRows& rows, std::span<const double> inverse_mass,
                        std::vector<std::vector<int>>& interactions_of, OneStepProblem& problem);

/// U = W P + U_free by factors. `blocks` receives the velocities with the percussions in them.
void velocities_by_factors(const OneStepProblem& problem, std::span<const double> P,
                           std::vector<Factors::Block>& blocks, std::span<double> U);

}  // namespace carom::detail
