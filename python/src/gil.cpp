#include "gil.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <unistd.h>

namespace carom::python {
namespace {

std::atomic<int> working = 0;  ///< threads that work without the lock

/// The first of all handlers of exit(): with threads at work none of the others may run.
void leave_threads_alone(int status, void*)
{
    if (working.load() == 0) return;
    std::fflush(nullptr);
    _exit(status);
}

[[noreturn]] void sleep_for_ever()
{
    while (true)
        pause();
}

/// What `take` gives, once the lock is there; never, where the interpreter ends.
template <class Take>
auto locked(Take take)
{
    // an interpreter that has ended has no lock to wait for; the main thread is the one that ends it
    if (Py_IsInitialized() == 0 && gettid() != getpid()) sleep_for_ever();
    try {
        return take();
    } catch (const abi::__forced_unwind&) {
        sleep_for_ever();
    }
}

}  // namespace

void watch_exit()
{
    // handlers run in the reverse of their order: this one is registered when the interpreter has ended. An
    // interpreter has room for 32; a program that has used them all ends as it would without this
    (void)Py_AtExit([] { on_exit(leave_threads_alone, nullptr); });
}

Unlocked::Unlocked() : state_(PyEval_SaveThread())
{
    ++working;
}

Unlocked::~Unlocked()
{
    locked([this] { PyEval_RestoreThread(state_); });
    --working;
}

Locked::Locked() : state_(locked([] { return PyGILState_Ensure(); })) {}

Locked::~Locked()
{
    PyGILState_Release(state_);
}

}  // namespace carom::python
