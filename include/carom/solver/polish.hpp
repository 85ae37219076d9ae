#pragma once

#include "carom/onestep/residual.hpp"

#include <Eigen/Dense>

#include <span>
#include <vector>

namespace carom {

/// Finishes a nearly solved one-step problem to roundoff: Newton's method on the equations that hold while
/// every interaction keeps its status (SO-5). Dense: for some dozens of interactions.
class Polisher {
public:
    /// Replaces P by a better one if there is one, judged by residual().
    void polish(const OneStepProblem& problem, std::span<double> P, ResidualScratch& scratch);

private:
    void load(const OneStepProblem& problem);
    [[nodiscard]] bool newton_step(const OneStepProblem& problem, std::span<double> P);

    Eigen::MatrixXd W_, J_;
    Eigen::VectorXd U_, F_, dP_;
    std::vector<double> trial_;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor_;
};

}  // namespace carom
