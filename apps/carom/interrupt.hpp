#pragma once

#include <atomic>

namespace carom::app {

/// From now on Ctrl-C and a polite request to end (SIGTERM, SIGHUP) are noted instead of ending the program,
/// so that it can keep what it has. The second one ends it at once.
void note_interrupts();

[[nodiscard]] bool interrupted() noexcept;

/// The same for those who look at it themselves, in the middle of a solve.
[[nodiscard]] const std::atomic<bool>& interrupt_flag() noexcept;

}  // namespace carom::app
