#include "carom/trace/export.hpp"

#include "palette.hpp"
#include "plot.hpp"
#include "solids_svg.hpp"

#include <algorithm>

namespace carom {
namespace {

using detail::PlotLine;
using detail::PlotPanel;

/// Adds a line, or counts it when the panel is full.
void add_line(PlotPanel& panel, PlotLine line, std::size_t largest)
{
    if (panel.lines.size() < largest)
        panel.lines.push_back(std::move(line));
    else
        ++panel.left_out;
}

/// The panel of that unit, made when there is none.
PlotPanel& panel_for(std::vector<PlotPanel>& panels, const char* quantity, const std::string& unit)
{
    for (PlotPanel& panel : panels) {
        if (panel.unit == unit) return panel;
    }
    panels.push_back({.title = quantity, .quantity = quantity, .unit = unit, .lines = {}});
    return panels.back();
}

PlotLine line_of(const std::string& name, const Eigen::VectorXd& time_s, const auto& values)
{
    PlotLine line{.name = name, .points = {}};
    line.points.reserve(static_cast<std::size_t>(time_s.size()));
    for (Eigen::Index i = 0; i < time_s.size(); ++i) {
        line.points.push_back({time_s[i], values[i]});
    }
    return line;
}

/// A coordinate, or its velocity, with what the frames are too far apart to show: at an impact it takes the
/// values `before` and `after`. A frame in the first half of a step with an impact has the velocity after it
/// already, so it is left out of a velocity.
PlotLine line_with_jumps(const Recording& recording, const RowMatrix& frames, const RowMatrix& before,
                         const RowMatrix& after, Eigen::Index column)
{
    PlotLine line{.name = recording.coordinates[static_cast<std::size_t>(column)].name, .points = {}};
    const Eigen::VectorXd& jump_s = recording.jumps.time_s;
    const double half_step_s = recording.time_step_s / 2 * (1 - 1e-6);
    Eigen::Index jump = 0;
    for (Eigen::Index i = 0; i < recording.frames(); ++i) {
        const double t_s = recording.time_s[i];
        for (; jump < jump_s.size() && jump_s[jump] <= t_s; ++jump) {
            line.points.push_back({jump_s[jump], before(jump, column)});
            line.points.push_back({jump_s[jump], after(jump, column)});
        }
        const bool is_ahead = jump < jump_s.size() && t_s > jump_s[jump] - half_step_s;
        if (!is_ahead) line.points.push_back({t_s, frames(i, column)});
    }
    return line;
}

void append(std::vector<PlotPanel>& panels, std::vector<PlotPanel> more)
{
    std::move(more.begin(), more.end(), std::back_inserter(panels));
}

std::vector<PlotPanel> coordinate_panels(const Recording& recording, std::size_t largest)
{
    std::vector<PlotPanel> panels;
    for (Eigen::Index i = 0; i < recording.q.cols(); ++i) {
        PlotPanel& panel =
            panel_for(panels, "coordinates", recording.coordinates[static_cast<std::size_t>(i)].unit);
        add_line(panel, line_with_jumps(recording, recording.q, recording.jumps.q, recording.jumps.q, i),
                 largest);
    }
    return panels;
}

std::vector<PlotPanel> velocity_panels(const Recording& recording, std::size_t largest)
{
    std::vector<PlotPanel> panels;
    for (Eigen::Index i = 0; i < recording.u.cols(); ++i) {
        const std::string& unit = recording.coordinates[static_cast<std::size_t>(i)].unit;
        PlotPanel& panel = panel_for(panels, "velocities", (unit.empty() ? "1" : unit) + "/s");
        const RecordedJumps& jumps = recording.jumps;
        PlotLine line = line_with_jumps(recording, recording.u, jumps.u_minus, jumps.u_plus, i);
        line.name += "'";  // as formulas write it
        add_line(panel, std::move(line), largest);
    }
    return panels;
}

std::vector<PlotPanel> gap_panels(const Recording& recording, std::size_t largest)
{
    std::vector<PlotPanel> panels;
    for (Eigen::Index i = 0; i < recording.gap_m.cols(); ++i) {
        PlotPanel& panel = panel_for(panels, "gaps", "m");
        panel.include_zero = true;
        add_line(panel,
                 line_of(recording.contacts[static_cast<std::size_t>(i)], recording.time_s,
                         recording.gap_m.col(i)),
                 largest);
    }
    return panels;
}

std::vector<PlotPanel> probe_panels(const Recording& recording, std::size_t largest)
{
    std::vector<PlotPanel> panels;
    for (const RecordedSeries& probe : recording.probes) {
        add_line(panel_for(panels, "probes", probe.unit), line_of(probe.name, recording.time_s, probe.values),
                 largest);
    }
    return panels;
}

std::vector<PlotPanel> energy_panels(const Recording& recording, std::size_t largest)
{
    const Eigen::VectorXd* kinetic = recording.energy("kinetic_J");
    const Eigen::VectorXd* potential = recording.energy("potential_J");
    const Eigen::VectorXd* impact = recording.energy("impact_J");
    if (kinetic == nullptr || potential == nullptr || impact == nullptr) return {};
    PlotPanel panel{.title = "energies", .quantity = "energy", .unit = "J", .lines = {}};
    add_line(panel, line_of("kinetic", recording.time_s, *kinetic), largest);
    add_line(panel, line_of("potential", recording.time_s, *potential), largest);
    add_line(panel, line_of("total", recording.time_s, Eigen::VectorXd(*kinetic + *potential)), largest);
    add_line(panel, line_of("lost in impacts", recording.time_s, Eigen::VectorXd(-*impact)), largest);
    return {panel};
}

}  // namespace

std::string to_svg(const Recording& recording, const SvgSettings& settings)
{
    const auto largest = static_cast<std::size_t>(
        std::clamp(settings.max_lines, 1, static_cast<int>(detail::line_colours.size())));
    std::vector<PlotPanel> panels = coordinate_panels(recording, largest);
    append(panels, velocity_panels(recording, largest));
    append(panels, gap_panels(recording, largest));
    append(panels, probe_panels(recording, largest));
    append(panels, energy_panels(recording, largest));

    // written this way so that NaN gives the least size
    const auto at_least = [](double value, double smallest) {
        return value > smallest ? std::min(value, 1e5) : smallest;
    };
    const double width_px = at_least(settings.width_px, 400);
    constexpr double picture_px = 280;
    const std::string bodies = detail::solids_svg(recording, {.left_px = detail::room_left_px,
                                                              .top_px = detail::room_top_px,
                                                              .width_px = width_px - 2 * detail::room_left_px,
                                                              .height_px = picture_px});
    return detail::draw(recording.title.empty() ? "run" : recording.title, panels,
                        {.width_px = width_px,
                         .panel_height_px = at_least(settings.panel_height_px, 60),
                         .above_px = bodies.empty() ? 0 : picture_px},
                        bodies);
}

}  // namespace carom
