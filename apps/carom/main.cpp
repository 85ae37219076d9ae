#include "command_line.hpp"
#include "misread_command.hpp"
#include "ranks.hpp"
#include "report/text.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

#include <fmt/format.h>

namespace carom::app {
namespace {

/// Bad arguments are bad input, whatever CLI11 calls them.
int refuse_words(const CLI::App& app, const CLI::ParseError& problem, Words words)
{
    if (problem.get_exit_code() == 0) return app.exit(problem);  // help was asked for
    Error error{.code = ErrorCode::WrongArguments,
                .where = "command line",
                .message = problem.what(),
                .hint = "carom --help lists commands and options",
                .excerpt = {}};
    if (auto unknown = unknown_word(app, words)) {
        error = std::move(*unknown);
        print_errors({error});
    } else {
        app.exit(problem);
    }
    if (wants_json(words)) static_cast<void>(print_result(to_json(Errors{error})));
    return static_cast<int>(ExitStatus::BadInput);
}

int run(Words words)
{
    CommandLine line;
    try {
        line.app().parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::ParseError& problem) {
        return refuse_words(line.app(), problem, words);
    }
    return static_cast<int>(line.run());
}

/// carom itself could not go on.
int failed(const std::string& message, Words words)
{
    fmt::print(stderr, "carom: {}\n", message);
    if (wants_json(words)) static_cast<void>(print_result(failure_json(message)));
    return static_cast<int>(ExitStatus::Failed);
}

int carry_out_command(Words words)
{
    try {
        return run(words);
    } catch (const std::bad_alloc&) {
        return failed("error: there is not enough memory for this", words);
    } catch (const InternalError& error) {
        return failed(error.what(), words);
    } catch (const std::exception& error) {
        return failed(fmt::format("internal error in carom, please report it: {}", error.what()), words);
    }
}

}  // namespace
}  // namespace carom::app

int main(int argc, char** argv)
{
    // a file that may not grow further is a write that fails, and is told as one
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    const carom::app::Words words(argv, static_cast<std::size_t>(argc));
    if (!carom::app::join_ranks(words)) return static_cast<int>(carom::app::ExitStatus::BadInput);
    return carom::app::leave_ranks(carom::app::carry_out_command(words));
}
