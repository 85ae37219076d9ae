#include "directions.hpp"

#include "carom/analytic/series.hpp"
#include "core/text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carom::detail {
namespace {

Error unknown(const std::string& what, std::string hint)
{
    return {.code = ErrorCode::UnknownName,
            .where = "--sensitivity",
            .message = fmt::format("nothing of the scene is called {}", carom::quoted(what)),
            .hint = std::move(hint),
            .excerpt = {}};
}

/// coordinate.NAME.start or coordinate.NAME.start_velocity.
Expected<Directions::Column> start_column(const Scene& scene, const std::string& text)
{
    constexpr std::string_view prefix = "coordinate.";
    const std::size_t dot = text.rfind('.');
    const std::string key = text.substr(dot + 1);
    const std::string name = dot > prefix.size() ? text.substr(prefix.size(), dot - prefix.size()) : "";
    std::vector<std::string> names;
    for (const Coordinate& coordinate : scene.model.system().coordinates) {
        names.push_back(coordinate.name);
    }
    const auto found = std::ranges::find(names, name);
    if (found == names.end() || (key != "start" && key != "start_velocity")) {
        return unknown(text, fmt::format("write coordinate.NAME.start or coordinate.NAME.start_velocity; the "
                                         "coordinates are {}",
                                         fmt::join(names, ", ")));
    }
    return Directions::Column{.coordinate = static_cast<int>(found - names.begin()),
                              .velocity = key == "start_velocity"};
}

}  // namespace

Expected<Directions, Errors> read_directions(const Scene& scene, const std::vector<std::string>& by)
{
    constexpr std::string_view parameter = "parameters.";
    Directions result{.by = by, .parameters = {}, .columns = {}};
    Errors errors;
    for (const std::string& text : by) {
        if (std::ranges::count(by, text) > 1) {
            errors.push_back({.code = ErrorCode::DuplicateName,
                              .where = "--sensitivity",
                              .message = fmt::format("{} is named twice", text),
                              .hint = "name it once",
                              .excerpt = {}});
            return errors;
        }
        if (text.starts_with(parameter)) {
            const std::string name = text.substr(parameter.size());
            const auto known = std::ranges::find(result.parameters, name);
            result.columns.push_back({.parameter = static_cast<int>(known - result.parameters.begin())});
            if (known == result.parameters.end()) result.parameters.push_back(name);
        } else if (text.starts_with("coordinate.")) {
            auto column = start_column(scene, text);
            if (column)
                result.columns.push_back(*column);
            else
                errors.push_back(column.error());
        } else {
            errors.push_back(unknown(text, "write parameters.NAME, coordinate.NAME.start or "
                                           "coordinate.NAME.start_velocity"));
        }
    }
    if (!errors.empty()) return errors;
    return result;
}

Rows Directions::start(const SceneSymbols& symbols) const
{
    const auto n = static_cast<int>(symbols.q0.size()), P = static_cast<int>(symbols.parameters.size());
    Graph graph;
    std::vector<int> nodes;
    std::vector<Variable> variables;
    for (const auto* list : {&symbols.q0, &symbols.u0}) {
        for (const Formula& formula : *list) {
            nodes.push_back(add_formula(graph, formula));
        }
    }
    std::vector<double> place(static_cast<std::size_t>(symbols.first_symbol + P), 0.0);
    for (int k = 0; k < P; ++k) {
        variables.push_back({Variable::Kind::Coordinate, symbols.first_symbol + k});
        place[static_cast<std::size_t>(symbols.first_symbol + k)] =
            symbols.values[static_cast<std::size_t>(k)];
    }
    Differentiated starts(graph, nodes, variables);
    Workspace work;
    starts.at({place, {}, 0}, work);

    Rows X = Rows::Zero(2 * n + P, static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto column = static_cast<Eigen::Index>(i);
        if (columns[i].parameter >= 0) {
            X.col(column).head(2 * n) = starts.slope.col(columns[i].parameter);
            X(2 * n + columns[i].parameter, column) = 1;
        } else {
            X((columns[i].velocity ? n : 0) + columns[i].coordinate, column) = 1;
        }
    }
    return X;
}

Errors check_for_orbits(const Scene& scene)
{
    if (kind_of(scene) != SceneKind::Coordinates) {
        return {{.code = ErrorCode::NotAllowedHere,
                 .where = scene.title,
                 .message = "derivatives and orbits need a scene of coordinates, which power series can run",
                 .hint = "describe the system by [[coordinate]] and [lagrangian]",
                 .excerpt = {}}};
    }
    return check_for_series(scene.model);
}

}  // namespace carom::detail
