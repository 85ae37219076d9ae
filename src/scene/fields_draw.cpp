#include "core/palette.hpp"
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
        {.path = "draw", .type = Type::GroupList, .help = "something to show in pictures of the motion"},
        {.path = "draw[].kind",
         .type = Type::Choice,
         .needed = true,
         .choices = {"point", "segment", "circle", "polyline", "trace"},
         .help = "kind of drawing; a trace is the path of a point so far"},
        {.path = "draw[].at",
         .type = Type::FormulaList,
         .unit = "m",
         .help = "position of a point, circle or trace: x, y or x, y, z"},
        {.path = "draw[].points",
         .type = Type::Matrix,
         .unit = "m",
         .help = "the points of a segment or polyline, each x, y or x, y, z"},
        {.path = "draw[].radius_m",
         .type = Type::Formula,
         .unit = "m",
         .range = not_negative,
         .help = "radius of a circle; with three coordinates it is a ball"},
        {.path = "draw[].closed",
         .type = Type::Boolean,
         .fallback = "false",
         .help = "whether the last point of a polyline is connected to the first"},
        {.path = "draw[].colour",
         .type = Type::Choice,
         .fallback = "assigned in turn",
         .choices = colour_names(),
         .help = "colours of a colour-blind safe palette"},
        {.path = "draw[].label", .type = Type::Text, .fallback = "\"\"", .help = "text beside it"},
        {.path = "draw[].contact",
         .type = Type::Text,
         .help = "a contact or string; its status sets the colour: open, closed, stick, slip, impact"},
        {.path = "draw[].normal",
         .type = Type::FormulaList,
         .unit = "-",
         .help = "with contact: direction of the normal force, for arrows and friction cones"},
        {.path = "draw[].tangent",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "in the plane the normal rotated clockwise, in space the x axis",
         .help = "with normal: direction of t1, for drawing friction"},
    };
}

}  // namespace carom::detail
