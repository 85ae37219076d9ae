#pragma once

#include "carom/scene/scene.hpp"
#include "carom/sweeping/catching_up.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace carom {

/// Scenes of the sweeping process: a file with [sweeping] and [[set]] in place of [lagrangian] and contacts.
/// Its coordinates are the components of the point, and a run of it is recorded and shown like any other, the
/// velocity being the mean one of a step.
/// Theory     docs/theory/sweeping.md, (SW-2) process, (SW-9) sets that depend on the point

/// The sweeping process of a scene, checked.
struct SweepingPlan {
    std::shared_ptr<const MovingSet> set;
    std::function<Eigen::VectorXd(double t_s, const Eigen::VectorXd& u)> F;  ///< absent: zero
    Metric metric = Metric::euclidean();
    std::vector<double> jumps_s;
    SweepingSettings settings;
    std::optional<double> lambda_s;  ///< regularised by this time; absent: catching-up
    bool depends_on_point = false;   ///< some formula of the set names a coordinate (SW-9)
    std::string in_words;  ///< "catching_up in steps of 0.001 s; set window: intersection of left, right"
};

}  // namespace carom
