#include "body_shown.hpp"

#include "body_values.hpp"
#include "joints.hpp"
#include "system.hpp"

#include <algorithm>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// The probe of a contact force; its direction is one of the world.
ContactForceProbe force_probe(const Node& item, std::string name, const BodyDraft& draft, const Names& names,
                              Mistakes& mistakes)
{
    ContactForceProbe probe{.name = std::move(name)};
    if (const Node* joint = find(item, "reaction_of")) {
        probe.joint = joint_named(draft, *joint, mistakes);
        const Node* moment = find(item, "moment");
        probe.moment = moment != nullptr && moment->boolean;
    } else {
        probe.on = body_named(draft, item, "force_on", mistakes);
        probe.from = body_named(draft, item, "from", mistakes);
    }
    const Node* direction = find(item, "direction");
    if (direction == nullptr || direction->kind != Kind::Array) return probe;
    Vec3 along = Vec3::Zero();
    for (std::size_t i = 0; i < std::min<std::size_t>(direction->items.size(), 3); ++i) {
        along[static_cast<Eigen::Index>(i)] = constant_of(direction->items[i], names, mistakes).value_or(0);
    }
    if (direction->items.size() < 2 || direction->items.size() > 3 || !(along.norm() > 0)) {
        mistakes.add(direction->place, ErrorCode::WrongSize, "this is not a direction",
                     "give two or three numbers, not all zero: direction = [0, 0, 1]");
        return probe;
    }
    probe.direction = along.normalized();
    return probe;
}

}  // namespace

ShownBodies read_shown(const Node& root, const BodyDraft& draft, const Names& names, Mistakes& mistakes)
{
    ShownBodies shown;
    Vocabulary taken;
    for (const Node& item : things_of(root, "probe")) {
        const Node* name = find(item, "name");
        if (name == nullptr || name->kind != Kind::Text) continue;
        if (auto added = taken.add_coordinate(name->text); !added) mistakes.add(name->place, added.error());
        const Node *value = find(item, "value"), *force_on = find(item, "force_on"),
                   *reaction_of = find(item, "reaction_of"), *unit = find(item, "unit");
        const int given = (value != nullptr) + (force_on != nullptr) + (reaction_of != nullptr);
        if (given != 1) {
            mistakes.add(item.place, given == 0 ? ErrorCode::MissingKey : ErrorCode::NotAllowedHere,
                         "a probe of bodies has a value, or is the force of contacts or of a joint",
                         "give value = \"...\", force_on = \"BODY\" or reaction_of = \"JOINT\"");
        } else if (value == nullptr) {
            shown.forces.push_back(force_probe(item, name->text, draft, names, mistakes));
        } else {
            shown.probes.push_back({.name = name->text,
                                    .value = formula_of(value, names, mistakes).value_or(Formula()),
                                    .unit = unit != nullptr ? unit->text : ""});
        }
    }
    for (const Node& item : things_of(root, "draw")) {
        if (auto drawing = drawing_of(item, shown.drawings.size(), {}, names, mistakes))
            shown.drawings.push_back(std::move(*drawing));
    }
    return shown;
}

FigureNames figure_names(const ShownBodies& shown)
{
    FigureNames known;
    for (const Probe& probe : shown.probes)
        known.probes.push_back(probe.name);
    for (const ContactForceProbe& probe : shown.forces)
        known.probes.push_back(probe.name);
    return known;
}

}  // namespace carom::detail
