#include "texts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom::app {
namespace {

using Commands = std::vector<const CLI::App*>;
using Options = std::vector<const CLI::Option*>;

Commands commands_of(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

Options named_options(const CLI::App& command)
{
    return command.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

/// -o and --output
std::vector<std::string> flags_of(const CLI::Option& option)
{
    std::vector<std::string> flags;
    for (const std::string& name : option.get_snames())
        flags.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        flags.push_back("--" + name);
    return flags;
}

/// The file endings that an argument takes, as a pattern of the shells; empty: any file, or none at all.
std::string endings_of(const CLI::Option& option)
{
    const std::string name = option.get_name(true);
    if (name == "SCENE") return "toml";
    if (name == "RUN") return "h5";
    if (name == "FILE") return "toml|h5";
    return "";
}

bool takes_file(const CLI::Option& option)
{
    const std::string value = value_name(option);
    return value == "FILE" || value == "FILES" || value == "FILE...";
}

/// Words that follow `carom COMMAND`.
std::string bash_command(const CLI::App& command)
{
    std::string words, choices;
    for (const CLI::Option* option : named_options(command)) {
        const auto flags = flags_of(*option);
        words += fmt::format("{}{}", words.empty() ? "" : " ", fmt::join(flags, " "));
        if (const auto some = choices_of(*option); !some.empty()) {
            choices +=
                fmt::format("                {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                            fmt::join(flags, "|"), fmt::join(some, " "));
        } else if (takes_file(*option)) {
            choices += fmt::format("                {}) _carom_files ''; return ;;\n", fmt::join(flags, "|"));
        } else if (!value_name(*option).empty()) {
            choices += fmt::format("                {}) return ;;\n", fmt::join(flags, "|"));
        }
    }
    std::string rest = "return";
    for (const CLI::Option* option : command.get_options()) {
        if (option->nonpositional()) continue;
        const auto some = choices_of(*option);
        if (!some.empty())
            rest = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", fmt::join(some, " "));
        else if (takes_file(*option))
            rest = fmt::format("_carom_files '{}'", endings_of(*option));
    }
    std::string out = fmt::format("        {})\n", command.get_name());
    if (!choices.empty()) out += "            case $before in\n" + choices + "            esac\n";
    out += fmt::format("            if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n"
                       "            else {}; fi ;;\n",
                       words, rest);
    return out;
}

std::string bash_script(const CLI::App& app)
{
    std::string names, cases;
    for (const CLI::App* command : commands_of(app)) {
        names += command->get_name() + " ";
        cases += bash_command(*command);
    }
    std::string top;
    for (const CLI::Option* option : named_options(app))
        top += fmt::format("{} ", fmt::join(flags_of(*option), " "));
    return "# completion of carom for bash; made by: carom completion bash\n"
           "\n"
           "# files with one of these endings, and folders\n"
           "_carom_files() {\n"
           "    local file\n"
           "    compopt -o filenames 2>/dev/null\n"
           "    while IFS= read -r file; do\n"
           "        if [[ -z $1 || -d $file || $file =~ \\.($1)$ ]]; then COMPREPLY+=(\"$file\"); fi\n"
           "    done < <(compgen -f -- \"$word\")\n"
           "}\n"
           "\n"
           "_carom() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n" +
           fmt::format("        COMPREPLY=($(compgen -W '{}{}' -- \"$word\"))\n", names,
                       top.substr(0, top.size() - 1)) +
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n" +
           cases +
           "    esac\n"
           "}\n"
           "\n"
           "complete -F _carom carom\n";
}

/// Text between quotes and colons of _arguments.
std::string zsh_text(const std::string& text)
{
    std::string out;
    for (const char letter : text) {
        if (letter == '\'') {
            out += "'\\''";
            continue;
        }
        if (letter == ':' || letter == '[' || letter == ']' || letter == '\\') out += '\\';
        out += letter;
    }
    return out;
}

/// What completes a value.
std::string zsh_action(const CLI::Option& option)
{
    if (const auto some = choices_of(option); !some.empty()) return fmt::format("({})", fmt::join(some, " "));
    if (!takes_file(option)) return "";
    const std::string endings = endings_of(option);
    return endings.empty() ? "_files" : fmt::format("_files -g \"*.({})(-.)\"", endings);
}

std::string zsh_option(const CLI::Option& option)
{
    const std::string value = value_name(option);
    const std::string help = zsh_text(option.get_description());
    std::string out;
    for (const std::string& flag : flags_of(option)) {
        const bool again = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
        const std::string values = value.empty() ? "" : fmt::format(":{}:{}", value, zsh_action(option));
        out += fmt::format(" \\\n                '{}{}[{}]{}'", again ? "*" : "", flag, help, values);
    }
    return out;
}

std::string zsh_script(const CLI::App& app)
{
    std::string names, cases;
    for (const CLI::App* command : commands_of(app)) {
        names += fmt::format("        '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
        cases += fmt::format("        {})\n            _arguments", command->get_name());
        for (const CLI::Option* option : named_options(*command))
            cases += zsh_option(*option);
        for (const CLI::Option* option : command->get_options()) {
            if (option->nonpositional()) continue;
            cases +=
                fmt::format(" \\\n                ':{}:{}'", option->get_name(true), zsh_action(*option));
        }
        cases += " ;;\n";
    }
    std::string top;
    for (const CLI::Option* option : named_options(app))
        top += zsh_option(*option);
    return "#compdef carom\n"
           "# completion of carom for zsh; made by: carom completion zsh\n"
           "\n"
           "_carom() {\n"
           "    local -a commands\n"
           "    commands=(\n" +
           names +
           "    )\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _describe command commands\n"
           "        _arguments" +
           top +
           "\n        return\n"
           "    fi\n"
           "    local command=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $command in\n" +
           cases +
           "    esac\n"
           "}\n"
           "\n"
           "if [ \"$funcstack[1]\" = _carom ]; then _carom \"$@\"; else compdef _carom carom; fi\n";
}

}  // namespace

std::vector<std::string> choices_of(const CLI::Option& option)
{
    // words that are checked stand in braces behind the type: "TEXT:{csv,svg}"
    const std::string type = option.get_type_name();
    const auto open = type.find('{'), close = type.find('}');
    std::vector<std::string> words;
    if (open == std::string::npos || close == std::string::npos) return words;
    for (const std::string& word : CLI::detail::split(type.substr(open + 1, close - open - 1), ','))
        words.push_back(word);
    return words;
}

std::string value_name(const CLI::Option& option)
{
    if (option.get_items_expected_max() == 0) return "";
    if (!choices_of(option).empty()) return "WORD";
    std::string type = option.get_type_name();
    type.resize(std::min(type.size(), type.find(':')));
    return type == "TEXT" || type == "INT" || type == "UINT" || type.starts_with("INT ") ? "VALUE" : type;
}

std::string completion_script(const CLI::App& app, const std::string& shell)
{
    return shell == "zsh" ? zsh_script(app) : bash_script(app);
}

}  // namespace carom::app
