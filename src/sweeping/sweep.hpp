#pragma once

#include "carom/sweeping/catching_up.hpp"

#include <vector>

namespace carom {

/// One sweep, step by step: catching-up for lambda = 0, regularised for lambda > 0. It can stop after any
/// step and be taken up there, with its progress. Where something fails, report().end says what, and u() is
/// the last good point.
class SweepInSteps {
public:
    /// From the start; where catching-up begins, a jump to the set is due.
    SweepInSteps(const SweepingProblem& problem, const SweepingSettings& settings, double lambda_s,
                 double begin_s, double end_s, Eigen::VectorXd u);

    /// On from an instant after some step of it.
    void take_up(double t_s, Eigen::VectorXd u, const SweepProgress& progress);

    [[nodiscard]] bool is_over() const noexcept { return part_ == ends_.size(); }

    /// Takes one step; of controlled ones the first that is accepted.
    bool step();

    /// Whether u has yet to follow a jump of the set, at this instant (SW-4).
    [[nodiscard]] bool jump_is_due() const noexcept { return jump_is_due_; }
    bool jump();

    /// Ends the sweep; false.
    bool stop(SweepEnd end);

    [[nodiscard]] const Eigen::VectorXd& u() const noexcept { return u_; }
    [[nodiscard]] const SweepReport& report() const noexcept { return report_; }
    [[nodiscard]] const SweepProgress& progress() const noexcept { return progress_; }

private:
    [[nodiscard]] bool is_controlled() const noexcept;
    bool find_nearest(double t_s, const Eigen::VectorXd& at, const Eigen::VectorXd& z);
    bool propose(double t_s, double h_s, double set_s, const Eigen::VectorXd& from, Eigen::VectorXd& to);
    bool accept(double t_s, double set_s);
    bool equal_step();
    bool controlled_step();
    [[nodiscard]] double last_set_s() const;
    void note_push();
    void enter_next_part();

    const SweepingProblem& problem_;
    const SweepingSettings& settings_;
    double lambda_s_;
    double begin_s_;
    std::vector<double> ends_;  ///< of the parts between jumps, the end of the sweep last
    std::size_t part_ = 0;      ///< the one that the next step is in
    Eigen::VectorXd u_;
    SweepReport report_;
    SweepProgress progress_;
    bool jump_is_due_ = false;
    Eigen::VectorXd nearest_, free_, before_, difference_, whole_, middle_, halved_;
};

}  // namespace carom
