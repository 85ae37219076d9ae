#include "terminal.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

namespace carom::app {
namespace {

constexpr std::size_t max_errors = 100;

bool has_colour(std::FILE* stream)
{
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool wanted = refused == nullptr || *refused == '\0';
    return wanted && is_terminal(stream) && terminal != nullptr && std::string_view(terminal) != "dumb";
}

const char* code_of(Tone tone)
{
    switch (tone) {
    case Tone::Bad: return "\033[1;31m";
    case Tone::Good: return "\033[1;32m";
    case Tone::Doubtful: return "\033[1;33m";
    case Tone::Title: return "\033[1m";
    }
    return "";
}

}  // namespace

bool is_terminal(std::FILE* stream)
{
    return isatty(fileno(stream)) == 1;
}

std::string coloured(std::string_view text, Tone tone, std::FILE* stream)
{
    if (!has_colour(stream)) return std::string(text);
    return fmt::format("{}{}\033[0m", code_of(tone), text);
}

std::string painted(std::string_view text, Tone tone)
{
    return coloured(text, tone, stdout);
}

void print_errors(const Errors& errors)
{
    std::string out;
    for (std::size_t i = 0; i < errors.size() && i < max_errors; ++i) {
        std::string text = to_text(errors[i]);
        const auto word = text.find("error: ");
        if (word != std::string::npos) text.replace(word, 6, coloured("error:", Tone::Bad, stderr));
        out += text;
    }
    if (errors.size() > max_errors) out += fmt::format("... and {} more\n", errors.size() - max_errors);
    if (errors.size() > 1) out += fmt::format("{} mistakes\n", errors.size());
    std::fputs(out.c_str(), stderr);
}

void print_warnings(const Errors& warnings)
{
    for (const Error& warning : warnings) {
        std::string text = to_text(warning);
        const auto word = text.find("error: ");
        if (word != std::string::npos) text.replace(word, 6, coloured("warning:", Tone::Doubtful, stderr));
        std::fputs(text.c_str(), stderr);
    }
}

bool print_result(std::string_view text)
{
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return true;
    std::fputs("carom: error: standard output cannot be written\n", stderr);
    return false;
}

}  // namespace carom::app
