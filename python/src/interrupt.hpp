#pragma once

#include <atomic>

namespace carom::python {

/// Hears Ctrl-C while the library works without the interpreter, also in the middle of a long solve: `flag()`
/// is for those who can be stopped. Python hears it too, and raises KeyboardInterrupt where it looks for
/// signals next.
///
/// Signals are for the main thread, and a program that has a handler of its own for Ctrl-C keeps it: the flag
/// stays false then. Construct and destroy it with the lock of the interpreter.
class InterruptWatch {
public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    [[nodiscard]] const std::atomic<bool>& flag() const noexcept;

    /// Ctrl-C was heard.
    [[nodiscard]] bool heard() const noexcept { return flag().load(std::memory_order_relaxed); }

private:
    bool watches_ = false;
};

}  // namespace carom::python
