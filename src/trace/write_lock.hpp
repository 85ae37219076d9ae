#pragma once

#include "carom/core/expected.hpp"

#include <string>

namespace carom {

/// The right to write a file, for one writer at a time: a recording or table that two runs write becomes a
/// mixture of both.
///
/// The lock is a file beside it, FILE.lock, held by the operating system for as long as the writer lives: a
/// killed run holds nothing, although its lock file stays behind until the next writer takes it over. It
/// keeps writers of carom apart, also in one process; readers need no lock. File systems that know no locks
/// give none, and then the caller has to see to it.
class WriteLock {
public:
    /// Takes the lock of the file, which need not exist; where the path is a symbolic link, of its target.
    /// Errors: FileUnwritable when another writer has it, or the lock file cannot be made.
    [[nodiscard]] static Expected<WriteLock> take(const std::string& path);

    WriteLock(WriteLock&& other) noexcept;
    WriteLock& operator=(WriteLock&& other) noexcept;
    ~WriteLock();

    /// The file that is locked, links followed.
    [[nodiscard]] const std::string& file() const noexcept { return file_; }

    /// A writer that was killed had it before: what it left behind may be removed.
    [[nodiscard]] bool was_left() const noexcept { return was_left_; }

private:
    WriteLock() = default;

    std::string file_, name_;  ///< what is locked, and the lock file
    int descriptor_ = -1;
    bool was_left_ = false;
};

/// The file that a path leads to when symbolic links are followed, also where it does not exist yet.
[[nodiscard]] std::string target_of(const std::string& path);

}  // namespace carom
