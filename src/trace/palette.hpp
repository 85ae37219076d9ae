#pragma once

#include <array>

namespace carom::detail {

/// Colours of lines, told apart by people with any kind of colour vision (Okabe and Ito 2008); the pale
/// yellow last, because pictures have a white ground.
inline constexpr std::array<const char*, 8> line_colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                         "#E69F00", "#56B4E9", "#000000", "#F0E442"};

inline constexpr const char* ground_colour = "#FFFFFF";
inline constexpr const char* text_colour = "#222222";
inline constexpr const char* grid_colour = "#E3E3E3";
inline constexpr const char* zero_colour = "#A8A8A8";
inline constexpr const char* frame_colour = "#666666";

}  // namespace carom::detail
