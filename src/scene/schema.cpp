#include "carom/scene/fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom {
namespace {

using Json = nlohmann::ordered_json;
using Type = FieldType;

/// Help, unit and what counts when the key is left out, in one text that editors show.
std::string description_of(const Field& field)
{
    std::string text(field.help);
    if (!field.unit.empty() && field.unit != "-") text += fmt::format(" [{}]", field.unit);
    if (!field.fallback.empty()) text += fmt::format("; default: {}", field.fallback);
    return text;
}

/// JSON Schema looks at bounds only where there is a number, so they may stand beside formulas.
void put_range(Json& schema, const Range& range)
{
    if (std::isfinite(range.low)) schema[range.with_low ? "minimum" : "exclusiveMinimum"] = range.low;
    if (std::isfinite(range.high)) schema[range.with_high ? "maximum" : "exclusiveMaximum"] = range.high;
}

Json list_of(Json items)
{
    return {{"type", "array"}, {"items", std::move(items)}};
}

Json group_schema(const std::string& path);

/// What values a field takes, without its description.
Json type_schema(const Field& field)
{
    Json number = {{"type", "number"}}, formula = {{"type", {"number", "string"}}};
    switch (field.type) {
    case Type::Group: return group_schema(std::string(field.path));
    case Type::GroupList: return list_of(group_schema(std::string(field.path) + "[]"));
    case Type::Text:
    case Type::Name:
    case Type::File: return {{"type", "string"}};
    case Type::Choice: return {{"enum", field.choices}};
    case Type::ChoiceList: return list_of({{"enum", field.choices}});
    case Type::Number: return number;
    case Type::Integer: return {{"type", "integer"}};
    case Type::Boolean: return {{"type", "boolean"}};
    case Type::Constant:
    case Type::Formula: return formula;
    case Type::NumberList: return list_of(number);
    case Type::FormulaList: return list_of(formula);
    case Type::Matrix: return list_of(list_of(formula));
    }
    return {};
}

Json field_schema(const Field& field)
{
    Json schema = {{"description", description_of(field)}};
    schema.update(type_schema(field));
    put_range(schema, field.range);

    // a fallback is a value, or words that are in the description already
    const Json fallback = Json::parse(field.fallback, nullptr, /*allow_exceptions=*/false);
    if (!fallback.is_discarded()) schema["default"] = fallback;
    return schema;
}

/// The table `path`: its keys and nothing else, or any key where the list says so.
Json group_schema(const std::string& path)
{
    const std::string before = path.empty() ? "" : path + ".";
    Json properties = Json::object(), needed = Json::array();
    for (const std::string& key : keys_in(path)) {
        const Field& field = *find_field(before + key);
        properties[key] = field_schema(field);
        if (field.needed && !is_of_coordinates(field.path)) needed.push_back(key);
    }
    Json schema = {{"type", "object"}};
    if (!properties.empty()) schema["properties"] = std::move(properties);
    if (!needed.empty()) schema["required"] = std::move(needed);
    const Field* any = path.empty() ? nullptr : find_field(before + "*");
    schema["additionalProperties"] = any != nullptr ? field_schema(*any) : Json(false);
    return schema;
}

}  // namespace

std::string scene_schema()
{
    Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                   {"title", "A scene of carom"},
                   {"description", "A mechanical system with contacts, its initial state and its run."}};
    schema.update(group_schema(""));

    // coordinates, or bodies
    schema["anyOf"] = Json::array({{{"required", {"coordinate"}}}, {{"required", {"body"}}}});
    return schema.dump(2) + "\n";
}

}  // namespace carom
