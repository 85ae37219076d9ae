#pragma once

#include <Python.h>

namespace carom::python {

/// The lock of the interpreter. An interpreter that ends while a thread works here ends that thread with it,
/// by an unwinding that destructors do not survive: such a thread sleeps for ever instead, as threads of
/// newer Pythons do. A thread that still computes when the process ends may read what the libraries destroy
/// at exit: the process then ends without destroying it.

/// Prepares the end of a process in which threads still compute. Once, when the module is loaded.
void watch_exit();

/// Works without the lock, and has it again at the end.
class Unlocked {
public:
    Unlocked();
    ~Unlocked();
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    PyThreadState* state_;
};

/// Has the lock, in a thread that may have it already.
class Locked {
public:
    Locked();
    ~Locked();
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    PyGILState_STATE state_;
};

}  // namespace carom::python
