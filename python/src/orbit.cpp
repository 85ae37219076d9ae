#include "orbit_binding.hpp"

#include "run_binding.hpp"

#include <pybind11/complex.h>

namespace carom::python {
namespace {

py::array_t<double> array_2d(const Eigen::MatrixXd& x)
{
    py::array_t<double> out({x.rows(), x.cols()});
    auto to = out.mutable_unchecked<2>();
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        for (Eigen::Index j = 0; j < x.cols(); ++j) {
            to(i, j) = x(i, j);
        }
    }
    return out;
}

/// None where there are no derivatives.
py::object derivative(const Eigen::VectorXd& x)
{
    return x.size() > 0 ? py::object(array_of(x)) : py::object(py::none());
}

py::object derivative(const Eigen::MatrixXd& x)
{
    return x.size() > 0 ? py::object(array_2d(x)) : py::object(py::none());
}

py::dict event_of(const SensitiveEvent& one)
{
    py::dict event;
    event["time_s"] = one.event.time_s;
    event["kind"] = std::string(name_of(one.event.kind));
    event["place"] = one.place;
    event["percussion_Ns"] = one.event.percussion_Ns;
    event["dtime_s"] = derivative(one.dtime_s);
    event["dpercussion_Ns"] = derivative(one.dpercussion_Ns);
    return event;
}

py::dict loss_of(const NotDifferentiable& one)
{
    py::dict loss;
    loss["time_s"] = one.time_s;
    loss["kind"] = one.kind;
    loss["place"] = one.place;
    loss["words"] = one.words;
    loss["order"] = one.order;
    loss["instant_exponent"] = one.instant_exponent;
    loss["state_exponent"] = one.state_exponent;
    loss["dgap_m"] = derivative(one.dgap_m);
    return loss;
}

py::dict sensitivities_of(const Sensitivities& result)
{
    py::list states, events, one_sided;
    for (const SensitiveState& state : result.states) {
        py::dict one;
        one["time_s"] = state.time_s;
        one["q"] = array_of(state.q);
        one["u"] = array_of(state.u);
        one["dq"] = derivative(state.dq);
        one["du"] = derivative(state.du);
        one["probes"] = array_of(state.probes);
        one["dprobes"] = derivative(state.dprobes);
        one["one_sided"] = state.one_sided;
        states.append(one);
    }
    for (const SensitiveEvent& one : result.events)
        events.append(event_of(one));
    for (const NotDifferentiable& one : result.one_sided)
        one_sided.append(loss_of(one));
    py::dict out;
    out["by"] = result.by;
    out["reached_end"] = result.reached_end;
    out["states"] = states;
    out["events"] = events;
    out["one_sided"] = one_sided;
    out["lost"] = result.lost ? py::object(loss_of(*result.lost)) : py::object(py::none());
    out["dend_s"] = derivative(result.dend_s);
    out["findings"] = findings_list(result.findings);
    return out;
}

}  // namespace

py::dict orbit_of(const Orbit& orbit)
{
    py::list events;
    for (const SensitiveEvent& one : orbit.events) {
        if (one.event.time_s > orbit.start.t_s) events.append(event_of(one));
    }
    py::dict out;
    out["converged"] = orbit.converged;
    out["residual"] = orbit.residual;
    out["iterations"] = orbit.iterations;
    out["trouble"] = orbit.trouble;
    out["period_s"] = orbit.period_s;
    out["start_s"] = orbit.start.t_s;
    out["q"] = array_of(orbit.start.q);
    out["u"] = array_of(orbit.start.u);
    out["multipliers"] = orbit.section_multipliers;
    out["stable"] = orbit.stable;
    out["stability"] = std::string(stability_of(orbit));
    out["rests"] = orbit.rests;
    out["monodromy"] = array_2d(orbit.monodromy);
    out["dperiod_s"] = derivative(orbit.dperiod);
    out["dstart"] = derivative(orbit.dstart);
    out["lowest"] = array_of(orbit.lowest);
    out["highest"] = array_of(orbit.highest);
    out["events"] = events;
    out["shift"] = array_of(orbit.end_shift);
    out["lost"] = orbit.lost ? py::object(loss_of(*orbit.lost)) : py::object(py::none());
    out["findings"] = findings_list(orbit.findings);
    return out;
}

OrbitOptions orbit_options(const py::dict& given)
{
    OrbitOptions options;
    options.period = given["period"].cast<std::string>();
    options.section = given["section"].cast<std::string>();
    options.returns = given["returns"].cast<int>();
    options.settle = given["settle"].cast<int>();
    options.segments = given["segments"].cast<int>();
    options.shift = given["shift"].cast<std::map<std::string, std::string>>();
    options.free = given["free"].cast<std::vector<std::string>>();
    options.parameters = given["by"].cast<std::vector<std::string>>();
    options.max_iterations = given["max_iterations"].cast<int>();
    options.tolerance = given["tolerance"].cast<double>();
    return options;
}

void bind_orbit(py::module_& module)
{
    module.def(
        "sensitivities",
        [](const Scene& scene, std::vector<std::string> by, std::vector<double> at_s, bool of_steps) {
            auto result = unlocked([&] {
                return sensitivities(scene,
                                     {.by = std::move(by), .at_s = std::move(at_s), .of_steps = of_steps});
            });
            return sensitivities_of(take(std::move(result)));
        },
        py::arg("scene"), py::arg("by"), py::arg("at_s"), py::arg("of_steps") = false);
    module.def(
        "find_orbit",
        [](const Scene& scene, const py::dict& given) {
            const OrbitOptions options = orbit_options(given);
            return orbit_of(take(unlocked([&] { return find_orbit(scene, options); })));
        },
        py::arg("scene"), py::arg("options"));
    module.def(
        "lyapunov_exponents",
        [](const Scene& scene, double interval_s, long discard, long intervals) {
            const InterruptWatch watch;
            auto computed = unlocked([&] {
                return lyapunov_exponents(scene, {.interval_s = interval_s,
                                                  .discard = discard,
                                                  .intervals = intervals,
                                                  .stop = &watch.flag()});
            });
            raise_interrupt(watch);
            const Lyapunov result = take(std::move(computed));
            return py::make_tuple(result.finished, result.trouble, array_of(result.exponents_1_s),
                                  array_of(result.errors_1_s), result.time_s, result.impacts);
        },
        py::arg("scene"), py::arg("interval_s"), py::arg("discard"), py::arg("intervals"));
    bind_branch(module);
}

}  // namespace carom::python
