#pragma once

#include "binding.hpp"
#include "interrupt.hpp"

namespace carom::python {

/// An orbit, as carom.Orbit takes it.
[[nodiscard]] py::dict orbit_of(const Orbit& orbit);

[[nodiscard]] OrbitOptions orbit_options(const py::dict& given);

/// What `call` gives, computed without the lock of the interpreter: others may run meanwhile.
template <class Call>
[[nodiscard]] auto unlocked(const Call& call)
{
    const Unlocked without_lock;
    return call();
}

/// KeyboardInterrupt, where Ctrl-C was heard.
inline void raise_interrupt(const InterruptWatch& watch)
{
    if (watch.heard() && PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// Branches of orbits and of equilibria.
void bind_branch(py::module_& module);

}  // namespace carom::python
