#pragma once

#include "onestep/residual_scratch.hpp"

#include <memory>
#include <span>
#include <vector>

namespace carom {

/// Finishes a nearly solved one-step problem to roundoff: Newton's method on the equations that hold while
/// every interaction keeps its status (SO-5). Dense: for some dozens of interactions. Allocates on its first
/// use and not again.
class Polisher {
public:
    /// Interactions of a problem that it takes: a dense factorisation is still cheap.
    static constexpr int max_interactions = 50;

    Polisher();
    ~Polisher();
    Polisher(Polisher&&) noexcept;
    Polisher& operator=(Polisher&&) noexcept;

    /// Replaces P by a better one if there is one, judged by residual(). A larger problem is left as it is.
    void polish(const OneStepProblem& problem, std::span<double> P, ResidualScratch& scratch);

private:
    struct Newton;  ///< equations of the statuses, with their memory
    std::unique_ptr<Newton> newton_;
};

}  // namespace carom
