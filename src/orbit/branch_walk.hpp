#pragma once

#include "closure.hpp"

#include "carom/orbit/branch.hpp"

namespace carom::detail {

/// A point of a branch with its tangent: what the next one is predicted from.
struct BranchNode {
    double value = 0;
    State start;
    Held held;
    std::optional<Plane> plane;  ///< where it begins, if not on the given section
    double period_s = 0;
    Eigen::VectorXd dz;  ///< tangent: of the start, over its scale,
    double dT = 0;       ///< of the period, over itself,
    double dvalue = 0;   ///< and of the parameter, over the range; of length 1 together
    Eigen::VectorXd scale;
    Eigen::VectorXd held_by_value;  ///< what closed contacts make of the start by the parameter
    double determinant =
        0;  ///< of the closure and a row along the tangent; zero where branches cross (OR-30)
    Orbit orbit;
};

/// The other way along the branch.
[[nodiscard]] BranchNode reversed(BranchNode node);

/// Newton's method along a branch.
class BranchWalk {
public:
    BranchWalk(const Scene& scene, const BranchOptions& options);

    /// The node at a start near an orbit, at a fixed value of the parameter.
    [[nodiscard]] std::optional<BranchNode> at_value(const State& start, const Held& held, double period_s,
                                                     double value, const BranchNode* like,
                                                     const std::optional<Plane>& plane = {});
    /// The node at arclength `step` behind `from`.
    [[nodiscard]] std::optional<BranchNode> ahead(const BranchNode& from, double step);

    /// The same orbit, begun at another instant: this part of the period later, and on a plane across it where
    /// the period is not given. Nothing: it is not found again.
    [[nodiscard]] std::optional<BranchNode> turned(const BranchNode& node, double part);

    [[nodiscard]] bool has_given_period() const noexcept { return !orbit_.period.empty(); }
    [[nodiscard]] double range() const noexcept { return range_; }
    [[nodiscard]] const Scene& scene() const noexcept { return scene_; }
    [[nodiscard]] const Errors& errors() const noexcept { return errors_; }
    /// Why the last motion, or its derivatives, ended before its period did; empty: they did not.
    [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

private:
    [[nodiscard]] bool evaluate(double value);
    void stay_off_section();
    [[nodiscard]] static Plane plane_across(const Shot& shot, const State& at, const Eigen::VectorXd& scale);
    [[nodiscard]] std::optional<BranchNode> finished(double value, const BranchNode* like);

    const Scene& scene_;
    const BranchOptions& options_;
    OrbitOptions orbit_;
    double range_;
    std::unique_ptr<Member> member_;
    std::optional<Closure> closure_;
    std::optional<double> begin_s_;  ///< turned orbits begin within a period from here
    Errors errors_;
    std::string trouble_;
};

}  // namespace carom::detail
