#include "carom/core/version.hpp"
#include "texts.hpp"

#include <fmt/format.h>

#include <sstream>

namespace carom::app {
namespace {

/// Text as man reads it: no line begins with a command, and hyphens stay hyphens.
std::string roff(const std::string& text)
{
    std::string out;
    bool begins = true;
    for (const char letter : text) {
        if (begins && (letter == '.' || letter == '\'')) out += "\\&";
        begins = letter == '\n';
        if (letter == '\\')
            out += "\\e";
        else if (letter == '-')
            out += "\\-";
        else
            out += letter;
    }
    return out;
}

/// The end of a help text: examples as they are, the rest as paragraphs.
std::string footer(const CLI::App& command)
{
    std::string out;
    std::istringstream lines(command.get_footer());
    bool literal = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ") != literal) {
            literal = !literal;
            out += literal ? ".EX\n" : ".EE\n";
        }
        if (line.empty())
            out += ".PP\n";
        else
            out += roff(literal ? line.substr(2) : line) + "\n";
    }
    return out + (literal ? ".EE\n" : "");
}

std::string arguments_of(const CLI::App& command)
{
    std::string out;
    for (const CLI::Option* option : command.get_options()) {
        const std::string value = value_name(*option);
        const auto words = choices_of(*option);
        const std::string shown = words.empty() ? value : fmt::format("{}", fmt::join(words, "|"));
        std::string names = option->nonpositional() ? option->get_name(false, true) : option->get_name(true);
        for (std::size_t at = 0; (at = names.find(',', at)) != std::string::npos; at += 2)
            names.replace(at, 1, ", ");
        out += fmt::format(".TP\n\\fB{}\\fR", roff(names));
        if (option->nonpositional() && !shown.empty()) out += fmt::format(" \\fI{}\\fR", roff(shown));
        if (!option->nonpositional() && !words.empty()) out += fmt::format(" (\\fI{}\\fR)", roff(shown));
        out += "\n" + roff(option->get_description()) + "\n";
    }
    return out;
}

std::string synopsis_of(const CLI::App& command)
{
    std::string out = fmt::format(".B carom {}\n", roff(command.get_name()));
    for (const CLI::Option* option : command.get_options()) {
        if (option->nonpositional()) continue;
        const std::string name = option->get_name(true);
        out +=
            option->get_required() ? fmt::format("\\fI{}\\fR\n", name) : fmt::format("[\\fI{}\\fR]\n", name);
    }
    return out + "[\\fIoptions\\fR]\n.br\n";
}

}  // namespace

std::string manual_page(const CLI::App& app)
{
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    std::string out = fmt::format(".TH CAROM 1 \"\" \"carom {}\" \"User Commands\"\n", version);
    out += ".SH NAME\ncarom \\- mechanics with contacts, impacts and dry friction\n.SH SYNOPSIS\n";
    for (const CLI::App* command : commands)
        out += synopsis_of(*command);
    out += ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n.PP\n" + footer(app);
    out += ".SH COMMANDS\n";
    for (const CLI::App* command : commands) {
        out += fmt::format(".SS carom {}\n{}\n", roff(command->get_name()), roff(command->get_description()));
        out += arguments_of(*command) + ".PP\n" + footer(*command);
    }
    out += ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\n"
           "When it is set and not empty, nothing is coloured. Without it only terminals get colours.\n";
    return out;
}

}  // namespace carom::app
