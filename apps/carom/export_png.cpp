#include "carom/core/text.hpp"
#include "carom/trace/page.hpp"
#include "exports.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace carom::app {
namespace {

namespace fs = std::filesystem;

/// The first browser on the path that can take pictures; empty when there is none.
std::string find_chromium()
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

/// Starts a program without a shell, its output thrown away; true when it ended well.
bool run_program(const std::string& program, const std::vector<std::string>& arguments)
{
    std::vector<char*> pointers{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        if (std::freopen("/dev/null", "w", stdout) == nullptr ||
            std::freopen("/dev/null", "w", stderr) == nullptr)
            ::_exit(127);
        ::execv(program.c_str(), pointers.data());
        ::_exit(127);
    }
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/// A folder of its own, removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string pattern = (fs::temp_directory_path() / "carom_png_XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~TemporaryFolder()
    {
        std::error_code problem;
        if (!path_.empty()) fs::remove_all(path_, problem);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] fs::path file(const char* name) const { return path_ / name; }

private:
    fs::path path_;
};

}  // namespace

ExitStatus export_png(const Recording& recording, const ExportOptions& options)
{
    const std::string chromium = find_chromium();
    if (chromium.empty()) {
        return refuse_export("--to png", "there is no Chromium to take the picture",
                             "install it, Debian: apt-get install chromium; or use --to svg or carom report");
    }
    if (options.output == "-")
        return refuse_export("-o -", "a picture goes to a file", "give the name of a .png file");
    const fs::path picture = options.output.empty() ? fs::path(options.recording).replace_extension(".png")
                                                    : fs::path(options.output);
    std::error_code problem;
    if (fs::equivalent(picture, options.recording, problem))
        return refuse_export(picture.string(), "this is the recording itself", "give another name with -o");

    // the browser shows the page from a file; it needs no network, and gets none
    const TemporaryFolder folder;
    std::ofstream(folder.file("page.html"), std::ios::binary) << to_page(recording);
    std::vector<std::string> arguments{"--headless",
                                       "--disable-gpu",
                                       "--disable-quic",
                                       "--no-first-run",
                                       "--disable-background-networking",
                                       "--disable-component-update",
                                       "--disable-sync",
                                       "--hide-scrollbars",
                                       "--use-gl=angle",
                                       "--use-angle=swiftshader",
                                       "--enable-unsafe-swiftshader",
                                       "--virtual-time-budget=5000",
                                       "--window-size=1280,960",
                                       "--user-data-dir=" + folder.file("profile").string(),
                                       "--screenshot=" + folder.file("page.png").string(),
                                       "file://" + folder.file("page.html").string()};
    if (::geteuid() == 0) arguments.insert(arguments.begin(), "--no-sandbox");  // it refuses root otherwise
    if (!run_program(chromium, arguments) || !fs::exists(folder.file("page.png")))
        return refuse_export(chromium, "the browser took no picture",
                             "try carom report and open the page by hand");
    fs::copy_file(folder.file("page.png"), picture, fs::copy_options::overwrite_existing, problem);
    if (problem)
        return refuse_export(picture.string(), problem.message(),
                             "look at the folder, its rights and the disk");
    return print_result(printable(picture.string()) + "\n") ? ExitStatus::Certified : ExitStatus::BadInput;
}

}  // namespace carom::app
