#pragma once

#include "carom/figure/figure.hpp"
#include "sheet.hpp"

namespace carom::detail {

/// Draws one panel of a figure into its part of the sheet.

/// What a panel is drawn from.
struct PanelTask {
    const Scene& scene;
    const FigurePlan& plan;
    const FigurePanel& panel;
    const std::vector<FigureRun>& runs;
    SheetBox box;  ///< with title and labels
};

/// Where the axes of a panel stand; `key_width`: room for the key at the right.
[[nodiscard]] SheetBox axes_box(const PanelTask& task, double key_width = 0);

void draw_panel_title(const PanelTask& task, Sheet& sheet);

[[nodiscard]] Expected<void, Errors> draw_curves(const PanelTask& task, Sheet& sheet);

/// Errors: NotAllowedHere where the scene draws nothing.
[[nodiscard]] Expected<void, Errors> draw_exposures(const PanelTask& task, Sheet& sheet);

/// Errors: NotAllowedHere where the contact has no friction, or none was recorded.
[[nodiscard]] Expected<void, Errors> draw_cone(const PanelTask& task, Sheet& sheet);

}  // namespace carom::detail
