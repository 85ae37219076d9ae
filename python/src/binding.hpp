#pragma once

#include "gil.hpp"

#include "carom/carom.hpp"

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// What the files of this layer share. It converts and calls; whatever it says is said by the library.

namespace carom::python {

namespace py = pybind11;

using SharedScene = std::shared_ptr<const Scene>;

/// Raises carom.Error with all mistakes.
[[noreturn]] void raise(const Errors& errors);
[[noreturn]] inline void raise(const Error& error)
{
    raise(Errors{error});
}

/// The value, or carom.Error.
template <class T, class E>
[[nodiscard]] T take(Expected<T, E>&& expected)
{
    if (!expected) raise(expected.error());
    return std::move(*expected);
}

/// carom.Mistake objects.
[[nodiscard]] py::list mistakes_of(const Errors& errors);

/// "path", "value" pairs.
using OverridePairs = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::vector<Override> overrides_of(const OverridePairs& pairs);

/// Numbers of the library seen as an array that cannot be written and keeps `owner` alive.
[[nodiscard]] py::array view(const double* data, std::vector<py::ssize_t> shape,
                             std::vector<py::ssize_t> strides, py::handle owner);
[[nodiscard]] py::array view(const Eigen::VectorXd& x, py::handle owner);
[[nodiscard]] py::array view(const RowMatrix& x, py::handle owner);
[[nodiscard]] py::array view(const std::vector<double>& x, py::handle owner);

/// A copy.
[[nodiscard]] py::array_t<double> array_of(std::span<const double> x);
[[nodiscard]] inline py::array_t<double> array_of(const Eigen::VectorXd& x)
{
    return array_of(std::span(x.data(), static_cast<std::size_t>(x.size())));
}

/// Finite numbers of a Python array of one or two dimensions, any layout, copied. ValueError otherwise;
/// `name` is that of the argument.
[[nodiscard]] Eigen::VectorXd vector_of(const py::object& x, const char* name);
[[nodiscard]] Eigen::MatrixXd matrix_of(const py::object& x, const char* name);

void bind_scene(py::module_& module);
void bind_run(py::module_& module);
void bind_records(py::module_& module);
void bind_inspect(py::module_& module);
void bind_orbit(py::module_& module);
void bind_study(py::module_& module);
void bind_solve(py::module_& module);
void bind_convex(py::module_& module);
void bind_impact(py::module_& module);
void bind_symbol(py::module_& module);
void bind_system(py::module_& module);
void bind_fields(py::module_& module);
void bind_figure(py::module_& module);
void bind_simulation(py::module_& module);

}  // namespace carom::python
