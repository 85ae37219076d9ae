#include "run_file.hpp"

#include "run_head.hpp"
#include "storage/hdf5_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace carom::detail {
namespace {

namespace fs = std::filesystem;

/// Nothing, or a recording: what may be replaced without regret.
bool is_empty_or_recording(const std::string& path)
{
    std::error_code problem;
    if (fs::file_size(path, problem) == 0 && !problem) return true;
    const Hdf5Session session;
    const auto file = Hdf5Reader::open(path);
    if (!file) return false;
    const auto format = file->text_attribute("/", "format");
    return format && (*format == run_format || *format == part_format);
}

/// The data reach the disk before the name does: otherwise a power cut could leave the name with an empty
/// file.
bool synchronise(const std::string& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool done = ::fsync(file) == 0 || errno == EINVAL || errno == EROFS;
    ::close(file);
    return done;
}

/// A part of a recording, and nothing else.
bool is_part(const std::string& path)
{
    const Hdf5Session session;
    const auto file = Hdf5Reader::open(path);
    if (!file) return false;
    const auto format = file->text_attribute("/", "format");
    return format && *format == part_format;
}

}  // namespace

void remove_parts_from(const std::string& path, int first)
{
    std::error_code problem;
    for (auto part = static_cast<std::uint64_t>(first);; ++part) {
        const std::string name = name_of_part(target_of(path), part);
        if (!fs::exists(name, problem) || !is_part(name)) return;
        fs::remove(name, problem);
    }
}

RunFile::RunFile(const std::string& path) : path_(target_of(path)), spare_(path_ + ".next") {}

Error RunFile::failure(const std::string& what) const
{
    return {.code = ErrorCode::FileUnwritable,
            .where = path_,
            .message = what,
            .hint = "give a file name in a folder that exists and may be written, for example run.h5",
            .excerpt = {}};
}

Error RunFile::failure(const std::string& what, int problem) const
{
    Error error = failure(what + ": " + std::strerror(problem));
    // a copy that stops short is an input/output error to the library, whatever the reason
    std::error_code unknown;
    const auto room =
        fs::space(fs::path(path_).parent_path().empty() ? "." : fs::path(path_).parent_path(), unknown);
    const auto size = fs::file_size(path_, unknown);
    const bool no_room = problem == EIO && !unknown && room.available < size;
    const std::string then = holds_run_ ? ", then carom resume continues" : ", then run it again";
    if (problem == ENOSPC || problem == EDQUOT || no_room)
        error.hint = "the disk or the quota is full: make room" + then;
    if (problem == EFBIG) error.hint = "files may not grow further (ulimit -f): raise the limit" + then;
    return error;
}

Expected<void> RunFile::lock(std::optional<WriteLock> lock)
{
    if (!lock) {
        auto taken = WriteLock::take(path_);
        if (!taken) return taken.error();
        lock.emplace(std::move(*taken));
    }
    lock_ = std::move(lock);
    std::error_code problem;
    const auto spare = fs::symlink_status(spare_, problem);
    const bool empty = fs::is_regular_file(spare) && fs::file_size(spare_, problem) == 0;
    if (fs::exists(spare) && !lock_->was_left() && !empty) {
        Error error = failure(spare_ + " exists, and was not left by a killed run");
        error.hint = "move it away, or give another name: carom needs this one while it writes";
        return error;
    }
    remove_spare();
    return {};
}

Expected<void> RunFile::check_place() const
{
    std::error_code problem;
    const fs::path path(path_);
    if (!path.has_filename()) return failure("this names no file");
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, problem)) return failure("there is no folder " + folder.string());
    const auto status = fs::status(path, problem);
    if (fs::is_symlink(fs::symlink_status(path, problem))) return failure("this link leads to itself");
    if (!fs::exists(status)) return {};
    if (fs::is_directory(status)) return failure("this is a folder");
    if (!fs::is_regular_file(status)) return failure("this is not a plain file");
    if (::access(path_.c_str(), W_OK) != 0) return failure("the file exists and is not writable");
    if (is_empty_or_recording(path_)) return {};
    Error error = failure("the file exists and is not a recording of carom: it is not replaced");
    error.hint = "give another name, or move the file away";
    return error;
}

Expected<void> RunFile::create(const Change& fill)
{
    if (auto place = check_place(); !place) return place;
    if (!lock_) {
        if (auto locked = lock(); !locked) return locked;
        // as it is now that nobody else writes
        if (auto place = check_place(); !place) return place;
    }
    holds_run_ = false;
    auto file = Hdf5Writer::create(spare_);
    if (!file) return failure("the file could not be made", errno);
    if (auto filled = close_spare(std::move(*file), fill); !filled) {
        remove_spare();
        return filled;
    }
    if (std::rename(spare_.c_str(), path_.c_str()) != 0) {
        remove_spare();
        return failure("the file could not be given its name", errno);
    }
    holds_run_ = true;
    return {};
}

Expected<Hdf5Writer> RunFile::open_spare()
{
    // someone may be reading what carried the name before, and must not see it change; nor may what has a
    // second name elsewhere
    std::error_code problem;
    if (spare_is_ours_ && fs::hard_link_count(spare_, problem) == 1) {
        if (auto file = Hdf5Writer::open(spare_)) return file;
    }
    remove_spare();
    fs::copy_file(path_, spare_, problem);
    if (problem) return failure("the file could not be copied", problem.value());
    return Hdf5Writer::open(spare_);
}

Expected<void> RunFile::close_spare(Hdf5Writer file, const Change& change) const
{
    // HDF5 does not say why a write failed, the operating system does
    errno = 0;
    auto changed = change(file);
    auto closed = file.close();
    const int reason = errno;
    if (!changed || !closed) {
        const Error error = !changed ? changed.error() : closed.error();
        const bool known = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
        return known ? failure(error.message, reason) : error;
    }
    if (!synchronise(spare_)) return failure("the data could not be written to the disk", errno);
    return {};
}

Expected<void> RunFile::commit(const Change& change)
{
    auto file = open_spare();
    if (!file) return file.error();
    if (auto changed = close_spare(std::move(*file), change); !changed) {
        remove_spare();
        return changed;
    }
    if (!exchange()) return failure("the new file could not be renamed", errno);
    return {};
}

bool RunFile::exchange()
{
#if defined(__linux__) && defined(RENAME_EXCHANGE)
    spare_is_ours_ = ::renameat2(AT_FDCWD, spare_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0;
    if (spare_is_ours_) return true;
#endif
    // file systems that cannot exchange: a second name keeps the old file while the new one takes its place
    const std::string old = spare_ + ".old";
    ::unlink(old.c_str());
    const bool kept = ::link(path_.c_str(), old.c_str()) == 0;
    if (std::rename(spare_.c_str(), path_.c_str()) != 0) return false;
    spare_is_ours_ = kept && std::rename(old.c_str(), spare_.c_str()) == 0;
    return true;
}

void RunFile::remove_spare() noexcept
{
    ::unlink(spare_.c_str());
    spare_is_ours_ = false;
}

}  // namespace carom::detail
