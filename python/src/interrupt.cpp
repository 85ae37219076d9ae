#include "interrupt.hpp"

#include "binding.hpp"

#include <csignal>
#include <unistd.h>

namespace carom::python {
namespace {

std::atomic<bool> noted = false;  // written by the main thread and its signals alone
const std::atomic<bool> never = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only store what needs no lock");

struct sigaction pythons{};
int depth = 0;  ///< runs that a function called by a run makes

extern "C" void note_interrupt(int signal)
{
    noted.store(true, std::memory_order_relaxed);
    if (pythons.sa_handler != SIG_DFL && pythons.sa_handler != SIG_IGN) pythons.sa_handler(signal);
}

bool is_main_thread()
{
    return getpid() == gettid();
}

/// Ctrl-C raises KeyboardInterrupt, as it does unless somebody changed it.
bool has_usual_handler()
{
    const py::module_ signals = py::module_::import("signal");
    return signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler"));
}

}  // namespace

InterruptWatch::InterruptWatch()
{
    if (!is_main_thread() || !has_usual_handler()) return;
    watches_ = true;
    if (depth++ > 0) return;
    noted = false;
    struct sigaction action{};
    action.sa_handler = note_interrupt;
    sigaction(SIGINT, &action, &pythons);
}

InterruptWatch::~InterruptWatch()
{
    if (watches_ && --depth == 0) sigaction(SIGINT, &pythons, nullptr);
}

const std::atomic<bool>& InterruptWatch::flag() const noexcept
{
    return watches_ ? noted : never;
}

}  // namespace carom::python
