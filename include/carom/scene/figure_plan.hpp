#pragma once

#include "carom/expression/formula.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace carom {

/// What a [[figure]] of a scene shows. carom/figure/figure.hpp draws it.

/// Where the numbers of a curve come from.
enum class FigureSource { Formula, Probe, Gap, Percussion, Energy };

struct FigureCurve {
    FigureSource source = FigureSource::Formula;
    Formula formula;     ///< of coordinates, velocities, parameters and t
    std::string name;    ///< of the probe, contact or line of the ledger
    std::string label;   ///< in the key; empty: the formula or the name
    std::string colour;  ///< of core/palette.hpp; empty: the colours in turn
    bool points = false;
    bool dashed = false;
};

enum class FigurePanelKind {
    Curves,
    Exposure,  ///< what [[draw]] and [[body]] show, at several instants in one picture
    Cone,      ///< percussions of one contact in its friction cone
};

struct FigurePanel {
    FigurePanelKind kind = FigurePanelKind::Curves;
    std::string title, x_label, y_label;  ///< empty labels: from the formulas and their units
    Formula x;                            ///< of curves
    std::vector<FigureCurve> curves;
    std::optional<std::array<double, 2>> x_range, y_range;
    bool equal_scales = false;   ///< a metre is as long upwards as across
    bool events = false;         ///< a mark at every event of the run
    double from_s = 0;           ///< what happened before is not shown
    double strobe_s = 0;         ///< curves are points at from_s + k strobe_s; 0: all frames
    bool against_value = false;  ///< the horizontal axis is the value of `over`
    int every = 10;              ///< of exposures: one for so many frames
    bool numbers = true;         ///< exposures are numbered
    std::string contact;         ///< of a cone
};

/// A number that the figure is known for, beside what theory says of it.
struct FigureNumber {
    std::string label, unit;
    Formula value;               ///< of the state at the instant
    std::optional<double> at_s;  ///< nothing: the end of the run
    double reference = 0;
};

struct FigurePlan {
    std::string name, title;
    std::string statement, source;  ///< what it shows, in a sentence, and where it comes from
    std::vector<FigureNumber> numbers;
    double width_mm = 120, height_mm = 80;  ///< of one panel
    int columns = 1;                        ///< of panels
    std::string over;                       ///< key whose `values` give one run each; empty: one run
    std::vector<double> values;
    std::vector<FigurePanel> panels;
};

}  // namespace carom
