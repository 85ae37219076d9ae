#include "binding.hpp"

#include <cmath>
#include <string_view>

namespace carom::python {
namespace {

/// Of doubles, as NumPy makes it from anything that it takes.
py::array_t<double, py::array::c_style | py::array::forcecast> doubles(const py::object& x, const char* name,
                                                                       py::ssize_t dimensions)
{
    const py::array given = py::array::ensure(x);
    if (given && given.dtype().kind() == 'c')
        throw py::type_error(std::string(name) + " has complex numbers");
    // texts and dates would become numbers too; objects are asked for theirs
    const bool numeric =
        given && std::string_view("biufO").find(given.dtype().kind()) != std::string_view::npos;
    auto array = py::array_t < double, py::array::c_style | py::array::forcecast > ::ensure(given);
    if (!numeric || !array) {
        PyErr_Clear();
        throw py::type_error(std::string(name) + " is not an array of numbers");
    }
    if (array.ndim() != dimensions)
        throw py::value_error(std::string(name) + " has " + std::to_string(array.ndim()) +
                              " dimensions in place of " + std::to_string(dimensions));
    for (py::ssize_t i = 0; i < array.size(); ++i) {
        if (!std::isfinite(array.data()[i]))
            throw py::value_error(std::string(name) + " has an entry that is infinite or no number");
    }
    return array;
}

}  // namespace

py::list mistakes_of(const Errors& errors)
{
    const py::object type = py::module_::import("carom._errors").attr("Mistake");
    py::list list;
    for (const Error& error : errors)
        list.append(type(std::string(name_of(error.code)), error.where, error.message, error.hint,
                         error.excerpt, to_text(error)));
    return list;
}

void raise(const Errors& errors)
{
    const py::object type = py::module_::import("carom._errors").attr("Error");
    const py::object exception = type(mistakes_of(errors));
    PyErr_SetObject(type.ptr(), exception.ptr());
    throw py::error_already_set();
}

std::vector<Override> overrides_of(const OverridePairs& pairs)
{
    std::vector<Override> overrides;
    for (const auto& [path, value] : pairs)
        overrides.push_back({.path = path, .value = value});
    return overrides;
}

py::array view(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
               py::handle owner)
{
    // NumPy copies where there is no owner, and has no place for the data of an empty array
    static const double nothing = 0;
    py::array array(py::dtype::of<double>(), std::move(shape), std::move(strides),
                    data != nullptr ? data : &nothing, owner);
    array.attr("flags").attr("writeable") = false;
    return array;
}

py::array view(const Eigen::VectorXd& x, py::handle owner)
{
    return view(x.data(), {x.size()}, {sizeof(double)}, owner);
}

py::array view(const RowMatrix& x, py::handle owner)
{
    return view(x.data(), {x.rows(), x.cols()},
                {static_cast<py::ssize_t>(sizeof(double)) * x.cols(), sizeof(double)}, owner);
}

py::array view(const std::vector<double>& x, py::handle owner)
{
    return view(x.data(), {static_cast<py::ssize_t>(x.size())}, {sizeof(double)}, owner);
}

py::array_t<double> array_of(std::span<const double> x)
{
    return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
}

Eigen::VectorXd vector_of(const py::object& x, const char* name)
{
    const auto array = doubles(x, name, 1);
    return Eigen::Map<const Eigen::VectorXd>(array.data(), array.size());
}

Eigen::MatrixXd matrix_of(const py::object& x, const char* name)
{
    const auto array = doubles(x, name, 2);
    return Eigen::Map<const RowMatrix>(array.data(), array.shape(0), array.shape(1));
}

}  // namespace carom::python
