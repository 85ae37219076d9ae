#pragma once

#include "carom/integrator/run.hpp"

namespace carom {

/// What theory asks of a whole run, looked at step by step beside the solution of each step.
///
/// - Firm constraints keep their rank: between the rows J of two steps, of unit length and independent,
///
///       D = det(J_1 J_0^T) / sqrt(det(J_0 J_0^T) det(J_1 J_1^T))                                  (CO-14)
///
///   is the product of the cosines between them, and goes from 1 to -1 where the rows have depended on each
///   other in between: a singular configuration was passed. Between -1/2 and 1/2 they turn by more than 60
///   degrees: a corner. The rows are those that the steps have used. While they stay near those of an
///   earlier step (CO-15) there is nothing to compute.
/// - Firm constraints that depend on each other keep right-hand sides that do (CO-13).
/// - Contacts that act together leave V(q) an interior: percussions that cancel each other are looked into.
///
/// Theory     docs/theory/constraints.md; docs/theory/well_posedness.md, (WP-12) pinched contacts
/// Papers     [Ballard 2002] 2, hypothesis I;  [Moreau 1983] (2.6)-(2.10)
class RunWatch {
public:
    /// `step_s`: length of the step before, 0 at the start of a run.
    RunWatch(const Model& model, State begin, double step_s);

    /// What the start alone tells; for the first step of a run.
    void at_start(const State& start, double duration_s, Certifier& certifier) const;

    void after_step(const State& before, const State& after, const Scratch& scratch, Certifier& certifier);

private:
    void evaluate(const State& at, Eigen::MatrixXd& rows);
    [[nodiscard]] bool stays_near(const Scratch& scratch);
    void expand(const std::vector<double>& unit_rows, Eigen::MatrixXd& rows) const;
    void begin_at(const std::vector<double>& unit_rows, double size);
    void look_at_rank(double time_s, const Scratch& scratch, Certifier& certifier);
    void look_at_contacts(const State& before, const State& after, const Scratch& scratch,
                          Certifier& certifier);
    [[nodiscard]] double determinant(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

    const Model& model_;
    std::vector<int> firm_;  ///< interactions of independent firm rows
    bool redundant_ = false;
    Eigen::MatrixXd before_, after_, product_;
    Eigen::VectorXd zero_;
    std::vector<double> last_, now_;  ///< unit rows of the last two steps, each in the order of its support
    std::vector<double> origin_;      ///< those that the last ones are near
    double near2_ = -1;               ///< square of how near (CO-15); below zero: never
    std::size_t unwatched_ = 0;       ///< firm rows that are too many, or of too many coordinates
    std::vector<double> entries_, b_;
    Workspace work_;
    std::vector<int> acting_, looked_at_;  ///< contacts
    double looked_cancellation_ = 1;
};

}  // namespace carom
