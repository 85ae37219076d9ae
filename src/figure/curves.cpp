#include "curves.hpp"

#include "core/palette.hpp"
#include "core/text.hpp"
#include "expression/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr std::size_t max_named_runs = 7;  ///< as many as there are colours

/// The system at one instant of a recording.
struct Instant {
    double t_s = 0;
    Eigen::VectorXd q, u;
};

/// All frames, and both sides of every jump.
std::vector<Instant> all_instants(const Recording& record, double from_s)
{
    std::vector<Instant> instants;
    const RecordedJumps& jumps = record.jumps;
    const bool velocities = record.u.rows() == record.frames();
    Eigen::Index jump = 0;
    const auto add = [&](double t_s, const auto& q, const auto& u) {
        if (t_s >= from_s) instants.push_back({t_s, q, u});
    };
    for (Eigen::Index i = 0; i < record.frames(); ++i) {
        for (; jump < jumps.time_s.size() && jumps.time_s[jump] <= record.time_s[i]; ++jump) {
            add(jumps.time_s[jump], jumps.q.row(jump).transpose(), jumps.u_minus.row(jump).transpose());
            add(jumps.time_s[jump], jumps.q.row(jump).transpose(), jumps.u_plus.row(jump).transpose());
        }
        if (velocities)
            add(record.time_s[i], record.q.row(i).transpose(), record.u.row(i).transpose());
        else
            add(record.time_s[i], record.q.row(i).transpose(), Eigen::VectorXd::Zero(record.q.cols()));
    }
    return instants;
}

/// The instants of a strobe that the run has reached.
std::vector<Instant> strobe_instants(const Run& run, const FigurePanel& panel, double start_s)
{
    std::vector<Instant> instants;
    for (const Snapshot& snapshot : run.snapshots) {
        // k strobes after the first, k >= 0 an integer
        const double k = (snapshot.time_s - start_s - panel.from_s) / panel.strobe_s;
        const bool wanted = k > -0.5 && std::abs(k - std::round(k)) <= 1e-9 * std::max(1.0, std::abs(k));
        if (snapshot.reached && wanted) instants.push_back({snapshot.time_s, snapshot.q, snapshot.u});
    }
    return instants;
}

std::vector<std::array<double, 2>> points_of(const Formula& x, const Formula& y,
                                             const std::vector<Instant>& instants)
{
    Workspace work;
    std::vector<std::array<double, 2>> points;
    for (const Instant& instant : instants) {
        const Point at{view(instant.q), view(instant.u), instant.t_s};
        points.push_back({x.value(at, work), y.value(at, work)});
    }
    return points;
}

/// Points of a curve, given at `times_s`, at the instants of events, linear between its neighbours.
std::vector<std::array<double, 2>> at_events(const std::vector<RunEvent>& events,
                                             const std::vector<double>& times_s,
                                             const std::vector<std::array<double, 2>>& points)
{
    std::vector<std::array<double, 2>> marks;
    std::size_t k = 0;
    for (const RunEvent& event : events) {
        while (k + 1 < times_s.size() && times_s[k + 1] < event.time_s) {
            ++k;
        }
        if (k + 1 >= times_s.size() || event.time_s < times_s[k]) continue;
        const double width = times_s[k + 1] - times_s[k];
        const double part = width > 0 ? (event.time_s - times_s[k]) / width : 1;
        marks.push_back({(1 - part) * points[k][0] + part * points[k + 1][0],
                         (1 - part) * points[k][1] + part * points[k + 1][1]});
    }
    return marks;
}

/// A column of the recording: a number per frame.
Expected<Eigen::VectorXd> column_of(const FigureCurve& curve, const Recording& record)
{
    const auto unknown = [&](const char* what, const std::vector<std::string>& known) {
        return Error{.code = ErrorCode::UnknownName,
                     .where = "[[figure.panel.curve]]",
                     .message = fmt::format("the recording has no {} {}", what, carom::quoted(curve.name)),
                     .hint = known.empty() ? std::string("[record] leaves it out")
                                           : fmt::format("there are {}", fmt::join(known, ", ")),
                     .excerpt = {}};
    };
    std::vector<std::string> names;
    if (curve.source == FigureSource::Probe || curve.source == FigureSource::Energy) {
        const bool probe = curve.source == FigureSource::Probe;
        for (const RecordedSeries& series : probe ? record.probes : record.energies) {
            if (series.name == curve.name) return series.values;
            names.push_back(series.name);
        }
        return unknown(probe ? "probe" : "line of the ledger", names);
    }
    const bool gap = curve.source == FigureSource::Gap;
    const RowMatrix& columns = gap ? record.gap_m : record.percussion_Ns;
    for (std::size_t c = 0; c < record.contacts.size(); ++c) {
        if (record.contacts[c] != curve.name || static_cast<Eigen::Index>(c) >= columns.cols()) continue;
        Eigen::VectorXd values = columns.col(static_cast<Eigen::Index>(c));
        for (Eigen::Index i = 1; !gap && i < values.size(); ++i) {
            values[i] += values[i - 1];
        }
        return values;
    }
    return unknown("contact", record.contacts);
}

/// From blue over grey to orange, which also those tell apart who see no red or green.
std::string between_colours(double part)
{
    constexpr std::array<std::array<double, 3>, 3> stops{
        {{0x00, 0x72, 0xB2}, {0x99, 0x99, 0x99}, {0xD5, 0x5E, 0x00}}};
    const std::size_t first = part < 0.5 ? 0 : 1;
    const double within = 2 * part - static_cast<double>(first);
    std::string colour = "#";
    for (std::size_t c = 0; c < 3; ++c) {
        colour += fmt::format("{:02X}", static_cast<int>(std::lround((1 - within) * stops[first][c] +
                                                                     within * stops[first + 1][c])));
    }
    return colour;
}

std::string last_word(const std::string& path)
{
    return path.substr(path.rfind('.') + 1);
}

/// How the key calls a curve of a run.
std::string label_of(const FigureCurve& curve, const FigurePlan& plan, const FigurePanel& panel, double value)
{
    std::string label = curve.label;
    if (label.empty()) {
        switch (curve.source) {
        case FigureSource::Formula: label = curve.formula.text(); break;
        case FigureSource::Gap: label = "gap of " + curve.name; break;
        case FigureSource::Percussion: label = "impulse of " + curve.name; break;
        case FigureSource::Probe:
        case FigureSource::Energy: label = curve.name; break;
        }
    }
    if (plan.over.empty() || panel.against_value) return label;
    const std::string run = fmt::format("{} = {:.6g}", last_word(plan.over), value);
    return panel.curves.size() == 1 ? run : fmt::format("{}, {}", label, run);
}

/// One curve of one run.
Expected<CurveData> curve_of(const FigureCurve& curve, const FigurePanel& panel, const FigureRun& run,
                             const std::vector<Instant>& instants)
{
    CurveData data;
    data.as_points = curve.points || panel.strobe_s > 0;
    data.dashed = curve.dashed;
    std::vector<double> times_s;
    if (curve.source == FigureSource::Formula) {
        data.points = points_of(panel.x, curve.formula, instants);
        for (const Instant& instant : instants) {
            times_s.push_back(instant.t_s);
        }
    } else {
        const Recording& record = run.run.record;
        const auto column = column_of(curve, record);
        if (!column) return column.error();
        Workspace work;
        for (Eigen::Index i = 0; i < std::min(record.frames(), column->size()); ++i) {
            if (record.time_s[i] < panel.from_s + record.start_s) continue;
            const Eigen::VectorXd q = record.q.row(i).transpose();
            const Eigen::VectorXd u = record.u.rows() > i ? Eigen::VectorXd(record.u.row(i).transpose())
                                                          : Eigen::VectorXd::Zero(q.size());
            data.points.push_back({panel.x.value({view(q), view(u), record.time_s[i]}, work), (*column)[i]});
            times_s.push_back(record.time_s[i]);
        }
    }
    if (panel.events) data.events = at_events(run.run.events, times_s, data.points);
    if (panel.against_value) {
        for (auto& point : data.points) {
            point[0] = run.value;
        }
        data.as_points = true;
    }
    return data;
}

}  // namespace

std::vector<double> instants_of(const FigurePanel& panel, const Scene& scene)
{
    std::vector<double> instants;
    if (panel.strobe_s <= 0) return instants;
    const double start_s = scene.start.t_s, end_s = start_s + scene.plan.duration_s;
    for (long k = 0;; ++k) {
        const double t_s = start_s + panel.from_s + static_cast<double>(k) * panel.strobe_s;
        if (!(t_s <= end_s * (1 + 1e-15))) return instants;
        instants.push_back(std::min(t_s, end_s));
    }
}

std::string colour_named(const std::string& name, std::size_t number)
{
    if (name == grey.name) return std::string(grey.value);
    for (const Colour& colour : palette) {
        if (colour.name == name) return std::string(colour.value);
    }
    // the yellow, last of the palette, is too pale to come by itself
    return std::string(palette[number % (palette.size() - 1)].value);
}

Expected<std::vector<CurveData>, Errors> curves_of(const FigurePlan& plan, std::size_t number,
                                                   const std::vector<FigureRun>& runs)
{
    const FigurePanel& shown = plan.panels[number];
    const bool one_cloud = shown.against_value;  // against a value all runs are one cloud of points
    const bool many = !one_cloud && runs.size() > max_named_runs;
    std::vector<CurveData> curves;
    std::size_t colour = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        // formulas with the parameters of this run
        const FigurePanel& panel = runs[r].plan.panels[number];
        const Recording& record = runs[r].run.record;
        const auto instants = panel.strobe_s > 0 ? strobe_instants(runs[r].run, panel, record.start_s)
                                                 : all_instants(record, panel.from_s + record.start_s);
        for (std::size_t c = 0; c < panel.curves.size(); ++c) {
            auto curve = curve_of(panel.curves[c], panel, runs[r], instants);
            if (!curve) return Errors{curve.error()};
            curve->label = label_of(panel.curves[c], plan, panel, runs[r].value);
            curve->colour =
                many ? between_colours(static_cast<double>(r) / static_cast<double>(runs.size() - 1))
                     : colour_named(panel.curves[c].colour, one_cloud ? c : colour++);
            const bool inner = many && r > 0 && r + 1 < runs.size();
            if ((one_cloud && r > 0) || inner) curve->label.clear();
            curves.push_back(std::move(*curve));
        }
    }
    return curves;
}

std::string unit_of(const Formula& formula, const Model& model)
{
    const std::string& text = formula.text();
    if (text == "t") return "s";
    for (const Coordinate& coordinate : model.system().coordinates) {
        if (text == coordinate.name) return coordinate.unit;
        if (text == coordinate.name + "'") return (coordinate.unit.empty() ? "1" : coordinate.unit) + "/s";
    }
    return {};
}

}  // namespace carom::detail
