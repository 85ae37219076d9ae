#include "field_parts.hpp"
#include "run/visit_settings.hpp"
#include "setting_fields.hpp"

#include <fmt/format.h>

namespace carom::detail {

using Type = FieldType;

std::vector<Field> method_fields()
{
    std::vector<std::string> kinds;
    visit_integrators(
        [&kinds](const auto& settings) { kinds.emplace_back(name_of(IntegratorSettings(settings))); });
    std::vector<Field> fields{
        {.path = "integrator", .type = Type::Group, .help = "time integration"},
        {.path = "integrator.kind",
         .type = Type::Choice,
         .fallback = fmt::format("\"{}\"", kinds.front()),
         .choices = kinds,
         .help = "Moreau's midpoint scheme, the theta scheme with implicit forces, or power series"},
    };
    const auto add_settings = [&fields](std::string_view group) {
        const auto settings = setting_fields(group);
        fields.insert(fields.end(), settings.begin(), settings.end());
    };
    add_settings("integrator");
    fields.push_back(
        {.path = "solver", .type = Type::Group, .help = "how the contacts of a step are solved"});
    add_settings("solver");
    fields.push_back({.path = "record", .type = Type::Group, .help = "contents of a recording"});
    add_settings("record");
    return fields;
}

}  // namespace carom::detail
