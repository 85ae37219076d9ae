#include "command_line.hpp"

#include <cstdlib>
#include <exception>
#include <new>

#include <fmt/format.h>

namespace carom::app {
namespace {

/// Bad arguments are bad input, whatever CLI11 calls them.
int exit_code_of(const CLI::App& app, const CLI::ParseError& problem)
{
    const int code = app.exit(problem);
    return code == 0 ? 0 : static_cast<int>(ExitStatus::BadInput);
}

int run(int argc, char** argv)
{
    CommandLine line;
    try {
        line.app().parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return exit_code_of(line.app(), problem);
    }
    return static_cast<int>(line.run());
}

}  // namespace
}  // namespace carom::app

int main(int argc, char** argv)
{
    try {
        return carom::app::run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("carom: error: there is not enough memory for this\n", stderr);
    } catch (const carom::InternalError& error) {
        fmt::print(stderr, "carom: {}\n", error.what());
    } catch (const std::exception& error) {
        fmt::print(stderr, "carom: internal error in carom, please report it: {}\n", error.what());
    }
    return static_cast<int>(carom::app::ExitStatus::Failed);
}
