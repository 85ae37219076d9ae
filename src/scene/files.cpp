#include "files.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

namespace carom::detail {
namespace {

Error unusable(std::string message, std::string hint)
{
    return {.code = ErrorCode::FileUnreadable,
            .where = {},
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

}  // namespace

Expected<std::filesystem::path> file_below(const std::filesystem::path& folder, const std::string& name,
                                           std::size_t max_bytes, const char* what)
{
    namespace fs = std::filesystem;
    const fs::path wanted(name);
    const bool printable_name = printable(name) == name && !name.empty();
    if (folder.empty() || !printable_name || wanted.is_absolute()) {
        return unusable(fmt::format("the file {} cannot be used", carom::quoted(name)),
                        "give the name of a file below the folder of the scene");
    }
    std::error_code problem;
    const fs::path base = fs::canonical(folder, problem);
    const fs::path full = problem ? fs::path() : fs::canonical(base / wanted, problem);
    if (problem || !fs::is_regular_file(full, problem)) {
        return unusable(fmt::format("there is no file {} beside the scene", carom::quoted(name)),
                        "the path is relative to the folder of the scene");
    }
    const fs::path relative = full.lexically_relative(base);
    if (relative.empty() || *relative.begin() == "..") {
        return unusable(fmt::format("the file {} is outside the folder of the scene", carom::quoted(name)),
                        "put it below the folder of the scene");
    }
    if (fs::file_size(full, problem) > max_bytes || problem) {
        return unusable(fmt::format("the file {} is too large", carom::quoted(name)),
                        fmt::format("a {} can have at most {} bytes", what, max_bytes));
    }
    return full;
}

}  // namespace carom::detail
