#include "report/orbit_files.hpp"
#include "report/point_runs.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom {
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

/// A branch as curves: where it is stable, neutral, and dashed where it is unstable, which holds the points
/// beside it as well.
void add_curves(const FollowedBranch& followed, const std::string& colour, const Value& value, bool with_key,
                DiagramPanel& panel)
{
    for (const std::string_view kind : {"stable", "neutral", "unstable"}) {
        const bool unstable = kind == "unstable";
        DiagramCurve curve{.label = with_key ? fmt::format("{}, {}", followed.name, kind) : "",
                           .colour = colour,
                           .dashed = unstable};
        const auto& points = followed.branch.points;
        bool any = false;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto is_kind = [&](std::size_t k) { return stability_of(points[k].orbit) == kind; };
            const bool here = is_kind(i);
            const bool beside = (i > 0 && is_kind(i - 1)) || (i + 1 < points.size() && is_kind(i + 1));
            any = any || here;
            // of what moves on, extremes depend on where orbits begin
            const auto moves_on = [](const Orbit& orbit) {
                return orbit.end_shift.size() > 0 && orbit.end_shift[0] != 0;
            };
            if (i > 0 && moves_on(points[i].orbit) &&
                std::abs(points[i].orbit.start.t_s - points[i - 1].orbit.start.t_s) >
                    0.01 * points[i].orbit.period_s)
                curve.points.push_back({points[i].value, NAN});
            const double y = here || (unstable && beside) ? value(points[i].orbit) : NAN;
            curve.points.push_back({points[i].value, y});
        }
        if (any) panel.curves.push_back(std::move(curve));
    }
}

/// How far two orbits of a branch are from each other.
double distance(const BranchPoint& one, const BranchPoint& other, double range)
{
    return std::abs(one.value - other.value) / range +
           std::abs(one.orbit.period_s - other.orbit.period_s) / one.orbit.period_s +
           (one.orbit.start.q - other.orbit.start.q).norm() / (1 + one.orbit.start.q.norm());
}

/// The orbits of a branch with those at its special points, each beside the one that is nearest to it, on the
/// side on which it lengthens the way less.
std::vector<BranchPoint> points_with_special(const FollowedBranch& followed)
{
    std::vector<BranchPoint> points = followed.branch.points;
    const double range = followed.options.high - followed.options.low;
    for (const SpecialPoint& special : followed.branch.special) {
        const BranchPoint here{.value = special.value, .orbit = special.orbit};
        if (points.empty() || here.orbit.start.q.size() == 0) continue;
        const auto away = [&](const BranchPoint& point) { return distance(here, point, range); };
        const auto nearest = std::ranges::min_element(points, {}, away);
        const auto detour_by = [&](auto neighbour) {
            return away(*neighbour) - distance(*nearest, *neighbour, range);
        };
        const bool first = nearest == points.begin(), last = nearest + 1 == points.end();
        const double before = first ? 0 : detour_by(nearest - 1), after = last ? 0 : detour_by(nearest + 1);
        points.insert(before < after ? nearest : nearest + 1, here);
    }
    return points;
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
        std::size_t max_multipliers = 0;
        for (const BranchPoint& point : branches[b].branch.points) {
            max_multipliers = std::max(max_multipliers, point.orbit.section_multipliers.size());
        }
        for (std::size_t i = 0; i < max_multipliers; ++i) {
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

Expected<std::string> page_of(const Scene& scene, const std::vector<FollowedBranch>& branches,
                              const std::atomic<bool>* stop)
{
    struct OpenedOrbit {
        const FollowedBranch* followed;
        const BranchPoint* point;
    };
    std::vector<FollowedBranch> whole = branches;
    std::vector<OpenedOrbit> points;
    for (FollowedBranch& followed : whole) {
        followed.branch.points = points_with_special(followed);
        for (const BranchPoint& point : followed.branch.points)
            points.push_back({&followed, &point});
    }
    const PointRuns runs = runs_of_points(
        static_cast<long>(points.size()),
        [&](long i) {
            const auto& [followed, point] = points[static_cast<std::size_t>(i)];
            return scene_of_orbit(
                scene, point->orbit,
                {{"parameters." + followed->options.over, fmt::format("{:.17g}", point->value)}});
        },
        stop);
    return to_orbit_page(scene.title, json_of(scene, whole), runs);
}

ResultTable table_of(const Scene& scene, const std::vector<FollowedBranch>& branches)
{
    const auto& coordinates = scene.model.system().coordinates;
    std::size_t max_multipliers = 0;
    for (const FollowedBranch& one : branches) {
        for (const BranchPoint& point : one.branch.points) {
            max_multipliers = std::max(max_multipliers, point.orbit.section_multipliers.size());
        }
    }
    ResultTable table;
    table.columns.push_back({.name = "branch", .kind = CellKind::Text});
    const auto add = [&](const std::string& name) { table.columns.push_back({.name = name}); };
    add(branches.empty() ? "value" : branches.front().options.over);
    add("period_s");
    add("stable");
    add("start_s");
    for (const Coordinate& coordinate : coordinates) {
        for (const char* what : {"_min", "_max", "_start", "_start_velocity"}) {
            add(coordinate.name + what);
        }
    }
    for (std::size_t i = 1; i <= max_multipliers; ++i) {
        add(fmt::format("multiplier_{}_re", i));
        add(fmt::format("multiplier_{}_im", i));
    }
    for (const FollowedBranch& one : branches) {
        for (const BranchPoint& point : one.branch.points) {
            const Orbit& orbit = point.orbit;
            Row row{one.name, point.value, orbit.period_s,
                    orbit.neutral ? NAN : static_cast<double>(orbit.stable), orbit.start.t_s};
            for (Eigen::Index i = 0; i < orbit.start.q.size(); ++i) {
                row.insert(row.end(),
                           {orbit.lowest[i], orbit.highest[i], orbit.start.q[i], orbit.start.u[i]});
            }
            for (std::size_t i = 0; i < max_multipliers; ++i) {
                const bool has = i < orbit.section_multipliers.size();
                row.emplace_back(has ? orbit.section_multipliers[i].real() : NAN);
                row.emplace_back(has ? orbit.section_multipliers[i].imag() : NAN);
            }
            table.add(row);
        }
    }
    return table;
}

}  // namespace carom
