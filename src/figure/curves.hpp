#pragma once

#include "carom/figure/figure.hpp"

#include <array>
#include <string>
#include <vector>

namespace carom::detail {

/// A curve with its numbers. A point that is not finite breaks the line.
struct CurveData {
    std::string label;
    std::string colour;  ///< "#RRGGBB"
    std::vector<std::array<double, 2>> points;
    std::vector<std::array<double, 2>> events;  ///< points on it where something happened
    bool as_points = false, dashed = false;
};

/// The curves of panel `number`, of all runs; of many runs the key names the first and the last. Errors:
/// UnknownName for lines of the ledger that do not exist.
[[nodiscard]] Expected<std::vector<CurveData>, Errors> curves_of(const FigurePlan& plan, std::size_t number,
                                                                 const std::vector<FigureRun>& runs);

/// The colour of this name of core/palette.hpp; without a name the colours in turn.
[[nodiscard]] std::string colour_named(const std::string& name, std::size_t number);

/// Instants, of the scene as it is run, at which a panel wants to see a run: of a strobe. Empty: the frames
/// do.
[[nodiscard]] std::vector<double> instants_of(const FigurePanel& panel, const Scene& scene);

/// The unit of a formula that is one name: of t, a coordinate, or a velocity. Empty where it is unknown.
[[nodiscard]] std::string unit_of(const Formula& formula, const Model& model);

}  // namespace carom::detail
