#include "validate.hpp"

#include "carom/scene/fields.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Kind = Node::Kind;
using Type = FieldType;

std::string joined(std::span<const std::string> words)
{
    return fmt::format("{}", fmt::join(words, ", "));
}

/// Where a group is and how messages call it.
struct Group {
    std::string path;  ///< as in the list of fields: "contact[]"
    std::string name;  ///< as users know it: "contact.wall"; empty at the top

    [[nodiscard]] std::string inner(std::string_view key) const
    {
        return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
    }
    [[nodiscard]] std::string inner_name(std::string_view key) const
    {
        return name.empty() ? printable(key) : fmt::format("{}.{}", name, printable(key));
    }
};

class Validator {
public:
    Validator(Mistakes& mistakes, bool has_bodies) : mistakes_(mistakes), has_bodies_(has_bodies) {}

    void table(const Node& node, const Group& group)
    {
        for (const Entry& entry : node.entries) {
            // a quoted key may hold what separates keys in a path: then it is none of ours
            const bool plain = entry.key.find_first_of(".[]*") == std::string::npos;
            const Field* field = plain ? find_field(group.inner(entry.key)) : nullptr;
            if (field != nullptr) {
                value(entry.value, *field, {group.inner(entry.key), group.inner_name(entry.key)});
            } else {
                unknown_key(entry, group);
            }
        }
        for (const std::string& key : keys_in(group.path)) {
            const Field* field = find_field(group.inner(key));
            const bool needed = field->needed && !(has_bodies_ && is_of_coordinates(field->path));
            if (needed && find(node, key) == nullptr) missing_key(node, *field, group);
        }
    }

private:
    void unknown_key(const Entry& entry, const Group& group)
    {
        const std::string where = group.name.empty() ? "" : fmt::format(" in {}", group.name);
        mistakes_.add(entry.value.key_place, ErrorCode::UnknownKey,
                      fmt::format("carom does not know the key {}{}", carom::quoted(entry.key), where),
                      nearest_or_all(entry.key, keys_in(group.path)));
    }

    void missing_key(const Node& node, const Field& field, const Group& group)
    {
        const std::string_view key = field.key();
        const Node* parameters = group.name.empty() ? find(node, "parameters") : nullptr;
        if (const Node* lost = parameters != nullptr ? find(*parameters, key) : nullptr) {
            mistakes_.add(lost->key_place, ErrorCode::MissingKey,
                          fmt::format("the scene has no {}: below [parameters] it is a parameter", key),
                          fmt::format("write {} above [parameters]", key));
            return;
        }
        const std::string example = field.type == Type::GroupList ? fmt::format("[[{}]]", key)
                                    : field.type == Type::Group   ? fmt::format("[{}]", key)
                                                                  : fmt::format("{} = ...", key);
        const std::string owner = group.name.empty() ? "the scene" : group.name;
        mistakes_.add(group.name.empty() ? Place{} : node.place, ErrorCode::MissingKey,
                      fmt::format("{} has no {}", owner, key),
                      fmt::format("add {}: {}", example, field.help));
    }

    void value(const Node& node, const Field& field, const Group& here)
    {
        switch (field.type) {
        case Type::Group: group(node, field, here); break;
        case Type::GroupList: list(node, field, here); break;
        case Type::Text:
        case Type::Name:
        case Type::File:
            if (node.kind != Kind::Text) wrong_type(node, field, here);
            break;
        case Type::Choice: choice(node, field, here); break;
        case Type::ChoiceList: choices(node, field, here); break;
        case Type::Boolean:
            if (node.kind != Kind::Boolean) wrong_type(node, field, here);
            break;
        case Type::Number:
        case Type::Integer: number(node, field, here); break;
        case Type::Constant:
        case Type::Formula:
            if (node.kind != Kind::Text) number(node, field, here);
            break;
        case Type::NumberList: numbers(node, field, here); break;
        case Type::FormulaList: formulas(node, field, here); break;
        case Type::Matrix: matrix(node, field, here); break;
        }
    }

    void wrong_type(const Node& node, const Field& field, const Group& here)
    {
        std::string hint = fmt::format("give {}", name_of(field.type));
        if (node.kind == Kind::Text && (field.type == Type::Number || field.type == Type::Integer)) {
            hint += " without quotes, for example 1e-3";
        }
        if (field.type == Type::Text || field.type == Type::Name) hint += " in quotes";
        if (field.type == Type::GroupList) hint += fmt::format(": write [[{}]]", field.key());
        if (field.type == Type::Group)
            hint += fmt::format(": write [{}], or {} = {{ ... }}", field.key(), field.key());
        mistakes_.add(node.place, ErrorCode::WrongType,
                      fmt::format("{} is {}, not {}", here.name, describe(node), name_of(field.type)),
                      std::move(hint));
    }

    void group(const Node& node, const Field& field, const Group& here)
    {
        if (node.kind == Kind::Table)
            table(node, here);
        else
            wrong_type(node, field, here);
    }

    void list(const Node& node, const Field& field, const Group& here)
    {
        const bool tables = node.kind == Kind::Array && std::ranges::all_of(node.items, [](const Node& n) {
                                return n.kind == Kind::Table;
                            });
        if (!tables) {
            wrong_type(node, field, here);
            return;
        }
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            const Node* name = find(node.items[i], "name");
            const bool named = name != nullptr && name->kind == Kind::Text && !name->text.empty();
            table(node.items[i],
                  {here.path + "[]", named ? fmt::format("{}.{}", here.name, printable(name->text))
                                           : fmt::format("{} number {}", here.name, i + 1)});
        }
    }

    void choice(const Node& node, const Field& field, const Group& here)
    {
        if (node.kind != Kind::Text) {
            wrong_type(node, field, here);
            return;
        }
        if (std::ranges::find(field.choices, node.text) != field.choices.end()) return;
        const std::string known = nearest_name(node.text, field.choices);
        mistakes_.add(node.place, ErrorCode::UnknownName,
                      fmt::format("carom does not know the {} {}", here.name, carom::quoted(node.text)),
                      known.empty()
                          ? fmt::format("known: {}", joined(field.choices))
                          : fmt::format("did you mean `{}`? Known: {}", known, joined(field.choices)));
    }

    void choices(const Node& node, const Field& field, const Group& here)
    {
        if (node.kind != Kind::Array) {
            wrong_type(node, field, here);
            return;
        }
        for (const Node& item : node.items)
            choice(item, field, here);
    }

    void number(const Node& node, const Field& field, const Group& here)
    {
        const bool whole =
            node.integer || (std::isfinite(node.number) && std::floor(node.number) == node.number);
        if (node.kind != Kind::Number || (field.type == Type::Integer && !whole)) {
            wrong_type(node, field, here);
            return;
        }
        if (field.range.contains(node.number)) return;
        const std::string more = field.hint.empty() ? "" : fmt::format(": {}", field.hint);
        const std::string unit =
            field.unit.empty() || field.unit == "-" ? "" : fmt::format(" {}", field.unit);
        mistakes_.add(node.place, ErrorCode::SettingOutOfRange,
                      fmt::format("{} is {}{}", here.name, node.number, unit),
                      fmt::format("give a number {}{}", field.range.text(), more));
    }

    void numbers(const Node& node, const Field& field, const Group& here)
    {
        if (node.kind != Kind::Array) {
            wrong_type(node, field, here);
            return;
        }
        const Field item{.path = field.path, .type = Type::Number, .unit = field.unit};
        for (std::size_t i = 0; i < node.items.size(); ++i)
            number(node.items[i], item, {here.path, fmt::format("number {} of {}", i + 1, here.name)});
    }

    void formulas(const Node& node, const Field& field, const Group& here)
    {
        if (node.kind != Kind::Array || node.items.empty()) {
            wrong_type(node, field, here);
            return;
        }
        const Field entry{.path = field.path, .type = Type::Formula};
        for (std::size_t i = 0; i < node.items.size(); ++i)
            value(node.items[i], entry, {here.path, fmt::format("entry {} of {}", i + 1, here.name)});
    }

    void matrix(const Node& node, const Field& field, const Group& here)
    {
        const bool rows =
            node.kind == Kind::Array && !node.items.empty() &&
            std::ranges::all_of(node.items, [](const Node& n) { return n.kind == Kind::Array; });
        if (!rows) {
            wrong_type(node, field, here);
            return;
        }
        const Field entry{.path = field.path, .type = Type::Formula};
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            for (std::size_t j = 0; j < node.items[i].items.size(); ++j) {
                const std::string name = fmt::format("entry ({}, {}) of {}", i + 1, j + 1, here.name);
                value(node.items[i].items[j], entry, {here.path, name});
            }
        }
    }

    Mistakes& mistakes_;
    bool has_bodies_;  ///< then coordinates and energies are not needed
};

}  // namespace

std::string nearest_or_all(std::string_view seen, std::span<const std::string> known)
{
    const std::string nearest = nearest_name(seen, known);
    if (!nearest.empty()) return fmt::format("did you mean `{}`?", nearest);
    if (known.empty()) return "leave it out";
    constexpr std::size_t largest = 30;
    const bool long_list = known.size() > largest;
    return fmt::format("known: {}{}", joined(known.first(std::min(known.size(), largest))),
                       long_list ? ", ..." : "");
}

void validate(const Node& root, Mistakes& mistakes)
{
    Validator(mistakes, find(root, "body") != nullptr || find(root, "group") != nullptr).table(root, {});
}

}  // namespace carom::detail
