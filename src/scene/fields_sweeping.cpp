#include "field_parts.hpp"
#include "setting_fields.hpp"

namespace carom::detail {

using Type = FieldType;

std::vector<Field> sweeping_fields()
{
    std::vector<Field> fields{
        {.path = "sweeping",
         .type = Type::Group,
         .help = "a point swept by a moving convex set, instead of lagrangian and contacts"},
        {.path = "sweeping.set", .type = Type::Name, .needed = true, .help = "the moving [[set]]"},
        {.path = "sweeping.method",
         .type = Type::Choice,
         .fallback = "\"catching_up\"",
         .choices = {"catching_up", "yosida"},
         .help = "projection in each step, or a velocity towards the set proportional to the distance"},
        {.path = "sweeping.relaxation_s",
         .type = Type::Number,
         .unit = "s",
         .range = positive,
         .help = "yosida: relaxation time lambda"},
        {.path = "sweeping.jumps_s",
         .type = Type::FormulaList,
         .unit = "s",
         .fallback = "none",
         .help = "instants at which the set jumps, increasing; formulas of parameters"},
        {.path = "sweeping.metric",
         .type = Type::Matrix,
         .fallback = "the unit matrix",
         .help = "symmetric positive definite matrix A of the scalar product; formulas of parameters"},
        {.path = "sweeping.drift",
         .type = Type::Group,
         .help = "velocity in the absence of the set, one per coordinate"},
        {.path = "sweeping.drift.*",
         .type = Type::Formula,
         .fallback = "0",
         .help = "drift of the coordinate of that name, a formula of coordinates and t"},
    };
    const auto settings = setting_fields("sweeping");
    fields.insert(fields.end(), settings.begin(), settings.end());
    return fields;
}

std::vector<Field> set_fields()
{
    return {
        {.path = "set",
         .type = Type::GroupList,
         .help = "a convex set; formulas of t, and of the coordinates at the beginning of a step"},
        {.path = "set[].name",
         .type = Type::Name,
         .needed = true,
         .help = "name in sweeping and in other sets"},
        {.path = "set[].kind",
         .type = Type::Choice,
         .needed = true,
         .choices = {"point", "half_line", "interval", "box", "ball", "ellipsoid", "half_space", "polyhedron",
                     "polytope", "second_order_cone", "polyhedral_cone", "subspace", "gaps", "moved", "image",
                     "intersection", "sum"},
         .help = "what it is"},
        {.path = "set[].point", .type = Type::FormulaList, .help = "point; half_line: its end"},
        {.path = "set[].direction", .type = Type::FormulaList, .help = "half_line: its direction"},
        {.path = "set[].lower",
         .type = Type::FormulaList,
         .help = "box; interval, where it can be omitted: lower bounds"},
        {.path = "set[].upper",
         .type = Type::FormulaList,
         .help = "box; interval, where it can be omitted: upper bounds"},
        {.path = "set[].centre", .type = Type::FormulaList, .help = "ball, ellipsoid: centre"},
        {.path = "set[].radius", .type = Type::Formula, .help = "ball: radius"},
        {.path = "set[].shape",
         .type = Type::Matrix,
         .help = "ellipsoid: E of (v - c).E^-1 (v - c) <= 1, its half axes squared on the diagonal"},
        {.path = "set[].normal",
         .type = Type::FormulaList,
         .help = "half_space: n of n.v <= bound, pointing out"},
        {.path = "set[].bound", .type = Type::Formula, .help = "half_space: bound"},
        {.path = "set[].normals", .type = Type::Matrix, .help = "polyhedron: one row per side, g.v <= bound"},
        {.path = "set[].bounds", .type = Type::FormulaList, .help = "polyhedron: one bound per side"},
        {.path = "set[].vertices", .type = Type::Matrix, .help = "polytope: one row per vertex"},
        {.path = "set[].slope",
         .type = Type::Formula,
         .help = "second_order_cone: mu of |v_T| <= mu v_1, v_T all but the first coordinate"},
        {.path = "set[].generators", .type = Type::Matrix, .help = "polyhedral_cone: one row per generator"},
        {.path = "set[].directions", .type = Type::Matrix, .help = "subspace: one row per direction"},
        {.path = "set[].gaps",
         .type = Type::FormulaList,
         .help = "gaps: formulas of the coordinates kept >= 0, linearised at the beginning of a step"},
        {.path = "set[].of",
         .type = Type::FormulaList,
         .help = "moved, image, intersection, sum: names of sets"},
        {.path = "set[].scale", .type = Type::Formula, .fallback = "1", .help = "moved: factor, not zero"},
        {.path = "set[].shift", .type = Type::FormulaList, .fallback = "0", .help = "moved: shift"},
        {.path = "set[].map", .type = Type::Matrix, .help = "image: matrix that maps the set"},
    };
}

}  // namespace carom::detail
