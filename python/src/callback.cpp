#include "callback.hpp"

#include <exception>

namespace carom::python {
namespace {

thread_local std::exception_ptr kept;

}  // namespace

std::shared_ptr<py::object> hold(const py::object& function)
{
    return {new py::object(function), [](py::object* held) {
                const Locked locked;
                delete held;
            }};
}

void keep_error()
{
    if (!kept) kept = std::current_exception();
}

bool has_kept_error() noexcept
{
    return kept != nullptr;
}

void raise_kept_error()
{
    if (kept) std::rethrow_exception(std::exchange(kept, nullptr));
}

}  // namespace carom::python
