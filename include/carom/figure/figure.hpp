#pragma once

#include "carom/door/run.hpp"

#include <string>
#include <vector>

namespace carom {

/// Figures for papers from the [[figure]] of a scene: curves, phase portraits, stroboscopic sections, motions
/// in multiple exposure, friction cones; overlays of several runs. Lines and texts only, with the font
/// inside, so that they print at any size. The same scene gives the same bytes on every machine.
///
/// docs/how-to/figures.md shows how they are written.

enum class FigureFormat { Svg, Pdf };

/// Which run a part of the figure comes from.
struct FigureRun {
    double value = 0;  ///< of FigurePlan::over; 0 where it has none
    Run run;
};

/// A number of the figure as it came out, of its first run.
struct FigureResult {
    std::string label, unit;
    double value = 0, reference = 0;

    /// Beside the reference; absolute where that is zero.
    [[nodiscard]] double error() const noexcept;
};

struct Figure {
    std::string file;  ///< content of the SVG or PDF file; empty: stopped before all runs had ended
    std::vector<FigureRun> runs;  ///< one, or one per value
    std::vector<FigureResult> results;
};

/// The figure of that name. Errors: UnknownName, with the names there are.
[[nodiscard]] Expected<FigurePlan> figure_named(const Scene& scene, const std::string& name);

/// Runs the scene, once or for each of the values of the plan, and draws the figure. Errors: those of the
/// scene with a value in it (a key that it does not have), instants of a strobe outside the run, lines of the
/// ledger that do not exist.
[[nodiscard]] Expected<Figure, Errors> make_figure(const Scene& scene, const FigurePlan& plan,
                                                   FigureFormat format,
                                                   const std::atomic<bool>* stop = nullptr);

}  // namespace carom
