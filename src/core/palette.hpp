#pragma once

#include <array>
#include <string_view>

namespace carom {

/// One palette for everything that carom draws: pictures in SVG, the page of a run, and the colours that
/// scenes name. People with any kind of colour vision tell these apart (Okabe and Ito 2008).
struct Colour {
    std::string_view name;
    std::string_view value;  ///< as SVG and HTML write it
};

/// The pale yellow last, because pictures on paper have a white ground.
inline constexpr std::array<Colour, 8> palette{{
    {"blue", "#0072B2"},
    {"vermilion", "#D55E00"},
    {"green", "#009E73"},
    {"pink", "#CC79A7"},
    {"orange", "#E69F00"},
    {"sky", "#56B4E9"},
    {"black", "#000000"},
    {"yellow", "#F0E442"},
}};

/// For what stands in the background: floors, walls, traces.
inline constexpr Colour grey{"grey", "#8A8A8A"};

}  // namespace carom
