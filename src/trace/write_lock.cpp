#include "trace/write_lock.hpp"

#include "core/text.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace carom {
namespace {

namespace fs = std::filesystem;

/// How a lock file of carom begins; the number of the process follows.
constexpr std::string_view mark = "carom is writing the same file: process ";

Error locked_out(const std::string& file, std::string message, std::string hint)
{
    return {.code = ErrorCode::FileUnwritable,
            .where = printable(file),
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

/// What the lock file says, up to its first line.
std::string text_in(int descriptor)
{
    std::array<char, 128> buffer{};
    const auto read = ::pread(descriptor, buffer.data(), buffer.size(), 0);
    std::string text(buffer.data(), read > 0 ? static_cast<std::size_t>(read) : 0);
    return text.substr(0, text.find('\n'));
}

/// The lock file still carries its name: the writer before may have removed it after we had opened it.
bool is_named(int descriptor, const std::string& name)
{
    struct stat open{}, named{};
    return ::fstat(descriptor, &open) == 0 && ::stat(name.c_str(), &named) == 0 &&
           open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

/// Some file systems know no locks: there the lock file alone is no proof that somebody writes.
bool has_no_locks(int problem)
{
    return problem == ENOSYS || problem == EOPNOTSUPP || problem == ENOLCK || problem == EINVAL;
}

}  // namespace

std::string target_of(const std::string& path)
{
    std::error_code problem;
    if (const auto target = fs::canonical(path, problem); !problem) return target.string();
    // links that lead nowhere yet: what is written there makes them lead somewhere
    fs::path at = path;
    for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(at, problem)); ++links) {
        const fs::path next = fs::read_symlink(at, problem);
        if (problem) break;
        at = next.is_absolute() ? next : at.parent_path() / next;
    }
    return at.string();
}

Expected<WriteLock> WriteLock::take(const std::string& path)
{
    WriteLock lock;
    lock.file_ = target_of(path);
    lock.name_ = lock.file_ + ".lock";
    for (int attempt = 0; attempt < 100; ++attempt) {
        constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
        int descriptor = ::open(lock.name_.c_str(), flags | O_CREAT | O_EXCL, 0644);
        lock.was_left_ = descriptor < 0 && errno == EEXIST;
        if (lock.was_left_) descriptor = ::open(lock.name_.c_str(), flags);
        if (descriptor < 0 && errno == ENOENT && lock.was_left_) continue;  // just removed
        if (descriptor < 0) {
            return locked_out(lock.file_,
                              "the file cannot be written, because its lock file cannot be created: " +
                                  printable(lock.name_) + ": " + std::string(std::strerror(errno)),
                              "give a file name in a folder that exists and may be written");
        }
        const bool held = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && !has_no_locks(errno);
        const std::string text = text_in(descriptor);
        struct stat status{};
        const bool plain = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
        if (!plain || (!text.empty() && !text.starts_with(mark))) {
            ::close(descriptor);
            return locked_out(lock.file_, printable(lock.name_) + " exists, and is not a lock file of carom",
                              "move it away, or give another name: carom needs this one while it writes");
        }
        if (held) {
            ::close(descriptor);
            const std::string process = text.empty() ? "" : " (process " + text.substr(mark.size()) + ")";
            return locked_out(lock.file_, "another run writes this" + process,
                              "wait until it has ended, or give another name");
        }
        if (!is_named(descriptor, lock.name_)) {
            ::close(descriptor);
            continue;
        }
        // what it says is for people: a disk without room for it does not stop the run here
        const std::string said = std::string(mark) + std::to_string(::getpid()) + "\n";
        [[maybe_unused]] const bool cut = ::ftruncate(descriptor, 0) == 0;
        [[maybe_unused]] const auto put = ::pwrite(descriptor, said.data(), said.size(), 0);
        lock.descriptor_ = descriptor;
        return lock;
    }
    return locked_out(lock.file_, "another run writes this", "wait until it has ended, or give another name");
}

WriteLock::WriteLock(WriteLock&& other) noexcept
    : file_(std::move(other.file_)),
      name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      was_left_(other.was_left_)
{
}

WriteLock& WriteLock::operator=(WriteLock&& other) noexcept
{
    std::swap(file_, other.file_);
    std::swap(name_, other.name_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(was_left_, other.was_left_);
    return *this;
}

WriteLock::~WriteLock()
{
    if (descriptor_ < 0) return;
    // removed while it is held: whoever waits for it sees that it has lost its name
    if (is_named(descriptor_, name_)) ::unlink(name_.c_str());
    ::close(descriptor_);
}

}  // namespace carom
