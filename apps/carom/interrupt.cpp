#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace carom::app {
namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note(int /*signal*/)
{
    noted = 1;
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
    return noted != 0;
}

}  // namespace carom::app
