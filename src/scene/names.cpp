#include "names.hpp"

#include "expression/parse.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace carom::detail {
namespace {

/// The name of a thing of a list, with its node; nothing where it is missing or no text, which has been
/// reported.
const Node* name_of(const Node& item)
{
    const Node* name = find(item, "name");
    return name != nullptr && name->kind == Node::Kind::Text ? name : nullptr;
}

const std::vector<Node>& items_of(const Node& root, std::string_view key)
{
    static const std::vector<Node> none;
    const Node* list = find(root, key);
    return list != nullptr ? list->items : none;
}

void add_tables(const Node& root, const std::filesystem::path& folder, Names& names, Mistakes& mistakes)
{
    for (const Node& item : items_of(root, "table")) {
        const Node* name = name_of(item);
        auto table = table_of(item, folder, mistakes);
        if (name == nullptr) {
            names.complete = false;
            continue;
        }
        if (!table) {  // formulas that name it are not to blame: a table of one point stands in
            names.unvalued.insert(name->text);
            table = *Table::from_points({0}, {1});
        }
        if (auto added = names.vocabulary.add_table(name->text, std::move(*table)); !added) {
            names.complete = false;
            mistakes.add(name->place, added.error());
        }
    }
}

}  // namespace

void add_coordinates(const Node& root, Names& names, Mistakes& mistakes)
{
    for (const Node& item : items_of(root, "coordinate")) {
        const Node* name = name_of(item);
        if (name == nullptr) {
            names.complete = false;
        } else if (auto added = names.vocabulary.add_coordinate(name->text); !added) {
            names.complete = false;
            mistakes.add(name->place, added.error());
        }
    }
}

bool Names::depends_on_unvalued(std::string_view formula) const
{
    if (unvalued.empty()) return false;
    return std::ranges::any_of(words_in(formula),
                               [&](std::string_view word) { return unvalued.contains(word); });
}

Names collect_names(const Node& root, const std::filesystem::path& folder, Mistakes& mistakes)
{
    Names names;
    names.folder = folder;
    names.meshes = std::make_shared<std::map<std::string, Expected<MeshShape>>>();
    if (items_of(root, "coordinate").empty()) names.complete = false;
    const bool bodies = !items_of(root, "body").empty() || !items_of(root, "group").empty();
    if (!bodies) add_coordinates(root, names, mistakes);
    if (const Node* parameters = find(root, "parameters")) add_parameters(*parameters, names, mistakes);
    add_tables(root, folder, names, mistakes);
    return names;
}

std::optional<double> constant_of(const Node& node, const Names& names, Mistakes& mistakes)
{
    if (node.kind == Node::Kind::Number) return node.number;
    if (node.kind != Node::Kind::Text) return std::nullopt;
    const auto value = parse_constant(node.text, names.vocabulary);
    if (value) return *value;
    const ErrorCode code = value.error().code;
    const bool follows = (code == ErrorCode::UnknownName && !names.complete) ||
                         (code == ErrorCode::NotFinite && names.depends_on_unvalued(node.text));
    if (!follows) mistakes.add(node.place, value.error());
    return std::nullopt;
}

}  // namespace carom::detail
