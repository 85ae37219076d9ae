#include "bodies.hpp"
#include "body_values.hpp"
#include "core/text.hpp"
#include "expression/term.hpp"
#include "expression/workspace.hpp"
#include "figures.hpp"
#include "joints.hpp"
#include "scene/scene_bodies.hpp"
#include "settings.hpp"
#include "system.hpp"
#include "system/bodies/body_coordinates.hpp"
#include "validate.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace carom::detail {
namespace {

/// Events of more bodies are kept where they are asked for: a pour has millions.
constexpr int max_bodies_with_events = 1000;

using Kind = Node::Kind;

/// Coordinates, contacts or constraints of formulas stand beside the bodies.
bool has_formulas(const Node& root)
{
    return std::ranges::any_of(std::array{"coordinate", "lagrangian", "contact", "string", "constraint"},
                               [&](const char* key) { return find(root, key) != nullptr; });
}

/// What a scene of bodies cannot have.
void refuse_beside_bodies(const Node& root, const Settings& settings, Mistakes& mistakes)
{
    for (const auto* key : {"sweeping", "set"}) {
        if (const Node* node = find(root, key)) {
            mistakes.add(node->key_place, ErrorCode::NotAllowedHere,
                         fmt::format("a scene of bodies has no {}", key),
                         "leave it out, or describe the whole system by coordinates");
        }
    }
    if (std::holds_alternative<SeriesSettings>(settings.integrator)) {
        mistakes.add(place_of(root, "integrator.kind"), ErrorCode::NotAllowedHere,
                     "bodies are run by the integrators moreau and moreau_jean",
                     "write integrator.kind = \"moreau\"");
    }
    const bool formulas = has_formulas(root);
    if (const Node* impact = find(root, "impact"); impact != nullptr && formulas) {
        mistakes.add(impact->key_place, ErrorCode::NotAllowedHere,
                     "an impact map of bodies does not support contacts and constraints given by formulas",
                     "give restitutions instead, or leave the formulas out");
    }
    if (!things_of(root, "coordinate").empty() && find(root, "lagrangian") == nullptr) {
        mistakes.add(things_of(root, "coordinate").front().place, ErrorCode::MissingKey,
                     "coordinates beside bodies have no lagrangian",
                     "add [lagrangian] with their kinetic energy: kinetic = \"1/2*x'^2\"");
    }
}

/// Errors of the bodies get the places of the [[body]] that they come from; copies say the same once.
void add_body_errors(const Node& root, const BodyDraft& draft, const Errors& errors, Mistakes& mistakes)
{
    for (const Error& error : errors) {
        Place place = place_of(root, error.where);
        constexpr std::string_view key = "body.";
        const auto body = error.where.starts_with(key)
                              ? draft.body_numbers.find(error.where.substr(key.size()))
                              : draft.body_numbers.end();
        if (body != draft.body_numbers.end()) place = draft.places[static_cast<std::size_t>(body->second)];
        if (!mistakes.known_at(place)) mistakes.add(place, error);
    }
}

/// Whether some word could be the coordinate of a body.
bool ends_as_coordinate(std::string_view word)
{
    constexpr std::array<std::string_view, 8> ends{"_x", "_y", "_z", "_w", "_i", "_j", "_k", "_angle"};
    return std::ranges::any_of(ends, [&](std::string_view end) { return word.ends_with(end); });
}

bool speaks_of_coordinates(const Node& node)
{
    if (node.kind == Kind::Text && std::ranges::any_of(words_in(node.text), ends_as_coordinate)) return true;
    return std::ranges::any_of(node.items, [](const Node& item) { return speaks_of_coordinates(item); }) ||
           std::ranges::any_of(node.entries,
                               [](const Entry& entry) { return speaks_of_coordinates(entry.value); });
}

/// Whether coordinates of bodies are spoken of at all: of a million bodies they are a long list.
bool needs_names_of_coordinates(const Node& root, const Names& names)
{
    using Meaning = Vocabulary::Meaning::Kind;
    return has_formulas(root) || speaks_of_coordinates(root) ||
           std::ranges::any_of(names.vocabulary.names(Meaning::Parameter), ends_as_coordinate) ||
           std::ranges::any_of(names.vocabulary.names(Meaning::Table), ends_as_coordinate);
}

/// Formulas beside the bodies may name their coordinates. A name that a parameter or table has already is a
/// mistake; others are found when the coordinates are made.
Names with_coordinates(const Node& root, Names names, const BodyDraft& draft, Mistakes& mistakes)
{
    if (draft.incomplete) names.complete = false;
    if (!needs_names_of_coordinates(root, names)) return names;
    for (const Coordinate& coordinate : coordinate_names(draft.setup)) {
        const auto taken = names.vocabulary.find(coordinate.name);
        if (taken && taken->kind != Vocabulary::Meaning::Kind::Coordinate) {
            mistakes.add(place_of(root, "parameters." + coordinate.name), ErrorCode::DuplicateName,
                         fmt::format("{} is a coordinate of a body as well", carom::quoted(coordinate.name)),
                         "give the parameter or table another name");
        }
        if (!names.vocabulary.add_coordinate(coordinate.name)) names.complete = false;
    }
    add_coordinates(root, names, mistakes);
    return names;
}

/// A force and torque by formulas, on one body.
struct Load {
    int body = 0;
    std::optional<Vec3> point_m;  ///< frame of the shape; nothing: the centre of mass
    bool in_body_axes = false;
    std::array<Formula, 3> force_N, torque_Nm;
};

/// Three formulas of a list; `alone` is the entry that a list of one stands for, -1: there is none.
std::array<Formula, 3> three_formulas(const Node& item, std::string_view key, int alone, const Names& names,
                                      Mistakes& mistakes)
{
    std::array<Formula, 3> result;
    const Node* list = find(item, key);
    if (list == nullptr || list->kind != Kind::Array) return result;
    const std::size_t size = list->items.size();
    if (size == 0 || size > 3 || (size == 1 && alone < 0) || (size == 2 && alone >= 0)) {
        mistakes.add(list->place, ErrorCode::WrongSize,
                     fmt::format("{} has the wrong number of entries", key),
                     alone < 0 ? "give two or three" : "give three, in the plane one");
        return result;
    }
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t at = size == 1 ? static_cast<std::size_t>(alone) : i;
        result[at] = formula_of(&list->items[i], names, mistakes).value_or(Formula());
    }
    return result;
}

std::vector<Load> read_loads(const Node& root, const BodyDraft& draft, const Names& names, Mistakes& mistakes)
{
    std::vector<Load> loads;
    for (const Node& item : things_of(root, "load")) {
        Load load;
        if (const Node* point = find(item, "point_m"); point != nullptr && point->kind == Kind::Array) {
            Vec3 x = Vec3::Zero();
            const bool fits = point->items.size() == 2 || point->items.size() == 3;
            for (std::size_t i = 0; fits && i < point->items.size(); ++i) {
                x[static_cast<Eigen::Index>(i)] = constant_of(point->items[i], names, mistakes).value_or(0);
            }
            if (!fits) {
                mistakes.add(point->place, ErrorCode::WrongSize, "point_m has the wrong number of entries",
                             "give two or three numbers");
            }
            load.point_m = x;
        }
        const Node* axes = find(item, "axes");
        load.in_body_axes = axes != nullptr && axes->text == "body";
        load.force_N = three_formulas(item, "force_N", -1, names, mistakes);
        load.torque_Nm = three_formulas(item, "torque_Nm", 2, names, mistakes);
        if (find(item, "force_N") == nullptr && find(item, "torque_Nm") == nullptr) {
            mistakes.add(item.place, ErrorCode::MissingKey, "a load has neither force_N nor torque_Nm",
                         "for example force_N = [0, 0, \"10*sin(t)\"]");
        }
        for (const int body : bodies_named(draft, item, "body", mistakes)) {
            load.body = body;
            loads.push_back(load);
        }
    }
    return loads;
}

/// A spring whose numbers are formulas: an actuator, whose work is that of a given force.
struct DrivenSpring {
    BodySpring between;
    Formula stiffness_N_m, damping_Ns_m, rest_length_m;
};

bool names_coordinates(const Formula& formula)
{
    return formula.depends_on(Variable::Kind::Coordinate) || formula.depends_on(Variable::Kind::Velocity);
}

/// What loads do, as the callback that a step calls. `plain` are the bodies without them.
/// The force along a spring at this instant, on its two bodies.
void pull(const DrivenSpring& spring, const BodyModel& model, const State& state, const Point& at,
          Workspace& work, std::span<Wrench> wrenches)
{
    const auto end = [&](int body, const Vec3& point) {
        if (body < 0) return std::tuple(point, Vec3(Vec3::Zero()), Vec3(Vec3::Zero()));
        const auto i = static_cast<std::size_t>(body);
        const Vec3 arm = state.R[i] * (point - model.centre[i]);
        const Vec3 velocity = state.v[i] + (state.R[i] * state.W[i]).cross(arm);
        return std::tuple(Vec3(state.x[i] + arm), arm, velocity);
    };
    const auto [x_a, arm_a, v_a] = end(spring.between.first, spring.between.first_point_m);
    const auto [x_b, arm_b, v_b] = end(spring.between.second, spring.between.second_point_m);
    const double length = (x_a - x_b).norm();
    if (!(length > 0)) return;  // a spring of no length has no direction and pulls nowhere
    const Vec3 n = (x_a - x_b) / length;
    const double tension =
        spring.stiffness_N_m.value(at, work) * (length - spring.rest_length_m.value(at, work)) +
        spring.damping_Ns_m.value(at, work) * n.dot(v_a - v_b);
    const auto add = [&](int body, const Vec3& arm, const Vec3& force) {
        if (body < 0) return;
        wrenches[static_cast<std::size_t>(body)].force_N += force;
        wrenches[static_cast<std::size_t>(body)].torque_Nm += arm.cross(force);
    };
    add(spring.between.first, arm_a, -tension * n);
    add(spring.between.second, arm_b, tension * n);
}

std::function<void(const State&, std::span<Wrench>)>
forces_of(std::vector<Load> loads, std::vector<DrivenSpring> springs, std::shared_ptr<const BodyModel> plain)
{
    const bool needs_coordinates =
        std::ranges::any_of(loads,
                            [&](const Load& load) {
                                return std::ranges::any_of(load.force_N, names_coordinates) ||
                                       std::ranges::any_of(load.torque_Nm, names_coordinates);
                            }) ||
        std::ranges::any_of(springs, [&](const DrivenSpring& spring) {
            return names_coordinates(spring.stiffness_N_m) || names_coordinates(spring.damping_Ns_m) ||
                   names_coordinates(spring.rest_length_m);
        });
    return [loads = std::move(loads), springs = std::move(springs), plain = std::move(plain),
            needs_coordinates](const State& state, std::span<Wrench> wrenches) {
        State shown;
        if (needs_coordinates) shown = coordinate_state(*plain, state);
        const Point at{view(shown.q), view(shown.u), state.t_s};
        Workspace work;
        const auto vector = [&](const std::array<Formula, 3>& f) {
            return Vec3(f[0].value(at, work), f[1].value(at, work), f[2].value(at, work));
        };
        for (const Load& load : loads) {
            const auto i = static_cast<std::size_t>(load.body);
            Vec3 force = vector(load.force_N), torque = vector(load.torque_Nm);
            if (load.in_body_axes) {
                force = state.R[i] * force;
                torque = state.R[i] * torque;
            }
            if (load.point_m) torque += (state.R[i] * (*load.point_m - plain->centre[i])).cross(force);
            wrenches[i].force_N += force;
            wrenches[i].torque_Nm += torque;
        }
        for (const DrivenSpring& spring : springs) {
            pull(spring, *plain, state, at, work, wrenches);
        }
    };
}

/// A formula of the state of bodies.
std::function<double(const State&)> of_state(Formula formula, std::shared_ptr<const BodyModel> plain)
{
    return [formula = std::move(formula), plain = std::move(plain)](const State& state) {
        thread_local Workspace work;
        const State shown = coordinate_state(*plain, state);
        return formula.value({view(shown.q), view(shown.u), state.t_s}, work);
    };
}

/// Rates and limits of motors: of time alone, or of the state.
void read_motors(const Node& root, BodyDraft& draft, Mistakes& mistakes)
{
    // a model of the bodies alone tells the coordinates
    std::shared_ptr<const BodyModel> plain;
    const auto bodies_alone = [&]() -> std::shared_ptr<const BodyModel> {
        if (plain) return plain;
        BodySetup setup = draft.setup;
        setup.joints.clear();
        if (auto model = make_body_model(std::move(setup)))
            plain = std::make_shared<const BodyModel>(std::move(*model));
        return plain;
    };
    Mistakes told = mistakes;  // names that are taken have been told
    for (const MotorDraft& motor : draft.motors) {
        const Names names = with_coordinates(root, motor.names, draft, told);
        Joint& joint = draft.setup.joints[static_cast<std::size_t>(motor.joint)];
        JointFreedom& freedom = motor.turn ? joint.turn : joint.slide;
        const auto rate = formula_of(&motor.rate, names, mistakes);
        const auto limit = motor.limit ? formula_of(&*motor.limit, names, mistakes) : std::nullopt;
        const bool of_coordinates =
            (rate && names_coordinates(*rate)) || (limit && names_coordinates(*limit));
        if (of_coordinates && !bodies_alone()) continue;  // its mistakes are told later
        if (rate && names_coordinates(*rate)) {
            freedom.motor_rate_of = of_state(*rate, plain);
        } else if (rate) {
            freedom.motor_rate = [formula = *rate](double t_s) {
                thread_local Workspace work;
                return formula.value({.q = {}, .u = {}, .t_s = t_s}, work);
            };
        }
        if (!limit) continue;
        if (names_coordinates(*limit)) {
            freedom.motor_limit_of = of_state(*limit, plain);
        } else if (limit->depends_on(Variable::Kind::Time)) {
            freedom.motor_limit_of = [formula = *limit](const State& state) {
                thread_local Workspace work;
                return formula.value({.q = {}, .u = {}, .t_s = state.t_s}, work);
            };
        } else {
            Workspace work;
            freedom.motor_limit = limit->value({}, work);
        }
    }
}

std::vector<DrivenSpring> read_driven_springs(const Node& root, const BodyDraft& draft, Mistakes& mistakes)
{
    std::vector<DrivenSpring> springs;
    Mistakes told = mistakes;  // names that are taken have been told
    for (const SpringDraft& spring : draft.driven_springs) {
        const Names names = with_coordinates(root, spring.names, draft, told);
        const auto formula = [&](const std::optional<Node>& node) {
            return node ? formula_of(&*node, names, mistakes).value_or(Formula()) : Formula();
        };
        springs.push_back({.between = draft.setup.springs[static_cast<std::size_t>(spring.spring)],
                           .stiffness_N_m = formula(spring.stiffness),
                           .damping_Ns_m = formula(spring.damping),
                           .rest_length_m = formula(spring.rest_length)});
    }
    return springs;
}

/// Kinetic energy of coordinates is theirs alone: what names bodies has no place in the metric.
void check_kinetic(const Node& root, const LagrangianSystem& system, int first, Mistakes& mistakes)
{
    for (const Term& term : system.kinetic.terms()) {
        const auto of_body = std::ranges::find_if(term.variables(), [&](const Variable& variable) {
            return variable.kind != Variable::Kind::Time && variable.index < first;
        });
        if (of_body == term.variables().end()) continue;
        mistakes.add(
            place_of(root, "lagrangian.kinetic"), ErrorCode::NotAllowedHere,
            fmt::format("the kinetic energy of coordinates names {}, of a body",
                        system.coordinates[static_cast<std::size_t>(of_body->index)].name),
            "bodies have their own kinetic energy; couple them by potentials, forces, loads, contacts "
            "or constraints");
        return;
    }
}

/// What a scene of bodies shows beside them.
struct Shown {
    std::vector<Probe> probes;
    std::vector<ContactForceProbe> forces;
    std::vector<Drawing> drawings;
};

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

Shown read_shown(const Node& root, const BodyDraft& draft, const Names& names, Mistakes& mistakes)
{
    Shown shown;
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

/// What figures of bodies may name: contacts come and go, and have no names in scenes.
FigureNames figure_names(const Shown& shown)
{
    FigureNames known;
    for (const Probe& probe : shown.probes)
        known.probes.push_back(probe.name);
    for (const ContactForceProbe& probe : shown.forces)
        known.probes.push_back(probe.name);
    return known;
}

}  // namespace

std::optional<Scene> scene_of_bodies(const Node& root, const Names& names, Mistakes& mistakes)
{
    BodyDraft draft = draft_bodies(root, names, mistakes);
    const Names all_names = with_coordinates(root, names, draft, mistakes);
    Settings settings = read_settings(root, all_names, mistakes);
    refuse_beside_bodies(root, settings, mistakes);
    std::vector<Load> loads = read_loads(root, draft, all_names, mistakes);
    Shown shown = read_shown(root, draft, all_names, mistakes);
    read_motors(root, draft, mistakes);
    std::vector<DrivenSpring> springs = read_driven_springs(root, draft, mistakes);
    draft.setup.start_s = settings.start_s;
    Draft beside;
    if (has_formulas(root)) {
        std::vector<Coordinate> of_bodies = coordinate_names(draft.setup);
        const auto first = static_cast<int>(of_bodies.size());
        beside = draft_beside_bodies(root, std::move(of_bodies), all_names, mistakes);
        check_kinetic(root, beside.system, first, mistakes);
        draft.setup.with_formulas = true;
        draft.setup.coordinates = static_cast<int>(beside.system.coordinates.size()) - first;
    }
    auto figures = read_figures(root, all_names, figure_names(shown), mistakes);
    if (const Node* impact = find(root, "impact"))
        draft.setup.impact_map = impact_map_of_bodies(*impact, mistakes);
    if (!mistakes.empty()) return std::nullopt;
    const auto others = static_cast<std::ptrdiff_t>(draft.setup.coordinates);
    const bool loaded = !loads.empty() || !springs.empty();
    auto made = loaded ? make_body_model(draft.setup) : make_body_model(std::move(draft.setup));
    if (made && loaded) {
        // loads act at points, which are known from the centres of mass
        draft.setup.forces = forces_of(std::move(loads), std::move(springs),
                                       std::make_shared<const BodyModel>(std::move(*made)));
        made = make_body_model(std::move(draft.setup));
    }
    if (!made) {
        add_body_errors(root, draft, made.error(), mistakes);
        return std::nullopt;
    }
    const auto bodies = std::make_shared<const BodyModel>(std::move(*made));
    State body_start = make_body_state(*bodies);
    body_start.q.tail(others) =
        Eigen::Map<const Eigen::VectorXd>(beside.q.data(), std::ssize(beside.q)).tail(others);
    body_start.u.tail(others) =
        Eigen::Map<const Eigen::VectorXd>(beside.u.data(), std::ssize(beside.u)).tail(others);
    beside.system.probes = std::move(shown.probes);
    beside.system.drawings = spring_drawings(*bodies);
    std::ranges::move(shown.drawings, std::back_inserter(beside.system.drawings));
    auto model = make_model(bodies, std::move(beside.system));
    if (!model) {
        add_body_errors(root, draft, model.error(), mistakes);
        return std::nullopt;
    }
    const double length_m = settings.length_m.value_or(bodies->length_m());
    const IntegratorSettings integrator =
        with_activation_gap(settings.integrator, settings.activation_gap_m.value_or(1e-9 * length_m));
    RunPlan plan = settings.plan;
    if (find_path(root, "record.events") == nullptr)
        plan.keep_events = bodies->bodies() <= max_bodies_with_events;
    State start = make_state(*model, body_start.q, body_start.u, settings.start_s);
    copy_bodies(body_start, start);
    if (has_formulas(root)) {
        for (const Error& error : check_start(*model, start, 1e-9 * length_m))
            mistakes.add(place_of(root, error.where), error);
        if (!mistakes.empty()) return std::nullopt;
    }
    return Scene{.title = {},
                 .text = {},
                 .model = std::move(*model),
                 .start = std::move(start),
                 .integrator = integrator,
                 .solver = settings.solver,
                 .plan = std::move(plan),
                 .record = settings.record,
                 .length_m = length_m,
                 .bodies = std::make_shared<const SceneBodies>(
                     SceneBodies{std::move(shown.forces), std::move(draft.colours)}),
                 .figures = std::move(figures)};
}

}  // namespace carom::detail
