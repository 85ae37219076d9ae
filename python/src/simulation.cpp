#include "binding.hpp"
#include "callback.hpp"
#include "run_binding.hpp"

#include "carom/door/simulation.hpp"

#include <chrono>

namespace carom::python {
namespace {

/// A simulation as Python holds it. While one thread steps it without the lock of the interpreter, other
/// threads may not touch it.
class SimulationObject {
public:
    explicit SimulationObject(Simulation&& simulation) : simulation_(std::move(simulation)) {}

    /// For whoever has the lock of the interpreter.
    [[nodiscard]] Simulation& use()
    {
        if (stepping_)
            throw std::runtime_error(
                "this simulation is being stepped by another thread: give each thread its own");
        return simulation_;
    }

    /// `work(simulation)` without the lock.
    template <class Work>
    auto use_unlocked(const Work& work)
    {
        Simulation& simulation = use();
        struct Stepping {
            bool& flag;
            ~Stepping() { flag = false; }
        } const stepping{stepping_ = true};
        const Unlocked unlocked;
        return work(simulation);
    }

private:
    Simulation simulation_;
    bool stepping_ = false;  ///< changed with the lock of the interpreter
};

/// Held by pointer, so that a step costs one call.
using Pointer = std::shared_ptr<SimulationObject>;
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
long steps_for_a_while(SimulationObject& object, long count)
{
    using Clock = std::chrono::steady_clock;
    return object.use_unlocked([count](Simulation& simulation) {
        const auto enough = Clock::now() + std::chrono::milliseconds(50);
        long taken = 0;
        while (taken < count && !has_kept_error()) {
            if (simulation.step() == 0) break;
            ++taken;
            if (Clock::now() > enough) break;
        }
        return taken;
    });
}

/// One step is too short to let go of the interpreter for; many are not.
long step(SimulationObject& object, long count)
{
    if (count < 0) throw py::value_error("the number of steps is negative");
    long taken = 0;
    if (count == 1) {
        taken = object.use().step();
    } else {
        // in parts of about 50 ms, so that Ctrl-C is heard and other threads go on
        while (taken < count) {
            const long now = steps_for_a_while(object, count - taken);
            taken += now;
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (now == 0 || has_kept_error()) break;
        }
    }
    raise_kept_error();
    return taken;
}

py::list last_contacts(SimulationObject& object)
{
    py::list list;
    for (const StepContact& contact : object.use().contacts())
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
    py::class_<SimulationObject, Pointer>(module, "Simulation")
        .def(py::init([](const Scene& scene) {
            auto made = Simulation::of(scene);
            raise_kept_error();
            return std::make_shared<SimulationObject>(take(std::move(made)));
        }))
        .def("step", &step)
        .def_property_readonly("time_s", [](SimulationObject& s) { return s.use().state().t_s; })
        .def_property_readonly("steps", [](SimulationObject& s) { return s.use().steps(); })
        .def_property_readonly("q", [](SimulationObject& s) { return array_of(s.use().state().q); })
        .def_property_readonly("u", [](SimulationObject& s) { return array_of(s.use().state().u); })
        .def_property_readonly("end",
                               [](SimulationObject& s) -> std::optional<std::string> {
                                   const auto end = s.use().end();
                                   if (!end) return std::nullopt;
                                   return std::string(name_of(*end));
                               })
        .def_property_readonly("contacts", &last_contacts)
        .def_property_readonly("energy", [](SimulationObject& s) { return lines_dict(s.use().energy()); })
        .def("report",
             [](SimulationObject& s) {
                 const RunReport report = s.use().report();
                 return py::make_tuple(std::string(name_of(report.status)),
                                       certificate_dict(report.certificate), findings_list(report.findings));
             })
        .def("set_state",
             [](SimulationObject& s, const py::object& q, const py::object& u) {
                 const Eigen::VectorXd at = vector_of(q, "q"), rate = vector_of(u, "u");
                 const auto set = s.use().set_state(at, rate);
                 raise_kept_error();
                 if (!set) raise(set.error());
             })
        .def("set_force",
             [](SimulationObject& s, const py::object& force) {
                 const Eigen::VectorXd F = vector_of(force, "force");
                 check(s.use().set_force(std::span(F.data(), static_cast<std::size_t>(F.size()))));
             })
        .def("set_wrench",
             [](SimulationObject& s, const std::string& body, const py::object& force_N,
                const py::object& torque_Nm) {
                 const Wrench wrench = wrench_of(force_N, torque_Nm);
                 check(s.use().set_wrench(body, wrench));
             })
        .def("set_motor", [](SimulationObject& s, const std::string& joint,
                             double rate) { check(s.use().set_motor(joint, rate)); })
        .def("snapshot", [](SimulationObject& s) { return SnapshotObject{s.use().snapshot()}; })
        .def("restore",
             [](SimulationObject& s, const SnapshotObject& at) { check(s.use().restore(*at.snapshot)); });
}

}  // namespace carom::python
