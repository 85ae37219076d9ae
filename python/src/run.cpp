#include "attendant.hpp"
#include "callback.hpp"
#include "run_binding.hpp"

#include "carom/trace/export.hpp"
#include "carom/trace/page.hpp"

namespace carom::python {
namespace {

using RunPointer = std::shared_ptr<RunObject>;

RunPointer run_object(Expected<Run, Errors>&& result, SharedScene scene)
{
    Run run = take(std::move(result));
    if (!run.not_written.empty()) raise(run.not_written);
    std::string status = run.stopped ? "interrupted" : std::string(name_of(run.status));
    return std::make_shared<RunObject>(RunObject{std::move(run), std::move(status), std::move(scene)});
}

KeepProblems problems_of(const std::string& which, std::size_t count, const std::string& folder)
{
    KeepProblems problems{.which = KeepProblems::Which::None, .count = count, .folder = folder};
    if (which == "all") problems.which = KeepProblems::Which::All;
    if (which == "failed") problems.which = KeepProblems::Which::Failed;
    if (which == "worst") problems.which = KeepProblems::Which::Worst;
    return problems;
}

/// The run, and whether Ctrl-C ended it.
std::pair<RunPointer, bool> run_scene(const std::shared_ptr<Scene>& scene, const std::string& recording,
                                      std::vector<double> at_s, const std::string& problems,
                                      std::size_t problem_count, const std::string& problem_folder,
                                      bool columns, py::object listener, py::object progress)
{
    Attendant attendant(std::move(progress), std::move(listener));
    attendant.expect(*scene);
    const RunOptions options{.recording = recording,
                             .at_s = std::move(at_s),
                             .problems = problems_of(problems, problem_count, problem_folder),
                             .columns = columns,
                             .listener = attendant.as_listener(),
                             .stop = &attendant.stop()};
    auto result = [&] {
        const Unlocked unlocked;
        return run(*scene, options);
    }();
    raise_kept_error();
    const bool interrupted = attendant.was_interrupted();
    return {run_object(std::move(result), scene), interrupted};
}

std::pair<RunPointer, bool> resume_run(const std::string& recording, const OverridePairs& overrides,
                                       py::object listener, py::object progress)
{
    Attendant attendant(std::move(progress), std::move(listener));
    SharedScene scene;
    auto result = [&]() -> Expected<Run, Errors> {
        const Unlocked unlocked;
        auto resumed = Resumption::open(recording, {.overrides = overrides_of(overrides),
                                                    .listener = attendant.as_listener(),
                                                    .stop = &attendant.stop()});
        if (!resumed) return resumed.error();
        scene = std::make_shared<const Scene>(resumed->scene());
        attendant.expect(*scene);
        return resumed->run();
    }();
    raise_kept_error();
    const bool interrupted = attendant.was_interrupted();
    return {run_object(std::move(result), scene), interrupted};
}

RunPointer open_run(const std::string& recording)
{
    auto result = [&] {
        const Unlocked unlocked;
        return open_recorded(recording);
    }();
    RecordedRun recorded = take(std::move(result));
    return std::make_shared<RunObject>(
        RunObject{std::move(recorded.run), std::string(recorded.status), nullptr});
}

/// The text that `make` gives, made without the lock of the interpreter.
template <class Make>
std::string made(const RunObject& run, Make make)
{
    const Unlocked unlocked;
    return make(run.run.record);
}

void bind_exports(py::class_<RunObject, RunPointer>& type)
{
    type.def("csv", [](const RunObject& run) { return made(run, &to_csv); })
        .def("svg", [](const RunObject& run) { return made(run, [](const auto& r) { return to_svg(r); }); })
        .def("page", [](const RunObject& run) { return made(run, [](const auto& r) { return to_page(r); }); })
        .def("gltf",
             [](const RunObject& run, bool binary) {
                 return py::bytes(made(run, [&](const Recording& r) {
                     return to_gltf(r, binary ? GltfForm::Binary : GltfForm::Text);
                 }));
             })
        .def("vtp",
             [](const RunObject& run, long frame) {
                 if (frame < 0 || frame >= run.run.record.frames()) throw py::index_error("no such frame");
                 return py::make_tuple(vtp_name(frame), to_vtp(run.run.record, frame));
             })
        .def("pvd",
             [](const RunObject& run, const std::string& folder) { return to_pvd(run.run.record, folder); })
        .def("save",
             [](const RunObject& run, const std::string& path) {
                 if (!run.scene) throw py::value_error("a run from a file is copied, not saved");
                 auto saved = [&] {
                     const Unlocked unlocked;
                     return save(run.run, *run.scene, path);
                 }();
                 if (!saved) raise(saved.error());
             })
        .def_property_readonly("draws", [](const RunObject& run) {
            return !run.run.record.drawings.empty() || !run.run.record.solids.solids.empty();
        });
}

py::list contacts_of(const StepRecord& step)
{
    py::list list;
    for (const StepContact& contact : step.contacts())
        list.append(contact_object(contact));
    return list;
}

void bind_step(py::module_& module)
{
    const auto read = [](auto get) { return [get](const StepObject& step) { return get(step.record()); }; };
    py::class_<StepObject, std::shared_ptr<StepObject>>(module, "Step",
                                                        "One finished step, for a listener during its call.")
        .def_property_readonly("step", read([](const StepRecord& step) { return step.step(); }),
                               "Its number, from 1.")
        .def_property_readonly("time_s", read([](const StepRecord& step) { return step.time_s(); }),
                               "Where it ended, s.")
        .def_property_readonly("step_s", read([](const StepRecord& step) { return step.step_s(); }),
                               "How long it was, s.")
        .def_property_readonly("q", read([](const StepRecord& step) { return array_of(step.q()); }),
                               "Coordinates at its end, a copy.")
        .def_property_readonly("u", read([](const StepRecord& step) { return array_of(step.u()); }),
                               "Velocities at its end, a copy.")
        .def_property_readonly("q_before",
                               read([](const StepRecord& step) { return array_of(step.q_before()); }),
                               "Coordinates at its beginning.")
        .def_property_readonly("u_before",
                               read([](const StepRecord& step) { return array_of(step.u_before()); }),
                               "Velocities at its beginning.")
        .def_property_readonly("residual", read([](const StepRecord& step) { return step.residual(); }),
                               "Error of its one-step problem.")
        .def_property_readonly("iterations", read([](const StepRecord& step) { return step.iterations(); }),
                               "Of the solver.")
        .def_property_readonly("energy",
                               read([](const StepRecord& step) { return lines_dict(step.energy()); }),
                               "The ledger of the step, J.")
        .def_property_readonly("kinetic_J",
                               read([](const StepRecord& step) { return step.energies().kinetic_J; }),
                               "Kinetic energy at its end.")
        .def_property_readonly("potential_J",
                               read([](const StepRecord& step) { return step.energies().potential_J; }),
                               "Potential energy at its end.")
        .def_property_readonly("percussions_Ns",
                               read([](const StepRecord& step) { return array_of(step.percussions_Ns()); }),
                               "Of the system's contacts, then of its constraints.")
        .def_property_readonly("contacts", read(&contacts_of),
                               "Contacts that acted; of bodies all that were near.");
}

}  // namespace

void bind_run(py::module_& module)
{
    py::class_<RunObject, RunPointer> type(module, "Run", "What a run left behind.");
    type.def_property_readonly("status", [](const RunObject& run) { return run.status; })
        .def_property_readonly("end", [](const RunObject& run) { return std::string(name_of(run.run.end)); })
        .def_property_readonly("time_s", [](const RunObject& run) { return run.run.at_end.t_s; })
        .def_property_readonly(
            "q_end", [](const py::object& self) { return view(self.cast<RunObject&>().run.at_end.q, self); })
        .def_property_readonly(
            "u_end", [](const py::object& self) { return view(self.cast<RunObject&>().run.at_end.u, self); })
        .def_property_readonly("wall_s", [](const RunObject& run) { return run.run.wall_s; })
        .def_property_readonly("steps_now", [](const RunObject& run) { return run.run.steps_now; })
        .def_property_readonly("recording", [](const RunObject& run) { return run.run.recording; })
        .def_property_readonly("note", [](const RunObject& run) { return run.run.note; })
        .def_property_readonly(
            "scene", [](const RunObject& run) { return std::const_pointer_cast<Scene>(run.scene); });
    bind_exports(type);
    bind_step(module);

    module.def("run", &run_scene, py::arg("scene"), py::arg("recording"), py::arg("at_s"),
               py::arg("problems"), py::arg("problem_count"), py::arg("problem_folder"), py::arg("columns"),
               py::arg("listener"), py::arg("progress"));
    module.def("resume", &resume_run, py::arg("recording"), py::arg("overrides"), py::arg("listener"),
               py::arg("progress"));
    module.def("open", &open_run, py::arg("recording"));
}

}  // namespace carom::python
