#pragma once

#include "carom/expression/formula.hpp"
#include "carom/run/run.hpp"
#include "expression/workspace.hpp"
#include "run/step_view.hpp"

#include <span>
#include <utility>
#include <vector>

namespace carom::detail {

/// The system at one instant: configuration, velocities, probes. Empty where the run ended before.
struct Sample {
    double time_s = 0;
    std::vector<double> values;
};

/// Coordinates, velocities and probes of a model at a point, one after the other.
[[nodiscard]] std::vector<double> values_at(const Model& model, const Point& at, Workspace& work);

/// Looks at a run at instants given before; configurations are linear within the step (MS-6).
class Sampler {
public:
    /// `times_s` in any order.
    Sampler(std::span<const double> times_s, const Model& model, const State& start);

    void after_step(const StepView& view);

    /// The end of the run, which roundoff may have put up to `tolerance_s` before an instant.
    void at_end(const Model& model, const State& end, double tolerance_s);

    /// In the order of the times.
    [[nodiscard]] const std::vector<Sample>& samples() const noexcept { return samples_; }

private:
    void take(const Model& model, Sample& sample);

    std::vector<Sample> samples_;
    std::vector<std::size_t> order_;  ///< of time
    std::size_t next_ = 0;            ///< in order_
    Eigen::VectorXd q_, u_;
    Workspace work_;
};

/// States at which a formula rises through zero, without the first `skip` of them: looked for at equal parts
/// of each step, and halved to rounding.
class SectionSampler {
public:
    SectionSampler(Formula section, long skip) : section_(std::move(section)), skip_(skip) {}

    void after_step(const StepView& view);

    [[nodiscard]] const std::vector<Sample>& samples() const noexcept { return samples_; }

private:
    [[nodiscard]] double value_at(const StepView& view, double t_s);

    Formula section_;
    long skip_;
    std::vector<Sample> samples_;
    Eigen::VectorXd q_, u_;
    Workspace work_;
};

}  // namespace carom::detail
