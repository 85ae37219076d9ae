#include "support.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace carom::test {
namespace {

std::string read_file(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// In the child: streams into files, then the program. Never returns.
[[noreturn]] void become_carom(const std::vector<std::string>& arguments, const std::string& out,
                               const std::string& err)
{
    dup2(open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), 1);
    dup2(open(err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), 2);
    std::vector<char*> argv{const_cast<char*>(CAROM_PROGRAM)};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(CAROM_PROGRAM, argv.data());
    _exit(127);
}

}  // namespace

Folder::Folder()
{
    std::string name = (std::filesystem::temp_directory_path() / "carom_cli_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
}

Folder::~Folder()
{
    std::error_code problem;
    std::filesystem::remove_all(path_, problem);
}

std::string Folder::write(std::string_view name, std::string_view text) const
{
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
}

Outcome carom_program(const std::vector<std::string>& arguments, const std::string& interrupt_when_exists)
{
    const Folder folder;
    const std::string out = folder.path("out"), err = folder.path("err");
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) become_carom(arguments, out, err);

    if (!interrupt_when_exists.empty()) {
        while (!std::filesystem::exists(interrupt_when_exists) && waitpid(child, nullptr, WNOHANG) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        // the recording is there before the first step: give it some steps
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(child, SIGINT);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .out = read_file(out),
            .err = read_file(err)};
}

}  // namespace carom::test
