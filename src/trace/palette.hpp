#pragma once

#include "core/palette.hpp"

#include <array>

namespace carom::detail {

/// Colours of lines, in the order in which a panel uses them.
inline constexpr auto line_colours = [] {
    std::array<const char*, palette.size()> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = palette[i].value.data();  // a literal: it ends with a zero
    }
    return values;
}();

inline constexpr const char* ground_colour = "#FFFFFF";
inline constexpr const char* text_colour = "#222222";
inline constexpr const char* grid_colour = "#E3E3E3";
inline constexpr const char* zero_colour = "#A8A8A8";
inline constexpr const char* frame_colour = "#666666";

/// What a contact does, as a colour.
inline constexpr std::array<Colour, 5> status_colours{{
    {"open", "#56B4E9"},
    {"closed", "#009E73"},
    {"impact", "#D55E00"},
    {"stick", "#0072B2"},
    {"slip", "#E69F00"},
}};

}  // namespace carom::detail
