#include "body_names.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// Whether some word could be the coordinate of a body.
bool ends_as_coordinate(std::string_view word)
{
    constexpr std::array<std::string_view, 8> ends{"_x", "_y", "_z", "_w", "_i", "_j", "_k", "_angle"};
    return std::ranges::any_of(ends, [&](std::string_view end) { return word.ends_with(end); });
}

bool speaks_of_coordinates(const Node& node)
{
    if (node.kind == Kind::Text && std::ranges::any_of(words_in(node.text), ends_as_coordinate)) return true;
    return std::ranges::any_of(node.items, [](const Node& item) { return speaks_of_coordinates(item); }) ||
           std::ranges::any_of(node.entries,
                               [](const Entry& entry) { return speaks_of_coordinates(entry.value); });
}

/// Whether coordinates of bodies are spoken of at all: of a million bodies they are a long list.
bool needs_names_of_coordinates(const Node& root, const Names& names)
{
    using Meaning = Vocabulary::Meaning::Kind;
    return has_formulas(root) || speaks_of_coordinates(root) ||
           std::ranges::any_of(names.vocabulary.names(Meaning::Parameter), ends_as_coordinate) ||
           std::ranges::any_of(names.vocabulary.names(Meaning::Table), ends_as_coordinate);
}
}  // namespace

bool has_formulas(const Node& root)
{
    return std::ranges::any_of(std::array{"coordinate", "lagrangian", "contact", "string", "constraint"},
                               [&](const char* key) { return find(root, key) != nullptr; });
}

Names with_coordinates(const Node& root, Names names, const BodyDraft& draft, Mistakes& mistakes)
{
    if (draft.incomplete) names.complete = false;
    if (!needs_names_of_coordinates(root, names)) return names;
    for (const Coordinate& coordinate : coordinate_names(draft.setup)) {
        const auto taken = names.vocabulary.find(coordinate.name);
        if (taken && taken->kind != Vocabulary::Meaning::Kind::Coordinate) {
            mistakes.add(place_of(root, "parameters." + coordinate.name), ErrorCode::DuplicateName,
                         fmt::format("{} is a coordinate of a body as well", carom::quoted(coordinate.name)),
                         "give the parameter or table another name");
        }
        if (!names.vocabulary.add_coordinate(coordinate.name)) names.complete = false;
    }
    add_coordinates(root, names, mistakes);
    return names;
}

}  // namespace carom::detail
