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

/// Continues a sweep to the end of its plan and calls listeners after every step; an instant of a jump
/// belongs to the step that ends there. The certificate: `max_penetration_m` is the largest distance of the
/// point to its set, in units of the point; `Certified` that every nearest point was found and every
/// controlled step met its tolerance. Events: the set starts and stops pushing (SW-11). A run resumed between
/// any two steps ends bit for bit as if it had never been interrupted.
[[nodiscard]] RunReport sweep(const Model& model, const SweepingPlan& sweeping, const RunPlan& plan,
                              RunSoFar& run, const StepListener& listener = {});

}  // namespace carom
