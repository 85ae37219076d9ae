#pragma once

#include "carom/expression/formula.hpp"
#include "expression/tape.hpp"

#include <span>
#include <vector>

namespace carom::detail {

/// An upper bound of the power with which each register grows when coordinates and velocities become large
/// together while the time stays bounded: infinity where nothing can be told (WP-6).
[[nodiscard]] std::vector<double> register_degrees(const Tape& tape, std::span<const Variable> variables);

}  // namespace carom::detail
