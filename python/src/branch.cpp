#include "orbit_binding.hpp"

#include <pybind11/complex.h>

namespace carom::python {
namespace {

/// A branch as Python holds it: with what is needed to go on from its special points.
struct BranchObject {
    std::shared_ptr<Scene> scene;
    BranchOptions options;
    Branch branch;

    [[nodiscard]] const SpecialPoint& point(std::size_t index) const
    {
        if (index >= branch.special.size()) throw py::index_error("the branch has no such special point");
        return branch.special[index];
    }
};

using BranchPointer = std::shared_ptr<BranchObject>;

/// Follows a branch; Ctrl-C ends it with KeyboardInterrupt.
template <class Follow>
BranchPointer followed(const std::shared_ptr<Scene>& scene, BranchOptions options, const Follow& follow)
{
    const InterruptWatch watch;
    options.on_point = [&watch](double) { return !watch.heard(); };
    auto branch = unlocked([&] { return follow(options); });
    raise_interrupt(watch);
    options.on_point = {};
    return std::make_shared<BranchObject>(BranchObject{scene, std::move(options), take(std::move(branch))});
}

BranchPointer follow_branch_of(const std::shared_ptr<Scene>& scene, const py::dict& given,
                               const std::string& over, double low, double high)
{
    BranchOptions options{.orbit = orbit_options(given), .over = over, .low = low, .high = high};
    options.max_step = given["max_step"].cast<double>();
    options.max_points = given["max_points"].cast<int>();
    options.upwards = given["upwards"].cast<bool>();
    options.values = given["values"].cast<std::vector<double>>();
    return followed(scene, std::move(options),
                    [&](const BranchOptions& wanted) { return follow_branch(*scene, wanted); });
}

/// The branch of doubled orbits that leaves at a special point.
BranchPointer doubled(const BranchObject& from, std::size_t index)
{
    const SpecialPoint& point = from.point(index);
    if (point.kind != "period_doubling")
        throw py::value_error("this special point is a " + point.kind + ", not a period_doubling");
    auto branch = followed(from.scene, from.options, [&](const BranchOptions& wanted) {
        return switch_at_doubling(*from.scene, wanted, point);
    });
    branch->options = with_doubled_period(branch->options);
    return branch;
}

/// The branch of orbits with one impact more that begins where an orbit grazes.
BranchPointer past_grazing(const BranchObject& from, std::size_t index)
{
    const SpecialPoint& point = from.point(index);
    if (point.kind != "grazing")
        throw py::value_error("this special point is a " + point.kind + ", not a grazing");
    return followed(from.scene, from.options, [&](const BranchOptions& wanted) {
        return switch_at_grazing(*from.scene, wanted, point);
    });
}

py::dict curve(const BranchObject& from, std::size_t index, const std::string& over, double low, double high,
               int steps)
{
    const SpecialPoint& point = from.point(index);
    const Curve found = take(unlocked([&] {
        return follow_special_point(*from.scene, from.options, point,
                                    {.over = over, .low = low, .high = high, .steps = steps});
    }));
    std::vector<double> first, second;
    py::list orbits;
    for (const CurvePoint& one : found.points) {
        first.push_back(one.first);
        second.push_back(one.second);
        orbits.append(orbit_of(one.orbit));
    }
    py::dict out;
    out["kind"] = found.kind;
    out["place"] = found.place;
    out["first"] = array_of(first);
    out["second"] = array_of(second);
    out["orbits"] = orbits;
    out["end"] = found.end;
    return out;
}

py::list points_of(const std::vector<BranchPoint>& points)
{
    py::list list;
    for (const BranchPoint& point : points)
        list.append(py::make_tuple(point.value, orbit_of(point.orbit)));
    return list;
}

py::list special_of(const BranchObject& from)
{
    py::list list;
    for (const SpecialPoint& point : from.branch.special) {
        py::dict one;
        one["kind"] = point.kind;
        one["value"] = point.value;
        one["place"] = point.place;
        one["time_s"] = point.time_s;
        one["slope"] = point.slope;
        one["orbit"] = orbit_of(point.orbit);
        list.append(one);
    }
    return list;
}

py::dict equilibrium_branch_of(const EquilibriumBranch& branch)
{
    py::list points, special;
    for (const Equilibrium& point : branch.points) {
        py::dict one;
        one["value"] = point.value;
        one["q"] = array_of(point.q);
        one["r_N"] = array_of(point.r_N);
        one["eigenvalues"] = point.eigenvalues;
        one["stable"] = point.stable;
        points.append(one);
    }
    for (const EquilibriumPoint& point : branch.special)
        special.append(py::make_tuple(point.kind, point.value, point.place));
    py::dict out;
    out["sides"] = branch.sides;
    out["points"] = points;
    out["special"] = special;
    out["end"] = branch.end;
    return out;
}

py::tuple equilibria_of(const Scene& scene, const std::string& over, double low, double high, int steps)
{
    const Equilibria found = take(unlocked(
        [&] { return follow_equilibria(scene, {.over = over, .low = low, .high = high, .steps = steps}); }));
    py::list branches;
    for (const EquilibriumBranch& branch : found.branches)
        branches.append(equilibrium_branch_of(branch));
    return py::make_tuple(found.contacts, branches);
}

}  // namespace

void bind_branch(py::module_& module)
{
    py::class_<BranchObject, BranchPointer>(module, "Branch", "Orbits followed over a parameter.")
        .def_property_readonly("points",
                               [](const BranchObject& from) { return points_of(from.branch.points); })
        .def_property_readonly("at", [](const BranchObject& from) { return points_of(from.branch.at); })
        .def_property_readonly("special", &special_of)
        .def_property_readonly("over", [](const BranchObject& from) { return from.options.over; })
        .def_property_readonly("end", [](const BranchObject& from) { return from.branch.end; })
        .def("doubled", &doubled, py::arg("index"))
        .def("past_grazing", &past_grazing, py::arg("index"))
        .def("curve", &curve, py::arg("index"), py::arg("over"), py::arg("low"), py::arg("high"),
             py::arg("steps"));
    module.def("follow_branch", &follow_branch_of, py::arg("scene"), py::arg("options"), py::arg("over"),
               py::arg("low"), py::arg("high"));
    module.def("follow_equilibria", &equilibria_of, py::arg("scene"), py::arg("over"), py::arg("low"),
               py::arg("high"), py::arg("steps"));
}

}  // namespace carom::python
