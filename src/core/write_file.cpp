#include "core/write_file.hpp"

#include "core/text.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace carom {

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
    std::string hint = "check the folder, its permissions and the disk";
    if (reason == ENOSPC || reason == EDQUOT) hint = "the disk or the quota is full: make room";
    if (reason == EFBIG) hint = "files may not grow further (ulimit -f): raise the limit";
    return Error{.code = ErrorCode::FileUnwritable,
                 .where = printable(path),
                 .message = std::string("the file cannot be written") +
                            (reason == 0 ? "" : std::string(": ") + std::strerror(reason)),
                 .hint = std::move(hint),
                 .excerpt = {}};
}

Expected<void> write_file(const std::string& path, const std::string& text)
{
    return write_file(path, std::span(&text, 1));
}

}  // namespace carom
