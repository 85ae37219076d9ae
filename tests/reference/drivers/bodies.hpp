#pragma once

#include "reference_case.hpp"

#include "carom/integrator/body_step.hpp"

#include <memory>

namespace carom::reference {

/// Bodies of a reference case, step by step; a step that is not solved is a DriverFailure.
class BodyMotionRun {
public:
    BodyMotionRun(BodySetup setup, double time_step_s, double tolerance = 1e-10);

    void step();
    void run(double duration_s);

    [[nodiscard]] const BodyModel& model() const { return model_; }
    [[nodiscard]] const BodyState& state() const { return state_; }
    [[nodiscard]] BodyState& state() { return state_; }
    [[nodiscard]] const std::vector<BodyContact>& contacts() const { return scratch_->contacts; }

    /// Largest speed of a centre, and the farthest that one has come from its start.
    [[nodiscard]] double fastest_m_s() const;
    [[nodiscard]] double drift_m() const;

    /// Normal force on `upper` by `lower` in the last step.
    [[nodiscard]] double normal_force_N(int upper, int lower) const;

private:
    BodyModel model_;
    BodyState state_, start_;
    std::unique_ptr<BodyScratch> scratch_ = std::make_unique<BodyScratch>();
    MoreauSettings settings_;
    SolverSettings solver_;
};

}  // namespace carom::reference
