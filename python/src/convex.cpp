#include "binding.hpp"

#include "carom/convex/operations.hpp"
#include "carom/convex/polyhedra.hpp"
#include "carom/convex/sets.hpp"

namespace carom::python {
namespace {

/// A set as Python holds it.
struct SetObject {
    SetPointer set;
    std::string name;
};

template <class Set>
SetObject made(const char* name, Expected<Set>&& set)
{
    return {std::make_shared<const Set>(take(std::move(set))), name};
}

Metric metric_of(const py::object& A)
{
    return A.is_none() ? Metric::euclidean() : take(Metric::from_matrix(matrix_of(A, "metric")));
}

/// A point of the right dimension.
Eigen::VectorXd point_of(const SetObject& self, const py::object& x, const char* name)
{
    Eigen::VectorXd point = vector_of(x, name);
    if (point.size() != self.set->dimension())
        throw py::value_error(std::string(name) + " has " + std::to_string(point.size()) +
                              " components, the set lies in " + std::to_string(self.set->dimension()) +
                              " dimensions");
    return point;
}

py::array_t<double> prox(const SetObject& self, const py::object& z, const py::object& metric)
{
    const Eigen::VectorXd from = point_of(self, z, "z");
    const Metric A = metric_of(metric);
    if (!A.fits(from.size())) throw py::value_error("the metric is not of the dimension of the set");
    Eigen::VectorXd x(from.size());
    const ProxStatus status = self.set->prox(A, ConvexSet::ConstVector(from), ConvexSet::Vector(x));
    if (status != ProxStatus::Converged)
        throw std::runtime_error("the nearest point was not found: the projection did not converge");
    return array_of(x);
}

/// Ends of boxes and intervals may be infinite: they are read without the check for finite numbers.
Eigen::VectorXd ends_of(const py::object& x)
{
    const auto array = py::array_t < double, py::array::c_style | py::array::forcecast > ::ensure(x);
    if (!array || array.ndim() != 1) {
        PyErr_Clear();
        throw py::type_error("the ends of a box are lists of numbers");
    }
    return Eigen::Map<const Eigen::VectorXd>(array.data(), array.size());
}

std::vector<SetPointer> pointers_of(const std::vector<SetObject>& sets)
{
    std::vector<SetPointer> pointers;
    for (const SetObject& one : sets)
        pointers.push_back(one.set);
    return pointers;
}

void bind_makers(py::module_& module)
{
    module.def("set_ball", [](const py::object& c, double r) {
        return made("ball", Ball::make(vector_of(c, "centre"), r));
    });
    module.def("set_interval", [](double a, double b) { return made("interval", Interval::make(a, b)); });
    module.def("set_box", [](const py::object& a, const py::object& b) {
        return made("box", Box::make(ends_of(a), ends_of(b)));
    });
    module.def("set_ellipsoid", [](const py::object& c, const py::object& E) {
        return made("ellipsoid", Ellipsoid::make(vector_of(c, "centre"), matrix_of(E, "E")));
    });
    module.def("set_half_space", [](const py::object& n, double c) {
        return made("half-space", HalfSpace::make(vector_of(n, "normal"), c));
    });
    module.def("set_orthant", [](int n) { return made("orthant", Orthant::nonnegative(n)); });
    module.def("set_generated_cone", [](const py::object& G) {
        return made("cone by generators", PolyhedralCone::from_generators(matrix_of(G, "generators")));
    });
    module.def("set_cone", [](const py::object& G) {
        return made("cone by inequalities", PolyhedralCone::from_inequalities(matrix_of(G, "G")));
    });
    module.def("set_polyhedron", [](const py::object& G, const py::object& h) {
        return made("polyhedron", Polyhedron::make(matrix_of(G, "G"), vector_of(h, "h")));
    });
    module.def("set_polytope", [](const py::object& V) {
        return made("polytope", Polytope::from_vertices(matrix_of(V, "vertices")));
    });
    module.def("set_second_order_cone",
               [](int n, double mu) { return made("second-order cone", SecondOrderCone::make(n, mu)); });
    module.def("set_subspace", [](const py::object& D) {
        return made("subspace", Subspace::spanned_by(matrix_of(D, "directions")));
    });
    module.def("set_singleton",
               [](const py::object& c) { return made("point", Singleton::make(vector_of(c, "point"))); });
    module.def("set_moved", [](const SetObject& set, double scale, const py::object& shift) {
        return made("moved", Moved::make(set.set, scale, vector_of(shift, "shift")));
    });
    module.def("set_image", [](const SetObject& set, const py::object& M) {
        return made("image", LinearImage::make(set.set, matrix_of(M, "M")));
    });
    module.def("set_sum", [](const std::vector<SetObject>& sets) {
        return made("sum", MinkowskiSum::make(pointers_of(sets)));
    });
    module.def("set_intersection", [](const std::vector<SetObject>& sets) {
        return made("intersection", Intersection::make(pointers_of(sets)));
    });
}

}  // namespace

void bind_convex(py::module_& module)
{
    py::class_<SetObject>(module, "ConvexSet")
        .def_property_readonly("dimension", [](const SetObject& self) { return self.set->dimension(); })
        .def_property_readonly("size", [](const SetObject& self) { return self.set->size(); })
        .def_property_readonly("name", [](const SetObject& self) { return self.name; })
        .def("contains",
             [](const SetObject& self, const py::object& v, double tolerance) {
                 const Eigen::VectorXd point = point_of(self, v, "v");
                 return self.set->contains(ConvexSet::ConstVector(point), tolerance);
             })
        .def("prox", &prox)
        .def("support",
             [](const SetObject& self, const py::object& p) {
                 const Eigen::VectorXd direction = point_of(self, p, "p");
                 return self.set->support(ConvexSet::ConstVector(direction));
             })
        .def("polar_cone", [](const SetObject& self) -> std::optional<SetObject> {
            auto polar = self.set->polar_cone();
            if (!polar) return std::nullopt;
            return SetObject{SetPointer(std::move(polar)), "polar cone"};
        });
    bind_makers(module);
}

}  // namespace carom::python
