#include "misread_command.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

namespace carom::app {
namespace {

Error unknown(std::string_view what, std::string_view word, std::span<const std::string> known,
              std::string_view help)
{
    const std::string nearest = nearest_name(word, known);
    return {.code = ErrorCode::UnknownName,
            .where = "command line",
            .message = fmt::format("there is no {} {}", what, quoted(word)),
            .hint = nearest.empty() ? fmt::format("{} lists all", help)
                                    : fmt::format("did you mean {}? {} lists all", nearest, help),
            .excerpt = {}};
}

}  // namespace

bool wants_json(Words words)
{
    for (const std::string_view word : words) {
        if (word == "--json") return true;
        if (word == "--") return false;
    }
    return false;
}

std::optional<Error> unknown_word(const CLI::App& app, Words words)
{
    if (words.size() < 2) return std::nullopt;
    const CLI::App* command = &app;
    std::string help = "carom --help";
    std::size_t first = 1;

    // the command is the first word that is no option
    if (const std::string_view word = words[1]; !word.starts_with('-')) {
        std::vector<std::string> commands;
        for (const CLI::App* one : app.get_subcommands(nullptr)) {
            commands.push_back(one->get_name());
            if (one->get_name() == word) command = one;
        }
        if (command == &app) return unknown("command", word, commands, help);
        help = fmt::format("carom {} --help", command->get_name());
        first = 2;
    }
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options()) {
        for (const std::string& name : option->get_lnames())
            options.push_back("--" + name);
    }
    for (const std::string_view word : words.subspan(first)) {
        if (word == "--") break;
        if (!word.starts_with("--")) continue;
        const std::string_view name = word.substr(0, word.find('='));
        if (std::ranges::find(options, name) == options.end()) return unknown("option", name, options, help);
    }
    return std::nullopt;
}

}  // namespace carom::app
