#include "binding.hpp"
#include "callback.hpp"

#include "carom/law/impact.hpp"

namespace carom::python {
namespace {

struct ImpactData {
    Metric A;
    Eigen::MatrixXd H;
    Eigen::VectorXd u_minus;
};

ImpactData data_of(const py::object& A, const py::object& H, const py::object& u_minus)
{
    ImpactData data{take(Metric::from_matrix(matrix_of(A, "A"))), matrix_of(H, "H"),
                    vector_of(u_minus, "u_minus")};
    if (data.H.cols() != data.u_minus.size() || !data.A.fits(data.u_minus.size()))
        throw py::value_error("A, H and u_minus are not of one size");
    return data;
}

py::tuple tuple_of(const Impact& impact)
{
    return py::make_tuple(array_of(impact.u_plus), array_of(impact.percussions_Ns), impact.energy_loss_J,
                          impact.collisions);
}

py::tuple admissibility_of(const py::object& A, const py::object& H, const py::object& u_minus,
                           const py::object& u_plus)
{
    const ImpactData data = data_of(A, H, u_minus);
    const Eigen::VectorXd after = vector_of(u_plus, "u_plus");
    if (after.size() != data.u_minus.size()) throw py::value_error("u_plus has another size than u_minus");
    const Admissibility report = admissibility(data.A, data.H, data.u_minus, after);
    return py::make_tuple(report.leaves_V_m_s, report.outside_N, report.energy_gained_J);
}

/// What a Python function answers: u+, or u+ and percussions.
Impact impact_from(const py::object& answer, Eigen::Index size)
{
    py::object velocity = answer, percussions = py::none();
    if (py::isinstance<py::tuple>(answer) && py::len(answer) == 2) {
        const auto pair = py::reinterpret_borrow<py::tuple>(answer);
        velocity = pair[0];
        percussions = pair[1];
    }
    Impact impact(vector_of(velocity, "u_plus"));
    if (impact.u_plus.size() != size) throw py::value_error("the impact map gave a velocity of another size");
    if (!percussions.is_none()) impact.percussions_Ns = vector_of(percussions, "percussions");
    return impact;
}

}  // namespace

ImpactMap impact_map_from(const py::object& function)
{
    const auto held = hold(function);
    return [held](const ImpactSite& site, const Eigen::VectorXd& u_minus) {
        const Locked locked;
        Impact impact(Eigen::VectorXd::Constant(u_minus.size(), std::nan("")));
        call_back([&] {
            const Eigen::MatrixXd A = site.A.is_euclidean()
                                          ? Eigen::MatrixXd::Identity(u_minus.size(), u_minus.size())
                                          : site.A.matrix();
            const auto matrix = [](const Eigen::MatrixXd& x) {
                py::array_t<double> array({x.rows(), x.cols()});
                for (Eigen::Index i = 0; i < x.rows(); ++i)
                    for (Eigen::Index j = 0; j < x.cols(); ++j)
                        array.mutable_at(i, j) = x(i, j);
                return array;
            };
            const py::object type = py::module_::import("carom.impact").attr("Site");
            impact = impact_from((*held)(type(matrix(A), matrix(site.H),
                                              std::vector<int>(site.contacts.begin(), site.contacts.end()),
                                              array_of(site.q), site.t_s),
                                         array_of(u_minus)),
                                 u_minus.size());
        });
        return impact;
    };
}

void bind_impact(py::module_& module)
{
    module.def("canonical_impact",
               [](const py::object& A, const py::object& H, const py::object& u_minus, double e) {
                   const ImpactData data = data_of(A, H, u_minus);
                   return tuple_of(take(canonical_impact(data.A, data.H, data.u_minus, e)));
               });
    module.def("sequential_impact", [](const py::object& A, const py::object& H, const py::object& u_minus,
                                       double e, int max_collisions) {
        const ImpactData data = data_of(A, H, u_minus);
        return tuple_of(take(sequential_impact(data.A, data.H, data.u_minus,
                                               {.restitution = e, .max_collisions = max_collisions})));
    });
    module.def("admissibility", &admissibility_of);
}

}  // namespace carom::python
