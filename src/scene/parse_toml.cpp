#include "document.hpp"

#include "ascii_filter.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <sstream>

#include <toml++/toml.h>

namespace carom::detail {
namespace {

Place place_of(const toml::source_region& region)
{
    return {.line = static_cast<int>(region.begin.line),
            .column = static_cast<int>(region.begin.column),
            .override_index = -1};
}

template <class Date>
std::string written(const Date& date)
{
    std::ostringstream out;
    out << date;
    return out.str();
}

/// The tree of a node. The parser bounds how deep values nest, the ASCII filter how deep keys do.
Node to_node(const toml::node& from)
{
    Node node;
    node.place = node.key_place = place_of(from.source());
    if (const auto* table = from.as_table()) {
        for (const auto& [key, value] : *table) {
            node.entries.push_back({std::string(key.str()), to_node(value)});
            node.entries.back().value.key_place = place_of(key.source());
        }
        std::ranges::sort(node.entries, {}, &Entry::key);
    } else if (const auto* array = from.as_array()) {
        node.kind = Node::Kind::Array;
        for (const toml::node& item : *array)
            node.items.push_back(to_node(item));
    } else if (const auto* text = from.as_string()) {
        node.kind = Node::Kind::Text;
        node.text = text->get();
    } else if (const auto* integer = from.as_integer()) {
        node.kind = Node::Kind::Number;
        node.integer = true;
        node.number = static_cast<double>(integer->get());
    } else if (const auto* number = from.as_floating_point()) {
        node.kind = Node::Kind::Number;
        node.number = number->get();
    } else if (const auto* boolean = from.as_boolean()) {
        node.kind = Node::Kind::Boolean;
        node.boolean = boolean->get();
    } else {
        node.kind = Node::Kind::Date;
        if (const auto* date = from.as_date())
            node.text = written(date->get());
        else if (const auto* time = from.as_time())
            node.text = written(time->get());
        else if (const auto* both = from.as_date_time())
            node.text = written(both->get());
    }
    return node;
}

}  // namespace

std::optional<Node> parse_toml(std::string_view text, Mistakes& mistakes)
{
    try {
        return to_node(toml::parse(text));
    } catch (const toml::parse_error& error) {
        mistakes.add(place_of(error.source()), ErrorCode::SceneSyntax,
                     "this is not TOML: " + printable(error.description()),
                     "a scene consists of lines like duration_s = 5.0 and [group] or [[list]] headers");
        return std::nullopt;
    }
}

std::optional<Node> parse_toml_value(std::string_view text)
{
    // the same filter as for scenes; what it refuses is no TOML value
    Mistakes refused({}, text, {});
    look_for_what_toml_refuses(text, refused);
    if (!refused.empty()) return std::nullopt;
    try {
        const toml::table table = toml::parse("value = " + std::string(text));
        const toml::node* value = table.get("value");
        if (value == nullptr || table.size() != 1) return std::nullopt;
        return to_node(*value);
    } catch (const toml::parse_error&) {
        return std::nullopt;
    }
}

}  // namespace carom::detail
