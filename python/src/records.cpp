#include "run_binding.hpp"

namespace carom::python {
namespace {

/// The member of every event seen as one array: events lie in one row of memory.
py::array column(const std::vector<RunEvent>& events, double RunEvent::* member, py::handle owner)
{
    const double* first = events.empty() ? nullptr : &(events.front().*member);
    return view(first, {static_cast<py::ssize_t>(events.size())}, {sizeof(RunEvent)}, owner);
}

py::dict events_of(const py::object& self)
{
    const auto& events = self.cast<RunObject&>().run.events;
    py::list kinds, places, before, after, steps;
    for (const RunEvent& event : events) {
        kinds.append(std::string(name_of(event.kind)));
        places.append(event.place);
        before.append(std::string(event.status_before));
        after.append(std::string(event.status_after));
        steps.append(event.step);
    }
    py::dict columns;
    columns["time_s"] = column(events, &RunEvent::time_s, self);
    columns["step"] = steps;
    columns["kind"] = kinds;
    columns["place"] = places;
    columns["percussion_Ns"] = column(events, &RunEvent::percussion_Ns, self);
    columns["velocity_before_m_s"] = column(events, &RunEvent::velocity_before_m_s, self);
    columns["velocity_after_m_s"] = column(events, &RunEvent::velocity_after_m_s, self);
    columns["energy_J"] = column(events, &RunEvent::energy_J, self);
    columns["slip_rad"] = column(events, &RunEvent::slip_rad, self);
    columns["status_before"] = before;
    columns["status_after"] = after;
    return columns;
}

py::dict series_of(const std::vector<RecordedSeries>& all, py::handle owner)
{
    py::dict series;
    for (const RecordedSeries& one : all)
        series[py::str(one.name)] = view(one.values, owner);
    return series;
}

py::dict friction_of(const RecordedFriction& friction, const std::vector<std::string>& contacts,
                     py::handle owner)
{
    py::dict result;
    const py::array percussion = view(friction.percussion_Ns, owner),
                    coefficient = view(friction.coefficient, owner);
    for (std::size_t k = 0; k < friction.cones.size(); ++k) {
        const RecordedCone& cone = friction.cones[k];
        const int end = cone.first + tangential_dimension(cone.shape);
        const py::slice all{py::none(), py::none(), py::none()};
        const auto columns = py::slice(cone.first, end, 1);
        result[py::str(contacts[static_cast<std::size_t>(cone.contact)])] =
            py::make_tuple(percussion.attr("__getitem__")(py::make_tuple(all, columns)),
                           coefficient.attr("__getitem__")(py::make_tuple(all, k)));
    }
    return result;
}

py::dict constraints_of(const RecordedConstraints& constraints, py::handle owner)
{
    py::dict result;
    result["names"] = constraints.names;
    result["reactions"] = constraints.reactions;
    result["percussion_Ns"] = view(constraints.percussion_Ns, owner);
    result["energy_J"] = view(constraints.energy_J, owner);
    return result;
}

py::dict jumps_of(const RecordedJumps& jumps, py::handle owner)
{
    py::dict result;
    result["time_s"] = view(jumps.time_s, owner);
    result["q"] = view(jumps.q, owner);
    result["u_minus"] = view(jumps.u_minus, owner);
    result["u_plus"] = view(jumps.u_plus, owner);
    return result;
}

/// The rows of contacts of bodies, and where those of each frame begin.
py::dict body_contacts_of(const RecordedBodies& bodies, py::handle owner)
{
    const auto integers = [](const auto& numbers) {
        return py::array_t<std::int64_t>(py::cast(std::vector<std::int64_t>(numbers.begin(), numbers.end())));
    };
    py::dict result;
    result["first_row"] = integers(bodies.first_row);
    result["first"] = integers(bodies.first);
    result["second"] = integers(bodies.second);
    result["point_m"] = view(bodies.point_m, owner);
    result["normal"] = view(bodies.normal, owner);
    result["percussion_Ns"] = view(bodies.percussion_Ns, owner);
    result["gap_m"] = view(bodies.gap_m, owner);
    result["step_s"] = view(bodies.step_s, owner);
    return result;
}

/// Per body: its name, its first column of q (-1: it does not move), and its place at the start.
py::list bodies_of(const Recording& record)
{
    py::list list;
    for (std::size_t i = 0; i < record.bodies.names.size(); ++i) {
        const bool known = i < record.solids.fixed.size();
        const int first = i < record.solids.columns.size() ? record.solids.columns[i] : -1;
        const Pose pose = known ? record.solids.fixed[i] : Pose{};
        list.append(py::make_tuple(
            record.bodies.names[i], first,
            py::make_tuple(pose.position_m.x(), pose.position_m.y(), pose.position_m.z()),
            py::make_tuple(pose.rotation.w(), pose.rotation.x(), pose.rotation.y(), pose.rotation.z())));
    }
    return list;
}

py::dict columns_of(const py::object& self)
{
    const Recording& record = self.cast<RunObject&>().run.record;
    py::list coordinates;
    for (const Coordinate& coordinate : record.coordinates)
        coordinates.append(py::make_tuple(coordinate.name, coordinate.unit));
    py::dict units;
    for (const RecordedSeries& probe : record.probes)
        units[py::str(probe.name)] = probe.unit;

    py::dict columns;
    columns["title"] = record.title;
    columns["scene_text"] = record.scene_text;
    columns["duration_s"] = record.duration_s;
    columns["time_step_s"] = record.time_step_s;
    columns["every_s"] = record.every_s;
    columns["coordinates"] = coordinates;
    columns["contacts"] = record.contacts;
    columns["flat"] = record.solids.flat;
    columns["bodies"] = bodies_of(record);
    columns["time_s"] = view(record.time_s, self);
    columns["q"] = view(record.q, self);
    columns["u"] = view(record.u, self);
    columns["gap_m"] = view(record.gap_m, self);
    columns["percussion_Ns"] = view(record.percussion_Ns, self);
    columns["residual"] = view(record.residual, self);
    columns["energies"] = series_of(record.energies, self);
    columns["probes"] = series_of(record.probes, self);
    columns["probe_units"] = units;
    columns["friction"] = friction_of(record.friction, record.contacts, self);
    columns["constraints"] = constraints_of(record.constraints, self);
    columns["jumps"] = jumps_of(record.jumps, self);
    columns["body_contacts"] = body_contacts_of(record.bodies, self);
    return columns;
}

py::list snapshots_of(const RunObject& run)
{
    py::list list;
    for (const Snapshot& snapshot : run.run.snapshots)
        list.append(py::make_tuple(snapshot.time_s, snapshot.reached, array_of(snapshot.q),
                                   array_of(snapshot.u), snapshot.probes));
    return list;
}

}  // namespace

py::dict lines_dict(const EnergyLines& energy)
{
    py::dict lines;
    for (const auto& [name, value] : lines_of(energy))
        lines[py::str(std::string(name))] = value;
    return lines;
}

py::dict certificate_dict(const Certificate& certificate)
{
    py::dict result;
    result["max_residual"] = certificate.max_residual;
    result["max_residual_time_s"] = certificate.max_residual_time_s;
    result["max_penetration_m"] = certificate.max_penetration_m;
    result["max_violation"] = certificate.max_violation;
    result["max_cone_violation_Ns"] = certificate.max_cone_violation_Ns;
    result["energy_balance_J"] = certificate.energy_balance_J;
    result["energy_error"] = certificate.energy_error;
    result["energy_error_time_s"] = certificate.energy_error_time_s;
    result["energy"] = lines_dict(certificate.energy);
    result["steps"] = certificate.steps;
    result["unsolved_steps"] = certificate.unsolved_steps;
    result["selected_steps"] = certificate.selected_steps;
    result["unexamined_steps"] = certificate.unexamined_steps;
    return result;
}

py::list findings_list(const std::vector<Finding>& findings)
{
    const py::object type = py::module_::import("carom._certificate").attr("Finding");
    py::list list;
    for (const Finding& finding : findings)
        list.append(type(finding.code, finding.time_s, finding.message, finding.count, finding.uncertifies,
                         finding.about));
    return list;
}

py::object contact_object(const StepContact& contact)
{
    const py::object type = py::module_::import("carom._frames").attr("StepContact");
    const auto dimension = static_cast<std::size_t>(contact.dimension);
    const auto part = [&](const std::array<double, 3>& x) {
        return array_of(std::span(x.data(), std::min<std::size_t>(dimension, 3)));
    };
    return type(contact.name, contact.gap_m, part(contact.percussion_Ns), part(contact.velocity_before_m_s),
                part(contact.velocity_after_m_s), array_of(contact.point_m), array_of(contact.normal));
}

void bind_records(py::module_& module)
{
    auto type = py::class_<RunObject, std::shared_ptr<RunObject>>(module.attr("Run"));
    type.def_property_readonly("events", &events_of)
        .def_property_readonly("certificate",
                               [](const RunObject& run) { return certificate_dict(run.run.certificate); })
        .def_property_readonly("findings",
                               [](const RunObject& run) { return findings_list(run.run.findings); })
        .def_property_readonly("columns", &columns_of)
        .def_property_readonly("probes_end", [](const RunObject& run) { return run.run.probes; })
        .def_property_readonly("snapshots", &snapshots_of)
        .def_property_readonly("kept_problems", [](const RunObject& run) {
            const KeptProblemCounts& kept = run.run.problems;
            return py::make_tuple(kept.written, kept.left_out, kept.why, kept.without_problem);
        });
}

}  // namespace carom::python
