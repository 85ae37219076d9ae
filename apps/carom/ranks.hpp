#pragma once

#include "carom/scene/scene.hpp"
#include "core/messages.hpp"
#include "terminal.hpp"

#include <optional>
#include <span>
#include <string>

namespace carom {
class JobMessages;
}

namespace carom::app {

/// This process as one of several that run a scene together (docs/how-to/machines.md). One that is alone is
/// its own first rank.

/// Joins the ranks that were launched, where the command is one that they share. Only the first one is heard
/// from then on. False: it cannot, which has been said.
[[nodiscard]] bool join_ranks(std::span<char* const> words);

/// The exit status of all ranks together.
[[nodiscard]] int leave_ranks(int status);

/// Null: alone.
[[nodiscard]] JobMessages* ranks() noexcept;

/// Writes files and pictures.
[[nodiscard]] bool is_first_rank() noexcept;

/// The cores of this process, shared with the other ranks on this machine.
[[nodiscard]] int cores_for_threads();

/// All ranks have read their input, or say that they could not; where all is well they go on together. Errors
/// are the same on all ranks: those of this one, what ranks do not do, and what they do not have in common.
[[nodiscard]] Expected<void, Errors> meet_ranks(const Errors& errors, const Scene* scene);

/// While it lives, runs are those of all ranks together.
class RunOfRanks {
public:
    RunOfRanks();

private:
    std::optional<Ranks> scope_;
};

/// For carom --version.
[[nodiscard]] std::string with_messages();

}  // namespace carom::app
