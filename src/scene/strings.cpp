#include "expression/parse.hpp"
#include "system.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

std::string text_of(const Node& entry)
{
    return entry.kind == Kind::Text ? entry.text : fmt::format("{}", entry.number);
}

/// At least two points, all of one dimension from 1 to 3, every entry readable. False after a mistake.
bool are_points(const Node& points, const Names& names, Mistakes& mistakes)
{
    const auto& rows = points.items;
    const std::size_t dimension = rows.empty() ? 0 : rows[0].items.size();
    const bool fitting =
        rows.size() >= 2 && dimension >= 1 && dimension <= 3 &&
        std::ranges::all_of(rows, [&](const Node& row) { return row.items.size() == dimension; });
    if (!fitting) {
        mistakes.add(
            points.place, ErrorCode::WrongSize,
            fmt::format("a string needs two points or more, all with one, two or three entries; here are {}",
                        rows.size()),
            "for example points = [[\"0\", \"0\"], [\"x\", \"y\"]]");
        return false;
    }
    bool readable = true;
    for (const Node& row : rows) {
        for (const Node& entry : row.items) {
            readable = formula_of(&entry, names, mistakes).has_value() && readable;
        }
    }
    return readable;
}

/// Distance of two points as a formula.
std::string distance(const Node& from, const Node& to)
{
    std::vector<std::string> difference;
    for (std::size_t i = 0; i < from.items.size(); ++i) {
        difference.push_back(fmt::format("(({}) - ({}))", text_of(to.items[i]), text_of(from.items[i])));
    }
    if (difference.size() == 1) return fmt::format("abs{}", difference[0]);
    if (difference.size() == 2) return fmt::format("hypot({}, {})", difference[0], difference[1]);
    return fmt::format("sqrt({}^2 + {}^2 + {}^2)", difference[0], difference[1], difference[2]);
}

}  // namespace

std::optional<Formula> gap_of_string(const Node& item, const Names& names, Mistakes& mistakes)
{
    const Node* length = find(item, "length_m");
    const Node* points = find(item, "points");
    const bool has_length = formula_of(length, names, mistakes).has_value();
    if (points == nullptr || points->kind != Kind::Array || !are_points(*points, names, mistakes) ||
        !has_length)
        return std::nullopt;

    // what is left of the length after the way from point to point
    std::string gap = fmt::format("({})", text_of(*length));
    for (std::size_t i = 0; i + 1 < points->items.size(); ++i) {
        gap += " - " + distance(points->items[i], points->items[i + 1]);
    }
    auto formula = parse_formula(gap, names.vocabulary);
    if (formula) return *formula;
    mistakes.add(points->place, formula.error());
    return std::nullopt;
}

}  // namespace carom::detail
