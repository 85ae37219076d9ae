#pragma once

#include "carom/scene/scene.hpp"

#include <Eigen/Dense>

#include <complex>
#include <string>
#include <vector>

namespace carom {

/// Equilibria with contacts and friction over a parameter, the simplest branch.
///
/// Contacts that are closed at the start stay closed. Without friction an equilibrium is a point.
/// With friction (in the plane) it is a set: every configuration whose reactions lie in their cones. Its
/// edges are those with every friction at a bound, and they are followed: r_T = s mu_s r_N, one s = -1 or 1
/// per rough contact.
///
/// Theory     docs/theory/orbits.md, (OR-20)
struct EquilibriumOptions {
    std::string over;          ///< the parameter
    double low = 0, high = 1;  ///< its range
    int steps = 100;           ///< over the range, >= 1; halved where the branch bends
};

struct Equilibrium {
    double value = 0;  ///< of the parameter
    Eigen::VectorXd q;
    std::vector<double> r_N;                        ///< N, per closed contact
    std::vector<std::complex<double>> eigenvalues;  ///< of the motion near it, 1/s, largest real part first;
                                                    ///< of an edge: empty
    bool stable = false;                            ///< no real part above rounding
};

/// Where a branch of equilibria ends or a status changes.
struct EquilibriumPoint {
    std::string kind;  ///< contact_lost, contact_made, stability, fold, branching
    double value = 0;
    std::string place;
};

struct EquilibriumBranch {
    std::vector<int> sides;           ///< per closed contact with friction: -1 or 1; empty: no friction
    std::vector<Equilibrium> points;  ///< in their order along the branch, round folds too
    std::vector<EquilibriumPoint> special;
    std::string end;  ///< how it ends below and above: range, or why
};

struct Equilibria {
    std::vector<std::string> contacts;        ///< closed ones
    std::vector<EquilibriumBranch> branches;  ///< one, or one per edge
};

/// From the configuration near the start of the scene, in both directions of the parameter. Errors:
/// UnknownName; SettingOutOfRange for a range without the value of the scene; NotAllowedHere for scenes that
/// series cannot run, friction in space, and more than 8 rough contacts.
[[nodiscard]] Expected<Equilibria, Errors> follow_equilibria(const Scene& scene,
                                                             const EquilibriumOptions& options);

}  // namespace carom
