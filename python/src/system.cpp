#include "binding.hpp"

#include "carom/scene/sketch.hpp"

namespace carom::python {

ImpactMap impact_map_from(const py::object& function);

namespace {

/// A text, a number, a function that is called once with symbols, or nothing.
FormulaSketch formula_of(const py::handle& given)
{
    if (given.is_none()) return {};
    if (py::isinstance<py::str>(given)) return given.cast<std::string>();
    if (!PyCallable_Check(given.ptr())) return given.cast<double>();
    const auto function = py::reinterpret_borrow<py::object>(given);
    return FormulaSketch([function](const std::vector<Symbol>& q, const std::vector<Symbol>& u,
                                    const Symbol& t) { return function(q, u, t).cast<Symbol>(); });
}

std::vector<FormulaSketch> formulas_of(const py::handle& given)
{
    std::vector<FormulaSketch> formulas;
    for (const py::handle one : given)
        formulas.push_back(formula_of(one));
    return formulas;
}

ContactSketch contact_of(const py::dict& given)
{
    return {.name = given["name"].cast<std::string>(),
            .gap = formula_of(given["gap"]),
            .restitution = formula_of(given["restitution"]),
            .friction = formula_of(given["friction"]),
            .static_friction = formula_of(given["static_friction"]),
            .tangential_restitution = formula_of(given["tangential_restitution"]),
            .sliding = formulas_of(given["sliding"]),
            .position = formulas_of(given["position"]),
            .surface = formula_of(given["surface"]),
            .obstacle_velocity = formulas_of(given["obstacle_velocity"])};
}

ConstraintSketch constraint_of(const py::dict& given)
{
    return {.name = given["name"].cast<std::string>(),
            .zero = formulas_of(given["zero"]),
            .velocity = formulas_of(given["velocity"]),
            .only_while = given["only_while"].cast<std::string>()};
}

/// `settings`: a scene whose integrator, solver, times and record are taken over.
SystemSketch sketch_of(const py::dict& given, const Scene& settings)
{
    SystemSketch sketch{.title = settings.title, .coordinates = {}, .kinetic = formula_of(given["kinetic"])};
    for (const py::handle one : given["coordinates"]) {
        const auto [name, start, velocity, unit] =
            one.cast<std::tuple<std::string, double, double, std::string>>();
        sketch.coordinates.push_back({name, start, velocity, unit});
    }
    sketch.potential = formula_of(given["potential"]);
    for (const auto& [name, force] : given["forces"].cast<py::dict>())
        sketch.forces.emplace(name.cast<std::string>(), formula_of(force));
    for (const py::handle one : given["contacts"])
        sketch.contacts.push_back(contact_of(one.cast<py::dict>()));
    for (const py::handle one : given["constraints"])
        sketch.constraints.push_back(constraint_of(one.cast<py::dict>()));
    for (const py::handle one : given["probes"]) {
        const auto parts = one.cast<py::tuple>();
        sketch.probes.push_back(
            {parts[0].cast<std::string>(), formula_of(parts[1]), parts[2].cast<std::string>()});
    }
    sketch.parameters = given["parameters"].cast<std::map<std::string, double>>();
    if (const py::object map = given["impact_map"]; !map.is_none()) sketch.impact_map = impact_map_from(map);
    sketch.integrator = settings.integrator;
    sketch.solver = settings.solver;
    sketch.start_s = settings.start.t_s;
    sketch.duration_s = settings.plan.duration_s;
    sketch.until_rest = settings.plan.until.rest;
    sketch.until = formula_of(given["until"]);
    if (settings.record.every_s > 0) sketch.every_s = settings.record.every_s;
    return sketch;
}

}  // namespace

void bind_system(py::module_& module)
{
    module.def("make_scene", [](const py::dict& given, const Scene& settings) {
        return std::make_shared<Scene>(take(make_scene(sketch_of(given, settings))));
    });
}

}  // namespace carom::python
