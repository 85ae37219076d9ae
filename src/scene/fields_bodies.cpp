#include "carom/core/palette.hpp"
#include "field_parts.hpp"

namespace carom::detail {

using Type = FieldType;

namespace {

std::vector<std::string> colours()
{
    std::vector<std::string> names;
    for (const Colour& colour : palette)
        names.emplace_back(colour.name);
    names.emplace_back(grey.name);
    return names;
}

std::vector<Field> shape_fields()
{
    return {
        {.path = "body[].shape",
         .type = Type::Choice,
         .needed = true,
         .choices = {"plane", "sphere", "capsule", "box", "cylinder", "polyhedron", "disc", "polygon",
                     "none"},
         .help = "disc and polygon live in the plane z = 0, with planes whose normal has no z; none touches "
                 "nothing"},
        {.path = "body[].radius_m",
         .type = Type::Constant,
         .unit = "m",
         .help = "of a sphere, capsule, cylinder or disc"},
        {.path = "body[].length_m",
         .type = Type::Constant,
         .unit = "m",
         .help = "of a capsule (between the centres of its ends) or cylinder, along z"},
        {.path = "body[].size_m", .type = Type::FormulaList, .unit = "m", .help = "edges of a box: x, y, z"},
        {.path = "body[].normal",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "up",
         .help = "of a plane: where the free side is"},
        {.path = "body[].vertices_m",
         .type = Type::Matrix,
         .unit = "m",
         .help = "of a polyhedron or polygon: points whose convex hull it is"},
    };
}

}  // namespace

std::vector<Field> body_fields()
{
    std::vector<Field> fields{
        {.path = "gravity_m_s2",
         .type = Type::FormulaList,
         .unit = "m/s^2",
         .fallback = "9.81 downwards: along -z, in the plane along -y",
         .help = "acceleration of free fall, for bodies: x, y, z"},
        {.path = "material", .type = Type::GroupList, .help = "what surfaces of bodies are like"},
        {.path = "material[].name", .type = Type::Name, .needed = true, .help = "how bodies call it"},
        {.path = "material[].friction",
         .type = Type::Constant,
         .unit = "-",
         .range = not_negative,
         .fallback = "0",
         .help = "mu against the same material; against another the geometric mean"},
        {.path = "material[].restitution",
         .type = Type::Constant,
         .unit = "-",
         .range = zero_to_one,
         .fallback = "0",
         .help = "e against the same material; against another the smaller one"},
    };
    const auto add = [&](const std::vector<Field>& more) {
        fields.insert(fields.end(), more.begin(), more.end());
    };
    add(surface_fields("material[]"));
    add({
        {.path = "material[].grain",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "[1, 0, 0]",
         .help = "direction of the grain in the frame of the shape"},
        {.path = "material_pair",
         .type = Type::GroupList,
         .help = "two materials that meet in a way of their own"},
        {.path = "material_pair[].first", .type = Type::Text, .needed = true, .help = "a material"},
        {.path = "material_pair[].second", .type = Type::Text, .needed = true, .help = "a material"},
        {.path = "material_pair[].friction",
         .type = Type::Constant,
         .unit = "-",
         .range = not_negative,
         .fallback = "0",
         .help = "mu"},
        {.path = "material_pair[].restitution",
         .type = Type::Constant,
         .unit = "-",
         .range = zero_to_one,
         .fallback = "0",
         .help = "e"},
    });
    add(surface_fields("material_pair[]"));
    add({
        {.path = "body", .type = Type::GroupList, .help = "a rigid body, or a lattice of them"},
        {.path = "body[].name",
         .type = Type::Name,
         .needed = true,
         .help = "its coordinates are NAME_x, ..."},
    });
    add(shape_fields());
    const std::vector<Field> others{
        {.path = "body[].position_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .help = "of the shape's own origin: x, y, z, in the plane x, y; of a prescribed body formulas of t"},
        {.path = "body[].rotation_rad",
         .type = Type::FormulaList,
         .unit = "rad",
         .fallback = "[0, 0, 0]",
         .help = "rotation vector: about its direction by its length; in the plane [angle]"},
        {.path = "body[].velocity_m_s",
         .type = Type::FormulaList,
         .unit = "m/s",
         .fallback = "[0, 0, 0]",
         .help = "of the centre of mass at the start"},
        {.path = "body[].angular_velocity_rad_s",
         .type = Type::FormulaList,
         .unit = "rad/s",
         .fallback = "[0, 0, 0]",
         .help = "at the start, axes of the world; in the plane one number"},
        {.path = "body[].motion",
         .type = Type::Choice,
         .fallback = "\"free\"; of planes \"fixed\"",
         .choices = {"free", "fixed", "prescribed"},
         .help = "prescribed: position_m and rotation_rad are formulas of t"},
        {.path = "body[].density",
         .type = Type::Constant,
         .unit = "kg/m^3",
         .range = positive,
         .fallback = "1000",
         .help = "in the plane kg/m^2"},
        {.path = "body[].mass_kg",
         .type = Type::Constant,
         .unit = "kg",
         .range = positive,
         .help = "instead of the density"},
        {.path = "body[].centre_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "that of the filled shape",
         .help = "centre of mass, in the frame of the shape"},
        {.path = "body[].inertia_kg_m2",
         .type = Type::FormulaList,
         .unit = "kg m^2",
         .fallback = "that of the filled shape",
         .help = "about the centre of mass, axes of the shape: xx, yy, zz, or with xy, xz, yz behind them; "
                 "in the plane "
                 "one number"},
        {.path = "body[].material",
         .type = Type::Text,
         .fallback = "the first",
         .help = "a material by name"},
        {.path = "body[].colour",
         .type = Type::Choice,
         .fallback = "the colours in turn; of what does not move grey",
         .choices = colours(),
         .help = "in pictures"},
        {.path = "body[].copies",
         .type = Type::NumberList,
         .unit = "-",
         .help =
             "how many along each direction of a lattice, [5] or [5, 4] or [5, 4, 3]: its formulas may name "
             "i, j, k, counted from 0, and the copies are NAME_i_j_k"},
        {.path = "body[].jitter_m",
         .type = Type::Constant,
         .unit = "m",
         .range = not_negative,
         .fallback = "0",
         .help = "each coordinate of a copy's place is moved by up to this, at random"},
        {.path = "body[].seed",
         .type = Type::Integer,
         .unit = "-",
         .range = not_negative,
         .fallback = "1",
         .help = "of the random numbers: the same seed gives the same places"},
        {.path = "spring",
         .type = Type::GroupList,
         .help = "a spring and damper between two bodies, or to the world"},
        {.path = "spring[].first", .type = Type::Text, .needed = true, .help = "a body by name"},
        {.path = "spring[].second", .type = Type::Text, .fallback = "the world", .help = "a body by name"},
        {.path = "spring[].first_point_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .help = "in the frame of the first shape"},
        {.path = "spring[].second_point_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .help = "in the frame of the second shape, or of the world"},
        {.path = "spring[].stiffness_N_m",
         .type = Type::Constant,
         .unit = "N/m",
         .range = not_negative,
         .fallback = "0",
         .help = "force per length"},
        {.path = "spring[].damping_Ns_m",
         .type = Type::Constant,
         .unit = "N s/m",
         .range = not_negative,
         .fallback = "0",
         .help = "force per speed along it"},
        {.path = "spring[].rest_length_m",
         .type = Type::Constant,
         .unit = "m",
         .range = not_negative,
         .fallback = "0",
         .help = "where it pulls no more"},
        {.path = "load", .type = Type::GroupList, .help = "a force and torque on a body, by formulas"},
        {.path = "load[].body",
         .type = Type::Text,
         .needed = true,
         .help = "a body by name, or a lattice: then on each copy"},
        {.path = "load[].force_N",
         .type = Type::FormulaList,
         .unit = "N",
         .fallback = "[0, 0, 0]",
         .help = "formulas of t and of coordinates and velocities of bodies: x, y, z, in the plane x, y"},
        {.path = "load[].torque_Nm",
         .type = Type::FormulaList,
         .unit = "N m",
         .fallback = "[0, 0, 0]",
         .help = "formulas likewise; in the plane one"},
        {.path = "load[].point_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "the centre of mass",
         .help = "where the force acts, in the frame of the shape"},
        {.path = "load[].axes",
         .type = Type::Choice,
         .fallback = "\"world\"",
         .choices = {"world", "body"},
         .help = "the axes of force_N and torque_Nm; those of the body turn with it"},
    };
    fields.insert(fields.end(), others.begin(), others.end());
    return fields;
}

}  // namespace carom::detail
