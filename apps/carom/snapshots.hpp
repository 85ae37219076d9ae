#pragma once

#include "carom/scene/scene.hpp"

#include <vector>

namespace carom::app {

/// The system at one instant that was asked for.
struct Snapshot {
    double time_s = 0;
    bool reached = false;        ///< false: the run ended before
    Eigen::VectorXd q, u;        ///< q linear within the step, u the right limit
    std::vector<double> probes;  ///< one per [[probe]] of the scene
};

/// Takes snapshots at the `--at` times while a run goes on; asking never changes the motion.
class Snapshots {
public:
    /// Errors, all of them: SettingOutOfRange for times outside the run.
    [[nodiscard]] static Expected<Snapshots, Errors> at(const std::vector<double>& times_s,
                                                        const Scene& scene);

    void after_step(const StepView& view);

    /// The end of the run itself, which roundoff may have put just before an instant asked for.
    void at_end(const Model& model, const State& end);

    /// In the order asked for.
    [[nodiscard]] const std::vector<Snapshot>& all() const noexcept { return snapshots_; }

private:
    Snapshots() = default;
    void take(const Model& model, Snapshot& snapshot);

    std::vector<Snapshot> snapshots_;
    std::vector<std::size_t> order_;  ///< of time
    std::size_t next_ = 0;            ///< in order_
    double tolerance_s_ = 0;
    Workspace work_;
};

/// The values of all probes of a model at a point.
[[nodiscard]] std::vector<double> probe_values(const Model& model, const Point& at, Workspace& work);

}  // namespace carom::app
