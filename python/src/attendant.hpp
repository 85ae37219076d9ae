#pragma once

#include "binding.hpp"

#include <chrono>
#include <exception>

namespace carom::python {

/// Looks after Python while a run goes on without it: Ctrl-C, a function that is told of progress, and one
/// that sees every step. Exceptions end the run after the step and are kept until the run has been put away.
class Attendant {
public:
    /// `progress(time_s)` and `listener(step)` may be None.
    Attendant(py::object progress, py::object listener);

    /// For a run without the lock of the interpreter.
    [[nodiscard]] RunListener as_listener();

    /// With that lock, after the run: throws what was kept. True: Ctrl-C ended it.
    [[nodiscard]] bool was_interrupted();

private:
    using Clock = std::chrono::steady_clock;

    bool after_step(const StepRecord& step);
    bool show(const StepRecord& step);
    bool look_up(double time_s);

    py::object progress_, listener_;
    std::exception_ptr error_;
    bool interrupted_ = false;
    long steps_ = 0, look_after_ = 1;  ///< steps since Python was looked after, and how many may be
    Clock::time_point looked_ = Clock::now();
};

/// What a Python listener sees of a step. Over when the call is: used later it raises.
class StepObject {
public:
    explicit StepObject(const StepRecord& record) : record_(&record) {}
    void end() noexcept { record_ = nullptr; }

    [[nodiscard]] const StepRecord& record() const
    {
        if (record_ == nullptr)
            throw std::runtime_error("this step is over: a listener may read it during its call only");
        return *record_;
    }

private:
    const StepRecord* record_;
};

}  // namespace carom::python
