#include "binding.hpp"

#include "carom/core/version.hpp"
#include "carom/scene/fields.hpp"

PYBIND11_MODULE(_carom, module)
{
    using namespace carom::python;
    watch_exit();
    module.doc() = "carom's library, as the package carom uses it";
    module.attr("version") = std::string(carom::version);
    module.def("scene_schema", &carom::scene_schema, "The JSON Schema of scenes.");
    bind_scene(module);
    bind_run(module);
    bind_records(module);
    bind_inspect(module);
    bind_orbit(module);
    bind_study(module);
    bind_solve(module);
    bind_convex(module);
    bind_impact(module);
    bind_symbol(module);
    bind_system(module);
    bind_fields(module);
    bind_figure(module);
    bind_simulation(module);
}
