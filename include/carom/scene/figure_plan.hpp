#pragma once

#include "carom/expression/formula.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
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
    std::string colour;  ///< of core/palette.hpp; empty: the next colour of the palette
    bool points = false;
    bool dashed = false;
};

enum class FigurePanelKind {
    Curves,
    Exposure,  ///< what [[draw]] and [[body]] show, at several instants in one picture
    Cone,      ///< percussions of one contact in its friction cone
    Branch,    ///< periodic orbits over a parameter, with the points where their stability changes
};

/// The view of a friction cone.
enum class ConeView {
    Side,        ///< normal impulse over tangential impulse
    Top,         ///< both tangential impulses, over coefficient and normal impulse: the unit disc
    Projection,  ///< projected onto a plane through t1 [Moreau 1988, figure 17.1]
};

struct FigurePanel {
    FigurePanelKind kind = FigurePanelKind::Curves;
    std::string title, x_label, y_label;  ///< empty labels: from the formulas and their units
    Formula x;                            ///< of curves
    std::vector<FigureCurve> curves;
    std::optional<std::array<double, 2>> x_range, y_range;
    bool equal_scales = false;   ///< the same scale on both axes
    bool events = false;         ///< a mark at every event of the run
    double from_s = 0;           ///< earlier times are not shown
    double strobe_s = 0;         ///< curves are points at from_s + k strobe_s; 0: all frames
    bool against_value = false;  ///< the horizontal axis is the value of `over`
    int every = 10;              ///< of exposures: one every this many frames
    bool numbers = true;         ///< exposures are numbered
    std::string contact;         ///< of a cone
    ConeView view = ConeView::Side;
    double plane_rad = 0;  ///< of ConeView::Projection: angle between the plane and the normal
};

/// A number that characterises the figure, with its theoretical value: a formula of the state, the instant
/// of an event, a line of the ledger, or a point of a branch.
struct FigureNumber {
    std::string label, unit;
    Formula value;                   ///< of the state at the instant
    std::optional<double> at_s;      ///< nothing: the end of the run
    std::string event;               ///< a kind of events: the instant of one of them instead
    std::string place;               ///< of the event; empty: anywhere
    int which = 1;                   ///< of these events, or special points, in their order
    std::string energy;              ///< a line of the ledger instead, at the end of the run
    std::string special;             ///< a kind of special points of the branch: the parameter there instead
    std::optional<double> of_value;  ///< of the run with this value of `over`; nothing: of the first
    bool mean = false;               ///< over all runs
    double reference = 0;
};

/// Every run of the figure is one period of the periodic orbit near the start of the scene.
struct FigureOrbit {
    std::string period, section;  ///< as for `carom orbit`
    int returns = 1, settle = 0;
    std::string along;  ///< parameter of a panel of kind Branch; empty: none
    double low = 0, high = 0;
};

struct FigurePlan {
    std::string name, title;
    std::string statement, source;  ///< what it shows, in a sentence, and where it comes from
    std::vector<FigureNumber> numbers;
    std::vector<std::pair<std::string, double>> sets;  ///< keys of the scene that the figure changes
    double width_mm = 120, height_mm = 80;             ///< of one panel
    int columns = 1;                                   ///< of panels
    std::string over;  ///< key whose `values` give one run each; empty: one run
    std::vector<double> values;
    std::optional<FigureOrbit> orbit;
    std::vector<FigurePanel> panels;
};

}  // namespace carom
