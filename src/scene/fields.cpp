#include "field_parts.hpp"

#include <fmt/format.h>

namespace carom {
namespace {

using Type = FieldType;

std::vector<Field> all_fields()
{
    std::vector<Field> fields;
    for (const auto part :
         {detail::run_fields, detail::name_fields, detail::system_fields, detail::contact_fields,
          detail::constraint_fields, detail::impact_fields, detail::sweeping_fields, detail::set_fields,
          detail::body_fields, detail::joint_fields, detail::generator_fields, detail::group_fields,
          detail::probe_fields, detail::draw_fields, detail::figure_fields, detail::method_fields}) {
        const auto some = part();
        fields.insert(fields.end(), some.begin(), some.end());
    }
    return fields;
}

/// What stands before the last dot; empty at the top of a scene.
std::string_view group_of(std::string_view path)
{
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

const Field* find_exact(std::string_view path)
{
    for (const Field& field : scene_fields()) {
        if (field.path == path) return &field;
    }
    return nullptr;
}

}  // namespace

std::string_view name_of(FieldType type) noexcept
{
    switch (type) {
    case Type::Group: return "a table";
    case Type::GroupList: return "a list of tables";
    case Type::Text: return "a text";
    case Type::Name: return "a name";
    case Type::File: return "the name of a file";
    case Type::Choice: return "a word";
    case Type::ChoiceList: return "a list of words";
    case Type::Number: return "a number";
    case Type::Integer: return "an integer";
    case Type::Boolean: return "true or false";
    case Type::Constant: return "a number or a formula of parameters";
    case Type::Formula: return "a number or a formula";
    case Type::NumberList: return "a list of numbers";
    case Type::FormulaList: return "a list of numbers or formulas";
    case Type::Matrix: return "a list of rows of numbers or formulas";
    }
    return "unknown";
}

std::string_view Field::key() const noexcept
{
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::span<const Field> scene_fields()
{
    static const std::vector<Field> fields = all_fields();
    return fields;
}

const Field* find_field(std::string_view path)
{
    if (const Field* field = find_exact(path)) return field;
    return path.empty() ? nullptr : find_exact(std::string(group_of(path)) + ".*");
}

std::vector<std::string> keys_in(std::string_view path)
{
    std::vector<std::string> keys;
    for (const Field& field : scene_fields()) {
        if (group_of(field.path) == path && field.key() != "*") keys.emplace_back(field.key());
    }
    return keys;
}

}  // namespace carom
