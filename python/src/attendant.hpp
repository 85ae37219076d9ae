#pragma once

#include "binding.hpp"
#include "interrupt.hpp"

#include <chrono>
#include <exception>

namespace carom::python {

/// Looks after Python while a run goes on without it: Ctrl-C, a function that is told of progress, and one
/// that sees every step. Exceptions end the run after the step and are kept until the run has been put away.
/// Made and destroyed with the lock of the interpreter.
class Attendant {
public:
    /// `progress(time_s, part)`, part of the whole from 0 to 1, and `listener(step)` may be None.
    Attendant(py::object progress, py::object listener);

    /// For a run without the lock of the interpreter.
    [[nodiscard]] RunListener as_listener();

    /// Ctrl-C, for those who look at it in the middle of a solve.
    [[nodiscard]] const std::atomic<bool>& stop() const noexcept { return watch_.flag(); }

    /// From when to when the run will go, for progress.
    void expect(const Scene& scene);

    /// With that lock, after the run: throws what was kept. True: Ctrl-C ended it.
    [[nodiscard]] bool was_interrupted();

private:
    using Clock = std::chrono::steady_clock;

    bool after_step(const StepRecord& step);
    bool show(const StepRecord& step);
    bool look_up(double time_s);

    void keep_raised();

    py::object progress_, listener_;
    InterruptWatch watch_;
    double start_s_ = 0, duration_s_ = 0;
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
