#include "field_parts.hpp"
#include "setting_fields.hpp"

namespace carom::detail {

using Type = FieldType;

std::vector<Field> run_fields()
{
    std::vector<Field> fields{
        {.path = "title",
         .type = Type::Text,
         .fallback = "the name of the file",
         .help = "title of the scene"},
        {.path = "start_s",
         .type = Type::Number,
         .unit = "s",
         .fallback = "0",
         .help = "time at which the run starts"},
        {.path = "until",
         .type = Type::Formula,
         .choices = {"rest"},
         .help = "ends the run earlier: \"rest\", or a formula that ends it when it becomes >= 0"},
        {.path = "length_m",
         .type = Type::Number,
         .unit = "m",
         .range = positive,
         .fallback = "the largest initial gap or coordinate in m, else 1",
         .help = "reference length; gaps are small relative to it"},
    };
    const auto settings = setting_fields({});
    fields.insert(fields.begin() + 2, settings.begin(), settings.end());  // between start_s and until
    return fields;
}

std::vector<Field> name_fields()
{
    return {
        {.path = "parameters", .type = Type::Group, .help = "numbers that formulas use by name"},
        {.path = "parameters.*",
         .type = Type::Constant,
         .help = "a number, or a formula of other parameters"},
        {.path = "table",
         .type = Type::GroupList,
         .help = "a function given by points, in formulas table(name, t)"},
        {.path = "table[].name", .type = Type::Name, .needed = true, .help = "name in formulas"},
        {.path = "table[].t_s",
         .type = Type::NumberList,
         .unit = "s",
         .help = "abscissae, strictly increasing; constant outside them"},
        {.path = "table[].value",
         .type = Type::NumberList,
         .help = "values at these abscissae, with linear interpolation"},
        {.path = "table[].file",
         .type = Type::File,
         .help = "instead of t_s and value: a CSV file of two columns below the scene's folder"},
    };
}

std::vector<Field> system_fields()
{
    return {
        {.path = "coordinate", .type = Type::GroupList, .needed = true, .help = "a generalised coordinate"},
        {.path = "coordinate[].name",
         .type = Type::Name,
         .needed = true,
         .help = "in formulas x, and x' for its velocity"},
        {.path = "coordinate[].start", .type = Type::Constant, .needed = true, .help = "initial value"},
        {.path = "coordinate[].start_velocity",
         .type = Type::Constant,
         .fallback = "0",
         .help = "initial velocity, in units per second"},
        {.path = "coordinate[].unit",
         .type = Type::Text,
         .fallback = "\"m\"",
         .help = "unit for tables and pictures; \"m\" marks lengths"},
        {.path = "lagrangian",
         .type = Type::Group,
         .help = "energies and forces; every scene without sweeping has it"},
        {.path = "lagrangian.kinetic",
         .type = Type::Formula,
         .unit = "J",
         .help = "kinetic energy, a quadratic form of the velocities; or give mass"},
        {.path = "lagrangian.mass",
         .type = Type::Matrix,
         .help = "kinetic matrix A of T = u.A u / 2, lower triangle or full; or give kinetic"},
        {.path = "lagrangian.potential",
         .type = Type::Formula,
         .unit = "J",
         .fallback = "0",
         .help = "potential energy, a function of coordinates and t"},
        {.path = "lagrangian.forces", .type = Type::Group, .help = "generalised forces, one per coordinate"},
        {.path = "lagrangian.forces.*",
         .type = Type::Formula,
         .fallback = "0",
         .help = "force on the coordinate of that name"},
    };
}

std::vector<Field> probe_fields()
{
    return {
        {.path = "probe", .type = Type::GroupList, .help = "a quantity to record and to show"},
        {.path = "probe[].name", .type = Type::Name, .needed = true, .help = "name in results"},
        {.path = "probe[].value",
         .type = Type::Formula,
         .help = "a formula; required unless it is a contact force"},
        {.path = "probe[].force_on",
         .type = Type::Text,
         .help = "with bodies, instead of value: contact force on this body, mean since the previous frame"},
        {.path = "probe[].from",
         .type = Type::Text,
         .fallback = "all others",
         .help = "with force_on: the body that exerts it"},
        {.path = "probe[].reaction_of",
         .type = Type::Text,
         .help = "with bodies, instead of value: force of this joint on its first body, mean since the "
                 "previous frame"},
        {.path = "probe[].moment",
         .type = Type::Boolean,
         .fallback = "false",
         .help = "with reaction_of: the moment about the point of the joint instead of the force"},
        {.path = "probe[].direction",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "the magnitude",
         .help = "for a force: direction of the component to show, in world axes"},
        {.path = "probe[].unit",
         .type = Type::Text,
         .fallback = "\"\"",
         .help = "unit for tables and pictures"},
    };
}

}  // namespace carom::detail
