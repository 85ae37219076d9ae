#pragma once

#include "carom/door/run.hpp"

#include <string>
#include <vector>

namespace carom {

/// Figures for papers from the [[figure]] of a scene: curves, phase portraits, stroboscopic sections,
/// periodic orbits and their branches, motions in multiple exposure, friction cones; overlays of several
/// runs. As SVG and PDF they are lines and texts with the font inside, so that they print at any size; as PNG
/// they are dots. The same scene gives the same bytes on every machine.
///
/// docs/how-to/figures.md shows how to write them.

enum class FigureFormat { Svg, Pdf, Png };

/// How a figure is drawn.
struct FigureStyle {
    FigureFormat format = FigureFormat::Svg;
    double dots_per_inch = 200;  ///< of PNG, 10 to 2400
};

/// Which run a part of the figure comes from.
struct FigureRun {
    double value = 0;  ///< of FigurePlan::over; 0 where it has none
    FigurePlan plan;   ///< with the numbers that this value gives: strobes, references
    Run run;
};

/// A number of the figure, as computed.
struct FigureResult {
    std::string label, unit;
    double value = 0, reference = 0;

    /// Relative to the reference; absolute where that is zero.
    [[nodiscard]] double error() const noexcept;
};

struct Figure {
    std::string file;  ///< content of the SVG, PDF or PNG file; empty: stopped before all runs had ended
    std::vector<FigureRun> runs;  ///< one, or one per value
    std::vector<FigureResult> results;
};

/// The figure of that name. Errors: UnknownName, which lists the known names.
[[nodiscard]] Expected<FigurePlan> figure_named(const Scene& scene, const std::string& name);

/// Runs the scene, once or for each of the values of the plan, and draws the figure. Errors: those of the
/// scene with a value in it (a key that it does not have), instants of a strobe outside the run, lines of the
/// ledger that do not exist, orbits that are not found.
[[nodiscard]] Expected<Figure, Errors> make_figure(const Scene& scene, const FigurePlan& plan,
                                                   const FigureStyle& style = {},
                                                   const std::atomic<bool>* stop = nullptr);

/// The figure from existing runs. Errors: as above; instants and orbits are not searched for.
[[nodiscard]] Expected<Figure, Errors> draw_figure(const Scene& scene, const FigurePlan& plan,
                                                   std::vector<FigureRun> runs,
                                                   const FigureStyle& style = {});

}  // namespace carom
