#include "core/write_file.hpp"

#include "core/text.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace carom {

Error unwritable_file(const std::string& path, int reason)
{
    std::string hint = "check the folder, its permissions and the disk";
    if (reason == ENOSPC || reason == EDQUOT) hint = "the disk or the quota is full: make room";
    if (reason == EFBIG) hint = "files may not grow further (ulimit -f): raise the limit";
    return {.code = ErrorCode::FileUnwritable,
            .where = printable(path),
            .message = std::string("the file cannot be written") +
                       (reason == 0 ? "" : std::string(": ") + std::strerror(reason)),
            .hint = std::move(hint),
            .excerpt = {}};
}

Expected<void> write_file(const std::string& path, std::span<const std::string> pieces)
{
    errno = 0;
    std::ofstream out(path, std::ios::binary);
    const bool opened = out.is_open();
    for (const std::string& piece : pieces)
        out << piece;
    out.close();
    if (out) return {};
    const int reason = errno;
    std::error_code problem;
    if (opened && std::filesystem::is_regular_file(path, problem)) std::filesystem::remove(path, problem);
    return unwritable_file(path, reason);
}

Expected<void> write_file(const std::string& path, const std::string& text)
{
    return write_file(path, std::span(&text, 1));
}

Expected<void> write_new_file(const std::string& path, std::string_view text)
{
    // "x" makes the system refuse a file that is there, so that nothing is lost between looking and writing
    std::FILE* const out = std::fopen(path.c_str(), "wx");
    if (out == nullptr && errno == EEXIST) {
        return Error{.code = ErrorCode::FileUnwritable,
                     .where = printable(path),
                     .message = "this file already exists and was not changed",
                     .hint = "give another name",
                     .excerpt = {}};
    }
    if (out == nullptr) return unwritable_file(path, errno);
    bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
    const int reason = errno;
    written = std::fclose(out) == 0 && written;
    if (written) return {};
    std::error_code problem;
    std::filesystem::remove(path, problem);
    return unwritable_file(path, reason);
}

}  // namespace carom
