#pragma once

#include "core/messages.hpp"

#include <string>

namespace carom {

/// What has been sent by this rank.
struct Traffic {
    long messages = 0, bytes = 0;          ///< over lines
    long gathers = 0, gathered_bytes = 0;  ///< of this rank to all others
    double waited_s = 0;                   ///< for messages of others, and for the network
    double waiting_processor_s = 0;        ///< processor time of that
};

/// The messages of a whole process.
class JobMessages : public Messages {
public:
    /// Ranks on this machine, this one included.
    [[nodiscard]] virtual int ranks_here() const noexcept = 0;

    /// The library behind it, with its version.
    [[nodiscard]] virtual std::string library() const = 0;

    [[nodiscard]] virtual const Traffic& traffic() const noexcept = 0;

    /// The rank is done: returns the exit status of the first rank that has one other than 0. One that fails
    /// waits a moment for the others to fail in the same way; where they do not, it has to `abandon` them.
    enum class Ending { Together, Alone };
    struct Ended {
        Ending how = Ending::Together;
        int status = 0;
    };
    [[nodiscard]] virtual Ended end(int status) = 0;

    /// Ends all ranks at once.
    [[noreturn]] virtual void abandon(int status) = 0;
};

/// What the library of messages exports: `carom_open_messages`, null where it cannot begin. The caller says
/// which version it is.
using OpenMessages = JobMessages* (*)(const char* version);

}  // namespace carom
