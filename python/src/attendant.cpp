#include "attendant.hpp"

#include "callback.hpp"

#include <algorithm>

namespace carom::python {

Attendant::Attendant(py::object progress, py::object listener)
    : progress_(std::move(progress)), listener_(std::move(listener))
{
}

RunListener Attendant::as_listener()
{
    return [this](const StepRecord& step) { return after_step(step); };
}

void Attendant::expect(const Scene& scene)
{
    start_s_ = scene.start.t_s;
    duration_s_ = scene.plan.duration_s;
}

bool Attendant::after_step(const StepRecord& step)
{
    if (has_kept_error()) return false;
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
    const Locked locked;
    auto shown = std::make_shared<StepObject>(step);
    bool continues = false;
    try {
        // None goes on, as a function without return gives it
        continues = !listener_(shown).is(py::bool_(false));
    } catch (...) {
        keep_raised();
    }
    shown->end();
    return continues;
}

bool Attendant::look_up(double time_s)
{
    const Locked locked;
    try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress_.is_none()) {
            const double part = duration_s_ > 0 ? (time_s - start_s_) / duration_s_ : 0;
            progress_(time_s, std::clamp(part, 0.0, 1.0));
        }
        return true;
    } catch (...) {
        keep_raised();
    }
    return false;
}

/// Ctrl-C, wherever it was heard, ends a run that is handed out; other exceptions come out as they are.
void Attendant::keep_raised()
{
    try {
        throw;
    } catch (py::error_already_set& error) {
        interrupted_ = error.matches(PyExc_KeyboardInterrupt);
        if (!interrupted_) error_ = std::current_exception();
    } catch (...) {
        error_ = std::current_exception();
    }
}

bool Attendant::was_interrupted()
{
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    // heard within the last step, which ended for it
    if (watch_.heard() && !interrupted_) {
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        } catch (...) {
            keep_raised();
        }
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }
    return interrupted_;
}

}  // namespace carom::python
