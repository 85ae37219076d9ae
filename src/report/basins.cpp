#include "carom/figure/diagram.hpp"
#include "carom/report/json.hpp"
#include "report/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

long count(const Basins& basins, int which)
{
    return std::ranges::count(basins.of, which);
}

/// The values of an axis with equal distances; nothing: they are none.
std::optional<std::vector<double>> grid_of(const Axis& axis)
{
    std::vector<double> values;
    for (const std::string& text : axis.values) {
        const auto number = number_of(text);
        if (!number) return std::nullopt;
        values.push_back(*number);
    }
    if (values.size() < 2) return std::nullopt;
    const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (!(std::abs(values[i] - values[i - 1] - step) <= 1e-6 * std::abs(step))) return std::nullopt;
    }
    return values;
}

}  // namespace

std::vector<std::string> state_names(const Study& study)
{
    std::vector<std::string> names;
    for (const Coordinate& coordinate : study.scene().model.system().coordinates) {
        names.push_back(coordinate.name);
        names.push_back(coordinate.name + "'");
    }
    return names;
}

std::string json_of(const Study& study, const Basins& basins)
{
    detail::Json out = {{"starts", basins.of.size()}, {"state", state_names(study)}};
    out["attractors"] = detail::Json::array();
    for (const Attractor& one : basins.attractors) {
        out["attractors"].push_back({{"period", one.period}, {"runs", one.runs}, {"points", one.points}});
    }
    out["irregular"] = count(basins, Basins::irregular);
    out["failed"] = count(basins, Basins::failed);
    out["of"] = basins.of;
    return out.dump() + "\n";
}

Expected<Diagram> diagram_of(const Study& study, const Basins& basins)
{
    const auto& axes = study.plan().axes;
    std::optional<std::vector<double>> x, y;
    if (axes.size() == 2) {
        x = grid_of(axes[0]);
        y = grid_of(axes[1]);
    }
    if (!x || !y || basins.of.size() != x->size() * y->size()) {
        return Error{.code = ErrorCode::NotAllowedHere,
                     .where = "--basin",
                     .message =
                         "a picture of basins needs two axes of numbers at equal distances, and all runs",
                     .hint = "give --vary twice: --vary coordinate.x.start=-1:1:0.1 "
                             "--vary coordinate.x.start_velocity=-1:1:0.1",
                     .excerpt = {}};
    }
    const double dx = (*x)[1] - (*x)[0], dy = (*y)[1] - (*y)[0];
    DiagramPanel panel{.title = study.scene().title, .x_label = axes[0].path, .y_label = axes[1].path};
    panel.cells = {.columns = static_cast<int>(x->size()),
                   .rows = static_cast<int>(y->size()),
                   .x_low = x->front() - dx / 2,
                   .x_high = x->back() + dx / 2,
                   .y_low = y->front() - dy / 2,
                   .y_high = y->back() + dy / 2};
    for (std::size_t row = 0; row < y->size(); ++row) {
        for (std::size_t column = 0; column < x->size(); ++column) {
            const int of = basins.of[column * y->size() + row];  // the last axis changes fastest
            panel.cells.colours.push_back(of >= 0 ? diagram_colour(static_cast<std::size_t>(of))
                                          : of == Basins::irregular ? "#BBBBBB"
                                                                    : "");
        }
    }
    for (std::size_t i = 0; i < basins.attractors.size(); ++i) {
        panel.curves.push_back({.label = fmt::format("{}: period {}", i + 1, basins.attractors[i].period),
                                .colour = diagram_colour(i),
                                .points = {},
                                .as_points = true});
    }
    return Diagram{.title = study.scene().title, .panel_height_mm = 110, .panels = {panel}};
}

}  // namespace carom
