#pragma once

#include "carom/door/run.hpp"
#include "expression/workspace.hpp"
#include "run/step_view.hpp"
#include "trace/instants.hpp"

#include <vector>

namespace carom {

/// The values of all probes of a model at a point.
[[nodiscard]] std::vector<double> probe_values(const Model& model, const Point& at, Workspace& work);

}  // namespace carom

namespace carom::detail {

/// Takes snapshots at the instants asked for while a run goes on; asking never changes the motion.
class Snapshots {
public:
    /// Errors, all of them: SettingOutOfRange for times outside the run.
    [[nodiscard]] static Expected<Snapshots, Errors> at(const std::vector<double>& times_s,
                                                        const Scene& scene);

    /// Those of a recorded run, taken as far as its checkpoint.
    [[nodiscard]] static Snapshots of(const Recording& recording, const Scene& scene);

    void after_step(const StepView& view);

    /// The end of the run itself, which roundoff may have put just before an instant asked for.
    void at_end(const Model& model, const State& end);

    /// In the order asked for.
    [[nodiscard]] std::vector<Snapshot> taken() && { return std::move(snapshots_); }

    [[nodiscard]] const std::vector<double>& asked_s() const noexcept { return instants_.asked_s(); }

private:
    Snapshots(std::vector<double> asked_s, std::size_t passed, double time_step_s);
    void take(const Model& model, std::size_t i, const Eigen::VectorXd& q, const Eigen::VectorXd& u);

    Instants instants_;
    std::vector<Snapshot> snapshots_;
    double tolerance_s_ = 0;
    Workspace work_;
};

}  // namespace carom::detail
