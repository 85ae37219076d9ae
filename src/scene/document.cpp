#include "document.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

/// One dot-separated piece off the front of a path.
std::string_view take_key(std::string_view& path)
{
    const auto dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    return key;
}

const Node* step_into(const Node& node, std::string_view key)
{
    return node.kind == Node::Kind::Array ? find_named(node, key) : find(node, key);
}

std::string quoted_text(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            result += fmt::format("\\u{:04X}", static_cast<int>(c));
        else
            result += c;
    }
    return result + '"';
}

std::string written_key(std::string_view key)
{
    const auto bare = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    };
    return !key.empty() && std::ranges::all_of(key, bare) ? std::string(key) : quoted_text(key);
}

std::string written_number(const Node& node)
{
    if (std::isnan(node.number)) return "nan";
    if (std::isinf(node.number)) return node.number > 0 ? "inf" : "-inf";
    if (node.integer && std::abs(node.number) < 9.2e18)
        return fmt::format("{}", static_cast<long long>(node.number));
    const std::string text = fmt::format("{}", node.number);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::vector<const Entry*> in_order(const Node& table)
{
    std::vector<const Entry*> entries;
    for (const Entry& entry : table.entries)
        entries.push_back(&entry);
    // what an override added has no line and comes last
    std::ranges::stable_sort(entries, {}, [](const Entry* entry) {
        const Place& place = entry->value.key_place;
        return std::tuple(place.override_index, place.line, place.column);
    });
    return entries;
}

std::string inline_value(const Node& node)
{
    std::string text;
    switch (node.kind) {
    case Node::Kind::Text: return quoted_text(node.text);
    case Node::Kind::Number: return written_number(node);
    case Node::Kind::Boolean: return node.boolean ? "true" : "false";
    case Node::Kind::Date: return node.text;
    case Node::Kind::Array:
        for (const Node& item : node.items)
            text += (text.empty() ? "" : ", ") + inline_value(item);
        return "[" + text + "]";
    case Node::Kind::Table:
        for (const Entry* entry : in_order(node))
            text += (text.empty() ? "" : ", ") + written_key(entry->key) + " = " + inline_value(entry->value);
        return text.empty() ? "{}" : "{ " + text + " }";
    }
    return text;
}

bool is_list_of_tables(const Node& node)
{
    const auto table = [](const Node& item) { return item.kind == Node::Kind::Table; };
    return node.kind == Node::Kind::Array && !node.items.empty() && std::ranges::all_of(node.items, table);
}

void write_entries(const Node& table, std::string& out)
{
    for (const Entry* entry : in_order(table))
        out += fmt::format("{} = {}\n", written_key(entry->key), inline_value(entry->value));
}

}  // namespace

const Node* find(const Node& table, std::string_view key)
{
    const auto found = std::ranges::lower_bound(table.entries, key, {}, &Entry::key);
    return found != table.entries.end() && found->key == key ? &found->value : nullptr;
}

Node* find(Node& table, std::string_view key)
{
    return const_cast<Node*>(find(std::as_const(table), key));
}

std::string word_of(const Node& table, std::string_view key, std::string_view fallback)
{
    const Node* node = find(table, key);
    return node != nullptr && node->kind == Node::Kind::Text ? node->text : std::string(fallback);
}

const Node* find_named(const Node& list, std::string_view name)
{
    for (const Node& item : list.items) {
        const Node* its_name = find(item, "name");
        if (its_name != nullptr && its_name->kind == Node::Kind::Text && its_name->text == name) return &item;
    }
    return nullptr;
}

Node* find_named(Node& list, std::string_view name)
{
    return const_cast<Node*>(find_named(std::as_const(list), name));
}

Node& put(Node& table, std::string_view key, Node value)
{
    const auto at = std::ranges::lower_bound(table.entries, key, {}, &Entry::key);
    if (at != table.entries.end() && at->key == key) return at->value = std::move(value);
    return table.entries.insert(at, {std::string(key), std::move(value)})->value;
}

const Node* find_path(const Node& root, std::string_view path)
{
    const Node* node = &root;
    while (node != nullptr && !path.empty())
        node = step_into(*node, take_key(path));
    return node;
}

Place place_of(const Node& root, std::string_view path)
{
    const Node* node = &root;
    Place place;
    while (!path.empty()) {
        node = step_into(*node, take_key(path));
        if (node == nullptr) break;
        place = node->place;
    }
    return place;
}

std::string describe(const Node& node)
{
    switch (node.kind) {
    case Node::Kind::Text: return "the text " + carom::quoted(node.text);
    case Node::Kind::Number: return fmt::format("the number {}", node.number);
    case Node::Kind::Boolean: return node.boolean ? "true" : "false";
    case Node::Kind::Date: return "the date " + carom::quoted(node.text);
    case Node::Kind::Array: return "a list";
    case Node::Kind::Table: return "a table";
    }
    return "unknown";
}

std::string to_toml(const Node& root)
{
    // plain values first: behind a header they would belong to its table
    std::string out;
    for (const Entry* entry : in_order(root)) {
        const bool headed = entry->value.kind == Node::Kind::Table || is_list_of_tables(entry->value);
        if (!headed) out += fmt::format("{} = {}\n", written_key(entry->key), inline_value(entry->value));
    }
    for (const Entry* entry : in_order(root)) {
        if (entry->value.kind == Node::Kind::Table) {
            out += fmt::format("\n[{}]\n", written_key(entry->key));
            write_entries(entry->value, out);
        } else if (is_list_of_tables(entry->value)) {
            for (const Node& item : entry->value.items) {
                out += fmt::format("\n[[{}]]\n", written_key(entry->key));
                write_entries(item, out);
            }
        }
    }
    return out;
}

}  // namespace carom::detail
