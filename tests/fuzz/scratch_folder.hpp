#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace carom::fuzz {

/// A folder of this process for files that readers want to have a name, in memory where the system has a
/// place for that; removed when the process ends.
class ScratchFolder {
public:
    ScratchFolder()
    {
        const std::filesystem::path memory = "/dev/shm";
        const auto parent =
            std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
        path_ = parent / ("carom_fuzz_" + std::to_string(getpid()));
        std::filesystem::create_directories(path_);
    }
    ~ScratchFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline const std::filesystem::path& scratch_folder()
{
    static const ScratchFolder folder;
    return folder.path();
}

}  // namespace carom::fuzz
