#include "binding.hpp"

#include "carom/scene/sweeping_scene.hpp"

namespace carom::python {
namespace {

SharedScene shared(Expected<Scene, Errors>&& scene)
{
    return std::make_shared<const Scene>(take(std::move(scene)));
}

py::list names_and_units(const std::vector<Coordinate>& coordinates)
{
    py::list list;
    for (const Coordinate& coordinate : coordinates)
        list.append(py::make_tuple(coordinate.name, coordinate.unit));
    return list;
}

std::vector<std::string> contact_names(const Scene& scene)
{
    std::vector<std::string> names;
    for (const Contact& contact : scene.model.system().contacts)
        names.push_back(contact.name);
    return names;
}

std::vector<std::string> probe_names(const Scene& scene)
{
    std::vector<std::string> names;
    for (const Probe& probe : scene.model.system().probes)
        names.push_back(probe.name);
    return names;
}

}  // namespace

void bind_scene(py::module_& module)
{
    py::class_<Scene, std::shared_ptr<Scene>>(module, "Scene", "A scene that was read and checked.")
        .def_property_readonly("title", [](const Scene& scene) { return scene.title; })
        .def_property_readonly("text", [](const Scene& scene) { return scene.text; })
        .def_property_readonly("kind",
                               [](const Scene& scene) { return std::string(name_of(kind_of(scene))); })
        .def_property_readonly("integrator",
                               [](const Scene& scene) {
                                   return scene.sweeping ? std::string("sweeping")
                                                         : std::string(name_of(scene.integrator));
                               })
        .def_property_readonly("time_step_s",
                               [](const Scene& scene) {
                                   return scene.sweeping ? scene.sweeping->settings.time_step_s
                                                         : time_step_s(scene.integrator);
                               })
        .def_property_readonly("start_s", [](const Scene& scene) { return scene.start.t_s; })
        .def_property_readonly("duration_s", [](const Scene& scene) { return scene.plan.duration_s; })
        .def_property_readonly("length_m", [](const Scene& scene) { return scene.length_m; })
        .def_property_readonly("tolerance", [](const Scene& scene) { return scene.solver.tolerance; })
        .def_property_readonly(
            "coordinates",
            [](const Scene& scene) { return names_and_units(scene.model.system().coordinates); })
        .def_property_readonly("contacts", &contact_names)
        .def_property_readonly("bodies", &body_names)
        .def_property_readonly("probes", &probe_names)
        .def_property_readonly("q", [](const Scene& scene) { return array_of(scene.start.q); })
        .def_property_readonly("u", [](const Scene& scene) { return array_of(scene.start.u); })
        .def_property_readonly("warnings", [](const Scene& scene) { return mistakes_of(scene.warnings); });

    module.def(
        "read_scene",
        [](const std::string& path, const OverridePairs& overrides) {
            auto scene = [&] {
                const Unlocked unlocked;
                return read_scene(path, overrides_of(overrides));
            }();
            return std::const_pointer_cast<Scene>(shared(std::move(scene)));
        },
        py::arg("path"), py::arg("overrides"));
    module.def(
        "read_scene_text",
        [](const std::string& text, const std::string& name, const OverridePairs& overrides,
           const std::string& folder) {
            auto scene = [&] {
                const Unlocked unlocked;
                return read_scene_text(text, name, overrides_of(overrides), folder);
            }();
            return std::const_pointer_cast<Scene>(shared(std::move(scene)));
        },
        py::arg("text"), py::arg("name"), py::arg("overrides"), py::arg("folder"));
    module.def(
        "import_urdf",
        [](const std::string& path, bool floating, bool hold) {
            return take(import_urdf(path, {.floating = floating, .hold = hold}));
        },
        py::arg("path"), py::arg("floating"), py::arg("hold"));
}

}  // namespace carom::python
