#include "carom/scene/fields.hpp"

#include "support.hpp"

#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace carom::test {
namespace {

using nlohmann::json;

/// A TOML value as JSON.
json to_json(const toml::node& node)
{
    if (const auto* table = node.as_table()) {
        json object = json::object();
        for (const auto& [key, value] : *table)
            object[std::string(key.str())] = to_json(value);
        return object;
    }
    if (const auto* array = node.as_array()) {
        json list = json::array();
        for (const toml::node& item : *array)
            list.push_back(to_json(item));
        return list;
    }
    if (const auto text = node.value<std::string>(); text && node.is_string()) return *text;
    if (node.is_boolean()) return *node.value<bool>();
    if (node.is_integer()) return *node.value<std::int64_t>();
    return *node.value<double>();
}

bool has_type(const json& value, const std::string& type)
{
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "number" && value.is_number()) || (type == "integer" && value.is_number_integer());
}

bool in_bounds(const json& schema, double x)
{
    return !(schema.contains("minimum") && x < schema["minimum"].get<double>()) &&
           !(schema.contains("maximum") && x > schema["maximum"].get<double>()) &&
           !(schema.contains("exclusiveMinimum") && x <= schema["exclusiveMinimum"].get<double>()) &&
           !(schema.contains("exclusiveMaximum") && x >= schema["exclusiveMaximum"].get<double>());
}

/// The keywords of JSON Schema that ours uses; empty when the value is accepted, else where it is not.
std::string refused(const json& schema, const json& value, const std::string& where = "")
{
    if (schema.is_boolean()) return schema.get<bool>() ? "" : where;
    if (schema.contains("type")) {
        const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
        if (std::none_of(types.begin(), types.end(), [&](const json& t) { return has_type(value, t); }))
            return where;
    }
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
        return where;
    if (value.is_number() && !in_bounds(schema, value.get<double>())) return where;
    if (value.is_array() && schema.contains("items")) {
        for (const json& item : value) {
            if (auto bad = refused(schema["items"], item, where + "[]"); !bad.empty()) return bad;
        }
    }
    if (!value.is_object()) return "";
    if (schema.contains("anyOf")) {
        std::string first;
        bool accepted = false;
        for (json one : schema["anyOf"]) {
            one["additionalProperties"] = true;
            const std::string bad = refused(one, value, where);
            accepted = accepted || bad.empty();
            if (first.empty()) first = bad;
        }
        if (!accepted) return first;
    }
    for (const json& key : schema.value("required", json::array())) {
        if (!value.contains(key.get<std::string>())) return where + " without " + key.get<std::string>();
    }
    for (const auto& [key, item] : value.items()) {
        const json& known = schema.contains("properties") && schema["properties"].contains(key)
                                ? schema["properties"][key]
                                : schema["additionalProperties"];
        if (auto bad = refused(known, item, where + "." + key); !bad.empty()) return bad;
    }
    return "";
}

std::string refused_scene(const std::string& text)
{
    return refused(json::parse(scene_schema()), to_json(toml::parse(text)));
}

std::string text_of(const std::filesystem::path& file)
{
    std::ifstream in(file);
    REQUIRE(in.good());
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

const std::filesystem::path source = CAROM_SOURCE_DIR;

}  // namespace

TEST_CASE("the committed schema is the one that the list of fields gives")
{
    // `carom schema > docs/reference/scene.schema.json` renews it
    CHECK(text_of(source / "docs/reference/scene.schema.json") == scene_schema());
}

TEST_CASE("the schema accepts every scene that we hand out")
{
    int scenes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source / "scenes")) {
        if (entry.path().extension() != ".toml") continue;
        CAPTURE(entry.path().filename().string());
        CHECK(refused_scene(text_of(entry.path())) == "");
        ++scenes;
    }
    CHECK(scenes >= 20);
    CHECK(refused_scene(pendulum) == "");
}

TEST_CASE("what the schema refuses, the reader refuses at the same key")
{
    const struct {
        const char *piece, *other, *where;
    } mistakes[] = {
        {"duration_s = 5.0", "duration_s = 0", ".duration_s"},
        {"duration_s = 5.0", "", " without duration_s"},
        {"duration_s = 5.0", "duration_s = true", ".duration_s"},
        {"time_step_s = 1e-3", "time_step_s = \"5\"", ".integrator.time_step_s"},
        {"restitution = \"e\"", "restitution = 1.5", ".contact[].law.restitution"},
        {"restitution = \"e\"", "restitutoin = 1", ".contact[].law.restitutoin"},
        {"kind = \"moreau\"", "kind = \"euler\"", ".integrator.kind"},
        {"kind = \"moreau\"", "force_passes = 1.5", ".integrator.force_passes"},
        {"unit = \"rad\"", "unit = 1", ".coordinate[].unit"},
        {"start = 1.0", "", ".coordinate[] without start"},
        {"l = 1.0", "l = [1.0]", ".parameters.l"},
        {"every_s = 0.01", "fields = [\"gap\"]", ".record.fields[]"},
    };
    for (const auto& [piece, other, where] : mistakes) {
        const std::string text = with(pendulum, piece, other);
        CAPTURE(other);
        CHECK(refused_scene(text) == where);
        CHECK_FALSE(read_scene_text(text, "scene.toml").has_value());
    }
}

TEST_CASE("every field is in the schema with its help")
{
    const json schema = json::parse(scene_schema());
    for (const Field& field : scene_fields()) {
        CAPTURE(field.path);
        const json* here = &schema;
        std::stringstream path{std::string(field.path)};
        for (std::string key; std::getline(path, key, '.');) {
            const bool list = key.ends_with("[]");
            if (list) key.resize(key.size() - 2);
            REQUIRE(here->is_object());
            here = key == "*" ? &here->at("additionalProperties") : &here->at("properties").at(key);
            if (list) here = &here->at("items");
        }
        CHECK(here->at("description").get<std::string>().starts_with(field.help));
    }
}

}  // namespace carom::test
