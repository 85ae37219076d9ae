#include "carom/core/palette.hpp"
#include "field_parts.hpp"

namespace carom::detail {

using Type = FieldType;

namespace {

std::vector<std::string> colour_names()
{
    std::vector<std::string> names;
    for (const Colour& colour : palette)
        names.emplace_back(colour.name);
    names.emplace_back(grey.name);
    return names;
}

}  // namespace

std::vector<Field> draw_fields()
{
    return {
        {.path = "draw", .type = Type::GroupList, .help = "something that pictures of the motion show"},
        {.path = "draw[].kind",
         .type = Type::Choice,
         .needed = true,
         .choices = {"point", "segment", "circle", "polyline", "trace"},
         .help = "what it is; a trace is the way of a point so far"},
        {.path = "draw[].at",
         .type = Type::FormulaList,
         .unit = "m",
         .help = "where a point, circle or trace is: x, y or x, y, z"},
        {.path = "draw[].points",
         .type = Type::Matrix,
         .unit = "m",
         .help = "the points of a segment or polyline, each x, y or x, y, z"},
        {.path = "draw[].radius_m",
         .type = Type::Formula,
         .unit = "m",
         .range = not_negative,
         .help = "of a circle; with three coordinates it is a ball"},
        {.path = "draw[].closed",
         .type = Type::Boolean,
         .fallback = "false",
         .help = "whether a polyline goes back to its first point"},
        {.path = "draw[].colour",
         .type = Type::Choice,
         .fallback = "the colours in turn",
         .choices = colour_names(),
         .help = "colours that everybody can tell apart"},
        {.path = "draw[].label", .type = Type::Text, .fallback = "\"\"", .help = "written beside it"},
        {.path = "draw[].contact",
         .type = Type::Text,
         .help = "a contact or string whose status colours it: open, closed, stick, slip, impact"},
        {.path = "draw[].normal",
         .type = Type::FormulaList,
         .unit = "-",
         .help = "with contact: the direction in which it pushes, for arrows and friction cones"},
        {.path = "draw[].tangent",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "in the plane the normal turned clockwise, in space the x axis",
         .help = "with normal: the direction of t1, in which friction is drawn"},
    };
}

}  // namespace carom::detail
