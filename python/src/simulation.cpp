#include "binding.hpp"
#include "callback.hpp"
#include "run_binding.hpp"

#include "carom/door/simulation.hpp"

#include <chrono>

namespace carom::python {
namespace {

/// Held by pointer, so that a step costs one call.
using Pointer = std::shared_ptr<Simulation>;
using SnapshotPointer = std::shared_ptr<const Simulation::Snapshot>;

/// What a Python program holds of a snapshot.
struct SnapshotObject {
    SnapshotPointer snapshot;
};

void check(Expected<void>&& done)
{
    if (!done) raise(done.error());
}

/// Up to `count` steps without the interpreter, those of 50 ms; none where the simulation has ended.
long steps_for_a_while(Simulation& simulation, long count)
{
    using Clock = std::chrono::steady_clock;
    const Unlocked unlocked;
    const auto enough = Clock::now() + std::chrono::milliseconds(50);
    long taken = 0;
    while (taken < count && !has_kept_error()) {
        if (simulation.step() == 0) break;
        ++taken;
        if (Clock::now() > enough) break;
    }
    return taken;
}

/// One step is too short to let go of the interpreter for; many are not.
long step(Simulation& simulation, long count)
{
    if (count < 0) throw py::value_error("the number of steps is negative");
    long taken = 0;
    if (count == 1) {
        taken = simulation.step();
    } else {
        // in parts of about 50 ms, so that Ctrl-C is heard and other threads go on
        while (taken < count) {
            const long now = steps_for_a_while(simulation, count - taken);
            taken += now;
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (now == 0 || has_kept_error()) break;
        }
    }
    raise_kept_error();
    return taken;
}

py::list last_contacts(const Simulation& simulation)
{
    py::list list;
    for (const StepContact& contact : simulation.contacts())
        list.append(contact_object(contact));
    return list;
}

Wrench wrench_of(const py::object& force_N, const py::object& torque_Nm)
{
    const Eigen::VectorXd force = vector_of(force_N, "force_N"), torque = vector_of(torque_Nm, "torque_Nm");
    if (force.size() != 3 || torque.size() != 3)
        throw py::value_error("force_N and torque_Nm have three components");
    return {.force_N = Vec3(force), .torque_Nm = Vec3(torque)};
}

}  // namespace

void bind_simulation(py::module_& module)
{
    py::class_<SnapshotObject>(module, "Snapshot", "A simulation between two steps.");
    py::class_<Simulation, Pointer>(module, "Simulation")
        .def(py::init([](const Scene& scene) {
            auto made = Simulation::of(scene);
            raise_kept_error();
            return std::make_shared<Simulation>(take(std::move(made)));
        }))
        .def("step", &step)
        .def_property_readonly("time_s", [](const Simulation& s) { return s.state().t_s; })
        .def_property_readonly("steps", &Simulation::steps)
        .def_property_readonly("q", [](const Simulation& s) { return array_of(s.state().q); })
        .def_property_readonly("u", [](const Simulation& s) { return array_of(s.state().u); })
        .def_property_readonly("end",
                               [](const Simulation& s) -> std::optional<std::string> {
                                   const auto end = s.end();
                                   if (!end) return std::nullopt;
                                   return std::string(name_of(*end));
                               })
        .def_property_readonly("contacts", &last_contacts)
        .def_property_readonly("energy", [](const Simulation& s) { return lines_dict(s.energy()); })
        .def("report",
             [](const Simulation& s) {
                 const RunReport report = s.report();
                 return py::make_tuple(std::string(name_of(report.status)),
                                       certificate_dict(report.certificate), findings_list(report.findings));
             })
        .def("set_state",
             [](Simulation& s, const py::object& q, const py::object& u) {
                 const auto set = s.set_state(vector_of(q, "q"), vector_of(u, "u"));
                 raise_kept_error();
                 if (!set) raise(set.error());
             })
        .def("set_force",
             [](Simulation& s, const py::object& force) {
                 const Eigen::VectorXd F = vector_of(force, "force");
                 check(s.set_force(std::span(F.data(), static_cast<std::size_t>(F.size()))));
             })
        .def("set_wrench",
             [](Simulation& s, const std::string& body, const py::object& force_N,
                const py::object& torque_Nm) { check(s.set_wrench(body, wrench_of(force_N, torque_Nm))); })
        .def("set_motor",
             [](Simulation& s, const std::string& joint, double rate) { check(s.set_motor(joint, rate)); })
        .def("snapshot", [](const Simulation& s) { return SnapshotObject{s.snapshot()}; })
        .def("restore", [](Simulation& s, const SnapshotObject& at) { check(s.restore(*at.snapshot)); });
}

}  // namespace carom::python
