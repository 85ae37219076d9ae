#include "run_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace carom::detail {
namespace {

namespace fs = std::filesystem;

/// The file behind a symbolic link, so that the link stays one.
std::string resolved(const std::string& path)
{
    std::error_code problem;
    const auto target = fs::canonical(path, problem);
    return problem ? path : target.string();
}

/// Nothing, or something that begins as HDF5 does: what may be replaced without regret.
bool is_empty_or_hdf5(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string head(8, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    return file.gcount() == 0 || head == "\x89HDF\r\n\x1a\n";
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

}  // namespace

RunFile::RunFile(const std::string& path) : path_(resolved(path)), spare_(path_ + ".next") {}

Error RunFile::failure(const std::string& what) const
{
    return {.code = ErrorCode::FileUnwritable,
            .where = path_,
            .message = what,
            .hint = "give a file name in a folder that exists and may be written, for example run.h5",
            .excerpt = {}};
}

Expected<void> RunFile::check_place() const
{
    std::error_code problem;
    const fs::path path(path_);
    if (!path.has_filename()) return failure("this names no file");
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, problem)) return failure("there is no folder " + folder.string());
    const auto status = fs::status(path, problem);
    if (!fs::exists(status)) return {};
    if (fs::is_directory(status)) return failure("this is a folder");
    if (!fs::is_regular_file(status)) return failure("this is not a plain file");
    if (::access(path_.c_str(), W_OK) != 0) return failure("the file is there and may not be written");
    if (!is_empty_or_hdf5(path_)) return failure("the file is there and is no recording: it is not replaced");
    return {};
}

Expected<void> RunFile::create(const Change& fill)
{
    if (auto place = check_place(); !place) return place;
    remove_spare();
    auto file = Hdf5Writer::create(spare_);
    if (!file) return failure("the file could not be made: " + std::string(std::strerror(errno)));
    if (auto filled = close_spare(std::move(*file), fill); !filled) {
        remove_spare();
        return filled;
    }
    if (std::rename(spare_.c_str(), path_.c_str()) != 0) {
        remove_spare();
        return failure("the file could not be given its name: " + std::string(std::strerror(errno)));
    }
    return {};
}

Expected<Hdf5Writer> RunFile::open_spare()
{
    // someone may be reading what carried the name before, and must not see it change
    if (spare_is_ours_) {
        if (auto file = Hdf5Writer::open(spare_)) return file;
    }
    remove_spare();
    std::error_code problem;
    fs::copy_file(path_, spare_, problem);
    if (problem) return failure("the file could not be copied: " + problem.message());
    return Hdf5Writer::open(spare_);
}

Expected<void> RunFile::close_spare(Hdf5Writer file, const Change& change) const
{
    auto changed = change(file);
    auto closed = file.close();
    if (!changed) return changed;
    if (!closed) return closed;
    if (!synchronise(spare_))
        return failure("the disk did not take the data: " + std::string(std::strerror(errno)));
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
    if (!exchange())
        return failure("the new file could not take the name: " + std::string(std::strerror(errno)));
    return {};
}

bool RunFile::exchange()
{
#if defined(__linux__) && defined(RENAME_EXCHANGE)
    spare_is_ours_ = ::renameat2(AT_FDCWD, spare_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0;
    if (spare_is_ours_) return true;
#endif
    // file systems that cannot exchange: a second name keeps the old file while the new one takes its place
    const std::string old = path_ + ".old";
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
