#include "report/body_words.hpp"

#include "core/text.hpp"
#include "scene/scene_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace carom {
namespace {

/// What acts on a freedom, ", from -0.02 m, to 0.04 m, motor of at most 12 N".
std::string freedom_in_words(const JointFreedom& freedom, const char* unit, const char* of_force)
{
    std::string text;
    if (freedom.low) text += fmt::format(", from {:.4g} {}", *freedom.low, unit);
    if (freedom.high) text += fmt::format(", {}to {:.4g} {}", freedom.low ? "" : "up ", *freedom.high, unit);
    if (freedom.has_motor()) {
        text += std::isfinite(freedom.motor_limit)
                    ? fmt::format(", motor of at most {:.4g} {}", freedom.motor_limit, of_force)
                    : ", motor";
    }
    if (freedom.friction > 0) text += fmt::format(", dry friction {:.4g} {}", freedom.friction, of_force);
    if (freedom.friction_arm > 0) text += ", dry friction by its reaction";
    if (freedom.damping > 0) text += ", damped";
    return text;
}

/// "left_guide: prismatic, left and hand, from -0.02 m, to 0.04 m".
std::string joint_in_words(const BodySetup& setup, const Joint& joint)
{
    const auto body = [&](int i) {
        return i < 0 ? std::string("the world") : printable(setup.bodies[static_cast<std::size_t>(i)].name);
    };
    const auto other = [&](int j) { return printable(setup.joints[static_cast<std::size_t>(j)].name); };
    std::string text = printable(joint.name) + (joint.name.empty() ? "" : ": ") + name_of(joint.kind);
    if (joint.kind == JointKind::Gear) {
        return text + fmt::format(", {} and {}, ratio {:.4g}", other(joint.first_joint),
                                  other(joint.second_joint), joint.ratio);
    }
    text += fmt::format(", {} and {}", body(joint.first), body(joint.second));
    if (joint.length_m) text += fmt::format(", {:.4g} m", *joint.length_m);
    return text + freedom_in_words(joint.turn, "rad", "N m") + freedom_in_words(joint.slide, "m", "N");
}

}  // namespace

std::vector<std::string> laws_of(const BodyModel& model)
{
    std::set<std::pair<int, int>> seen;
    std::vector<std::string> laws;
    const auto& setup = model.setup();
    for (int i = 0; i < model.bodies(); ++i) {
        for (int j = 0; j < i; ++j) {
            if (!model.may_meet(i, j)) continue;
            const auto [a, b] = std::minmax(setup.bodies[static_cast<std::size_t>(i)].material,
                                            setup.bodies[static_cast<std::size_t>(j)].material);
            if (!seen.insert({a, b}).second) continue;
            const SurfaceLaw& law = model.surface(i, j);
            const auto name = [&](int m) { return setup.materials[static_cast<std::size_t>(m)].name; };
            laws.push_back(fmt::format("{}{}friction {:g}, restitution {:g}",
                                       printable(name(a) == name(b) ? name(a) : name(a) + " on " + name(b)),
                                       name(a).empty() ? "" : ": ", law.friction, law.restitution));
        }
        if (seen.size() >= setup.materials.size() * (setup.materials.size() + 1) / 2) break;
    }
    return laws;
}

std::vector<std::string> joints_of(const BodySetup& setup)
{
    std::vector<std::string> lines;
    for (const Joint& joint : setup.joints)
        lines.push_back(joint_in_words(setup, joint));
    return lines;
}

std::vector<std::string> coordinates_beside(const Scene& scene)
{
    std::vector<std::string> rows;
    const auto& all = scene.model.system().coordinates;
    const auto own = static_cast<std::size_t>(scene.model.bodies()->setup().coordinates);
    for (std::size_t i = all.size() - own; i < all.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        rows.push_back(fmt::format("{} = {:.6g}, {}' = {:.6g}", all[i].name, scene.start.q[k], all[i].name,
                                   scene.start.u[k]));
    }
    return rows;
}

std::vector<std::string> formulas_beside(const Scene& scene)
{
    std::vector<std::string> rows;
    for (const Contact& contact : scene.model.system().contacts)
        rows.push_back("contact " + contact.name);
    for (const Constraint& constraint : scene.model.system().constraints)
        rows.push_back("constraint " + constraint.name);
    return rows;
}

}  // namespace carom
