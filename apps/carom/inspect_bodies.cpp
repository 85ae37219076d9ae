#include "core/text.hpp"
#include "inspection.hpp"
#include "results.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

std::string counted(const std::map<std::string, long>& counts)
{
    std::string text;
    for (const auto& [name, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    return text;
}

/// The laws of materials that meet in this scene, "wood on floor: friction 0.5, restitution 0".
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

/// The first few of many lines, the rest as a number.
std::string some_rows(const char* title, const std::vector<std::string>& lines, const char* what)
{
    constexpr std::size_t most = 12;
    std::string out;
    for (std::size_t k = 0; k < std::min(lines.size(), most); ++k)
        out += row(k == 0 ? title : "", lines[k]);
    if (lines.size() > most) out += row("", fmt::format("and {} more {}", lines.size() - most, what));
    return out;
}

std::vector<std::string> joints_of(const BodySetup& setup)
{
    std::vector<std::string> lines;
    for (const Joint& joint : setup.joints)
        lines.push_back(joint_in_words(setup, joint));
    return lines;
}

/// Coordinates that stand beside the bodies, and where they start.
std::vector<std::string> coordinates_beside(const Scene& scene)
{
    std::vector<std::string> rows;
    const auto& all = scene.model.system().coordinates;
    const auto own = static_cast<std::size_t>(scene.bodies->model.setup().coordinates);
    for (std::size_t i = all.size() - own; i < all.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        rows.push_back(fmt::format("{} = {:.6g}, {}' = {:.6g}", all[i].name, scene.start.q[k], all[i].name,
                                   scene.start.u[k]));
    }
    return rows;
}

/// Contacts and constraints of formulas.
std::vector<std::string> formulas_beside(const Scene& scene)
{
    std::vector<std::string> rows;
    for (const Contact& contact : scene.model.system().contacts)
        rows.push_back("contact " + contact.name);
    for (const Constraint& constraint : scene.model.system().constraints)
        rows.push_back("constraint " + constraint.name);
    return rows;
}

constexpr std::string_view theory_in_words =
    "with friction or redundant contacts several solutions are possible; each step is checked by the "
    "residual of the laws and the energy ledger";

}  // namespace

std::string in_words(const Scene& scene, const BodyInspection& inspection)
{
    const BodyModel& model = scene.bodies->model;
    const BodySetup& setup = model.setup();
    const auto name = [&](int i) { return printable(setup.bodies[static_cast<std::size_t>(i)].name); };
    const bool good = !inspection.overlaps;
    std::string out = coloured(printable(scene.title), Colour::Bold, stdout) + "\n" +
                      coloured(good ? "no initial overlap" : "bodies overlap initially",
                               good ? Colour::Green : Colour::Yellow, stdout) +
                      "\n\n";
    out += row("bodies", fmt::format("{}; {}; in {}", counted(inspection.motions), counted(inspection.shapes),
                                     model.is_flat() ? "the plane" : "space"));
    out += row("mass", fmt::format("{:.6g} kg in total, {:.4g} to {:.4g} kg each", inspection.mass_kg,
                                   inspection.lightest_kg, inspection.heaviest_kg));
    out += row("length", fmt::format("{:.4g} m, reference length of the moving bodies", scene.length_m));
    out += some_rows("surfaces", laws_of(model), "pairs");
    out += some_rows("joints", joints_of(setup), "joints");
    if (inspection.held > 0) {
        out += row("freedom",
                   fmt::format("joints leave {} of {} degrees of freedom{}",
                               inspection.degrees_of_freedom - inspection.rank, inspection.degrees_of_freedom,
                               inspection.held == inspection.rank
                                   ? std::string()
                                   : fmt::format("; {} conditions are redundant, so reactions are "
                                                 "not unique",
                                                 inspection.held - inspection.rank)));
    }
    out += some_rows("coordinates", coordinates_beside(scene), "coordinates");
    out += some_rows("formulas", formulas_beside(scene), "contacts and constraints");
    if (!setup.springs.empty()) out += row("springs", fmt::format("{}", setup.springs.size()));
    if (setup.forces) out += row("loads", "forces by formulas");
    out +=
        row("start",
            inspection.closed == 0
                ? std::string("no contact is closed")
                : fmt::format("{} contact points closed, of {} pairs of bodies; {} unknowns for {} degrees "
                              "of freedom",
                              inspection.closed, inspection.pairs, inspection.unknowns,
                              inspection.degrees_of_freedom));
    if (!good) {
        out += row("overlap", fmt::format("up to {:.3g} m, {} and {}; the first steps push them apart",
                                          inspection.deepest_m, name(inspection.deepest_first),
                                          name(inspection.deepest_second)));
    }
    out += row("energy", fmt::format("kinetic {:.6g} J, potential {:.6g} J", inspection.kinetic_J,
                                     inspection.potential_J));
    return out + row("theory", theory_in_words);
}

std::string to_json(const Scene& scene, const BodyInspection& inspection)
{
    const auto& bodies = scene.bodies->model.setup().bodies;
    const bool overlap = inspection.deepest_m > 0;
    const auto name = [&](int i) { return Json(bodies[static_cast<std::size_t>(i)].name); };
    const Json json = {
        {"status", inspection.overlaps ? "overlap" : "no_overlap"},
        {"kind", "bodies"},
        {"bodies", bodies.size()},
        {"motions", inspection.motions},
        {"shapes", inspection.shapes},
        {"flat", scene.bodies->model.is_flat()},
        {"degrees_of_freedom", inspection.degrees_of_freedom},
        {"mass_kg", inspection.mass_kg},
        {"lightest_kg", inspection.lightest_kg},
        {"heaviest_kg", inspection.heaviest_kg},
        {"length_m", scene.length_m},
        {"surfaces", laws_of(scene.bodies->model)},
        {"joints", joints_of(scene.bodies->model.setup())},
        {"coordinates", coordinates_beside(scene)},
        {"formulas", formulas_beside(scene)},
        {"held_by_joints", inspection.held},
        {"independent", inspection.rank},
        {"start",
         {{"contacts", inspection.closed},
          {"pairs", inspection.pairs},
          {"unknowns", inspection.unknowns},
          {"deepest_overlap_m", inspection.deepest_m},
          {"overlap", overlap ? Json::array({name(inspection.deepest_first), name(inspection.deepest_second)})
                              : Json::array()},
          {"kinetic_J", inspection.kinetic_J},
          {"potential_J", inspection.potential_J}}},
        {"theory", theory_in_words}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace carom::app
