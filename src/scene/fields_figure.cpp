#include "core/palette.hpp"
#include "field_parts.hpp"

namespace carom::detail {

using Type = FieldType;

namespace {

std::vector<Field> panel_fields()
{
    return {
        {.path = "figure[].panel",
         .type = Type::GroupList,
         .needed = true,
         .help = "one picture of the figure"},
        {.path = "figure[].panel[].kind",
         .type = Type::Choice,
         .fallback = "\"curves\"",
         .choices = {"curves", "exposure", "cone"},
         .help = "curves of formulas; the motion at several instants in one picture; impulses in a friction "
                 "cone"},
        {.path = "figure[].panel[].title", .type = Type::Text, .fallback = "\"\"", .help = "above it"},
        {.path = "figure[].panel[].x",
         .type = Type::Formula,
         .fallback = "\"t\"",
         .help = "of curves: what runs to the right, a formula of everything"},
        {.path = "figure[].panel[].y",
         .type = Type::FormulaList,
         .help = "of curves: one formula of everything for each"},
        {.path = "figure[].panel[].x_label",
         .type = Type::Text,
         .fallback = "the formula with its unit",
         .help = "at the horizontal axis"},
        {.path = "figure[].panel[].y_label",
         .type = Type::Text,
         .fallback = "the formula with its unit",
         .help = "at the vertical axis"},
        {.path = "figure[].panel[].x_range",
         .type = Type::NumberList,
         .fallback = "all values",
         .help = "ends of the horizontal axis"},
        {.path = "figure[].panel[].y_range",
         .type = Type::NumberList,
         .fallback = "all values",
         .help = "ends of the vertical axis"},
        {.path = "figure[].panel[].equal_scales",
         .type = Type::Boolean,
         .fallback = "false; of exposures true",
         .help = "whether both axes have the same scale"},
        {.path = "figure[].panel[].events",
         .type = Type::Boolean,
         .fallback = "false",
         .help = "whether events are marked on the curves"},
        {.path = "figure[].panel[].from_s",
         .type = Type::Constant,
         .unit = "s",
         .range = not_negative,
         .fallback = "0",
         .help = "time since the start before which nothing is shown"},
        {.path = "figure[].panel[].strobe_s",
         .type = Type::Constant,
         .unit = "s",
         .range = positive,
         .fallback = "all frames",
         .help = "curves become points at this distance in time: a stroboscopic section"},
        {.path = "figure[].panel[].against_value",
         .type = Type::Boolean,
         .fallback = "false",
         .help = "with over: the value is the horizontal axis, as in a bifurcation diagram"},
        {.path = "figure[].panel[].every",
         .type = Type::Integer,
         .range = {.low = 1, .high = 1e9},
         .fallback = "10",
         .help = "of exposures: one for so many frames"},
        {.path = "figure[].panel[].numbers",
         .type = Type::Boolean,
         .fallback = "true",
         .help = "whether exposures are numbered"},
        {.path = "figure[].panel[].contact", .type = Type::Text, .help = "of a cone: the contact"},
    };
}

std::vector<Field> curve_fields()
{
    std::vector<std::string> colours;
    for (const Colour& colour : palette) {
        colours.emplace_back(colour.name);
    }
    colours.emplace_back(grey.name);
    return {
        {.path = "figure[].panel[].curve",
         .type = Type::GroupList,
         .help = "a curve with a label or a source of its own"},
        {.path = "figure[].panel[].curve[].y", .type = Type::Formula, .help = "a formula of everything"},
        {.path = "figure[].panel[].curve[].probe", .type = Type::Text, .help = "instead of y: a probe"},
        {.path = "figure[].panel[].curve[].gap",
         .type = Type::Text,
         .help = "instead of y: the gap of this contact"},
        {.path = "figure[].panel[].curve[].percussion",
         .type = Type::Text,
         .help = "instead of y: the normal impulse of this contact, summed up since the start"},
        {.path = "figure[].panel[].curve[].energy",
         .type = Type::Text,
         .help = "instead of y: a line of the energy ledger, such as kinetic_J or friction_J"},
        {.path = "figure[].panel[].curve[].label",
         .type = Type::Text,
         .fallback = "the formula",
         .help = "in the key"},
        {.path = "figure[].panel[].curve[].colour",
         .type = Type::Choice,
         .fallback = "the colours in turn",
         .choices = colours,
         .help = "colours that everybody can tell apart"},
        {.path = "figure[].panel[].curve[].points",
         .type = Type::Boolean,
         .fallback = "false",
         .help = "points instead of a line"},
        {.path = "figure[].panel[].curve[].dashed",
         .type = Type::Boolean,
         .fallback = "false",
         .help = "a dashed line"},
    };
}

}  // namespace

std::vector<Field> figure_fields()
{
    std::vector<Field> fields{
        {.path = "figure", .type = Type::GroupList, .help = "a figure for a paper, made by carom figure"},
        {.path = "figure[].name", .type = Type::Name, .needed = true, .help = "for carom figure SCENE NAME"},
        {.path = "figure[].title", .type = Type::Text, .fallback = "\"\"", .help = "above the panels"},
        {.path = "figure[].statement",
         .type = Type::Text,
         .fallback = "\"\"",
         .help = "what it shows, in a sentence, for carom gallery"},
        {.path = "figure[].source",
         .type = Type::Text,
         .fallback = "\"\"",
         .help = "where it comes from: a figure or section of a paper"},
        {.path = "figure[].number", .type = Type::GroupList, .help = "a number that theory knows as well"},
        {.path = "figure[].number[].label", .type = Type::Text, .needed = true, .help = "what it is"},
        {.path = "figure[].number[].value",
         .type = Type::Formula,
         .needed = true,
         .help = "a formula of everything"},
        {.path = "figure[].number[].at_s",
         .type = Type::Constant,
         .unit = "s",
         .fallback = "the end of the run",
         .help = "the instant"},
        {.path = "figure[].number[].reference",
         .type = Type::Constant,
         .needed = true,
         .help = "what theory says: a number or a formula of parameters"},
        {.path = "figure[].number[].unit", .type = Type::Text, .fallback = "\"\"", .help = "of both"},
        {.path = "figure[].width_mm",
         .type = Type::Number,
         .unit = "mm",
         .range = {.low = 30, .high = 2000},
         .fallback = "120",
         .help = "of one panel with its labels"},
        {.path = "figure[].height_mm",
         .type = Type::Number,
         .unit = "mm",
         .range = {.low = 20, .high = 2000},
         .fallback = "80",
         .help = "of one panel with its labels"},
        {.path = "figure[].columns",
         .type = Type::Integer,
         .range = {.low = 1, .high = 12},
         .fallback = "1",
         .help = "panels side by side"},
        {.path = "figure[].over",
         .type = Type::Text,
         .help = "a key of the scene, as for --set, that has one of the values in each of several runs"},
        {.path = "figure[].values", .type = Type::NumberList, .help = "with over: one run for each"},
    };
    for (const auto& part : {panel_fields(), curve_fields()}) {
        fields.insert(fields.end(), part.begin(), part.end());
    }
    return fields;
}

}  // namespace carom::detail
