#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace carom {

/// A headless Chromium that shows one address, with a profile of its own and without any network but this
/// machine's. It ends with this object.
class Chromium {
public:
    /// The first browser on the path that can draw pictures; empty when there is none.
    [[nodiscard]] static std::string find();

    Chromium(const std::string& program, const std::string& address, int width, int height);
    ~Chromium();
    Chromium(const Chromium&) = delete;
    Chromium& operator=(const Chromium&) = delete;

    /// False once it has ended, or when it could not be started.
    [[nodiscard]] bool is_running();

private:
    std::filesystem::path profile_;
    pid_t process_ = -1;
};

}  // namespace carom
