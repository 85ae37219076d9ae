#include "gil.hpp"

#include <cxxabi.h>
#include <unistd.h>

namespace carom::python {
namespace {

/// What `take` gives, once the lock is there; never, where the interpreter ends.
template <class Take>
auto locked(Take take)
{
    try {
        return take();
    } catch (const abi::__forced_unwind&) {
        while (true)
            pause();
    }
}

}  // namespace

Unlocked::Unlocked() : state_(PyEval_SaveThread()) {}

Unlocked::~Unlocked()
{
    locked([this] { PyEval_RestoreThread(state_); });
}

Locked::Locked() : state_(locked([] { return PyGILState_Ensure(); })) {}

Locked::~Locked()
{
    PyGILState_Release(state_);
}

}  // namespace carom::python
