#pragma once

#include "carom/diagnosis/well_posedness.hpp"

namespace carom::detail {

void add(WellPosedness& result, std::string code, Bearing bearing, std::string message, std::string theory);

[[nodiscard]] std::vector<std::string> names_of(const Model& model, std::span<const int> contacts);

/// The names, or the first of them and how many others there are.
[[nodiscard]] std::string listed(std::span<const std::string> names);

/// "left + 0.5 floor"; weights that are only rounding are left out.
[[nodiscard]] std::string combination(const Eigen::VectorXd& weights, std::span<const std::string> names);

/// "x = 0, y = 1", the first few coordinates.
[[nodiscard]] std::string place(const Model& model, const Eigen::VectorXd& q);

/// "like the power 2", "faster than any power".
[[nodiscard]] std::string exponent_in_words(double exponent);

/// (WP-5): what the places without a power series mean for the promise.
void judge_singularities(const Model& model, WellPosedness& result);

/// Constraints that act in both directions: rank, sets of reactions, friction. `shown`: that firm constraints
/// and closed contacts are independent everywhere.
void judge_bilateral(const Model& model, const State& start, const WellPosednessSettings& settings,
                     bool shown, WellPosedness& result);

/// A disc, or the interval from -1 to 1: friction that does not depend on the direction.
[[nodiscard]] bool is_isotropic(const FrictionShape& shape);

/// (WP-11): how many motions without a jump leave the start of a system with friction.
void judge_painleve(const Model& model, const State& start, const WellPosednessSettings& settings,
                    WellPosedness& result);

/// Contacts with friction: (WP-10) particles, else (WP-11).
void judge_friction(const Model& model, const State& start, const WellPosednessSettings& settings,
                    WellPosedness& result);

/// What the structure of the formulas says about growth: no ray can grow faster.
void bound_growth(double degree, Growth& growth);

}  // namespace carom::detail
