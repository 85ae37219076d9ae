#include "body_forces.hpp"

#include "body_names.hpp"
#include "body_values.hpp"
#include "expression/workspace.hpp"
#include "system.hpp"
#include "system/bodies/body_coordinates.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

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

bool names_coordinates(const Formula& formula)
{
    return formula.depends_on(Variable::Kind::Coordinate) || formula.depends_on(Variable::Kind::Velocity);
}

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

/// A formula of the state of bodies.
std::function<double(const State&)> of_state(Formula formula, std::shared_ptr<const BodyModel> plain)
{
    return [formula = std::move(formula), plain = std::move(plain)](const State& state) {
        thread_local Workspace work;
        const State shown = coordinate_state(*plain, state);
        return formula.value({view(shown.q), view(shown.u), state.t_s}, work);
    };
}

}  // namespace

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

}  // namespace carom::detail
