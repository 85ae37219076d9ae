#include "orbit_files.hpp"
#include "orbit_results.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::app {
namespace {

constexpr const char* special_colour = "#D55E00";

using Value = std::function<double(const Orbit&)>;

double largest(const Orbit& orbit)
{
    return orbit.highest.size() > 0 ? orbit.highest[0] : NAN;
}

double smallest(const Orbit& orbit)
{
    return orbit.lowest.size() > 0 ? orbit.lowest[0] : NAN;
}

/// A branch as two curves: where it is stable, and dashed where it is not. Both hold the point between them.
void add_curves(const FollowedBranch& followed, const std::string& colour, const Value& value, bool with_key,
                DiagramPanel& panel)
{
    for (const bool stable : {true, false}) {
        DiagramCurve curve{.label = with_key ? followed.name + (stable ? ", stable" : ", unstable") : "",
                           .colour = colour,
                           .dashed = !stable};
        const auto& points = followed.branch.points;
        bool any = false;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const bool here = points[i].orbit.stable == stable;
            const bool before = i > 0 && points[i - 1].orbit.stable == stable;
            const bool after = i + 1 < points.size() && points[i + 1].orbit.stable == stable;
            any = any || here;
            const double y = here || (stable ? false : before || after) ? value(points[i].orbit) : NAN;
            curve.points.push_back({points[i].value, y});
        }
        if (any) panel.curves.push_back(std::move(curve));
    }
}

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

/// Path in the phase plane of the first coordinate; an impact breaks the line.
std::string portrait_of(const Scene& scene, const FollowedBranch& followed, const SpecialPoint& point)
{
    const auto one = scene_of_orbit(
        scene, point.orbit, {{"parameters." + followed.options.over, fmt::format("{:.17g}", point.value)}});
    if (!one) return "<p>" + escaped(one.error().front().message) + "</p>";
    const auto run = carom::run(*one, {});
    if (!run || run->record.frames() == 0 || run->record.u.rows() == 0) return {};
    const std::string name = scene.model.system().coordinates.front().name;
    DiagramPanel portrait{.x_label = name, .y_label = name + "'"},
        time{.x_label = "t", .x_unit = "s", .y_label = name};
    portrait.curves.push_back({.label = "", .colour = diagram_colour(0), .points = {}});
    time.curves.push_back({.label = "", .colour = diagram_colour(0), .points = {}});
    std::vector<double> impacts;
    for (const RunEvent& event : run->events) {
        if (event.kind == EventKind::Impact) impacts.push_back(event.time_s);
    }
    std::size_t next = 0;
    for (Eigen::Index i = 0; i < run->record.frames(); ++i) {
        const double t = run->record.time_s[i];
        bool jumps = false;
        for (; next < impacts.size() && impacts[next] <= t; ++next) {
            jumps = true;
        }
        if (jumps) portrait.curves[0].points.push_back({NAN, NAN});
        portrait.curves[0].points.push_back({run->record.q(i, 0), run->record.u(i, 0)});
        time.curves[0].points.push_back({t, run->record.q(i, 0)});
    }
    return draw_diagram(
        {.title = point.kind, .width_mm = 110, .panel_height_mm = 60, .panels = {portrait, time}},
        FigureFormat::Svg);
}

std::string section_of(const Scene& scene, const FollowedBranch& followed, const SpecialPoint& point,
                       std::size_t number)
{
    std::string out =
        fmt::format("<details id=\"point{}\"><summary><b>{}</b> at {} = {:.12g} ({})</summary>\n", number,
                    escaped(point.kind), escaped(followed.options.over), point.value, escaped(followed.name));
    out += fmt::format("<p>period {:.12g} s", point.orbit.period_s);
    if (!point.place.empty()) out += fmt::format("; {} at {:.9g} s", escaped(point.place), point.time_s);
    out += "; multipliers";
    for (const auto& m : point.orbit.section_multipliers) {
        out += fmt::format(" {:.6g}{}", m.real(), m.imag() == 0 ? "" : fmt::format("{:+.6g}i", m.imag()));
    }
    out +=
        "</p>\n" + portrait_of(scene, followed, point) + "\n<table><tr><th>t (s)</th><th>event</th></tr>\n";
    for (const SensitiveEvent& one : point.orbit.events) {
        if (one.event.time_s <= point.orbit.start.t_s) continue;
        out += fmt::format("<tr><td>{:.10g}</td><td>{} {}</td></tr>\n", one.event.time_s,
                           escaped(std::string(name_of(one.event.kind))), escaped(one.place));
    }
    return out + "</table></details>\n";
}

}  // namespace

Diagram diagram_of(const Scene& scene, const std::vector<FollowedBranch>& branches)
{
    const std::string name = scene.model.system().coordinates.front().name;
    const std::string unit = scene.model.system().coordinates.front().unit;
    Diagram diagram{.title = scene.title};
    const std::string over = branches.empty() ? "" : branches.front().options.over;
    DiagramPanel extremes{.title = scene.title,
                          .x_label = over,
                          .y_label = fmt::format("largest and smallest {}", name),
                          .y_unit = unit};
    DiagramPanel moduli{.x_label = over, .y_label = "moduli of multipliers"};
    for (std::size_t b = 0; b < branches.size(); ++b) {
        add_curves(branches[b], diagram_colour(b), largest, true, extremes);
        add_curves(branches[b], diagram_colour(b), smallest, false, extremes);
        for (const SpecialPoint& point : branches[b].branch.special) {
            extremes.marks.push_back({{point.value, largest(point.orbit)}, point.kind, special_colour});
        }
        std::size_t most = 0;
        for (const BranchPoint& point : branches[b].branch.points) {
            most = std::max(most, point.orbit.section_multipliers.size());
        }
        for (std::size_t i = 0; i < most; ++i) {
            add_curves(
                branches[b], diagram_colour(b),
                [i](const Orbit& orbit) {
                    return i < orbit.section_multipliers.size() ? std::abs(orbit.section_multipliers[i])
                                                                : NAN;
                },
                false, moduli);
        }
    }
    diagram.panels = {extremes, moduli};
    DiagramPanel curves{.x_label = over, .y_label = branches.empty() ? "" : branches.front().curves_over};
    for (const FollowedBranch& one : branches) {
        for (const Curve& curve : one.curves) {
            DiagramCurve line{
                .label = curve.kind, .colour = diagram_colour(curves.curves.size()), .points = {}};
            for (const CurvePoint& point : curve.points) {
                line.points.push_back({point.first, point.second});
            }
            curves.curves.push_back(std::move(line));
        }
    }
    if (!curves.curves.empty()) diagram.panels.push_back(curves);
    return diagram;
}

std::string page_of(const Scene& scene, const std::vector<FollowedBranch>& branches)
{
    std::string out =
        fmt::format("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
                    "<style>body{{font-family:sans-serif;max-width:60em;margin:1em auto;padding:0 1em}}"
                    "svg{{max-width:100%;height:auto}}td,th{{padding:0 1em 0 0;text-align:left}}"
                    "summary{{cursor:pointer;padding:.3em 0}}</style></head>\n<body><h1>{0}</h1>\n",
                    escaped(scene.title));
    out += draw_diagram(diagram_of(scene, branches), FigureFormat::Svg);
    out += "<h2>Branches</h2>\n<ul>\n";
    for (const FollowedBranch& one : branches) {
        out += fmt::format("<li>{}: {} orbits; {}</li>\n", escaped(one.name), one.branch.points.size(),
                           escaped(one.branch.end));
    }
    out += "</ul>\n<h2>Special points</h2>\n<p>Click on one to see its orbit.</p>\n";
    std::size_t number = 0;
    for (const FollowedBranch& one : branches) {
        for (const SpecialPoint& point : one.branch.special) {
            out += section_of(scene, one, point, ++number);
        }
    }
    return out + "</body></html>\n";
}

ResultTable table_of(const Scene& scene, const std::vector<FollowedBranch>& branches)
{
    const auto& coordinates = scene.model.system().coordinates;
    std::size_t most = 0;
    for (const FollowedBranch& one : branches) {
        for (const BranchPoint& point : one.branch.points) {
            most = std::max(most, point.orbit.section_multipliers.size());
        }
    }
    ResultTable table;
    table.columns.push_back({.name = "branch", .kind = CellKind::Text});
    const auto add = [&](const std::string& name) { table.columns.push_back({.name = name}); };
    add(branches.empty() ? "value" : branches.front().options.over);
    add("period_s");
    add("stable");
    for (const Coordinate& coordinate : coordinates) {
        for (const char* what : {"_min", "_max", "_start", "_start_velocity"}) {
            add(coordinate.name + what);
        }
    }
    for (std::size_t i = 1; i <= most; ++i) {
        add(fmt::format("multiplier_{}_re", i));
        add(fmt::format("multiplier_{}_im", i));
    }
    for (const FollowedBranch& one : branches) {
        for (const BranchPoint& point : one.branch.points) {
            const Orbit& orbit = point.orbit;
            Row row{one.name, point.value, orbit.period_s, orbit.stable ? 1.0 : 0.0};
            for (Eigen::Index i = 0; i < orbit.start.q.size(); ++i) {
                row.insert(row.end(),
                           {orbit.lowest[i], orbit.highest[i], orbit.start.q[i], orbit.start.u[i]});
            }
            for (std::size_t i = 0; i < most; ++i) {
                const bool has = i < orbit.section_multipliers.size();
                row.emplace_back(has ? orbit.section_multipliers[i].real() : NAN);
                row.emplace_back(has ? orbit.section_multipliers[i].imag() : NAN);
            }
            table.add(row);
        }
    }
    return table;
}

}  // namespace carom::app
