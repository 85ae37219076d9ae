#pragma once

#include "carom/orbit/periodic.hpp"

#include <functional>

namespace carom {

/// Continuation of orbits over a parameter by pseudo-arclength, around folds too, with the points at which
/// their stability or their sequence of events changes.
///
/// Theory     docs/theory/orbits.md, (OR-13) continuation, (OR-14) special points, (OR-17) and (OR-23)
///            switching
struct BranchOptions {
    OrbitOptions orbit;               ///< how the first orbit is found; its parameters are replaced by `over`
    std::string over;                 ///< the continuation parameter
    double low = 0, high = 1;         ///< its range; the branch ends where it leaves it
    bool upwards = true;              ///< initial direction of the branch
    std::vector<double> values = {};  ///< orbits are computed at exactly these
    double max_step = 0.02;           ///< of the arclength, relative to range and sizes of the state; > 0
    int max_points = 5000;            ///< >= 1
    std::function<bool(double)> on_point = {};  ///< sees each value; false ends the branch
};

/// Where something changes along a branch.
struct SpecialPoint {
    std::string
        kind;  ///< fold, period_doubling, torus, branching, grazing, stick, slip, contact_lost, corner, events
    double value = 0;  ///< of the parameter
    Orbit orbit;
    std::string place;  ///< the contact of grazing, stick, slip and contact_lost; both of a corner
    double time_s = 0;  ///< and when
    double slope = 0;   ///< of the gap, reaction or acceleration that vanishes, by the parameter
};

struct BranchPoint {
    double value = 0;
    Orbit orbit;
};

struct Branch {
    std::vector<BranchPoint> points;  ///< in their order along the branch
    std::vector<SpecialPoint> special;
    std::vector<BranchPoint> at;  ///< at the requested values, in the order met
    std::string end;              ///< range, max_points, stopped, or why it ended
};

/// Errors: those of find_orbit. If the first orbit is not found, `end` says so and there are no points.
[[nodiscard]] Expected<Branch, Errors> follow_branch(const Scene& scene, const BranchOptions& options);

/// The same from a known orbit, at the value that the scene has.
[[nodiscard]] Expected<Branch, Errors> follow_branch(const Scene& scene, const BranchOptions& options,
                                                     const Orbit& first);

/// The options for orbits of twice the period.
[[nodiscard]] BranchOptions with_doubled_period(BranchOptions options);

/// The branch of doubled orbits that leaves a branch at a point of period doubling, in the direction of the
/// multiplier -1. `options` are those of the branch that it leaves.
[[nodiscard]] Expected<Branch, Errors> switch_at_doubling(const Scene& scene, const BranchOptions& options,
                                                          const SpecialPoint& point);

/// The branch of orbits with one impact more that leaves a branch at a point of grazing: begun with the speed
/// of that impact as what is given, then followed away from the grazing. Where there is no such orbit it has
/// no points, and `end` says so.
[[nodiscard]] Expected<Branch, Errors> switch_at_grazing(const Scene& scene, const BranchOptions& options,
                                                         const SpecialPoint& point);

/// A special point of a branch followed over a second parameter: curves of folds, period doublings, tori,
/// grazing, lost contacts and births of stick in the plane of two parameters.
///
/// Theory     docs/theory/orbits.md, (OR-19)
struct CurveOptions {
    std::string over;          ///< the second parameter
    double low = 0, high = 1;  ///< its range; the value of the scene lies in it
    int steps = 20;            ///< over the whole range, >= 1; halved where the point is lost
};

struct CurvePoint {
    double first = 0, second = 0;  ///< values of both parameters
    Orbit orbit;
};

struct Curve {
    std::string kind, place;         ///< of the special point
    std::vector<CurvePoint> points;  ///< in the order of the second parameter
    std::string end;                 ///< how it ends below and above: range, or where the point is lost
};

/// What is wrong with a curve, told before the branch is followed: UnknownName for a parameter that the scene does not
/// have, SettingOutOfRange for that of the branch, and for a range without the value of the scene.
[[nodiscard]] Errors check_curve(const Scene& scene, const BranchOptions& options, const CurveOptions& curve);

/// `options` are those of the branch on which `point` was found. Errors: those of check_curve.
[[nodiscard]] Expected<Curve, Errors> follow_special_point(const Scene& scene, const BranchOptions& options,
                                                           const SpecialPoint& point,
                                                           const CurveOptions& curve);

}  // namespace carom
