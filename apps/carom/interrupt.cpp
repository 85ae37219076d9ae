#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace carom::app {
namespace {

std::atomic<bool> noted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only store what needs no lock");

extern "C" void note(int /*signal*/)
{
    noted.store(true, std::memory_order_relaxed);
}

}  // namespace

void note_interrupts()
{
    struct sigaction action{};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        // what is ignored from outside, as under nohup, stays ignored
        struct sigaction before{};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

bool interrupted() noexcept
{
    return noted.load(std::memory_order_relaxed);
}

const std::atomic<bool>& interrupt_flag() noexcept
{
    return noted;
}

}  // namespace carom::app
