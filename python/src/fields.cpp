#include "binding.hpp"

#include "carom/scene/fields.hpp"
#include "core/text.hpp"

namespace carom::python {

void bind_fields(py::module_& module)
{
    module.def("scene_fields", [] {
        py::list list;
        for (const Field& field : scene_fields())
            list.append(py::make_tuple(std::string(field.path), std::string(name_of(field.type)),
                                       field.needed, std::string(field.unit), std::string(field.fallback),
                                       field.choices, std::string(field.help)));
        return list;
    });
    module.def("nearest_name", [](const std::string& name, const std::vector<std::string>& known) {
        return nearest_name(name, known);
    });
}

}  // namespace carom::python
