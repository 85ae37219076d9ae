#include "joints.hpp"

#include "body_values.hpp"
#include "core/text.hpp"
#include "system.hpp"
#include "validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace carom::detail {
namespace {

/// What differs between turns and slides in a scene: the units in the names of the keys.
struct FreedomKeys {
    const char *low, *high, *motor_rate, *motor_limit, *friction, *friction_arm, *damping;
};
constexpr FreedomKeys turn_keys{"low_rad",     "high_rad",       "motor_rad_s", "motor_limit_Nm",
                                "friction_Nm", "friction_arm_m", "damping_Nms"};
constexpr FreedomKeys slide_keys{"low_m",      "high_m",         "motor_m_s",   "motor_limit_N",
                                 "friction_N", "friction_ratio", "damping_Ns_m"};

class JointReader {
public:
    JointReader(const Names& names, const Pose& frame, Mistakes& mistakes, BodyDraft& draft)
        : names_(names), frame_(frame), mistakes_(mistakes), draft_(draft)
    {
    }

    void read(const Node& item)
    {
        const BodyValues values(item, names_, mistakes_);
        Joint joint{.name = word_of(item, "name"), .kind = kind_of(item)};
        joint.collide = joint.kind == JointKind::Distance || joint.kind == JointKind::String;
        if (const Node* collide = find(item, "collide")) joint.collide = collide->boolean;
        if (joint.kind == JointKind::Gear) {
            joint.first_joint = coupled(item, "first_joint");
            joint.second_joint = coupled(item, "second_joint");
            joint.ratio = values.number("ratio", 1);
        } else {
            values.missing("first", "joint");
            joint.first = body_named(draft_, item, "first", mistakes_);
            joint.second = body_named(draft_, item, "second", mistakes_);
        }
        joint.point_m = frame_.to_world(values.vector("point_m", Vec3::Zero()));
        joint.axis = frame_.rotation * values.vector("axis", Vec3::UnitZ());
        joint.second_axis = frame_.rotation * values.vector("second_axis", Vec3::UnitX());
        joint.first_point_m = values.vector("first_point_m", Vec3::Zero());
        joint.second_point_m = values.vector("second_point_m", Vec3::Zero());
        if (joint.second < 0) joint.second_point_m = frame_.to_world(joint.second_point_m);
        joint.length_m = values.number("length_m");
        joint.restitution = values.number("restitution", 0);
        if (const Node* turn = find(item, "turn")) joint.turn = freedom(*turn, true);
        if (const Node* slide = find(item, "slide")) joint.slide = freedom(*slide, false);
        draft_.joint_numbers.try_emplace(joint.name, static_cast<int>(draft_.setup.joints.size()));
        draft_.setup.joints.push_back(std::move(joint));
    }

private:
    static JointKind kind_of(const Node& item)
    {
        const std::string word = word_of(item, "kind", "revolute");
        for (int k = 0; k <= static_cast<int>(JointKind::Gear); ++k) {
            if (word == name_of(static_cast<JointKind>(k))) return static_cast<JointKind>(k);
        }
        return JointKind::Revolute;  // the schema has refused the word
    }

    int coupled(const Node& item, std::string_view key)
    {
        const Node* node = find(item, key);
        if (node != nullptr) return joint_named(draft_, *node, mistakes_);
        mistakes_.add(item.place, ErrorCode::MissingKey, fmt::format("a gear has no {}", key),
                      "name two joints that are defined before it");
        return 0;
    }

    JointFreedom freedom(const Node& table, bool turn)
    {
        const FreedomKeys& keys = turn ? turn_keys : slide_keys;
        const BodyValues values(table, names_, mistakes_);
        JointFreedom freedom{.low = values.number(keys.low),
                             .high = values.number(keys.high),
                             .restitution = values.number("restitution", 0),
                             .friction = values.number(keys.friction, 0),
                             .friction_arm = values.number(keys.friction_arm, 0),
                             .damping = values.number(keys.damping, 0)};
        const Node *rate = find(table, keys.motor_rate), *limit = find(table, keys.motor_limit);
        if (rate == nullptr) return freedom;
        draft_.motors.push_back({.joint = static_cast<int>(draft_.setup.joints.size()),
                                 .turn = turn,
                                 .rate = *rate,
                                 .limit = limit != nullptr ? std::optional(*limit) : std::nullopt,
                                 .names = names_});
        return freedom;
    }

    const Names& names_;
    const Pose& frame_;
    Mistakes& mistakes_;
    BodyDraft& draft_;
};

}  // namespace

int joint_named(const BodyDraft& draft, const Node& node, Mistakes& mistakes)
{
    if (const auto found = draft.joint_numbers.find(node.text); found != draft.joint_numbers.end())
        return found->second;
    std::vector<std::string> known;
    for (const Joint& joint : draft.setup.joints)
        known.push_back(joint.name);
    if (!mistakes.empty()) return 0;  // after a mistake some joints are not read
    mistakes.add(node.place, ErrorCode::UnknownName,
                 fmt::format("there is no joint {}", carom::quoted(node.text)),
                 known.empty() ? "define joints before they are used" : nearest_or_all(node.text, known));
    return 0;
}

void read_joint(const Node& item, const Names& names, const Pose& frame, Mistakes& mistakes, BodyDraft& draft)
{
    JointReader(names, frame, mistakes, draft).read(item);
}

SurfaceDetail surface_detail(const BodyValues& values)
{
    return {.static_friction = values.number("static_friction"),
            .friction_across = values.number("friction_across"),
            .rolling_m = values.number("rolling_m", 0),
            .spinning_m = values.number("spinning_m", 0),
            .cohesion_N = values.number("cohesion_N", 0)};
}

}  // namespace carom::detail
