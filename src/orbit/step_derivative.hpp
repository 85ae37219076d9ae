#pragma once

#include "law_rows.hpp"

#include "carom/stepping/settings.hpp"
#include "expression/workspace.hpp"
#include "stepping/scratch.hpp"

namespace carom::detail {

/// The derivative of one step of Moreau's scheme on the branch that it took (OR-22): free velocity, one-step
/// problem with the statuses of its solution, correction.
class StepDerivative {
public:
    StepDerivative(VariationalSystem& system, const Model& model, const MoreauSettings& settings);

    /// Takes X, derivatives of (q, u, p) where the step began, to its end. `s` is as the step left it. False:
    /// the step is at a threshold or does what has no derivative; `loss` says what.
    [[nodiscard]] bool pass(const State& before, const State& after, double h_s, const Scratch& s, Rows& X);

    struct Percussion {
        int contact = 0;
        Rows dP, dU_minus, dU_plus;  ///< normal
    };
    std::vector<Percussion> percussions;  ///< of the last step
    bool strikes = false;                 ///< an impact acted in the last step: its instant should have moved
    std::optional<Loss> loss;

private:
    [[nodiscard]] bool is_at_switch(const State& before, double t_mid, const Scratch& s, const Rows& D);
    [[nodiscard]] Rows free_velocity(const State& before, double t_mid, double h_s, const Scratch& s,
                                     const Rows& X);
    [[nodiscard]] bool solve(const State& before, double t_mid, double h_s, const Scratch& s, const Rows& X,
                             const Rows& Du_free, Rows& Du_end);
    [[nodiscard]] std::optional<LawRows> rows_of(const State& before, double h_s, const Scratch& s,
                                                 std::size_t k, const Rows& X);
    [[nodiscard]] bool shift_of(double h_s, const Scratch& s, std::size_t k, const Rows& moving,
                                LawRows& rows);
    void correct(const Eigen::VectorXd& q_moved, const State& after, const Scratch& s, Rows& X);
    void lift(double t_s, const Scratch& s, std::vector<char>& lifted, Eigen::VectorXd& q, Rows& X);
    bool lose(std::string kind, int contact, std::string words);
    [[nodiscard]] Differentiated& curvature(int contact);
    /// (q, u, p, t) with these changes of q and u; the time of a step does not move.
    [[nodiscard]] Rows data(const Rows& dq, const Rows& du, const Rows& X) const;

    VariationalSystem& system_;
    const Model& model_;
    MoreauSettings settings_;
    Workspace work_;
    std::vector<std::optional<Differentiated>> curvatures_;
    double t_cone_s_ = 0;
    Rows dq_cone_;
};

}  // namespace carom::detail
