#include "core/palette.hpp"
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
         .help = "disc and polygon are in the plane z = 0, with planes whose normal has no z; none has no "
                 "contacts"},
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
         .help = part ? "edge lengths of a box: x, y, z"
                      : "edge lengths of a box: x, y, z; extent of a heightfield: x, y"},
        {.path = "vertices_m",
         .type = Type::Matrix,
         .unit = "m",
         .help = part ? "polyhedron or polygon: points whose convex hull it is"
                      : "polyhedron or polygon: points whose convex hull it is; mesh: its vertices"},
        {.path = "file",
         .type = Type::File,
         .help = "polyhedron or mesh: an STL, OBJ or OFF file below the scene's folder, in m"},
        {.path = "scale",
         .type = Type::Constant,
         .unit = "-",
         .range = positive,
         .fallback = "1",
         .help = "scale factor of a file: 0.001 for a file in mm"},
    };
    if (part) return fields;
    const std::vector<Field> others{
        {.path = "normal",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "up",
         .help = "plane: points to the free side"},
        {.path = "triangles",
         .type = Type::Matrix,
         .unit = "-",
         .help = "mesh: three vertices each, counted from 0, counter-clockwise seen from the free side"},
        {.path = "points",
         .type = Type::NumberList,
         .unit = "-",
         .help = "heightfield with height_m: number of points along x and y"},
        {.path = "height_m",
         .type = Type::Formula,
         .unit = "m",
         .help = "heightfield: a formula of x and y, which are zero at its centre"},
        {.path = "heights_m",
         .type = Type::Matrix,
         .unit = "m",
         .help = "heightfield, instead of points and height_m: rows from low y to high y"},
        {.path = "part", .type = Type::GroupList, .help = "compound: a convex shape with its position"},
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
                      .help = "position of the origin of the part, in the frame of the compound"});
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
        {.path = "material", .type = Type::GroupList, .help = "surface properties of bodies"},
        {.path = "material[].name", .type = Type::Name, .needed = true, .help = "name in bodies"},
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
         .help = "properties of a contact between two materials"},
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
         .help = "position of the origin of the shape: x, y, z, in the plane x, y; for a prescribed body "
                 "formulas of t"},
        {.path = "body[].rotation_rad",
         .type = Type::FormulaList,
         .unit = "rad",
         .fallback = "[0, 0, 0]",
         .help = "rotation vector: about its direction by its length; in the plane [angle]"},
        {.path = "body[].velocity_m_s",
         .type = Type::FormulaList,
         .unit = "m/s",
         .fallback = "[0, 0, 0]",
         .help = "initial velocity of the centre of mass"},
        {.path = "body[].angular_velocity_rad_s",
         .type = Type::FormulaList,
         .unit = "rad/s",
         .fallback = "[0, 0, 0]",
         .help = "initial angular velocity in world axes; in the plane one number"},
        {.path = "body[].motion",
         .type = Type::Choice,
         .fallback = "\"free\"; for planes, heightfields and meshes \"fixed\"",
         .choices = {"free", "fixed", "prescribed"},
         .help = "prescribed: position_m and rotation_rad are formulas of t"},
        {.path = "body[].density",
         .type = Type::Constant,
         .unit = "kg/m^3",
         .range = positive,
         .fallback = "1000",
         .help = "density; in the plane kg/m^2"},
        {.path = "body[].mass_kg",
         .type = Type::Constant,
         .unit = "kg",
         .range = positive,
         .help = "mass, instead of the density"},
        {.path = "body[].centre_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "that of the solid shape",
         .help = "centre of mass, in the frame of the shape"},
        {.path = "body[].inertia_kg_m2",
         .type = Type::FormulaList,
         .unit = "kg m^2",
         .fallback = "that of the solid shape",
         .help = "about the centre of mass in the axes of the shape: xx, yy, zz, optionally followed by xy, "
                 "xz, yz; in the plane one number"},
        {.path = "body[].material",
         .type = Type::Text,
         .fallback = "the first",
         .help = "a material by name"},
        {.path = "body[].colour",
         .type = Type::Choice,
         .fallback = "assigned in turn; grey for fixed bodies",
         .choices = colours(),
         .help = "in pictures"},
        {.path = "body[].copies",
         .type = Type::NumberList,
         .unit = "-",
         .help = "number of copies along each direction of a lattice, [5] or [5, 4] or [5, 4, 3]; formulas "
                 "can use i, j, k, counted from 0; the copies are NAME_i_j_k"},
        {.path = "body[].jitter_m",
         .type = Type::Constant,
         .unit = "m",
         .range = not_negative,
         .fallback = "0",
         .help = "each coordinate of a copy's position is shifted randomly by up to this"},
        {.path = "body[].seed",
         .type = Type::Integer,
         .unit = "-",
         .range = not_negative,
         .fallback = "1",
         .help = "seed of the random numbers: the same seed gives the same positions"},
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
         .type = Type::Formula,
         .unit = "N/m",
         .range = not_negative,
         .fallback = "0",
         .help = "force per length; a formula of time or of the state makes it a given force"},
        {.path = "spring[].damping_Ns_m",
         .type = Type::Formula,
         .unit = "N s/m",
         .range = not_negative,
         .fallback = "0",
         .help =
             "force per speed along the spring; a formula of time or of the state makes it a given force"},
        {.path = "spring[].rest_length_m",
         .type = Type::Formula,
         .unit = "m",
         .range = not_negative,
         .fallback = "0",
         .help = "length without force; a formula of time or of the state makes it a given force"},
        {.path = "load",
         .type = Type::GroupList,
         .help = "a force and a torque on a body, given by formulas"},
        {.path = "load[].body",
         .type = Type::Text,
         .needed = true,
         .help = "a body by name; the name of a lattice stands for all its copies"},
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
         .help = "point of application, in the frame of the shape"},
        {.path = "load[].axes",
         .type = Type::Choice,
         .fallback = "\"world\"",
         .choices = {"world", "body"},
         .help = "axes of force_N and torque_Nm; body axes rotate with the body"},
    };
    fields.insert(fields.end(), others.begin(), others.end());
    return fields;
}

}  // namespace carom::detail
