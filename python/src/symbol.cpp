#include "binding.hpp"

#include "carom/expression/record.hpp"

namespace carom::python {
namespace {

/// "file:line: " of the Python code that runs.
std::string place()
{
    PyFrameObject* frame = PyEval_GetFrame();  // borrowed
    if (frame == nullptr) return "";
    const auto code = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    return py::str(code.attr("co_filename")).cast<std::string>() + ":" +
           std::to_string(PyFrame_GetLineNumber(frame)) + ": ";
}

[[noreturn]] bool refuse_branch()
{
    throw py::type_error(
        place() + "this branch depends on q, u or t, which have no values while the function is traced: "
                  "write carom.where(condition, a, b), or carom.minimum, maximum, sign");
}

[[noreturn]] double refuse_number()
{
    throw py::type_error(
        place() + "q, u and t have no values while the function is traced: use the functions of carom or "
                  "numpy (carom.sin), not those of math, and do not convert them to numbers");
}

void bind_operators(py::class_<Symbol>& type)
{
    const auto binary = [&](const char* name, const char* reflected, auto f) {
        type.def(name, [f](const Symbol& x, const Symbol& y) { return f(x, y); }, py::is_operator());
        type.def(name, [f](const Symbol& x, double y) { return f(x, Symbol(y)); }, py::is_operator());
        type.def(reflected, [f](const Symbol& x, double y) { return f(Symbol(y), x); }, py::is_operator());
    };
    binary("__add__", "__radd__", [](const Symbol& x, const Symbol& y) { return x + y; });
    binary("__sub__", "__rsub__", [](const Symbol& x, const Symbol& y) { return x - y; });
    binary("__mul__", "__rmul__", [](const Symbol& x, const Symbol& y) { return x * y; });
    binary("__truediv__", "__rtruediv__", [](const Symbol& x, const Symbol& y) { return x / y; });
    binary("__pow__", "__rpow__", [](const Symbol& x, const Symbol& y) { return pow(x, y); });
    type.def("__neg__", [](const Symbol& x) { return -x; })
        .def("__pos__", [](const Symbol& x) { return x; })
        .def("__abs__", [](const Symbol& x) { return abs(x); });
}

void bind_comparisons(py::class_<Symbol>& type)
{
    const auto compare = [&](const char* name, auto f) {
        type.def(name, [f](const Symbol& x, const Symbol& y) { return f(x, y); }, py::is_operator());
        type.def(name, [f](const Symbol& x, double y) { return f(x, Symbol(y)); }, py::is_operator());
    };
    compare("__lt__", [](const Symbol& x, const Symbol& y) { return x < y; });
    compare("__le__", [](const Symbol& x, const Symbol& y) { return x <= y; });
    compare("__gt__", [](const Symbol& x, const Symbol& y) { return x > y; });
    compare("__ge__", [](const Symbol& x, const Symbol& y) { return x >= y; });
    compare("__eq__", [](const Symbol& x, const Symbol& y) { return equal(x, y); });
    compare("__ne__", [](const Symbol& x, const Symbol& y) { return !equal(x, y); });
    type.attr("__hash__") = py::none();
    type.def("__bool__", [](const Symbol&) { return refuse_branch(); });
    type.def("__float__", [](const Symbol&) { return refuse_number(); });
    type.def("__int__", [](const Symbol&) { return refuse_number(); });
}

/// By the names that NumPy looks for, so that numpy.sin(q[0]) works.
void bind_functions(py::class_<Symbol>& type)
{
    type.def("sqrt", [](const Symbol& x) { return sqrt(x); })
        .def("exp", [](const Symbol& x) { return exp(x); })
        .def("log", [](const Symbol& x) { return log(x); })
        .def("sin", [](const Symbol& x) { return sin(x); })
        .def("cos", [](const Symbol& x) { return cos(x); })
        .def("tan", [](const Symbol& x) { return tan(x); })
        .def("arcsin", [](const Symbol& x) { return asin(x); })
        .def("arccos", [](const Symbol& x) { return acos(x); })
        .def("arctan", [](const Symbol& x) { return atan(x); })
        .def("sinh", [](const Symbol& x) { return sinh(x); })
        .def("cosh", [](const Symbol& x) { return cosh(x); })
        .def("tanh", [](const Symbol& x) { return tanh(x); })
        .def("sign", [](const Symbol& x) { return sign(x); });
}

}  // namespace

void bind_symbol(py::module_& module)
{
    py::class_<Condition>(module, "Condition")
        .def("__and__", [](const Condition& x, const Condition& y) { return x && y; })
        .def("__or__", [](const Condition& x, const Condition& y) { return x || y; })
        .def("__invert__", [](const Condition& x) { return !x; })
        .def("__bool__", [](const Condition&) { return refuse_branch(); });
    py::class_<Symbol> type(module, "Symbol");
    type.def(py::init<double>());
    py::implicitly_convertible<double, Symbol>();
    py::implicitly_convertible<int, Symbol>();
    bind_operators(type);
    bind_comparisons(type);
    bind_functions(type);
    module.def("symbol_where",
               [](const Condition& c, const Symbol& x, const Symbol& y) { return select(c, x, y); });
    module.def("symbol_minimum", [](const Symbol& x, const Symbol& y) { return min(x, y); });
    module.def("symbol_maximum", [](const Symbol& x, const Symbol& y) { return max(x, y); });
    module.def("symbol_arctan2", [](const Symbol& y, const Symbol& x) { return atan2(y, x); });
    module.def("symbol_hypot", [](const Symbol& x, const Symbol& y) { return hypot(x, y); });
}

}  // namespace carom::python
