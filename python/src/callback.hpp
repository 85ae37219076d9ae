#pragma once

#include "binding.hpp"

namespace carom::python {

/// Python functions that the library calls in the middle of a step. The library does not know exceptions of
/// Python: one that a function raises is kept, per thread, until the run or step is over, and raised then.

/// A function that may be let go of without the lock of the interpreter.
[[nodiscard]] std::shared_ptr<py::object> hold(const py::object& function);

/// Keeps the exception that is being handled, unless there is one already.
void keep_error();

/// One is kept: the run should end.
[[nodiscard]] bool has_kept_error() noexcept;

/// Keeps what `work` throws. With the lock of the interpreter.
template <class Work>
void call_back(Work work)
{
    try {
        work();
    } catch (...) {
        keep_error();
    }
}

/// Raises what was kept. With the lock of the interpreter.
void raise_kept_error();

}  // namespace carom::python
