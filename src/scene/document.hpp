#pragma once

#include "mistakes.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom::detail {

struct Entry;

/// A TOML value with its place. The tree is ours so that one file alone knows the TOML library.
struct Node {
    enum class Kind { Table, Array, Text, Number, Boolean, Date };

    Kind kind = Kind::Table;
    bool boolean = false;
    bool integer = false;  ///< a number that was written as an integer
    double number = 0;
    Place place;                 ///< of the value; of a table, its header
    Place key_place;             ///< of the key before it
    std::string text;            ///< of a text; of a date, how it was written
    std::vector<Entry> entries;  ///< of a table, sorted by key
    std::vector<Node> items;     ///< of an array
};

struct Entry {
    std::string key;
    Node value;
};

/// The entry of a table; nullptr if there is none or the node is no table.
[[nodiscard]] const Node* find(const Node& table, std::string_view key);
[[nodiscard]] Node* find(Node& table, std::string_view key);

/// The text of an entry; the fallback where there is none, or no text.
[[nodiscard]] std::string word_of(const Node& table, std::string_view key, std::string_view fallback = {});

/// The thing of a list whose entry `name` is this; nullptr if there is none.
[[nodiscard]] const Node* find_named(const Node& list, std::string_view name);
[[nodiscard]] Node* find_named(Node& list, std::string_view name);

/// Puts an entry in its place, replacing one of the same key.
Node& put(Node& table, std::string_view key, Node value);

/// The node at keys joined by dots, things of lists by name; nullptr if the path ends before.
[[nodiscard]] const Node* find_path(const Node& root, std::string_view path);

/// Where a path stands, or as much of it as is there.
[[nodiscard]] Place place_of(const Node& root, std::string_view path);

/// What was seen, for messages: "the text `abc`", "the number 3", "a table".
[[nodiscard]] std::string describe(const Node& node);

/// TOML that reads back to the same tree, in the order of the places.
[[nodiscard]] std::string to_toml(const Node& root);

/// Parses a scene. Mistakes: SceneSyntax; nothing is returned then.
[[nodiscard]] std::optional<Node> parse_toml(std::string_view text, Mistakes& mistakes);

/// Parses one value, as it stands behind `=`; nothing if it is no TOML value.
[[nodiscard]] std::optional<Node> parse_toml_value(std::string_view text);

}  // namespace carom::detail
