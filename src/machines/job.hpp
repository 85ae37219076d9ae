#pragma once

#include "carom/core/expected.hpp"
#include "machines/job_messages.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace carom {

/// A process among those that mpirun, or another launcher of MPI, has started.

/// How many it has started, and which of them this one is, by the environment that Open MPI, MPICH and
/// Slurm's PMI leave: known before MPI is. One process that nobody launched: {0, 1}.
struct Launched {
    int rank = 0, ranks = 1;
};
[[nodiscard]] Launched launched();

/// The library of messages of this build: beside the program, or where it is installed. Empty: none.
[[nodiscard]] std::string message_library();

/// Opens it and begins. Errors: NotAllowedHere, where this build has no MPI or MPI refuses to begin.
[[nodiscard]] Expected<std::unique_ptr<JobMessages>> open_messages();

/// What has to be the same on all ranks for them to compute the same bits.
struct Identity {
    std::uint64_t program = 0;    ///< the file that runs
    std::uint64_t processor = 0;  ///< what it can do: libraries choose by it
    std::uint64_t libraries = 0;  ///< version of the C library
    std::uint64_t input = 0;      ///< the scene with its overrides, and where it starts
};

/// Of this process; `input` is left to the caller.
[[nodiscard]] Identity identity_here();

/// All ranks meet. `ready`: this rank could read its input. Errors, the same on all ranks: NotAllowedHere
/// where one is not ready, or another from the first.
[[nodiscard]] Expected<void> meet(Messages& ranks, bool ready, const Identity& mine);

}  // namespace carom
