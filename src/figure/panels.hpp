#pragma once

#include "axes.hpp"
#include "carom/figure/figure.hpp"
#include "carom/orbit/branch.hpp"
#include "curves.hpp"
#include "sheet.hpp"

namespace carom::detail {

/// Draws one panel of a figure into its part of the sheet.

/// What a panel is drawn from.
struct PanelTask {
    const Scene& scene;
    const FigurePlan& plan;
    const FigurePanel& panel;
    std::size_t number;  ///< of the panel in the plan
    const std::vector<FigureRun>& runs;
    const Branch* branch;  ///< of a panel of kind Branch
    SheetBox box;          ///< with title and labels
};

/// Where the axes of a panel stand; `key_width`: room for the key at the right.
[[nodiscard]] SheetBox axes_box(const PanelTask& task, double key_width = 0);

void draw_panel_title(const PanelTask& task, Sheet& sheet);

[[nodiscard]] Expected<void, Errors> draw_curves(const PanelTask& task, Sheet& sheet);

/// Errors: NotAllowedHere where the scene draws nothing.
[[nodiscard]] Expected<void, Errors> draw_exposures(const PanelTask& task, Sheet& sheet);

/// What a horizontal axis is called.
struct AxisName {
    std::string label, unit;
    bool tight = false;  ///< without a margin
};

/// Axes with their curves and key.
Axes draw_curve_set(const PanelTask& task, const std::vector<CurveData>& curves, const AxisName& along,
                    Sheet& sheet);

/// A key at the right of the axes.
void draw_key(const std::vector<CurveData>& curves, const SheetBox& axes, Sheet& sheet);
[[nodiscard]] double key_width(const std::vector<CurveData>& curves);

/// Orbits of a branch: a line where they are stable, dashes where they are not, special points with their
/// names. Errors: NotAllowedHere where the runs were made without one.
[[nodiscard]] Expected<void, Errors> draw_branch(const PanelTask& task, Sheet& sheet);

/// Errors: NotAllowedHere where the contact has no friction, none was recorded, or it has one tangent where
/// two are seen.
[[nodiscard]] Expected<void, Errors> draw_cone(const PanelTask& task, Sheet& sheet);

}  // namespace carom::detail
