#include "lexer.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {

namespace {

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Length of the digits at the start of the text.
std::size_t digits(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

/// Length of the number at the start of the text: digits, a point, digits, an exponent; 0 if there is none.
std::size_t number_length(std::string_view text)
{
    std::size_t length = digits(text);
    std::size_t mantissa = length;
    if (length < text.size() && text[length] == '.') {
        const std::size_t decimals = digits(text.substr(length + 1));
        mantissa += decimals;
        length += 1 + decimals;
    }
    if (mantissa == 0) return 0;

    // an e with digits behind it; without them it is a name, and a mistake that the parser explains
    if (length < text.size() && (text[length] == 'e' || text[length] == 'E')) {
        const bool has_sign =
            length + 1 < text.size() && (text[length + 1] == '+' || text[length + 1] == '-');
        const std::size_t begin = length + (has_sign ? 2 : 1);
        const std::size_t exponent = begin < text.size() ? digits(text.substr(begin)) : 0;
        if (exponent > 0) length = begin + exponent;
    }
    return length;
}

/// Whether a number that no double can hold is too large; otherwise it is too small, that is zero.
bool is_too_large(std::string_view number)
{
    const std::size_t e = number.find_first_of("eE");
    const std::string_view mantissa = number.substr(0, e);
    const std::size_t leading = mantissa.find_first_of("123456789");
    if (leading == std::string_view::npos) return false;
    if (e != std::string_view::npos) {
        // an exponent without mercy decides alone; others are small enough to be counted
        std::string_view exponent = number.substr(e + 1);
        if (exponent.starts_with('+')) exponent.remove_prefix(1);
        long power = 0;
        const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
        const bool negative = exponent.starts_with('-');
        const long place =
            static_cast<long>(std::min(mantissa.find('.'), mantissa.size())) - static_cast<long>(leading);
        return read.ec == std::errc{} ? power + place > 0 : !negative;
    }
    return leading < std::min(mantissa.find('.'), mantissa.size());
}

Error lexical_error(ErrorCode code, std::string message, std::string hint)
{
    return {.code = code, .where = {}, .message = std::move(message), .hint = std::move(hint), .excerpt = {}};
}

Expected<Token> number_token(std::string_view text, std::size_t position, std::size_t length)
{
    Token token{.kind = Token::Kind::Number, .text = text.substr(position, length), .position = position};
    const auto read = std::from_chars(token.text.data(), token.text.data() + length, token.number);
    if (read.ec == std::errc::result_out_of_range) {
        token.number = 0;
        if (is_too_large(token.text)) {
            return lexical_error(ErrorCode::NotFinite,
                                 fmt::format("the number {} is too large", quoted(token.text)),
                                 "numbers go up to about 1.8e308");
        }
    }
    return token;
}

/// What to write instead of signs that other languages have.
std::string_view advice(std::string_view rest)
{
    if (rest.starts_with("&")) return "write `and`";
    if (rest.starts_with("|")) return "write `or`, and abs(x) for an absolute value";
    if (rest.starts_with("!")) return "write `not`";
    if (rest.starts_with("=")) return "write `==` to compare";
    if (rest.starts_with("'"))
        return "a velocity is the name of a coordinate directly followed by ', as in theta'";
    if (rest.starts_with("[") || rest.starts_with("{")) return "use round brackets";
    if (rest.starts_with(".")) return "write numbers as in 0.5";
    if (static_cast<unsigned char>(rest.front()) >= 0x80) return "formulas are written in ASCII letters";
    return "formulas have names, numbers, + - * / ^, brackets, commas and comparisons";
}

/// The character at the start of the text, with all its bytes.
std::string_view character(std::string_view text)
{
    std::size_t length = 1;
    while (length < std::min<std::size_t>(text.size(), 4) &&
           (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
        ++length;
    return text.substr(0, length);
}

}  // namespace

Expected<Token> next_token(std::string_view text, std::size_t& position)
{
    while (position < text.size() && is_blank(text[position]))
        ++position;
    const std::string_view rest = text.substr(position);
    if (rest.empty()) return Token{.kind = Token::Kind::End, .text = {}, .position = position};

    if (const std::size_t length = number_length(rest); length > 0) {
        auto token = number_token(text, position, length);
        if (token) position += length;
        return token;
    }
    if (is_letter(rest.front())) {
        const auto continues = [](char c) { return is_letter(c) || is_digit(c); };
        const auto length =
            static_cast<std::size_t>(std::ranges::find_if_not(rest, continues) - rest.begin());
        Token token{.kind = Token::Kind::Name, .text = rest.substr(0, length), .position = position};
        position += length;
        for (; position < text.size() && text[position] == '\''; ++position)
            ++token.primes;
        return token;
    }
    constexpr std::string_view signs[] = {"<=", ">=", "==", "!=", "**", "<", ">", "+",
                                          "-",  "*",  "/",  "^",  "(",  ")", ","};
    for (const std::string_view sign : signs) {
        if (!rest.starts_with(sign)) continue;
        const Token token{
            .kind = Token::Kind::Sign, .text = rest.substr(0, sign.size()), .position = position};
        position += sign.size();
        return token;
    }
    return lexical_error(ErrorCode::FormulaSyntax,
                         fmt::format("the character {} is not allowed in a formula", quoted(character(rest))),
                         std::string(advice(rest)));
}

}  // namespace carom::detail
