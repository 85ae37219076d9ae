#include "overrides.hpp"

#include "carom/scene/fields.hpp"
#include "core/text.hpp"
#include "validate.hpp"

#include <fmt/format.h>

namespace carom {
namespace detail {
namespace {

using Type = FieldType;

std::vector<std::string> split_path(std::string_view path)
{
    std::vector<std::string> keys;
    for (;;) {
        const auto dot = path.find('.');
        keys.emplace_back(path.substr(0, dot));
        if (dot == std::string_view::npos) return keys;
        path.remove_prefix(dot + 1);
    }
}

std::string joined_from(const std::vector<std::string>& keys, std::size_t first)
{
    return fmt::format("{}", fmt::join(keys.begin() + static_cast<std::ptrdiff_t>(first), keys.end(), "."));
}

std::vector<std::string> names_in(const Node* list)
{
    std::vector<std::string> names;
    if (list == nullptr) return names;
    for (const Node& item : list->items) {
        const Node* name = find(item, "name");
        if (name != nullptr && name->kind == Node::Kind::Text) names.push_back(name->text);
    }
    return names;
}

void set_place(Node& node, const Place& place)
{
    node.place = node.key_place = place;
    for (Node& item : node.items)
        set_place(item, place);
    for (Entry& entry : node.entries)
        set_place(entry.value, place);
}

bool wants_text(Type type)
{
    return type == Type::Text || type == Type::Name || type == Type::File || type == Type::Choice;
}

/// One override on its way through the tree.
class Application {
public:
    Application(const Override& set, int index, Mistakes& mistakes)
        : set_(set), place_{.line = 0, .column = 0, .override_index = index}, mistakes_(mistakes)
    {
    }

    void run(Node& root)
    {
        const std::vector<std::string> keys = split_path(set_.path);
        Node* node = &root;
        for (std::size_t i = 0; i < keys.size() && node != nullptr; ++i) {
            rest_ = joined_from(keys, i);
            const Field* field = find_key(*node, keys[i]);
            if (field == nullptr) return;
            const bool last = i + 1 == keys.size();
            if (field->type == Type::GroupList) {
                node = last ? refuse_group(*field) : enter_list(*node, keys[i], keys[i + 1]);
                ++i;
                if (node != nullptr && i + 1 == keys.size()) node = refuse_group(*field);
            } else if (field->type == Type::Group) {
                node = last ? refuse_group(*field) : enter_group(*node, keys[i]);
            } else if (last) {
                put_value(*node, keys[i], *field);
            } else {
                node = refuse(ErrorCode::UnknownKey, fmt::format("{} has no keys", carom::quoted(keys[i])),
                              "a path ends at a value");
            }
        }
    }

private:
    Node* refuse(ErrorCode code, std::string message, std::string hint)
    {
        mistakes_.add(place_, code, std::move(message), std::move(hint));
        return nullptr;
    }

    Node* refuse_group(const Field& field)
    {
        const std::string inner(field.type == Type::GroupList ? group_ : std::string(field.path));
        return refuse(ErrorCode::UnknownKey,
                      fmt::format("{} names several values, not one", carom::quoted(set_.path)),
                      fmt::format("add a dot and a key, one of: {}", fmt::join(keys_in(inner), ", ")));
    }

    /// The field of a key in the group reached so far. Parameters must be there: a new one would be of no
    /// use.
    const Field* find_key(const Node& node, const std::string& key)
    {
        const std::string path = group_.empty() ? key : fmt::format("{}.{}", group_, key);
        const Field* field = key.find_first_of("[]*") == std::string::npos ? find_field(path) : nullptr;
        std::vector<std::string> known = keys_in(group_);
        if (field != nullptr && path.starts_with("parameters.") && find(node, key) == nullptr) {
            for (const Entry& entry : node.entries)
                known.push_back(entry.key);
            field = nullptr;
        }
        if (field == nullptr) {
            refuse(ErrorCode::UnknownKey,
                   fmt::format("carom does not know {} in {}", carom::quoted(key), carom::quoted(set_.path)),
                   path_to(node, key).value_or(nearest_or_all(key, known)));
            return nullptr;
        }
        group_ = path + (field->type == Type::GroupList ? "[]" : "");
        return field;
    }

    /// Where the scene, or a scene, has this key below the group reached so far, as a hint.
    [[nodiscard]] std::optional<std::string> path_to(const Node& from, const std::string& key) const
    {
        const std::string before = set_.path.substr(0, set_.path.size() - rest_.size());
        std::string path = path_below(from, key);
        if (const Node* parameters = find(from, "parameters")) {
            if (find(*parameters, key) != nullptr) path = "parameters." + key;
        }
        if (path.empty() && !key.empty()) path = path_of_any_scene(key);
        if (path.empty()) return std::nullopt;
        if (path.ends_with('.'))
            return fmt::format("did you mean {}{}, and a key of it after a dot?", printable(before),
                               printable(path.substr(0, path.size() - 1)));
        // the rest of the path goes on behind it, a value does so at its end
        if (rest_ != key) return fmt::format("did you mean {}{}?", printable(before), printable(path));
        return fmt::format("did you mean {}{}={}?", printable(before), printable(path),
                           printable(set_.value));
    }

    /// `contact.wall.law.restitution` for restitution; with a dot behind it where the key names a thing of a
    /// list. Empty: nothing below has that name.
    [[nodiscard]] static std::string path_below(const Node& from, const std::string& key)
    {
        for (const Entry& entry : from.entries) {
            const Node& inner = entry.value;
            if (entry.key == key && inner.entries.empty() && inner.kind != Node::Kind::Array) return key;
            if (inner.kind == Node::Kind::Array && find_named(inner, key) != nullptr)
                return fmt::format("{}.{}.", entry.key, key);
        }
        for (const Entry& entry : from.entries) {
            if (entry.value.kind == Node::Kind::Table) {
                const std::string path = path_below(entry.value, key);
                if (!path.empty()) return fmt::format("{}.{}", entry.key, path);
            }
            for (const Node& item : entry.value.items) {
                const Node* name = find(item, "name");
                if (name == nullptr || name->kind != Node::Kind::Text) continue;
                const std::string path = path_below(item, key);
                if (!path.empty()) return fmt::format("{}.{}.{}", entry.key, name->text, path);
            }
        }
        return {};
    }

    /// A key below the group reached so far that this scene does not have and another could: one of the
    /// integrator, of the solver. Things of lists have no names there.
    [[nodiscard]] std::string path_of_any_scene(const std::string& key) const
    {
        const std::string group = group_.empty() ? group_ : group_ + ".";
        for (const Field& field : scene_fields()) {
            if (!field.path.starts_with(group) || field.key() != key) continue;
            const std::string_view below = field.path.substr(group.size());
            if (below.find_first_of("[]*") == std::string_view::npos) return std::string(below);
        }
        return {};
    }

    Node* enter_group(Node& node, const std::string& key)
    {
        Node* inner = find(node, key);
        if (inner == nullptr) {
            Node table;
            set_place(table, place_);
            return &put(node, key, std::move(table));
        }
        if (inner->kind == Node::Kind::Table) return inner;
        return refuse(ErrorCode::WrongType,
                      fmt::format("{} is {} in the scene, not a table", carom::quoted(key), describe(*inner)),
                      "correct the scene first");
    }

    Node* enter_list(Node& node, const std::string& key, const std::string& name)
    {
        Node* list = find(node, key);
        if (Node* item = list != nullptr ? find_named(*list, name) : nullptr) return item;
        return refuse(ErrorCode::UnknownKey,
                      fmt::format("the scene has no {} called {}", key, carom::quoted(name)),
                      nearest_or_all(name, names_in(list)));
    }

    void put_value(Node& table, const std::string& key, const Field& field)
    {
        auto value = parse_toml_value(set_.value);
        const bool is_text = value && value->kind == Node::Kind::Text;
        if (wants_text(field.type) && !is_text) value.reset();
        if (!value && !set_.value.empty() &&
            std::string_view("\"'[{").find(set_.value[0]) != std::string_view::npos) {
            refuse(ErrorCode::SceneSyntax, fmt::format("{} is not a TOML value", carom::quoted(set_.value)),
                   fmt::format("give {}; quotes and brackets must be closed", name_of(field.type)));
            return;
        }
        if (!value) {  // a bare word or a formula
            value.emplace();
            value->kind = Node::Kind::Text;
            value->text = set_.value;
        }
        set_place(*value, place_);
        // what replaces a value stays where that was
        if (const Node* before = find(table, key)) value->key_place = before->key_place;
        put(table, key, std::move(*value));
    }

    const Override& set_;
    Place place_;
    Mistakes& mistakes_;
    std::string group_;  ///< path of the group reached so far, as in the list of fields
    std::string rest_;   ///< of the path, from there on
};

}  // namespace

void apply_overrides(std::span<const Override> overrides, Node& root, Mistakes& mistakes)
{
    for (std::size_t i = 0; i < overrides.size(); ++i)
        Application(overrides[i], static_cast<int>(i), mistakes).run(root);
}

}  // namespace detail

Expected<Override> parse_override(std::string_view text)
{
    const auto equals = text.find('=');
    const auto trimmed = [](std::string_view piece) {
        const auto first = piece.find_first_not_of(" \t");
        if (first == std::string_view::npos) return std::string();
        return std::string(piece.substr(first, piece.find_last_not_of(" \t") - first + 1));
    };
    const std::string path = trimmed(text.substr(0, equals));
    if (equals == std::string_view::npos || path.empty()) {
        return Error{.code = ErrorCode::SceneSyntax,
                     .where = "--set",
                     .message = fmt::format("{} is not of the form path=value", carom::quoted(text)),
                     .hint = "write for example --set integrator.time_step_s=2e-4",
                     .excerpt = {}};
    }
    return Override{.path = path, .value = trimmed(text.substr(equals + 1))};
}

}  // namespace carom
