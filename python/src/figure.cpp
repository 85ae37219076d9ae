#include "interrupt.hpp"
#include "run_binding.hpp"

#include "carom/figure/figure.hpp"

namespace carom::python {
namespace {

FigureStyle style_of(const std::string& format, double dots_per_inch)
{
    FigureStyle style{.format = FigureFormat::Svg, .dots_per_inch = dots_per_inch};
    if (format == "pdf") style.format = FigureFormat::Pdf;
    if (format == "png") style.format = FigureFormat::Png;
    return style;
}

/// The file, its numbers and how its runs ended, as carom.Figure takes them.
py::tuple figure_tuple(const Figure& figure)
{
    py::list numbers, statuses;
    for (const FigureResult& result : figure.results)
        numbers.append(
            py::make_tuple(result.label, result.unit, result.value, result.reference, result.error()));
    for (const FigureRun& one : figure.runs)
        statuses.append(std::string(name_of(one.run.status)));
    return py::make_tuple(py::bytes(figure.file), numbers, statuses);
}

/// Whether the run of a scene is all that the figure shows.
bool needs_one_run(const FigurePlan& plan)
{
    bool simple = plan.over.empty() && plan.sets.empty() && !plan.orbit;
    for (const FigurePanel& panel : plan.panels)
        simple = simple && !(panel.strobe_s > 0);
    for (const FigureNumber& number : plan.numbers)
        simple = simple && !number.at_s;
    return simple;
}

py::tuple figure_of_scene(const std::shared_ptr<Scene>& scene, const std::string& name,
                          const std::string& format, double dots_per_inch)
{
    const FigurePlan plan = take(figure_named(*scene, name));
    const InterruptWatch watch;
    auto figure = [&] {
        const Unlocked unlocked;
        return make_figure(*scene, plan, style_of(format, dots_per_inch), &watch.flag());
    }();
    if (watch.heard() && PyErr_CheckSignals() != 0) throw py::error_already_set();
    return figure_tuple(take(std::move(figure)));
}

py::tuple figure_of_run(const std::shared_ptr<RunObject>& run, const std::shared_ptr<Scene>& scene,
                        const std::string& name, const std::string& format, double dots_per_inch)
{
    const FigurePlan plan = take(figure_named(*scene, name));
    if (!needs_one_run(plan)) return figure_of_scene(scene, name, format, dots_per_inch);
    auto figure = [&] {
        const Unlocked unlocked;
        return draw_figure(*scene, plan, {FigureRun{0, plan, run->run}}, style_of(format, dots_per_inch));
    }();
    return figure_tuple(take(std::move(figure)));
}

}  // namespace

void bind_figure(py::module_& module)
{
    module.def("figure_names", [](const Scene& scene) {
        std::vector<std::string> names;
        for (const FigurePlan& plan : scene.figures)
            names.push_back(plan.name);
        return names;
    });
    module.def("figure_of_scene", &figure_of_scene, py::arg("scene"), py::arg("name"), py::arg("format"),
               py::arg("dpi"));
    module.def("figure_of_run", &figure_of_run, py::arg("run"), py::arg("scene"), py::arg("name"),
               py::arg("format"), py::arg("dpi"));
}

}  // namespace carom::python
