#pragma once

#include "carom/onestep/problem.hpp"

namespace carom {

/// Contacts in one place that push in one direction: their rows of H are multiples of each other, so their
/// velocities are multiples too, and W has as many zero eigenvalues. One of them can act for all:
///
///     U_k = f_k U_c,   f_k > 0,      Q = sum f_k P_k acts in the place of c,      P_k = f_k Q / sum f^2
///     (SO-36)
///
/// A frictionless one that approaches slower, in the scale of its row, does not act at all.
///
/// Theory     docs/theory/solvers.md (SO-36)
class Multiples {
public:
    /// Smaller problems are solved as they are: looking for multiples would cost more than it saves.
    static constexpr int min_interactions = 64;

    /// Looks for multiples among the contacts; true where there are some.
    bool find(const OneStepProblem& problem);

    /// The problem of those that act for others and of all that have none; valid after `find` said yes.
    [[nodiscard]] const OneStepProblem& reduced() const noexcept { return reduced_; }

    /// Percussions of the reduced problem from those of the whole, and back.
    void gather(const OneStepProblem& problem, std::span<const double> P, std::vector<double>& Q) const;
    void share(const OneStepProblem& problem, std::span<const double> Q, std::span<double> P) const;

private:
    [[nodiscard]] double factor(const OneStepProblem& problem, int c, int k) const;
    void group(const OneStepProblem& problem, int first);
    void reduce(const OneStepProblem& problem);

    std::vector<int> acts_for_me_;  ///< an interaction; itself where it has no multiple
    std::vector<double> factor_;    ///< U_k = factor U of the one that acts
    std::vector<char> shares_;      ///< acts at all
    std::vector<double> size_;      ///< square root of the largest diagonal entry of W
    std::vector<double> W_NN_;      ///< first entry of the diagonal block
    std::vector<double> b_;         ///< U_free + s of a frictionless contact
    std::vector<int> members_;
    std::vector<int> place_;  ///< in the reduced problem
    OneStepProblem reduced_;
};

}  // namespace carom
