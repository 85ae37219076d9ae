#pragma once

#include "carom/orbit/branch.hpp"

namespace carom {

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

/// `options` are those of the branch on which `point` was found. Errors: UnknownName for a parameter that the
/// scene does not have, SettingOutOfRange for a range without the value of the scene.
[[nodiscard]] Expected<Curve, Errors> follow_special_point(const Scene& scene, const BranchOptions& options,
                                                           const SpecialPoint& point,
                                                           const CurveOptions& curve);

}  // namespace carom
