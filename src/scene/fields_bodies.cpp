#include "carom/core/palette.hpp"
#include "field_parts.hpp"

#include <algorithm>
#include <deque>

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

/// What shapes are made of; parts of compounds have the convex ones.
std::vector<Field> shape_fields(bool part)
{
    std::vector<std::string> shapes{"sphere", "capsule", "box", "cylinder", "polyhedron", "disc", "polygon"};
    if (!part) shapes.insert(shapes.end(), {"plane", "compound", "heightfield", "mesh", "none"});
    std::vector<Field> fields{
        {.path = "shape",
         .type = Type::Choice,
         .needed = true,
         .choices = shapes,
         .help = "disc and polygon live in the plane z = 0, with planes whose normal has no z; none touches "
                 "nothing"},
        {.path = "radius_m",
         .type = Type::Constant,
         .unit = "m",
         .help = "of a sphere, capsule, cylinder or disc"},
        {.path = "length_m",
         .type = Type::Constant,
         .unit = "m",
         .help = "of a capsule (between the centres of its ends) or cylinder, along z"},
        {.path = "size_m",
         .type = Type::FormulaList,
         .unit = "m",
         .help = part ? "edges of a box: x, y, z" : "edges of a box: x, y, z; of a heightfield x, y"},
        {.path = "vertices_m",
         .type = Type::Matrix,
         .unit = "m",
         .help = part ? "of a polyhedron or polygon: points whose convex hull it is"
                      : "of a polyhedron or polygon: points whose convex hull it is; of a mesh"},
        {.path = "file",
         .type = Type::File,
         .help = "of a polyhedron or mesh: an STL, OBJ or OFF file below the scene's folder, in m"},
        {.path = "scale",
         .type = Type::Constant,
         .unit = "-",
         .range = positive,
         .fallback = "1",
         .help = "of what a file holds: 0.001 for one in mm"},
    };
    if (part) return fields;
    const std::vector<Field> others{
        {.path = "normal",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "up",
         .help = "of a plane: where the free side is"},
        {.path = "triangles",
         .type = Type::Matrix,
         .unit = "-",
         .help = "of a mesh: three vertices each, counted from 0, counter-clockwise seen from the free side"},
        {.path = "points",
         .type = Type::NumberList,
         .unit = "-",
         .help = "of a heightfield with height_m: how many along x and y"},
        {.path = "height_m",
         .type = Type::Formula,
         .unit = "m",
         .help = "of a heightfield: a formula of x and y, which are zero in its middle"},
        {.path = "heights_m",
         .type = Type::Matrix,
         .unit = "m",
         .help = "of a heightfield, instead of points and height_m: rows from low y to high y"},
        {.path = "part", .type = Type::GroupList, .help = "of a compound: a convex shape in its place"},
    };
    fields.insert(fields.end(), others.begin(), others.end());
    return fields;
}

/// The same fields below another path; the texts of paths live as long as the program.
std::vector<Field> below(std::string_view path, std::vector<Field> fields)
{
    static std::deque<std::string> paths;
    for (Field& field : fields) {
        std::string whole = std::string(path) + "." + std::string(field.path);
        const auto known = std::find(paths.begin(), paths.end(), whole);
        field.path = known != paths.end() ? *known : paths.emplace_back(std::move(whole));
    }
    return fields;
}

std::vector<Field> part_fields()
{
    std::vector<Field> fields = shape_fields(true);
    fields.push_back({.path = "position_m",
                      .type = Type::FormulaList,
                      .unit = "m",
                      .fallback = "[0, 0, 0]",
                      .help = "of the part's own origin, in the frame of the compound"});
    fields.push_back({.path = "rotation_rad",
                      .type = Type::FormulaList,
                      .unit = "rad",
                      .fallback = "[0, 0, 0]",
                      .help = "rotation vector; in the plane [angle]"});
    return below("body[].part[]", std::move(fields));
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
    for (const auto& shapes : {below("body[]", shape_fields(false)), part_fields()}) {
        add(shapes);
    }
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
         .fallback = "\"free\"; of planes, heightfields and meshes \"fixed\"",
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
