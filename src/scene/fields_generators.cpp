#include "field_parts.hpp"

#include <deque>
#include <string>

namespace carom::detail {

using Type = FieldType;

namespace {

/// Numbers at random, of copies of a body or group: paths begin with `list`.
std::vector<Field> random_fields(std::string_view list, std::deque<std::string>& paths)
{
    const auto path = [&](std::string_view key) -> std::string_view {
        return paths.emplace_back(std::string(list) + ".random" + std::string(key));
    };
    return {
        {.path = path(""),
         .type = Type::GroupList,
         .help = "a random number for each copy, which its formulas can use"},
        {.path = path("[].name"), .type = Type::Name, .needed = true, .help = "name in formulas"},
        {.path = path("[].kind"),
         .type = Type::Choice,
         .needed = true,
         .choices = {"uniform", "normal", "lognormal", "listed"},
         .help = "distribution"},
        {.path = path("[].low"),
         .type = Type::Constant,
         .help = "lower bound; normal and lognormal numbers below it are drawn again"},
        {.path = path("[].high"), .type = Type::Constant, .help = "upper bound, likewise"},
        {.path = path("[].mean"), .type = Type::Constant, .help = "mean of a normal number"},
        {.path = path("[].deviation"),
         .type = Type::Constant,
         .range = not_negative,
         .help = "standard deviation of a normal number, before truncation"},
        {.path = path("[].median"),
         .type = Type::Constant,
         .range = positive,
         .help = "median of a lognormal number"},
        {.path = path("[].spread"),
         .type = Type::Constant,
         .unit = "-",
         .range = not_negative,
         .help = "standard deviation of the logarithm of a lognormal number"},
        {.path = path("[].values"), .type = Type::FormulaList, .help = "listed number: possible values"},
        {.path = path("[].weights"),
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "all equal",
         .help = "listed number: relative frequencies, one per value"},
    };
}

}  // namespace

std::vector<Field> generator_fields()
{
    static std::deque<std::string> paths;
    auto fields = random_fields("body[]", paths);
    const std::vector<Field> others{
        {.path = "body[].within_m",
         .type = Type::Matrix,
         .unit = "m",
         .help = "instead of position_m: random positions in a box, without overlap; its lowest and highest "
                 "corner"},
        {.path = "body[].turn_at_random",
         .type = Type::Boolean,
         .fallback = "false",
         .help = "random orientation of each copy, uniformly distributed; instead of rotation_rad"},
    };
    fields.insert(fields.end(), others.begin(), others.end());
    return fields;
}

std::vector<Field> group_fields()
{
    static std::deque<std::string> paths;
    std::vector<Field> fields{
        {.path = "group",
         .type = Type::GroupList,
         .help = "bodies that belong together and can be copied together"},
        {.path = "group[].name",
         .type = Type::Name,
         .needed = true,
         .help = "its bodies are called NAME_BODY, in a lattice NAME_i_j_k_BODY"},
        {.path = "group[].position_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .help = "origin of the group"},
        {.path = "group[].rotation_rad",
         .type = Type::FormulaList,
         .unit = "rad",
         .fallback = "[0, 0, 0]",
         .help = "rotation vector of the group; in the plane [angle]"},
        {.path = "group[].copies",
         .type = Type::NumberList,
         .unit = "-",
         .help = "a lattice of groups: its position can use i, j, k, formulas of its bodies gi, gj, gk"},
        {.path = "group[].seed",
         .type = Type::Integer,
         .unit = "-",
         .range = not_negative,
         .fallback = "1",
         .help = "seed of the random numbers"},
    };
    const auto random = random_fields("group[]", paths);
    fields.insert(fields.end(), random.begin(), random.end());

    // what bodies, springs and joints have at the top of a scene they have in a group
    for (const auto part : {body_fields, joint_fields, generator_fields}) {
        for (Field field : part()) {
            const bool inside = field.path == "body" || field.path.starts_with("body[]") ||
                                field.path == "spring" || field.path.starts_with("spring[]") ||
                                field.path == "joint" || field.path.starts_with("joint[]");
            if (!inside) continue;
            field.path = paths.emplace_back("group[]." + std::string(field.path));
            fields.push_back(field);
        }
    }
    return fields;
}

}  // namespace carom::detail
