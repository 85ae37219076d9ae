#include "binding.hpp"

namespace carom::python {
namespace {

py::dict theory_of(const WellPosedness& theory)
{
    py::list hypotheses;
    for (const Hypothesis& one : theory.hypotheses)
        hypotheses.append(
            py::make_tuple(one.code, std::string(name_of(one.bearing)), one.message, one.theory));
    py::dict result;
    result["promise"] = std::string(name_of(theory.promise));
    result["for_all_time"] = theory.for_all_time;
    result["for_all_time_shown"] = theory.for_all_time_shown;
    result["hypotheses"] = hypotheses;
    result["condition"] = theory.condition;
    result["rank"] = theory.start.cone.rank;
    return result;
}

py::dict facts_of(const SceneInspection& scene)
{
    py::dict result = theory_of(scene.theory);
    py::list statuses;
    for (const StatusDecision& one : scene.statuses)
        statuses.append(py::make_tuple(one.contact, one.normal, one.normal_order, one.normal_leading,
                                       one.friction, one.friction_order, one.friction_leading));
    result["statuses"] = statuses;
    return result;
}

py::dict facts_of(const BodyInspection& bodies)
{
    py::dict result;
    result["motions"] = bodies.motions;
    result["shapes"] = bodies.shapes;
    result["degrees_of_freedom"] = bodies.degrees_of_freedom;
    result["mass_kg"] = bodies.mass_kg;
    result["lightest_kg"] = bodies.lightest_kg;
    result["heaviest_kg"] = bodies.heaviest_kg;
    result["closed"] = bodies.closed;
    result["pairs"] = bodies.pairs;
    result["unknowns"] = bodies.unknowns;
    result["deepest_m"] = bodies.deepest_m;
    result["kinetic_J"] = bodies.kinetic_J;
    result["potential_J"] = bodies.potential_J;
    result["held"] = bodies.held;
    result["rank"] = bodies.rank;
    result["overlaps"] = bodies.overlaps;
    return result;
}

py::dict facts_of(const SweepInspection& sweep)
{
    py::dict result;
    result["one_solution"] = sweep.one_solution;
    return result;
}

}  // namespace

void bind_inspect(py::module_& module)
{
    module.def(
        "inspect",
        [](const Scene& scene) {
            const Inspection inspection = [&] {
                const Unlocked unlocked;
                return inspect(scene);
            }();
            const py::dict facts = std::visit([](const auto& of) { return facts_of(of); }, inspection);
            return py::make_tuple(is_good(inspection), facts);
        },
        py::arg("scene"));
}

}  // namespace carom::python
