#include "field_parts.hpp"

#include <fmt/format.h>

#include <deque>
#include <string>

namespace carom::detail {

using Type = FieldType;

namespace {

/// Texts that fields look at for as long as the program runs.
std::string_view kept(std::string text)
{
    static std::deque<std::string> texts;
    return texts.emplace_back(std::move(text));
}

/// The keys of one freedom, with their units.
struct FreedomNames {
    const char *path, *help, *low, *high, *motor, *limit, *friction, *arm, *damping;
    const char *unit, *rate, *force, *arm_unit, *damping_unit;
};

std::vector<Field> freedom_fields(const FreedomNames& names)
{
    const auto key = [&](const char* name) { return kept(fmt::format("{}.{}", names.path, name)); };
    return {
        {.path = names.path, .type = Type::Group, .help = names.help},
        {.path = key(names.low),
         .type = Type::Constant,
         .unit = names.unit,
         .fallback = "no stop",
         .help = "lower stop, relative to the initial configuration, at most zero"},
        {.path = key(names.high),
         .type = Type::Constant,
         .unit = names.unit,
         .fallback = "no stop",
         .help = "upper stop, at least zero"},
        {.path = key("restitution"),
         .type = Type::Constant,
         .unit = "-",
         .range = zero_to_one,
         .fallback = "0",
         .help = "e of the stops"},
        {.path = key(names.motor),
         .type = Type::Formula,
         .unit = names.rate,
         .fallback = "no motor",
         .help = "rate that a motor holds, a formula of t, coordinates and their velocities"},
        {.path = key(names.limit),
         .type = Type::Formula,
         .unit = names.force,
         .range = positive,
         .fallback = "no limit",
         .help = "largest torque or force of the motor"},
        {.path = key(names.friction),
         .type = Type::Constant,
         .unit = names.force,
         .range = not_negative,
         .fallback = "0",
         .help = "dry friction of constant magnitude"},
        {.path = key(names.arm),
         .type = Type::Constant,
         .unit = names.arm_unit,
         .range = not_negative,
         .fallback = "0",
         .help = "dry friction divided by the joint force"},
        {.path = key(names.damping),
         .type = Type::Constant,
         .unit = names.damping_unit,
         .range = not_negative,
         .fallback = "0",
         .help = "viscous friction"},
    };
}

void append(std::vector<Field>& fields, std::vector<Field> more)
{
    fields.insert(fields.end(), more.begin(), more.end());
}

}  // namespace

std::vector<Field> joint_fields()
{
    std::vector<Field> fields{
        {.path = "joint", .type = Type::GroupList, .help = "joins two bodies, or one body to the world"},
        {.path = "joint[].name", .type = Type::Name, .needed = true, .help = "its name"},
        {.path = "joint[].kind",
         .type = Type::Choice,
         .fallback = "\"revolute\"",
         .choices = {"fixed", "revolute", "spherical", "prismatic", "cylindrical", "universal", "planar",
                     "distance", "string", "gear"},
         .help = "kind of joint"},
        {.path = "joint[].first",
         .type = Type::Text,
         .help = "a moving body, or one joined to a moving body"},
        {.path = "joint[].second", .type = Type::Text, .fallback = "the world", .help = "the other body"},
        {.path = "joint[].point_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .help = "point of the joint, in world axes in the initial configuration"},
        {.path = "joint[].axis",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "[0, 0, 1]",
         .help = "axis in world axes in the initial configuration; normal of a planar joint"},
        {.path = "joint[].second_axis",
         .type = Type::FormulaList,
         .unit = "-",
         .fallback = "[1, 0, 0]",
         .help = "universal joint: axis fixed in the second body, perpendicular to axis"},
        {.path = "joint[].first_point_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .help = "distance or string: end in the frame of the first body"},
        {.path = "joint[].second_point_m",
         .type = Type::FormulaList,
         .unit = "m",
         .fallback = "[0, 0, 0]",
         .help = "distance or string: end in the frame of the second body, or of the world"},
        {.path = "joint[].length_m",
         .type = Type::Constant,
         .unit = "m",
         .range = positive,
         .fallback = "the initial length",
         .help = "of a distance or string"},
        {.path = "joint[].restitution",
         .type = Type::Constant,
         .unit = "-",
         .range = zero_to_one,
         .fallback = "0",
         .help = "restitution of a string that becomes taut"},
        {.path = "joint[].first_joint", .type = Type::Text, .help = "gear: a joint defined before it"},
        {.path = "joint[].second_joint",
         .type = Type::Text,
         .help = "gear: the other joint, defined before it"},
        {.path = "joint[].ratio",
         .type = Type::Constant,
         .unit = "rates, or rad/m",
         .fallback = "1",
         .help = "gear: rate of the first + ratio times rate of the second = 0"},
        {.path = "joint[].collide",
         .type = Type::Boolean,
         .fallback = "false; for distances and strings true",
         .help = "whether the two bodies collide with each other"},
    };
    append(fields, freedom_fields({.path = "joint[].turn",
                                   .help = "rotation about the axis; for a spherical joint its cone",
                                   .low = "low_rad",
                                   .high = "high_rad",
                                   .motor = "motor_rad_s",
                                   .limit = "motor_limit_Nm",
                                   .friction = "friction_Nm",
                                   .arm = "friction_arm_m",
                                   .damping = "damping_Nms",
                                   .unit = "rad",
                                   .rate = "rad/s",
                                   .force = "N m",
                                   .arm_unit = "m",
                                   .damping_unit = "N m s"}));
    append(fields, freedom_fields({.path = "joint[].slide",
                                   .help = "sliding along the axis",
                                   .low = "low_m",
                                   .high = "high_m",
                                   .motor = "motor_m_s",
                                   .limit = "motor_limit_N",
                                   .friction = "friction_N",
                                   .arm = "friction_ratio",
                                   .damping = "damping_Ns_m",
                                   .unit = "m",
                                   .rate = "m/s",
                                   .force = "N",
                                   .arm_unit = "-",
                                   .damping_unit = "N s/m"}));
    return fields;
}

std::vector<Field> surface_fields(std::string_view path)
{
    const auto key = [&](const char* name) { return kept(fmt::format("{}.{}", path, name)); };
    return {
        {.path = key("static_friction"),
         .type = Type::Constant,
         .unit = "-",
         .range = not_negative,
         .fallback = "friction",
         .help = "mu while sticking, at least friction"},
        {.path = key("friction_across"),
         .type = Type::Constant,
         .unit = "-",
         .range = positive,
         .fallback = "no grain",
         .help = "mu across the grain; friction is mu along it"},
        {.path = key("rolling_m"),
         .type = Type::Constant,
         .unit = "m",
         .range = not_negative,
         .fallback = "0",
         .help = "moment that resists rolling, divided by the normal force"},
        {.path = key("spinning_m"),
         .type = Type::Constant,
         .unit = "m",
         .range = not_negative,
         .fallback = "0",
         .help = "moment that resists spinning about the normal, divided by the normal force"},
        {.path = key("cohesion_N"),
         .type = Type::Constant,
         .unit = "N",
         .range = not_negative,
         .fallback = "0",
         .help = "tensile force that a closed contact point can carry"},
    };
}

}  // namespace carom::detail
