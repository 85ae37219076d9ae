#include "carom/scene/fields.hpp"

#include "carom/core/palette.hpp"

#include <fmt/format.h>

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Range positive{.low = 0, .high = infinity, .with_low = false, .with_high = true};
constexpr Range not_negative{.low = 0, .high = infinity};
constexpr Range zero_to_one{.low = 0, .high = 1};

using Type = FieldType;

std::vector<Field> run_fields()
{
    return {
        {.path = "title",
         .type = Type::Text,
         .fallback = "the name of the file",
         .help = "what the scene shows"},
        {.path = "start_s",
         .type = Type::Number,
         .unit = "s",
         .fallback = "0",
         .help = "time at which the run starts"},
        {.path = "duration_s",
         .type = Type::Number,
         .needed = true,
         .unit = "s",
         .range = positive,
         .help = "how long it runs at most",
         .hint = "otherwise the run would end before it starts"},
        {.path = "until",
         .type = Type::Formula,
         .choices = {"rest"},
         .help = "ends the run earlier: \"rest\", or a formula that ends it when it becomes >= 0"},
        {.path = "length_m",
         .type = Type::Number,
         .unit = "m",
         .range = positive,
         .fallback = "the largest gap or coordinate in m at the start, else 1",
         .help = "typical length: what small gaps are small against"},
    };
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
        {.path = "table[].name", .type = Type::Name, .needed = true, .help = "how formulas call it"},
        {.path = "table[].t_s",
         .type = Type::NumberList,
         .unit = "s",
         .help = "abscissae, strictly increasing; constant outside them"},
        {.path = "table[].value",
         .type = Type::NumberList,
         .help = "values at these abscissae, straight between"},
        {.path = "table[].file",
         .type = Type::File,
         .help = "instead of t_s and value: a CSV file of two columns below the scene's folder"},
    };
}

std::vector<Field> system_fields()
{
    return {
        {.path = "coordinate",
         .type = Type::GroupList,
         .needed = true,
         .help = "what the configuration consists of"},
        {.path = "coordinate[].name",
         .type = Type::Name,
         .needed = true,
         .help = "in formulas x, and x' for its velocity"},
        {.path = "coordinate[].start", .type = Type::Constant, .needed = true, .help = "value at the start"},
        {.path = "coordinate[].start_velocity",
         .type = Type::Constant,
         .fallback = "0",
         .help = "velocity at the start, in units per second"},
        {.path = "coordinate[].unit",
         .type = Type::Text,
         .fallback = "\"m\"",
         .help = "unit for tables and pictures; \"m\" marks lengths"},
        {.path = "lagrangian", .type = Type::Group, .needed = true, .help = "energies and forces"},
        {.path = "lagrangian.kinetic",
         .type = Type::Formula,
         .unit = "J",
         .help = "kinetic energy, a quadratic form of the velocities; or give mass"},
        {.path = "lagrangian.mass",
         .type = Type::Matrix,
         .help = "kinetic matrix A of T = u.A u / 2, its lower triangle or all of it; or give kinetic"},
        {.path = "lagrangian.potential",
         .type = Type::Formula,
         .unit = "J",
         .fallback = "0",
         .help = "potential energy of coordinates and t"},
        {.path = "lagrangian.forces", .type = Type::Group, .help = "given forces, one per coordinate"},
        {.path = "lagrangian.forces.*",
         .type = Type::Formula,
         .fallback = "0",
         .help = "force on the coordinate of that name"},
        {.path = "contact", .type = Type::GroupList, .help = "a unilateral contact"},
        {.path = "contact[].name",
         .type = Type::Name,
         .needed = true,
         .help = "how events and recordings call it"},
        {.path = "contact[].gap",
         .type = Type::Formula,
         .unit = "m",
         .help =
             "distance of the parts, of coordinates and t; negative would overlap; or position and surface"},
        {.path = "contact[].sliding",
         .type = Type::FormulaList,
         .unit = "m/s",
         .help = "with gap, for friction: the sliding velocity, one formula in the plane, two in space"},
        {.path = "contact[].position",
         .type = Type::FormulaList,
         .unit = "m",
         .help = "instead of gap: where the particle that touches is, two formulas or three"},
        {.path = "contact[].surface",
         .type = Type::Formula,
         .help = "with position: formula of x, y, z and t, positive where the particle may be"},
        {.path = "contact[].obstacle_velocity",
         .type = Type::FormulaList,
         .unit = "m/s",
         .fallback = "at rest",
         .help = "with position: velocity of the obstacle's material, formulas of x, y, z and t"},
        {.path = "contact[].tangent",
         .type = Type::FormulaList,
         .fallback = "the x axis",
         .help = "with position in space: the direction of t1, for friction that is not isotropic"},
        {.path = "contact[].law",
         .type = Type::Group,
         .fallback = "soft: restitution 0",
         .help = "law of the contact"},
        {.path = "contact[].law.kind",
         .type = Type::Choice,
         .fallback = "\"unilateral\"",
         .choices = {"unilateral", "coulomb", "rough"},
         .help = "pushes and never pulls: without friction, with Coulomb's, or with no sliding at all"},
        {.path = "contact[].law.friction",
         .type = Type::Formula,
         .unit = "-",
         .range = not_negative,
         .help = "for coulomb: the coefficient mu; scales the shape",
         .hint = "a negative one would push what slides"},
        {.path = "contact[].law.static_friction",
         .type = Type::Formula,
         .unit = "-",
         .range = not_negative,
         .fallback = "the same as friction",
         .help = "for coulomb: the coefficient while the contact sticks, not below friction"},
        {.path = "contact[].law.tangential_restitution",
         .type = Type::Formula,
         .unit = "-",
         .range = zero_to_one,
         .fallback = "0",
         .help = "e_T: 0 is Newton's form of an impact with friction, e_T = e Moreau's"},
        {.path = "contact[].law.shape",
         .type = Type::Group,
         .fallback = "isotropic",
         .help = "for coulomb: the set of friction at unit pressure and mu = 1"},
        {.path = "contact[].law.shape.kind",
         .type = Type::Choice,
         .needed = true,
         .choices = {"interval", "disc", "ellipse", "polygon"},
         .help = "an interval in the plane; a disc, an ellipse or a convex polygon in space"},
        {.path = "contact[].law.shape.low",
         .type = Type::Number,
         .range = {.high = 0},
         .fallback = "-1",
         .help = "of an interval: friction against sliding in the positive direction"},
        {.path = "contact[].law.shape.high",
         .type = Type::Number,
         .range = not_negative,
         .fallback = "1",
         .help = "of an interval: friction against sliding in the negative direction"},
        {.path = "contact[].law.shape.half_axes",
         .type = Type::NumberList,
         .fallback = "[1, 1]",
         .help = "of an ellipse, two numbers"},
        {.path = "contact[].law.shape.angle_rad",
         .type = Type::Number,
         .unit = "rad",
         .fallback = "0",
         .help = "of an ellipse: its first half-axis against t1"},
        {.path = "contact[].law.shape.centre",
         .type = Type::NumberList,
         .fallback = "[0, 0]",
         .help = "of an ellipse, which must contain the origin"},
        {.path = "contact[].law.shape.vertices",
         .type = Type::Matrix,
         .help = "of a polygon, [[1, 0], [0, 1], ...] in order around it"},
        {.path = "contact[].law.restitution",
         .type = Type::Formula,
         .unit = "-",
         .range = zero_to_one,
         .fallback = "0",
         .help = "e: separation velocity over approach velocity",
         .hint = "0 is soft, 1 elastic; above 1 an impact would create energy"},
        {.path = "contact[].law.dissipation_index",
         .type = Type::Formula,
         .unit = "-",
         .range = zero_to_one,
         .help = "instead of restitution: Moreau's delta, e = (1 - delta) / (1 + delta)",
         .hint = "0 is elastic, 1 soft"},
        {.path = "string",
         .type = Type::GroupList,
         .help = "an inextensible string: it pulls when taut and never pushes"},
        {.path = "string[].name",
         .type = Type::Name,
         .needed = true,
         .help = "how events and recordings call it"},
        {.path = "string[].length_m",
         .type = Type::Formula,
         .needed = true,
         .unit = "m",
         .help = "its length, of parameters and t"},
        {.path = "string[].points",
         .type = Type::Matrix,
         .needed = true,
         .unit = "m",
         .help = "the points it runs through, its ends and the pegs between, each by one to three formulas"},
        {.path = "string[].restitution",
         .type = Type::Formula,
         .unit = "-",
         .range = zero_to_one,
         .fallback = "0",
         .help = "e of the jerk when it becomes taut",
         .hint = "0 is soft, 1 elastic; above 1 an impact would create energy"},
        {.path = "impact",
         .type = Type::Group,
         .help = "one map for all impacts, instead of the restitutions of the contacts"},
        {.path = "impact.kind",
         .type = Type::Choice,
         .needed = true,
         .choices = {"canonical", "sequential", "poisson", "energetic", "lzb", "formulas"},
         .help = "Ballard's canonical law, collisions one after the other, with friction Poisson's, the "
                 "energetic or the LZB map, or velocities by formulas"},
        {.path = "impact.restitution",
         .type = Type::Number,
         .unit = "-",
         .range = zero_to_one,
         .fallback = "1 without friction; for poisson, energetic and lzb that of each contact",
         .help = "e of the map, for all contacts",
         .hint = "0 is soft, 1 elastic; above 1 an impact would create energy"},
        {.path = "impact.exponent",
         .type = Type::Number,
         .unit = "-",
         .range = {.low = 1, .high = 100},
         .fallback = "1.5",
         .help = "for kind \"lzb\": force of a contact over its depth; 1 is a linear spring, 1.5 Hertz"},
        {.path = "impact.stiffness",
         .type = Type::Group,
         .help = "for kind \"lzb\": stiffness of contacts; only their ratios matter"},
        {.path = "impact.stiffness.*",
         .type = Type::Number,
         .range = positive,
         .fallback = "1",
         .help = "stiffness of the contact of that name"},
        {.path = "impact.velocities",
         .type = Type::Group,
         .help = "for kind \"formulas\": velocities after the impact, of q and the velocities before it"},
        {.path = "impact.velocities.*",
         .type = Type::Formula,
         .fallback = "the velocity before the impact",
         .help = "velocity of the coordinate of that name after the impact"},
        {.path = "probe", .type = Type::GroupList, .help = "a quantity to be shown and recorded"},
        {.path = "probe[].name", .type = Type::Name, .needed = true, .help = "how results call it"},
        {.path = "probe[].value", .type = Type::Formula, .needed = true, .help = "formula of everything"},
        {.path = "probe[].unit",
         .type = Type::Text,
         .fallback = "\"\"",
         .help = "unit for tables and pictures"},
    };
}

std::vector<std::string> colour_names()
{
    std::vector<std::string> names;
    for (const Colour& colour : palette)
        names.emplace_back(colour.name);
    names.emplace_back(grey.name);
    return names;
}

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
         .help = "a contact or string whose status colours it: open, closed, impact"},
        {.path = "draw[].normal",
         .type = Type::FormulaList,
         .unit = "-",
         .help = "with contact: the direction of the arrow that shows its percussions"},
    };
}

std::vector<Field> method_fields()
{
    return {
        {.path = "integrator", .type = Type::Group, .help = "how time advances"},
        {.path = "integrator.kind",
         .type = Type::Choice,
         .fallback = "\"moreau\"",
         .choices = {"moreau", "moreau_jean", "series"},
         .help = "Moreau's midpoint scheme, the theta scheme with implicit forces, or power series"},
        {.path = "integrator.time_step_s",
         .type = Type::Number,
         .unit = "s",
         .range = positive,
         .fallback = "1e-3",
         .help = "step h; series: distance of reports, 1e-2 if left out"},
        {.path = "integrator.activation_gap_m",
         .type = Type::Number,
         .unit = "m",
         .range = not_negative,
         .fallback = "1e-9 of length_m",
         .help = "a gap not above it counts as closed"},
        {.path = "integrator.force_passes",
         .type = Type::Integer,
         .range = {.low = 1, .high = 2},
         .fallback = "2",
         .help = "moreau: how often forces are evaluated in a step; 2 is second order, 1 Moreau's paper"},
        {.path = "integrator.theta",
         .type = Type::Number,
         .range = {.low = 0.5, .high = 1},
         .fallback = "0.5",
         .help = "moreau_jean: 0.5 is second order, 1 damps fast modes most"},
        {.path = "integrator.force_tolerance",
         .type = Type::Number,
         .range = positive,
         .fallback = "1e-12",
         .help = "moreau_jean: the iteration of implicit forces ends below this relative change"},
        {.path = "integrator.max_iterations",
         .type = Type::Integer,
         .range = {.low = 2, .high = 1e9},
         .fallback = "50",
         .help = "moreau_jean: most iterations of implicit forces in a step"},
        {.path = "integrator.order",
         .type = Type::Integer,
         .range = {.low = 6, .high = 60},
         .fallback = "24",
         .help = "series: order of the power series"},
        {.path = "integrator.tolerance",
         .type = Type::Number,
         .range = {.low = 0, .high = 1, .with_low = false, .with_high = false},
         .fallback = "1e-16",
         .help = "series: error of one expansion, relative to the state"},
        {.path = "integrator.accumulation_speed_m_s",
         .type = Type::Number,
         .unit = "m/s",
         .range = not_negative,
         .fallback = "0: found from length_m and the acceleration",
         .help = "series: slower impacts of one contact that follow each other ever faster are passed at once"},
        {.path = "integrator.max_events",
         .type = Type::Integer,
         .range = {.low = 1, .high = 1e9},
         .fallback = "1000000",
         .help = "series: most events between two reports"},
        {.path = "integrator.correction",
         .type = Type::Boolean,
         .fallback = "true",
         .help = "move overlapping parts that stay in contact out of each other"},
        {.path = "integrator.cone_point",
         .type = Type::Choice,
         .fallback = "\"midpoint\"",
         .choices = {"midpoint", "end"},
         .help = "moreau: where in the step contacts are looked for"},
        {.path = "integrator.on_unsolved",
         .type = Type::Choice,
         .fallback = "\"accept\"",
         .choices = {"accept", "stop"},
         .help = "what follows a step that missed the tolerance"},
        {.path = "solver", .type = Type::Group, .help = "how the contacts of a step are solved"},
        {.path = "solver.kind",
         .type = Type::Choice,
         .fallback = "\"auto\"",
         .choices = {"auto", "exact", "gauss_seidel", "psor"},
         .help = "solver of the one-step problem"},
        {.path = "solver.tolerance",
         .type = Type::Number,
         .unit = "-",
         .range = positive,
         .fallback = "1e-8",
         .help = "unit-free error that certified steps do not exceed"},
        {.path = "solver.max_sweeps",
         .type = Type::Integer,
         .range = {.low = 1, .high = 2147483647},
         .fallback = "10000",
         .help = "limit of Gauss-Seidel; a stack of n bodies needs of the order of n^2"},
        {.path = "solver.relaxation",
         .type = Type::Number,
         .unit = "-",
         .range = {.low = 0, .high = 2, .with_low = false, .with_high = false},
         .fallback = "1",
         .help = "of Gauss-Seidel"},
        {.path = "record", .type = Type::Group, .help = "what a recording holds"},
        {.path = "record.every_s",
         .type = Type::Number,
         .unit = "s",
         .range = positive,
         .fallback = "a thousandth of duration_s, at least a step",
         .help = "distance of the recorded instants"},
        {.path = "record.fields",
         .type = Type::ChoiceList,
         .fallback = "all of them",
         .choices = {"velocities", "gaps", "percussions", "energies", "probes"},
         .help = "what is recorded beside time and coordinates"},
    };
}

std::vector<Field> all_fields()
{
    std::vector<Field> fields;
    for (auto part : {run_fields(), name_fields(), system_fields(), draw_fields(), method_fields()}) {
        fields.insert(fields.end(), part.begin(), part.end());
    }
    return fields;
}

/// What stands before the last dot; empty at the top of a scene.
std::string_view group_of(std::string_view path)
{
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

const Field* find_exact(std::string_view path)
{
    for (const Field& field : scene_fields()) {
        if (field.path == path) return &field;
    }
    return nullptr;
}

}  // namespace

std::string_view name_of(FieldType type) noexcept
{
    switch (type) {
    case Type::Group: return "a table";
    case Type::GroupList: return "a list of tables";
    case Type::Text: return "a text";
    case Type::Name: return "a name";
    case Type::File: return "the name of a file";
    case Type::Choice: return "a word";
    case Type::ChoiceList: return "a list of words";
    case Type::Number: return "a number";
    case Type::Integer: return "an integer";
    case Type::Boolean: return "true or false";
    case Type::Constant: return "a number or a formula of parameters";
    case Type::Formula: return "a number or a formula";
    case Type::NumberList: return "a list of numbers";
    case Type::FormulaList: return "a list of numbers or formulas";
    case Type::Matrix: return "a list of rows of numbers or formulas";
    }
    return "unknown";
}

std::string Range::text() const
{
    const bool below = std::isfinite(high);
    if (std::isfinite(low) && below) {
        return with_low && with_high ? fmt::format("from {} to {}", low, high)
                                     : fmt::format("between {} and {}", low, high);
    }
    if (std::isfinite(low))
        return with_low ? fmt::format("not less than {}", low) : fmt::format("greater than {}", low);
    if (below)
        return with_high ? fmt::format("not greater than {}", high) : fmt::format("less than {}", high);
    return "that is finite";
}

std::string_view Field::key() const noexcept
{
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::span<const Field> scene_fields()
{
    static const std::vector<Field> fields = all_fields();
    return fields;
}

const Field* find_field(std::string_view path)
{
    if (const Field* field = find_exact(path)) return field;
    return path.empty() ? nullptr : find_exact(std::string(group_of(path)) + ".*");
}

std::vector<std::string> keys_in(std::string_view path)
{
    std::vector<std::string> keys;
    for (const Field& field : scene_fields()) {
        if (group_of(field.path) == path && field.key() != "*") keys.emplace_back(field.key());
    }
    return keys;
}

}  // namespace carom
