#include "report/chromium.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace carom {
namespace {

namespace fs = std::filesystem;

/// Starts a program without a shell in a group of its own, its output thrown away; -1: it could not.
pid_t start_program(const std::string& program, const std::vector<std::string>& arguments)
{
    std::vector<char*> pointers{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::setpgid(0, 0);
        if (std::freopen("/dev/null", "w", stdout) == nullptr ||
            std::freopen("/dev/null", "w", stderr) == nullptr)
            ::_exit(127);
        ::execv(program.c_str(), pointers.data());
        ::_exit(127);
    }
    return child;
}

}  // namespace

std::string Chromium::find()
{
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "";
    while (!rest.empty()) {
        const auto end = rest.find(':');
        const fs::path folder(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        for (const char* name : {"chromium", "chromium-browser", "google-chrome", "chrome"}) {
            const fs::path file = folder / name;
            if (::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file.string();
        }
    }
    return {};
}

Chromium::Chromium(const std::string& program, const std::string& address, int width, int height)
{
    std::string pattern = (fs::temp_directory_path() / "carom_browser_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return;
    profile_ = pattern;
    std::vector<std::string> arguments{"--headless",
                                       "--disable-gpu",
                                       "--disable-quic",
                                       "--no-first-run",
                                       "--disable-background-networking",
                                       "--disable-component-update",
                                       "--disable-sync",
                                       "--disable-background-timer-throttling",
                                       "--disable-renderer-backgrounding",
                                       "--hide-scrollbars",
                                       "--force-device-scale-factor=1",
                                       "--use-gl=angle",
                                       "--use-angle=swiftshader",
                                       "--enable-unsafe-swiftshader",
                                       "--remote-debugging-port=0",  // else a headless browser ends at once
                                       fmt::format("--window-size={},{}", width, height),
                                       "--user-data-dir=" + profile_.string()};
    if (::geteuid() == 0) arguments.emplace_back("--no-sandbox");  // it refuses root otherwise
    arguments.push_back(address);
    process_ = start_program(program, arguments);
}

Chromium::~Chromium()
{
    if (is_running()) {
        ::kill(-process_, SIGTERM);
        for (int i = 0; i < 50 && is_running(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (is_running()) {
            ::kill(-process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
        }
    }
    std::error_code problem;
    if (!profile_.empty()) fs::remove_all(profile_, problem);
}

bool Chromium::is_running()
{
    if (process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) != 0) process_ = -1;
    return process_ > 0;
}

}  // namespace carom
