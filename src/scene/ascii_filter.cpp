#include "ascii_filter.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace carom::detail {
namespace {

bool is_ascii(char c)
{
    return static_cast<unsigned char>(c) < 0x80;
}

bool continues_character(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// What people write who would like to write the letter.
std::string_view spelling_of(std::string_view letter)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 33> spellings{{
        {"α", "alpha"}, {"β", "beta"},  {"γ", "gamma"}, {"δ", "delta"}, {"ε", "epsilon"}, {"ζ", "zeta"},
        {"η", "eta"},   {"θ", "theta"}, {"ϑ", "theta"}, {"κ", "kappa"}, {"λ", "lambda"},  {"μ", "mu"},
        {"µ", "mu"},    {"ν", "nu"},    {"ξ", "xi"},    {"π", "pi"},    {"ρ", "rho"},     {"σ", "sigma"},
        {"τ", "tau"},   {"φ", "phi"},   {"ϕ", "phi"},   {"χ", "chi"},   {"ψ", "psi"},     {"ω", "omega"},
        {"Δ", "Delta"}, {"Ω", "Omega"}, {"−", "-"},     {"–", "-"},     {"×", "*"},       {"·", "*"},
        {"“", "\""},    {"”", "\""},    {"’", "'"},
    }};
    for (const auto& [seen, spelled] : spellings) {
        if (seen == letter) return spelled;
    }
    return {};
}

/// Walks over a TOML text and knows where strings and comments are. It stops where the parser would stop too:
/// at a line that ends within a string.
class Walk {
public:
    Walk(std::string_view text, Mistakes& mistakes) : text_(text), mistakes_(mistakes) {}

    void run()
    {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#')
                skip_comment();
            else if (c == '"' || c == '\'')
                skip_string(c);
            else
                look_at(c);
        }
    }

private:
    void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

    void skip_string(char quote)
    {
        const std::string three(3, quote);
        if (text_.substr(at_, 3) != three) {
            skip_short_string(quote);
            return;
        }
        at_ += 3;
        while (at_ < text_.size() && text_.substr(at_, 3) != three) {
            if (quote == '"' && text_[at_] == '\\') ++at_;
            if (at_ < text_.size()) count_line(text_[at_]);
            ++at_;
        }
        // the closing quotes may follow one or two that belong to the string
        at_ = std::min(at_ + 3, text_.size());
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i)
            ++at_;
    }

    void skip_short_string(char quote)
    {
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (quote == '"' && text_[at_] == '\\') ++at_;
            if (at_ < text_.size() && text_[at_] == '\n') {
                at_ = text_.size();
                return;
            }
        }
        ++at_;
    }

    void look_at(char c)
    {
        count_line(c);
        if (c == '.')
            count_dot();
        else if (std::string_view("=,{}[]\n").find(c) != std::string_view::npos)
            dots_ = 0;
        if (is_ascii(c)) {
            ++at_;
            return;
        }
        report_letter();
    }

    void count_line(char c)
    {
        if (c != '\n') return;
        ++line_;
        line_begin_ = at_ + 1;
    }

    void count_dot()
    {
        if (++dots_ != max_key_parts) return;
        mistakes_.add(place(), ErrorCode::SceneSyntax,
                      fmt::format("a key has more than {} parts", max_key_parts),
                      "keys of a scene have four parts at most, for example contact.wall.law.restitution");
    }

    /// One mistake per line is enough: the whole run of letters is shown, and the line is left behind.
    void report_letter()
    {
        std::size_t end = at_ + 1;
        while (end < text_.size() && continues_character(text_[end]))
            ++end;
        const std::string_view letter = text_.substr(at_, end - at_);
        const std::string_view spelled = spelling_of(letter);
        const bool name = !spelled.empty() && spelled.size() > 1;
        mistakes_.add(place(), ErrorCode::NotAscii,
                      fmt::format("the character {} is outside strings and comments", carom::quoted(letter)),
                      spelled.empty() ? "keys and names must be ASCII, for example mu"
                                      : fmt::format("write {}{}", spelled,
                                                    name ? fmt::format(" for {}", letter)
                                                         : fmt::format(" where {} stands", letter)));
        at_ = std::min(text_.find('\n', at_), text_.size());
    }

    [[nodiscard]] Place place() const
    {
        const std::string_view before = text_.substr(line_begin_, at_ - line_begin_);
        const auto letters =
            std::count_if(before.begin(), before.end(), [](char c) { return !continues_character(c); });
        return {.line = line_, .column = static_cast<int>(letters) + 1, .override_index = -1};
    }

    std::string_view text_;
    Mistakes& mistakes_;
    std::size_t at_ = 0, line_begin_ = 0;
    int line_ = 1;
    int dots_ = 0;
};

}  // namespace

void look_for_what_toml_refuses(std::string_view text, Mistakes& mistakes)
{
    Walk(text, mistakes).run();
}

}  // namespace carom::detail
