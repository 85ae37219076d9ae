#include "attendant.hpp"

namespace carom::python {

Attendant::Attendant(py::object progress, py::object listener)
    : progress_(std::move(progress)), listener_(std::move(listener))
{
}

RunListener Attendant::as_listener()
{
    return [this](const StepRecord& step) { return after_step(step); };
}

bool Attendant::after_step(const StepRecord& step)
{
    if (!listener_.is_none() && !show(step)) return false;
    if (++steps_ < look_after_) return true;
    steps_ = 0;

    // about every 50 ms, without asking the clock after every step
    const auto now = Clock::now();
    const std::chrono::duration<double> passed = now - looked_;
    if (passed.count() < 0.025) look_after_ = std::min(2 * look_after_, 1L << 20);
    if (passed.count() > 0.1) look_after_ = std::max(look_after_ / 2, 1L);
    if (passed.count() < 0.02) return true;
    looked_ = now;
    return look_up(step.time_s());
}

bool Attendant::show(const StepRecord& step)
{
    const py::gil_scoped_acquire acquired;
    auto shown = std::make_shared<StepObject>(step);
    bool goes_on = false;
    try {
        // None goes on, as a function without return gives it
        goes_on = !listener_(shown).is(py::bool_(false));
    } catch (...) {
        error_ = std::current_exception();
    }
    shown->end();
    return goes_on;
}

bool Attendant::look_up(double time_s)
{
    const py::gil_scoped_acquire acquired;
    try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress_.is_none()) progress_(time_s);
        return true;
    } catch (py::error_already_set& error) {
        interrupted_ = error.matches(PyExc_KeyboardInterrupt);
        if (!interrupted_) error_ = std::current_exception();
    } catch (...) {
        error_ = std::current_exception();
    }
    return false;
}

bool Attendant::was_interrupted()
{
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return interrupted_;
}

}  // namespace carom::python
