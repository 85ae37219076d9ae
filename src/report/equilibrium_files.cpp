#include "report/orbit_files.hpp"

#include "carom/trace/page.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {
namespace {

constexpr const char* special_colour = "#D55E00";

/// The edge of a set with friction, or the number of the branch.
std::string name_of(const EquilibriumBranch& branch, std::size_t index)
{
    if (branch.sides.empty()) return fmt::format("{}", index + 1);
    std::string name = "edge";
    for (const int side : branch.sides) {
        name += side > 0 ? " +mu" : " -mu";
    }
    return name;
}

/// The first coordinate at a value of the parameter, between the two equilibria that enclose it.
double first_at(const EquilibriumBranch& branch, double value)
{
    const auto& points = branch.points;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const Equilibrium &a = points[i], &b = points[i + 1];
        if ((value - a.value) * (value - b.value) > 0) continue;
        const double part = a.value == b.value ? 0 : (value - a.value) / (b.value - a.value);
        return a.q[0] + part * (b.q[0] - a.q[0]);
    }
    if (points.empty()) return NAN;
    const bool last = std::abs(points.back().value - value) < std::abs(points.front().value - value);
    return (last ? points.back() : points.front()).q[0];
}

double growth(const Equilibrium& point)
{
    return point.eigenvalues.empty() ? NAN : point.eigenvalues.front().real();
}

/// Two curves of a branch, stable and not; an edge of a set is one, since nothing is said about its
/// stability.
template <typename Value>
void add_curves(const EquilibriumBranch& branch, const std::string& name, const std::string& colour,
                const Value& value, bool with_key, DiagramPanel& panel)
{
    const bool edge = !branch.sides.empty();
    for (const bool stable : {true, false}) {
        if (edge && !stable) break;
        const std::string label = edge ? name : name + (stable ? ", stable" : ", unstable");
        DiagramCurve curve{.label = with_key ? label : "", .colour = colour, .points = {}, .dashed = !stable};
        const auto& points = branch.points;
        bool any = false;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const bool here = edge || points[i].stable == stable;
            const bool beside = !stable && ((i > 0 && !points[i - 1].stable) ||
                                            (i + 1 < points.size() && !points[i + 1].stable));
            any = any || here;
            curve.points.push_back({points[i].value, here || beside ? value(points[i]) : NAN});
        }
        if (any) panel.curves.push_back(std::move(curve));
    }
}

Expected<std::string> page_of(const Scene& scene, const EquilibriumOptions& options, const Equilibria& found)
{
    const ResultTable table = table_of(scene, options, found);
    return to_study_page(
        {.name = fmt::format("{}: equilibria over {}", scene.title, options.over), .table = &table},
        {.data = {}, .note = "An equilibrium does not move: its points open no run."});
}

}  // namespace

ResultTable table_of(const Scene& scene, const EquilibriumOptions& options, const Equilibria& found)
{
    const auto& coordinates = scene.model.system().coordinates;
    std::size_t eigenvalues = 0;
    for (const EquilibriumBranch& branch : found.branches) {
        for (const Equilibrium& point : branch.points) {
            eigenvalues = std::max(eigenvalues, point.eigenvalues.size());
        }
    }
    ResultTable table;
    table.columns.push_back({.name = "branch", .kind = CellKind::Text});
    const auto add = [&](const std::string& name) { table.columns.push_back({.name = name}); };
    add(options.over);
    for (const Coordinate& coordinate : coordinates) {
        add(coordinate.name);
    }
    for (const std::string& contact : found.contacts) {
        add(contact + "_normal_N");
    }
    add("stable");
    for (std::size_t i = 1; i <= eigenvalues; ++i) {
        add(fmt::format("eigenvalue_{}_re_1_s", i));
        add(fmt::format("eigenvalue_{}_im_1_s", i));
    }
    table.columns.push_back({.name = "special", .kind = CellKind::Text});
    for (std::size_t b = 0; b < found.branches.size(); ++b) {
        const EquilibriumBranch& branch = found.branches[b];
        const std::string name = name_of(branch, b);
        for (const Equilibrium& point : branch.points) {
            Row row{name, point.value};
            for (const double q : point.q) {
                row.emplace_back(q);
            }
            for (std::size_t i = 0; i < found.contacts.size(); ++i) {
                row.emplace_back(i < point.r_N.size() ? point.r_N[i] : NAN);
            }
            // nothing is said about the stability of sets
            row.emplace_back(branch.sides.empty() ? (point.stable ? 1.0 : 0.0) : NAN);
            for (std::size_t i = 0; i < eigenvalues; ++i) {
                const bool has = i < point.eigenvalues.size();
                row.emplace_back(has ? point.eigenvalues[i].real() : NAN);
                row.emplace_back(has ? point.eigenvalues[i].imag() : NAN);
            }
            row.emplace_back(std::string());
            table.add(row);
        }
        for (const EquilibriumPoint& point : branch.special) {
            Row row{name, point.value};
            row.insert(row.end(), coordinates.size() + found.contacts.size() + 1 + 2 * eigenvalues, NAN);
            row.emplace_back(point.place.empty() ? point.kind : point.kind + " " + point.place);
            table.add(row);
        }
    }
    return table;
}

Diagram diagram_of(const Scene& scene, const EquilibriumOptions& options, const Equilibria& found)
{
    const Coordinate& first = scene.model.system().coordinates.front();
    DiagramPanel states{
        .title = scene.title, .x_label = options.over, .y_label = first.name, .y_unit = first.unit};
    DiagramPanel growths{.x_label = options.over, .y_label = "largest real part", .y_unit = "1/s"};
    for (std::size_t b = 0; b < found.branches.size(); ++b) {
        const EquilibriumBranch& branch = found.branches[b];
        const std::string name = name_of(branch, b), colour = diagram_colour(b);
        add_curves(branch, name, colour, [](const Equilibrium& point) { return point.q[0]; }, true, states);
        if (branch.sides.empty()) add_curves(branch, name, colour, growth, false, growths);
        for (const EquilibriumPoint& point : branch.special) {
            states.marks.push_back(
                {{point.value, first_at(branch, point.value)}, point.kind, special_colour});
        }
    }
    Diagram diagram{.title = scene.title, .panels = {states}};
    if (!growths.curves.empty()) diagram.panels.push_back(growths);
    return diagram;
}

Errors write_equilibria(const Scene& scene, const EquilibriumOptions& options, const Equilibria& found,
                        const std::string& file)
{
    return write_result({.table = [&] { return table_of(scene, options, found); },
                         .json = [&] { return json_of(scene, options, found); },
                         .page = [&] { return page_of(scene, options, found); },
                         .diagram = [&] { return diagram_of(scene, options, found); }},
                        file);
}

}  // namespace carom
